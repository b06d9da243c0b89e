//===- DeviceCompile.cpp - from a module to code for a GPU ----------------===//

#include "DeviceCompile.h"

#include "CudaLauncher.h"
#include "Emulator.h"
#include "FixedExtents.h"
#include "KernelRecords.h"
#include "StepTimer.h"

#include "mlir/Pass/PassManager.h"

using namespace smx;
using llvm::createStringError;
using llvm::Expected;
using mlir::smx::LaunchPlan;
using mlir::smx::Stage;
using mlir::smx::Target;
using mlir::smx::gpu::ArgumentExtent;
using Fits = DeviceVariants::Fits;

/// What copies to shared memory move at best, in bytes.
static constexpr int64_t widestAlignment = 16;

static int64_t mostAlignment(const CompileOptions &options) {
  return options.road.alignment ? options.road.alignment : widestAlignment;
}

std::vector<TensorView> smx::likelyViews(const Signature &signature) {
  std::vector<TensorView> views;
  for (const auto &specs : {signature.inputs, signature.outputs})
    for (const TensorSpec &spec : specs) {
      llvm::SmallVector<int64_t, 4> sizes(spec.sizes);
      for (int64_t &size : sizes)
        size = size < 0 ? widestAlignment : size;
      views.emplace_back(nullptr, spec.dtype, sizes);
    }
  return views;
}

int64_t smx::likelyAlignment(const Signature &signature,
                             const CompileOptions &options) {
  return alignmentOf(llvm::ArrayRef(likelyViews(signature))
                         .take_front(signature.inputs.size()),
                     mostAlignment(options));
}

Expected<std::vector<ArgumentExtent>>
smx::findOpenExtents(ModuleInContext &module, llvm::StringRef entry) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.get().clone();
  mlir::PassManager passes(copy->getContext());
  mlir::smx::buildKernelNests(passes);
  auto failure = [&] {
    return module.explain(createStringError("the loop nests of '" + entry +
                                            "' can not become kernels"));
  };
  if (mlir::failed(passes.run(*copy)))
    return failure();
  auto extents = mlir::smx::gpu::findOpenExtents(
      copy->lookupSymbol<mlir::func::FuncOp>(entry));
  if (mlir::failed(extents))
    return failure();
  return std::vector<ArgumentExtent>(extents->begin(), extents->end());
}

Expected<LaunchPlan> smx::planLaunches(ModuleInContext &module,
                                       mlir::func::FuncOp function) {
  auto plan = LaunchPlan::build(function);
  if (mlir::succeeded(plan))
    return std::move(*plan);
  return module.explain(createStringError("'" + function.getName() +
                                          "' has a part that no kernel does"));
}

/// The name of the part of the files that has the code made for `facts`.
static std::string partOf(const VariantFacts &facts) {
  std::string part = "variant " + std::to_string(facts.alignment);
  for (int64_t size : facts.sizes)
    part += " " + std::to_string(size);
  return part;
}

/// Code for the emulator stays IR, in its context.
static Expected<std::unique_ptr<Launcher>> emulate(ModuleInContext &module,
                                                   const LaunchPlan &plan) {
  auto [context, kernels] = module.take();
  return createEmulator(context, std::move(kernels), plan);
}

static Expected<std::unique_ptr<Launcher>>
compileKernels(ModuleInContext &module, const LaunchPlan &plan,
               const DeviceFunction &function, const VariantFacts &facts,
               const CompileOptions &options, std::vector<CompileStep> &steps) {
  auto device = findDevice(options);
  if (!device)
    return device.takeError();
  if (llvm::Error error = module.lead(Stage::Gpu, Stage::Nvvm, options, steps))
    return error;
  StepTimer timer(steps);
  auto image = makeDeviceImage(module.get(), plan, options.road.chip);
  if (!image)
    return image.takeError();
  timer.finish("ptx");
  if (options.onText && !image->ptx.empty())
    options.onText("ptx", image->ptx);
  auto launcher = createCudaLauncher(*image, plan, *device, options, steps);
  if (launcher)
    function.files.keep(partOf(facts),
                        toJSON(VariantRecord{plan, image->launches}),
                        image->ptx);
  return launcher;
}

/// The host's part is taken out where it stands in the IR, at stage `gpu`; the
/// kernels go on to where they run, unless they ask for more than a call has.
static Expected<Variant> compileVariant(std::unique_ptr<ModuleInContext> module,
                                        Stage from,
                                        const DeviceFunction &function,
                                        const VariantFacts &facts, Fits fits,
                                        std::vector<CompileStep> &steps) {
  CompileOptions options = function.options;
  options.road.alignment = facts.alignment;
  const bool isEmulated = options.road.target == Target::Emulator;
  if (from < Stage::Gpu || isEmulated)
    if (llvm::Error error = module->lead(from, Stage::Gpu, options, steps))
      return error;
  auto plan = planLaunches(
      *module, module->get().lookupSymbol<mlir::func::FuncOp>(function.entry));
  if (!plan)
    return plan.takeError();
  Variant variant{plan->getAligned().vec(), nullptr};
  if (!fits(variant.aligned)) {
    // Later processes shall not come here again to see that.
    function.files.keep(partOf(facts), toJSON(VariantRecord{*plan, {}}), "");
    return variant;
  }
  auto launcher = isEmulated ? emulate(*module, *plan)
                             : compileKernels(*module, *plan, function, facts,
                                              options, steps);
  if (!launcher)
    return module->explain(launcher.takeError());
  auto code = DeviceCode::create(std::move(*plan), std::move(*launcher));
  if (!code)
    return code.takeError();
  variant.code = std::move(*code);
  return variant;
}

