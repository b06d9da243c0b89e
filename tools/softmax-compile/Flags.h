//===- Flags.h - what softmax-compile is asked on the command line --------===//
//
// Included by the program's main file, and by no other: the flags are its own.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TOOLS_SOFTMAXCOMPILE_FLAGS_H
#define SMX_TOOLS_SOFTMAXCOMPILE_FLAGS_H

#include "../ExplainFlag.h"
#include "../RoadFlags.h"
#include "../SkipPassFlag.h"

#include "llvm/Support/Regex.h"

namespace mlir::smx {
namespace cl = llvm::cl;

static constexpr llvm::StringRef tool = "softmax-compile";
static cl::OptionCategory category("softmax-compile options");
static RoadFlags roadFlags(category);

static cl::opt<std::string> inputName(cl::Positional, cl::cat(category),
                                      cl::desc("<module, or - for stdin>"),
                                      cl::init("-"));
static cl::opt<std::string> outputName("o", cl::cat(category),
                                       cl::desc("file to write"),
                                       cl::value_desc("file"), cl::init("-"));
static cl::opt<std::string>
    emitName("emit", cl::cat(category),
             cl::desc("what to write: a stage (input, naive, online, tiled, "
                      "cpu, llvm, gpu, nvvm), llvm-ir, asm, ptx, cubin or "
                      "c-header (default: llvm; ptx for --target=cuda, gpu for "
                      "an emulator)"),
             cl::value_desc("stage"), cl::init(""));
static cl::opt<std::string>
    traceDir("trace", cl::cat(category),
             cl::desc("folder for one file per stage, NN-<stage>.mlir"),
             cl::value_desc("folder"));
static cl::opt<std::string>
    entryName("entry", cl::cat(category),
              cl::desc("public function to compile, with what it calls "
                       "(default: all; for --emit=llvm-ir|asm the only one)"),
              cl::value_desc("name"));
static cl::opt<int> optLevel("opt-level", cl::cat(category),
                             cl::desc("optimisation of the machine code, 0 to "
                                      "3, for --emit=llvm-ir|asm"),
                             cl::init(1));
static cl::opt<bool> threads(claimFlag("threads"), cl::cat(category),
                             cl::desc("run over rows on several threads"),
                             cl::init(true));
static cl::opt<std::string>
    manifestName("manifest", cl::cat(category),
                 cl::desc("file for what a launch needs to know, as JSON; for "
                          "--emit=ptx|cubin|c-header"),
                 cl::value_desc("file"));
static cl::opt<std::string>
    ptxasName("ptxas", cl::cat(category),
              cl::desc("assembler for --emit=cubin|c-header (default: look "
                       "beside this program, on PATH, in the CUDA toolkit and "
                       "among Python's packages)"),
              cl::value_desc("program"));
static cl::opt<bool>
    printPtxas("print-ptxas", cl::cat(category),
               cl::desc("print which assembler is found, and do nothing else"));
static cl::opt<std::string>
    imageName("image", cl::cat(category),
              cl::desc("what a C header holds: ptx, or cubin (default if there "
                       "is an assembler)"),
              cl::value_desc("kind"));
static cl::opt<std::string>
    cPrefix("c-prefix", cl::cat(category),
            cl::desc("text before the names of the functions of a C header"),
            cl::value_desc("text"));
static ExplainFlag explain(category);
static SkipPassFlag skipPass(category);
static cl::opt<bool> timing("timing", cl::cat(category),
                            cl::desc("print the time per stage to stderr"));
static cl::opt<std::string>
    remarks("remarks", cl::cat(category), cl::ValueOptional,
            cl::desc("print the remarks (choices, and reasons for declining) "
                     "whose category matches a regular expression"),
            cl::value_desc("regex"));
static cl::opt<std::string>
    reproducerDir("reproducer-dir", cl::cat(category),
                  cl::desc("folder for a file that repeats a failure, which "
                           "the error names (default: none is written)"),
                  cl::value_desc("folder"));

/// This program, as it was called.
static std::string argv0;

/// What is written if nothing is said: the last form for the target, or for the
/// branch that the input is on.
static llvm::StringRef defaultForm(Stage from) {
  const Target target = getStageInfo(from).targetNear(roadFlags.getTarget());
  return target == Target::Cpu    ? "llvm"
         : target == Target::Cuda ? "ptx"
                                  : "gpu";
}

static bool isDeviceForm() {
  return emitName == "ptx" || emitName == "cubin" || emitName == "c-header";
}

static bool isCodeForm() { return emitName == "llvm-ir" || emitName == "asm"; }

static int fail(const llvm::Twine &message, int code) {
  llvm::errs() << tool << ": " << message << "\n";
  return code;
}

/// Flags that only some forms of output have.
static int checkFlags() {
  if (!manifestName.empty() && !isDeviceForm())
    return fail("--manifest goes with --emit=ptx, cubin or c-header, not " +
                    emitName,
                exitBadUse);
  if (!manifestName.empty() && manifestName == outputName)
    return fail("-o and --manifest both name '" + outputName +
                    "'; the kernels and what is said of them are two files",
                exitBadUse);
  if (!skipPass.findUnused().empty() && (isCodeForm() || explain.isGiven()))
    return fail("--skip-pass goes with --emit=<stage>, ptx, cubin or c-header",
                exitBadUse);
  if (remarks.getNumOccurrences() && (isCodeForm() || explain.isGiven()))
    return fail("--remarks goes with --emit=<stage>, ptx, cubin or c-header",
                exitBadUse);
  if (explain.isGiven() && (!traceDir.empty() || !manifestName.empty()))
    return fail("--explain compiles nothing; without it --trace and --manifest "
                "have something to write",
                exitBadUse);
  if (isCodeForm() && roadFlags.getTarget() != Target::Cpu)
    return fail("--emit=" + emitName +
                    " is code for this machine; --target=cuda has --emit=ptx, "
                    "cubin and c-header",
                exitBadUse);
  if (std::string why; !remarks.empty() && !llvm::Regex(remarks).isValid(why))
    return fail("--remarks=" + remarks + ": " + why, exitBadUse);
  if (!llvm::is_contained({"", "ptx", "cubin"}, imageName))
    return fail("--image=" + imageName + ": choose ptx or cubin", exitBadUse);
  return exitSuccess;
}

} // namespace mlir::smx

#endif // SMX_TOOLS_SOFTMAXCOMPILE_FLAGS_H
