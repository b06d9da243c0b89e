//===- HostCode.cpp - LLVM IR to code in this process ---------------------===//

#include "HostCode.h"
#include "StepTimer.h"

#include "smx/CPU/AssertionFailed.h"
#include "smx/Reference/DType.h"

#include "llvm/ADT/bit.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;
using namespace smx;

extern "C" int omp_get_max_threads();

static constexpr StringRef entryName = "smx_entry";

/// The host's target, detected once.
static const orc::JITTargetMachineBuilder &hostTarget() {
  static const orc::JITTargetMachineBuilder target = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    // Detection fails only for a triple without a backend, and the native one
    // was just registered.
    return cantFail(orc::JITTargetMachineBuilder::detectHost());
  }();
  return target;
}

StringRef smx::hostDescription() {
  static const std::string text =
      hostTarget().getCPU() + " " + hostTarget().getFeatures().getString();
  return text;
}

static Expected<std::unique_ptr<TargetMachine>> createTarget(int optLevel) {
  orc::JITTargetMachineBuilder builder = hostTarget();
  constexpr CodeGenOptLevel levels[] = {
      CodeGenOptLevel::None, CodeGenOptLevel::Less, CodeGenOptLevel::Default,
      CodeGenOptLevel::Aggressive};
  builder.setCodeGenOptLevel(levels[optLevel]);
  builder.setRelocationModel(Reloc::PIC_);
  builder.setCodeModel(CodeModel::Small);
  return builder.createTargetMachine();
}

/// `void smx_entry(ptr arguments)`, which loads every argument from the address
/// given for it.
static Error addEntry(Module &module, StringRef name) {
  Function *callee = module.getFunction(name);
  if (!callee)
    return createStringError("the compiled module lacks the function '" + name +
                             "'");
  if (!callee->getReturnType()->isVoidTy())
    return createStringError("the compiled function '" + name +
                             "' returns a value; results must be tensors");
  // The caller's own function of that name is called by nobody but this one.
  if (GlobalValue *other = module.getNamedValue(entryName))
    other->setName(entryName + ".of_module");
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::get(context, 0);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  auto *entry =
      Function::Create(type, Function::ExternalLinkage, entryName, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> arguments;
  for (auto [i, argument] : llvm::enumerate(callee->args())) {
    Value *slot =
        builder.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), i);
    Value *address = builder.CreateLoad(pointer, slot);
    arguments.push_back(argument.getType()->isPointerTy()
                            ? address
                            : builder.CreateLoad(argument.getType(), address));
  }
  builder.CreateCall(callee, arguments);
  builder.CreateRetVoid();
  return Error::success();
}

/// Lets the code use whole vector registers where the host has AVX-512: LLVM
/// shies away from them on some processors, but the width was chosen when the
/// loops were vectorised.
static void setVectorWidth(Module &module, const TargetMachine &target) {
  if (!target.getTargetFeatureString().contains("+avx512f"))
    return;
  for (Function &function : module) {
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
  }
}

/// What is left to do for code whose loops are as they should be: memory to
/// registers, addresses simplified, what does not change hoisted. A fifth of
/// the time of O2 and no slower code.
static constexpr StringRef shortPipeline =
    "function(sroa,early-cse<memssa>,simplifycfg,loop-mssa(licm),"
    "instcombine<no-verify-fixpoint>,adce)";

static void optimize(Module &module, TargetMachine &target, int optLevel) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  // Loops come vectorised; what is left scalar is not worth the time.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  PassBuilder builder(&target, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  ModulePassManager passes;
  switch (optLevel) {
  case 0:
    passes = builder.buildO0DefaultPipeline(OptimizationLevel::O0);
    break;
  case 1:
    cantFail(builder.parsePassPipeline(passes, shortPipeline));
    break;
  case 2:
    passes = builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
    break;
  default:
    passes = builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
  }
  passes.run(module, modules);
}

static Expected<std::unique_ptr<MemoryBuffer>>
emit(Module &module, TargetMachine &target, CodeGenFileType kind) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, os, nullptr, kind))
    return createStringError("the host's target can not emit code");
  passes.run(module);
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(bytes), module.getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
}