/// A variant that is kept in the function's files; none if it is not, or not as
/// far as it is needed.
static Expected<std::optional<Variant>>
loadVariant(const DeviceFunction &function, const VariantFacts &facts,
            Fits fits, std::vector<CompileStep> &steps) {
  StepTimer timer(steps);
  VariantRecord record;
  auto content = function.files.find(partOf(facts), record);
  // Only with the function is it known which arguments there are.
  if (!content || !record.plan.fits(ranksOf(function.signature)))
    return std::nullopt;
  Variant variant{record.plan.getAligned().vec(), nullptr};
  const bool isForCall = fits(variant.aligned);
  if (isForCall && !record.hasKernels())
    return std::nullopt;
  timer.finish("read code");
  if (!isForCall)
    return variant;
  DeviceImage image{content->bytes.str(), std::move(record.launches)};
  auto device = findDevice(function.options);
  if (!device)
    return device.takeError();
  auto launcher =
      createCudaLauncher(image, record.plan, *device, function.options, steps);
  if (!launcher)
    return launcher.takeError();
  auto code = DeviceCode::create(std::move(record.plan), std::move(*launcher));
  if (!code)
    return code.takeError();
  variant.code = std::move(*code);
  return variant;
}

/// Makes a variant when a call needs it, starting from the text again if need
/// be.
static Expected<Variant> makeVariant(const DeviceFunction &function,
                                     const VariantFacts &facts, Fits fits,
                                     std::vector<CompileStep> &steps) {
  auto loaded = loadVariant(function, facts, fits, steps);
  if (!loaded)
    return loaded.takeError();
  if (*loaded)
    return std::move(**loaded);
  auto module = ModuleInContext::parse(function.text, function.options, steps);
  if (!module)
    return module.takeError();
  auto entry =
      (*module)->get().lookupSymbol<mlir::func::FuncOp>(function.entry);
  if (mlir::failed(fixExtents(entry, function.openExtents, facts.sizes)))
    return (*module)->explain(createStringError(
        "'" + function.entry + "' can not be made for the sizes of a call"));
  return compileVariant(std::move(*module), function.options.from, function,
                        facts, fits, steps);
}

static bool hasOpenExtents(const Signature &signature) {
  return llvm::any_of(signature.inputs, [](const TensorSpec &spec) {
    return llvm::is_contained(spec.sizes, -1);
  });
}

/// The variants of a function, with what is likely to be called, which `make`
/// makes, unless extents are open.
static Expected<DeviceVariants>
variantsOf(const DeviceFunction &function,
           const DeviceVariants::Compile &make) {
  DeviceFunction later = function;
  later.options.onText = nullptr;
  DeviceVariants variants(
      function.openExtents, mostAlignment(function.options),
      function.options.rowLengths,
      [later = std::move(later)](const VariantFacts &facts, Fits fits) {
        std::vector<CompileStep> steps;
        return makeVariant(later, facts, fits, steps);
      });
  if (!function.openExtents.empty())
    return variants;
  auto code = variants.get(likelyViews(function.signature),
                           function.signature.inputs.size(), make);
  if (!code)
    return code.takeError();
  return variants;
}

Expected<DeviceVariants> smx::loadForDevice(const DeviceFunction &function,
                                            std::vector<CompileStep> &steps) {
  return variantsOf(function, [&](const VariantFacts &facts, Fits fits) {
    return makeVariant(function, facts, fits, steps);
  });
}

Expected<DeviceVariants>
smx::compileForDevice(DeviceFunction &function,
                      std::unique_ptr<ModuleInContext> module,
                      std::vector<CompileStep> &steps) {
  // What is likely to be tried first.
  CompileOptions options = function.options;
  options.road.alignment = likelyAlignment(function.signature, options);
  if (options.road.target == Target::Cuda)
    if (auto device = findDevice(options); !device)
      return device.takeError();
  Stage reached = options.from;
  if (hasOpenExtents(function.signature) && reached <= Stage::Tiled) {
    if (llvm::Error error = module->lead(reached, Stage::Tiled, options, steps))
      return error;
    reached = Stage::Tiled;
    auto found = findOpenExtents(*module, function.entry);
    if (!found)
      return found.takeError();
    function.openExtents = std::move(*found);
  }
  return variantsOf(function, [&](const VariantFacts &facts, Fits fits) {
    return module ? compileVariant(std::move(module), reached, function, facts,
                                   fits, steps)
                  : makeVariant(function, facts, fits, steps);
  });
}
