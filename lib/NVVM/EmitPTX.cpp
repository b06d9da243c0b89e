//===- EmitPTX.cpp - lowered kernels to PTX text --------------------------===//

#include "BranchSides.h"
#include "DemandOrder.h"
#include "LaunchOrder.h"
#include "NegatedPairs.h"
#include "SplitVectors.h"
#include "TensorCopies.h"
#include "smx/NVVM/Pipeline.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::smx;
using llvm::createStringError;

static mlir::gpu::GPUModuleOp deviceModule(ModuleOp module) {
  for (auto device : module.getOps<mlir::gpu::GPUModuleOp>())
    return device;
  return {};
}

static SmallVector<LLVM::LLVMFuncOp> kernelsOf(mlir::gpu::GPUModuleOp device) {
  auto functions = device.getOps<LLVM::LLVMFuncOp>();
  return llvm::filter_to_vector(functions, [](LLVM::LLVMFuncOp function) {
    return function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
  });
}

static llvm::Expected<LLVM::LLVMFuncOp> findKernel(ModuleOp module,
                                                   StringRef name) {
  std::string known;
  if (mlir::gpu::GPUModuleOp device = deviceModule(module))
    for (LLVM::LLVMFuncOp kernel : kernelsOf(device)) {
      if (kernel.getName() == name)
        return kernel;
      known += (known.empty() ? "" : ", ") + kernel.getName().str();
    }
  return createStringError("no kernel '" + name + "' in the lowered module; " +
                           (known.empty() ? "it has none" : "it has " + known));
}

llvm::Expected<KernelLaunch> mlir::smx::getKernelLaunch(ModuleOp module,
                                                        StringRef kernel) {
  llvm::Expected<LLVM::LLVMFuncOp> found = findKernel(module, kernel);
  if (!found)
    return found.takeError();
  KernelLaunch launch;
  auto first = [&](StringRef name, int64_t otherwise) -> int64_t {
    auto values = (*found)->getAttrOfType<DenseI32ArrayAttr>(name);
    return values && !values.empty() ? values[0] : otherwise;
  };
  launch.threads = first(NVVM::NVVMDialect::getReqntidAttrName(), 0);
  launch.cluster = first(NVVM::NVVMDialect::getClusterDimAttrName(), 1);
  if (auto bytes = (*found)->getAttrOfType<IntegerAttr>("smx.shared_bytes"))
    launch.sharedBytes = bytes.getInt();
  launch.overlapsPrevious = (*found)->hasAttr(overlapsPreviousAttribute);
  launch.tensorMaps = tensorMapsOf(*found);
  return launch;
}

namespace {
/// Keeps the errors of the back end, which prints them otherwise.
struct ErrorText : llvm::DiagnosticHandler {
  explicit ErrorText(std::string &text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(text);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      stream << (text.empty() ? "" : "; ");
      info.print(printer);
    }
    return true;
  }
  std::string &text;
};
} // namespace

static const llvm::Triple &deviceTriple() {
  static const llvm::Triple triple("nvptx64-nvidia-cuda");
  return triple;
}

static llvm::Expected<const llvm::Target *> findTarget() {
  static const bool initialised = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialised;
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(deviceTriple(), error);
  if (!target)
    return createStringError("this LLVM has no NVPTX back end: " + error);
  return target;
}

