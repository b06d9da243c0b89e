//===- DeviceCompile.cpp - from a module to code for a GPU ----------------===//

#include "DeviceCompile.h"

#include "CudaLauncher.h"
#include "Emulator.h"
#include "FixedExtents.h"

#include "mlir/Pass/PassManager.h"

using namespace smx;
using llvm::createStringError;
using llvm::Expected;
using mlir::smx::LaunchPlan;
using mlir::smx::Stage;
using mlir::smx::Target;
using mlir::smx::gpu::ArgumentExtent;
using CodePtr = DeviceVariants::CodePtr;

/// What copies to shared memory move at best, in bytes.
static constexpr int64_t widestAlignment = 16;

static int64_t mostAlignment(const CompileOptions &options) {
  return options.road.alignment ? options.road.alignment : widestAlignment;
}

int64_t smx::likelyAlignment(const Signature &signature,
                             const CompileOptions &options) {
  std::vector<TensorView> views;
  for (const auto &specs : {signature.inputs, signature.outputs})
    for (const TensorSpec &spec : specs) {
      llvm::SmallVector<int64_t, 4> sizes(spec.sizes);
      for (int64_t &size : sizes)
        size = size < 0 ? widestAlignment : size;
      views.emplace_back(nullptr, spec.dtype, sizes);
    }
  return alignmentOf(views, mostAlignment(options));
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

/// The host's part is taken out where it stands in the IR, at stage `gpu`; the
/// kernels go on to where they run.
static Expected<CodePtr> compileVariant(std::unique_ptr<ModuleInContext> module,
                                        Stage from, llvm::StringRef entry,
                                        const VariantFacts &facts,
                                        CompileOptions options,
                                        std::vector<CompileStep> &steps) {
  options.road.alignment = facts.alignment;
  if (from < Stage::Gpu || options.road.target == Target::Emulator)
    if (llvm::Error error = module->lead(from, Stage::Gpu, options, steps))
      return error;
  auto plan = planLaunches(
      *module, module->get().lookupSymbol<mlir::func::FuncOp>(entry));
  if (!plan)
    return plan.takeError();

  Expected<std::unique_ptr<Launcher>> launcher(nullptr);
  if (options.road.target == Target::Emulator) {
    auto [context, kernels] = module->take();
    launcher = createEmulator(context, std::move(kernels), *plan);
  } else {
    auto device = findDevice(options);
    if (!device)
      return device.takeError();
    if (llvm::Error error =
            module->lead(Stage::Gpu, Stage::Nvvm, options, steps))
      return error;
    launcher =
        createCudaLauncher(module->get(), *plan, *device, options, steps);
  }
  if (!launcher)
    return module->explain(launcher.takeError());
  return DeviceCode::create(std::move(*plan), std::move(*launcher));
}

/// Compiles a variant when a call needs it, starting from the text again.
static Expected<CodePtr> compileLater(const std::string &text,
                                      const std::string &entry,
                                      llvm::ArrayRef<ArgumentExtent> extents,
                                      const VariantFacts &facts,
                                      const CompileOptions &options) {
  std::vector<CompileStep> steps;
  auto module = ModuleInContext::parse(text, options, steps);
  if (!module)
    return module.takeError();
  auto function = (*module)->get().lookupSymbol<mlir::func::FuncOp>(entry);
  if (mlir::failed(fixExtents(function, extents, facts.sizes)))
    return (*module)->explain(createStringError(
        "'" + entry + "' can not be made for the sizes of a call"));
  return compileVariant(std::move(*module), options.from, entry, facts, options,
                        steps);
}

static bool hasOpenExtents(const Signature &signature) {
  return llvm::any_of(signature.inputs, [](const TensorSpec &spec) {
    return llvm::is_contained(spec.sizes, -1);
  });
}

Expected<DeviceVariants>
smx::compileForDevice(std::unique_ptr<ModuleInContext> module,
                      llvm::StringRef text, llvm::StringRef entry,
                      const Signature &signature, const CompileOptions &given,
                      std::vector<CompileStep> &steps) {
  // Stages before the kernels look at the alignment, too.
  const int64_t most = mostAlignment(given);
  VariantFacts likely{likelyAlignment(signature, given), {}};
  CompileOptions options = given;
  options.road.alignment = likely.alignment;
  if (options.road.target == Target::Cuda)
    if (auto device = findDevice(options); !device)
      return device.takeError();
  Stage reached = options.from;
  std::vector<ArgumentExtent> extents;
  if (hasOpenExtents(signature) && reached <= Stage::Tiled) {
    if (llvm::Error error = module->lead(reached, Stage::Tiled, options, steps))
      return error;
    reached = Stage::Tiled;
    auto found = findOpenExtents(*module, entry);
    if (!found)
      return found.takeError();
    extents = std::move(*found);
  }

  CompileOptions later = options;
  later.onText = nullptr;
  DeviceVariants variants(extents, most,
                          [text = text.str(), entry = entry.str(), extents,
                           later](const VariantFacts &facts) {
                            return compileLater(text, entry, extents, facts,
                                                later);
                          });
  if (!extents.empty())
    return variants;
  auto code =
      compileVariant(std::move(module), reached, entry, likely, options, steps);
  if (!code)
    return code.takeError();
  variants.put(likely, std::move(*code));
  return variants;
}
