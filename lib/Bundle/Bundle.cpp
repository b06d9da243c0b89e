//===- Bundle.cpp - gather what a launch needs, stage by stage ------------===//

#include "smx/Bundle/Bundle.h"

#include "smx/Evaluator/ShapeProgram.h"
#include "smx/NVVM/Pipeline.h"
#include "smx/Runtime/Signature.h"

using namespace mlir;
using namespace mlir::smx;
using llvm::createStringError;
using Number = NumberProgram::Number;

static auto getEntries(ModuleOp module) {
  return llvm::make_filter_range(
      module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isPublic() && !function.isDeclaration();
      });
}

static BundleArgument describeArgument(const ::smx::TensorSpec &spec,
                                       BundleArgument::Role role,
                                       size_t index) {
  BundleArgument argument;
  argument.role = role;
  argument.name = (role == BundleArgument::In    ? "in"
                   : role == BundleArgument::Out ? "out"
                                                 : "memory") +
                  std::to_string(index);
  argument.isTensor = spec.isTensor;
  argument.dtype = spec.dtype;
  argument.sizes.assign(spec.sizes.begin(), spec.sizes.end());
  return argument;
}

llvm::Error BundleBuilder::readSignatures(ModuleOp module) {
  for (func::FuncOp function : getEntries(module)) {
    auto signature = ::smx::readSignature(function);
    if (!signature)
      return signature.takeError();
    BundleFunction &entry = bundle.functions.emplace_back();
    entry.name = function.getName().str();
    for (auto [i, spec] : llvm::enumerate(signature->inputs))
      entry.arguments.push_back(
          describeArgument(spec,
                           isa<MemRefType>(function.getArgumentTypes()[i])
                               ? BundleArgument::InOut
                               : BundleArgument::In,
                           i));
    ShapeProgram shapes = ShapeProgram::build(function);
    std::vector<Number> numbers = entry.numbers.append(shapes.getNumbers());
    for (const NumberProgram::Assertion &condition : shapes.getConditions())
      entry.assertions.push_back({numbers[condition.holds], condition.message});
    for (auto [i, spec] : llvm::enumerate(signature->outputs)) {
      entry.arguments.push_back(describeArgument(spec, BundleArgument::Out, i));
      for (std::optional<Number> size : shapes.getSizes()[i])
        entry.arguments.back().extents.push_back(
            size ? std::optional(numbers[*size]) : std::nullopt);
    }
  }
  if (bundle.functions.empty())
    return createStringError("the module has no public func.func with a body");
  return llvm::Error::success();
}

static BundleLaunch makeLaunch(const LaunchPlan::Launch &planned,
                               ArrayRef<Number> numbers) {
  BundleLaunch launch{};
  launch.kernel = planned.kernel;
  for (int dim : {0, 1, 2})
    launch.grid[dim] = numbers[planned.grid[dim]];
  for (const LaunchPlan::Operand &operand : planned.operands) {
    constexpr int64_t word = 8;
    launch.arguments.push_back(launch.parameters.size());
    if (operand.isMemory())
      launch.parameters.push_back({operand.kind == LaunchPlan::Kind::Argument
                                       ? BundleParameter::Argument
                                       : BundleParameter::Scratch,
                                   operand.memory, word});
    for (Number number : operand.numbers)
      launch.parameters.push_back(
          {BundleParameter::Number, numbers[number],
           operand.isMemory() ? word : operand.elementBytes});
  }
  return launch;
}

llvm::Error BundleBuilder::readPlans(ModuleOp module) {
  for (BundleFunction &entry : bundle.functions) {
    auto function = module.lookupSymbol<func::FuncOp>(entry.name);
    FailureOr<LaunchPlan> plan = failure();
    if (function && function.getNumArguments() == entry.arguments.size())
      plan = LaunchPlan::build(function);
    if (failed(plan))
      return createStringError("'" + entry.name +
                               "' has a part that no kernel does");
    for (auto [i, argument] : llvm::enumerate(entry.arguments))
      argument.isAligned = !argument.isTensor || alignment == 0 ||
                           llvm::is_contained(plan->getAligned(), i);
    std::vector<Number> numbers = entry.numbers.append(plan->getNumbers());
    for (const LaunchPlan::Assertion &assertion : plan->getAssertions())
      entry.assertions.push_back({numbers[assertion.holds], assertion.message});
    for (const LaunchPlan::Scratch &scratch : plan->getScratch()) {
      Number bytes = entry.numbers.addConstant(scratch.elementBytes);
      for (Number size : scratch.sizes)
        bytes =
            entry.numbers.add(NumberProgram::Opcode::Mul, bytes, numbers[size]);
      entry.scratch.push_back(bytes);
    }
    if (!plan->getConstants().empty())
      return createStringError("'" + entry.name +
                               "' needs constant tensors on the device, which "
                               "a bundle has no place for; pass them as "
                               "arguments");
    for (const LaunchPlan::Step &step : plan->getSteps()) {
      const auto *launch = std::get_if<LaunchPlan::Launch>(&step);
      if (!launch)
        return createStringError(
            "'" + entry.name +
            "' copies a tensor between kernels, or gives "
            "one back as it is, which a bundle can not "
            "say; results that kernels compute would work");
      entry.launches.push_back(makeLaunch(*launch, numbers));
    }
  }
  return llvm::Error::success();
}