llvm::Error mlir::smx::checkChip(StringRef chip) {
  auto target = findTarget();
  if (!target)
    return target.takeError();
  // Made for no chip: LLVM prints something of its own for one it does not
  // know.
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      (*target)->createMCSubtargetInfo(deviceTriple(), /*CPU=*/"",
                                       /*Features=*/""));
  if (chip.empty() || !known->isCPUStringValid(chip))
    return createStringError("'" + chip +
                             "' is not an architecture that LLVM knows; use "
                             "sm_80, sm_86, sm_89, sm_90a or newer");
  constexpr unsigned oldest = 80;
  StringRef digits = chip;
  unsigned number = 0;
  if (digits.consume_front("sm_") && !digits.consumeInteger(10, number) &&
      number < oldest)
    return createStringError("'" + chip +
                             "' is too old: kernels need sm_80 or newer");
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTarget(StringRef chip, StringRef features) {
  if (llvm::Error error = checkChip(chip))
    return std::move(error);
  auto target = findTarget();
  if (!target)
    return target.takeError();
  std::unique_ptr<llvm::TargetMachine> machine((*target)->createTargetMachine(
      deviceTriple(), chip, features, llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return createStringError("the NVPTX back end does not do '" + chip + "'");
  return machine;
}

/// What the default pipeline of O1 does to kernels, without its repetitions:
/// the same machine code in little more than half of its time. They are written
/// for the unit that they run on, and ptxas optimises them again. Without
/// ranges (of numbers of threads, and by ipsccp) ptxas spills here or there.
/// What two sides of a branch compute each for themselves (`ofSides`) is not to
/// come in front of it again.
static std::string passes(bool ofSides) {
  return std::string(
             "function(nvvm-intr-range,simplifycfg,sroa<modify-cfg>,early-cse<"
             "memssa>),"
             "ipsccp,"
             "function(instcombine<max-iterations=1;no-verify-fixpoint>,"
             "simplifycfg,"
             "reassociate,loop-mssa(loop-instsimplify,loop-simplifycfg,"
             "licm<no-allowspeculation>,loop-rotate<header-duplication>,"
             "licm<allowspeculation>,simple-loop-unswitch<no-nontrivial;"
             "trivial>),"
             "simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>,"
             "loop(indvars,loop-deletion),early-cse<memssa>,"
             "instcombine<max-iterations=1;no-verify-fixpoint>,"
             "simplifycfg<forward-switch-cond;switch-range-to-icmp;no-keep-"
             "loops;") +
         (ofSides ? "" : "hoist-common-insts;") +
         "sink-common-insts;speculate-blocks;"
         "simplify-cond-branch>,"
         "loop-mssa(licm<allowspeculation>),instsimplify,simplifycfg)";
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cycles;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cycles);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cycles, modules);
  llvm::ModulePassManager pipeline;
  bool ofSides = llvm::any_of(module, [](const llvm::Function &function) {
    return function.hasFnAttribute(branchSidesAttribute);
  });
  llvm::cantFail(builder.parsePassPipeline(pipeline, passes(ofSides)),
                 "the pipeline is a constant");
  pipeline.run(module, modules);

  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    // The back end would do it, with a look at the whole vector for each of its
    // elements. Two of 16 bits are one operand.
    bool isOrdered = function.hasFnAttribute(demandOrderAttribute);
    SplitVectorsPass(isOrdered ? 0 : 32).run(function, functions);
    NegatedPairsPass().run(function, functions);
    if (isOrdered)
      DemandOrderPass().run(function, functions);
  }
}

llvm::Expected<std::string> mlir::smx::emitPTX(ModuleOp module,
                                               StringRef chip) {
  mlir::gpu::GPUModuleOp device = deviceModule(module);
  if (!device || kernelsOf(device).empty())
    return createStringError(
        "the module has no kernel; a public function with an op of smx or "
        "linalg on tensors, none of which has an extent of 0, has one");
  StringRef features;
  if (ArrayAttr targets = device.getTargetsAttr())
    for (auto target : targets.getAsRange<NVVM::NVVMTargetAttr>()) {
      features = target.getFeatures();
      if (target.getChip() != chip)
        return createStringError("the kernels were lowered for " +
                                 target.getChip() + ", not for " + chip +
                                 "; chip " + target.getChip() + " would work");
    }

  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  std::string errors;
  llvm::LLVMContext context;
  // Nobody reads them, and to keep them apart takes a fifth of the time.
  context.setDiscardValueNames(true);
  context.setDiagnosticHandler(std::make_unique<ErrorText>(errors));
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(device, context, device.getName());
  if (!code)
    return createStringError("the kernels could not be translated to LLVM IR");
  auto machine = createTarget(chip, features);
  if (!machine)
    return machine.takeError();
  code->setTargetTriple(deviceTriple());
  code->setDataLayout((*machine)->createDataLayout());
  optimise(*code, **machine);

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return createStringError("the NVPTX back end can not write text");
  codegen.run(*code);
  if (!errors.empty())
    return createStringError("the NVPTX back end: " + errors);
  return std::string(text);
}