/// Ends the process as assert does. What waits for the signal (LLVM's tools ask
/// for a bug report of the compiler then) is not told: the program is wrong.
[[noreturn]] static void assertionFailed(const char *text) {
  std::fprintf(stderr, "%s\n", text);
  std::fflush(nullptr);
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

/// Memory for what lies between the ops of a module. Code has no way out where
/// there is none, and would write to the address 0.
static void *allocateScratch(size_t bytes) {
  void *memory = std::malloc(bytes);
  if (!memory && bytes != 0)
    assertionFailed(
        ("can not allocate " + Twine(bytes) + " bytes of scratch memory")
            .str()
            .c_str());
  return memory;
}

/// What LLVM calls where a host does not convert to bf16 and no pass of ours
/// saw the conversion (sums of bf16 in a caller's code): run-time libraries of
/// compilers have it since GCC 13. Rounds to nearest even. The result lies in
/// the lower half of a register of floats; of a type __bf16 the compiler would
/// make calls of this very function.
static float truncateToBF16(float x) {
  return llvm::bit_cast<float>(uint32_t(reference::toBF16Bits(x)));
}

/// A JIT whose code sees the process and, even if this library was loaded with
/// local scope, the OpenMP runtime that it is linked with.
static Expected<std::unique_ptr<orc::LLJIT>> createJit() {
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(hostTarget())
                 .setPlatformSetUp(orc::setUpInactivePlatform)
                 .setNumCompileThreads(0)
                 .create();
  if (!jit)
    return jit.takeError();
  Dl_info openmp;
  if (dladdr(reinterpret_cast<void *>(&omp_get_max_threads), &openmp)) {
    auto generator = orc::DynamicLibrarySearchGenerator::Load(
        openmp.dli_fname, (*jit)->getDataLayout().getGlobalPrefix());
    if (!generator)
      return generator.takeError();
    (*jit)->getMainJITDylib().addGenerator(std::move(*generator));
  }
  orc::SymbolMap symbols;
  auto define = [&](StringRef name, auto *function) {
    symbols[(*jit)->mangleAndIntern(name)] = {
        orc::ExecutorAddr::fromPtr(function),
        JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  };
  define(mlir::smx::assertionFailedName, &assertionFailed);
  // Both of this program: another allocator may stand in front of one of them.
  define("malloc", &allocateScratch);
  define("free", &std::free);
  define("__truncsfbf2", &truncateToBF16);
  if (Error error = (*jit)->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(symbols))))
    return error;
  return jit;
}

Expected<std::unique_ptr<MemoryBuffer>>
smx::generateHostObject(Module &module, StringRef entry,
                        const CompileOptions &options,
                        std::vector<CompileStep> &steps) {
  StepTimer timer(steps);
  auto target = createTarget(options.optLevel);
  if (!target)
    return target.takeError();
  module.setTargetTriple((*target)->getTargetTriple());
  module.setDataLayout((*target)->createDataLayout());
  if (Error error = addEntry(module, entry))
    return error;
  setVectorWidth(module, **target);
  timer.finish("target");

  optimize(module, **target, options.optLevel);
  timer.finish("optimize");
  if (options.onText) {
    std::string text;
    raw_string_ostream(text) << module;
    options.onText("llvm-ir", text);
    auto copy = CloneModule(module);
    // Who links the text calls its functions, perhaps beside those of others.
    copy->getFunction(entryName)->eraseFromParent();
    auto assembly = emit(*copy, **target, CodeGenFileType::AssemblyFile);
    if (!assembly)
      return assembly.takeError();
    options.onText("asm", (*assembly)->getBuffer());
    timer.restart();
  }

  auto object = emit(module, **target, CodeGenFileType::ObjectFile);
  if (!object)
    return object.takeError();
  timer.finish("codegen");
  return object;
}

Expected<HostCode> smx::linkHostObject(std::unique_ptr<MemoryBuffer> object,
                                       std::vector<CompileStep> &steps) {
  StepTimer timer(steps);
  auto jit = createJit();
  if (!jit)
    return jit.takeError();
  if (Error error = (*jit)->addObjectFile(std::move(object)))
    return error;
  auto address = (*jit)->lookup(entryName);
  if (!address)
    return address.takeError();
  timer.finish("link");
  HostCode code;
  code.jit = std::move(*jit);
  code.call = address->toPtr<void (*)(void **)>();
  return code;
}