/// A map of a memref, whose parameters are address, offset, sizes and strides.
static llvm::Expected<BundleTensorMap> makeTensorMap(const TensorMapUse &use,
                                                     const BundleLaunch &launch,
                                                     NumberProgram &numbers) {
  using Opcode = NumberProgram::Opcode;
  auto dtype = ::smx::reference::dtypeFromName(use.element);
  if (!dtype)
    return createStringError("kernel '" + launch.kernel +
                             "' copies a tensor of " + use.element +
                             " by a tensor map, which a bundle has of " +
                             ::smx::reference::dtypeNames().data());
  const BundleParameter *memory =
      &launch.parameters[launch.arguments[use.argument]];
  BundleTensorMap map;
  map.memory = memory->kind;
  map.index = memory->index;
  map.dtype = *dtype;
  map.swizzle = use.swizzle;
  map.box.assign(use.box.rbegin(), use.box.rend());
  Number one = numbers.addConstant(1);
  Number bytes = numbers.addConstant(::smx::reference::byteWidth(*dtype));
  map.offset = numbers.add(Opcode::Mul, memory[1].index, bytes);
  const BundleParameter *sizes = memory + 2, *strides = sizes + use.dims.size();
  map.elements = one;
  for (int64_t d : use.dims)
    map.elements = numbers.add(Opcode::Mul, map.elements, sizes[d].index);
  // No size of a map is 0. The stride of a single element is never used but
  // has to be a multiple of 16 bytes.
  Number unused = numbers.addConstant(16);
  for (int64_t d : llvm::reverse(use.dims)) {
    if (!map.sizes.empty())
      map.strides.push_back(numbers.add(
          Opcode::Select, numbers.add(Opcode::Eq, sizes[d].index, one), unused,
          numbers.add(Opcode::Mul, strides[d].index, bytes)));
    map.sizes.push_back(
        numbers.add(Opcode::Select, map.elements, sizes[d].index, one));
  }
  return map;
}

llvm::Error BundleBuilder::readKernels(ModuleOp module) {
  for (BundleFunction &entry : bundle.functions)
    for (BundleLaunch &launch : entry.launches) {
      auto needs = getKernelLaunch(module, launch.kernel);
      if (!needs)
        return needs.takeError();
      launch.threads = needs->threads;
      launch.cluster = needs->cluster;
      launch.sharedBytes = needs->sharedBytes;
      launch.overlapsPrevious = needs->overlapsPrevious;
      for (const TensorMapUse &use : needs->tensorMaps) {
        constexpr int64_t bytes = 128;
        launch.parameters.push_back({BundleParameter::TensorMap,
                                     unsigned(launch.tensorMaps.size()),
                                     bytes});
        auto map = makeTensorMap(use, launch, entry.numbers);
        if (!map)
          return map.takeError();
        launch.tensorMaps.push_back(std::move(*map));
      }
    }
  auto ptx = emitPTX(module, chip);
  if (!ptx)
    return ptx.takeError();
  bundle.ptx = std::move(*ptx);
  bundle.chip = chip;
  bundle.alignment = alignment;
  isComplete = true;
  return llvm::Error::success();
}

void BundleBuilder::visit(Stage stage, ModuleOp module) {
  auto take = [&](Stage wanted, llvm::Error (BundleBuilder::*read)(ModuleOp)) {
    if (stage == wanted && problem.empty())
      if (llvm::Error error = (this->*read)(module))
        problem = llvm::toString(std::move(error));
  };
  take(from, &BundleBuilder::readSignatures);
  take(Stage::Gpu, &BundleBuilder::readPlans);
  take(Stage::Nvvm, &BundleBuilder::readKernels);
}

llvm::Expected<Bundle> BundleBuilder::finish() {
  if (problem.empty() && !isComplete)
    problem = "the module did not reach stage 'nvvm'";
  if (!problem.empty())
    return createStringError(problem);
  return std::move(bundle);
}
