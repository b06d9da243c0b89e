//===- softmax-compile.cpp - look at a module at any stage ----------------===//

#include "../ExplainFlag.h"
#include "../RoadFlags.h"
#include "../SkipPassFlag.h"
#include "DeviceOutput.h"

#include "smx/Bundle/WriteFile.h"
#include "smx/Pipeline/Entry.h"
#include "smx/Pipeline/ScheduleTable.h"
#include "smx/RegisterAll.h"
#include "smx/Runtime/Kernel.h"
#include "smx/Runtime/Road.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::smx;
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
                      "cpu, llvm, gpu, nvvm), "
                      "llvm-ir, asm, ptx, cubin or c-header"),
             cl::value_desc("stage"), cl::init("llvm"));
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
                  cl::desc("folder for the file that repeats a failure"),
                  cl::value_desc("folder"), cl::init("."));

/// This program, as it was called.
static std::string argv0;

static bool isDeviceForm() {
  return emitName == "ptx" || emitName == "cubin" || emitName == "c-header";
}

static bool isCodeForm() { return emitName == "llvm-ir" || emitName == "asm"; }

static int fail(const llvm::Twine &message, int code) {
  llvm::errs() << tool << ": " << message << "\n";
  return code;
}

static int write(llvm::StringRef path, llvm::StringRef text) {
  if (llvm::Error error = writeFile(path, text))
    return fail(llvm::toString(std::move(error)), exitBadUse);
  return exitSuccess;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << "\n";
  return text;
}

/// Writes `text` to `NN-<stage>.mlir` in the trace folder.
static llvm::Error writeTrace(Stage stage, llvm::StringRef text) {
  llvm::SmallString<128> path(traceDir);
  llvm::sys::path::append(path, llvm::formatv("{0:02}-{1}.mlir",
                                              static_cast<int>(stage),
                                              getStageInfo(stage).name)
                                    .str());
  return writeFile(path, text);
}

static RoadOptions roadTo(Stage to) {
  RoadOptions options = roadFlags.get(threads);
  options.target = getStageInfo(to).targetNear(options.target);
  return options;
}

/// The module's text at stage `to`, or none where it goes on to `device`, which
/// the text of a large kernel would only delay; diagnostics go to stderr.
static llvm::Expected<std::string> runTo(ModuleOp module, Stage from, Stage to,
                                         llvm::raw_ostream &timingOs,
                                         DeviceOutput *device) {
  const RoadOptions road = roadTo(to);
  if (llvm::Error error = checkSchedules(from, road))
    return std::move(error);
  std::string last;
  llvm::Error traceError = llvm::Error::success();
  RoadHooks hooks;
  hooks.reproducerDir = reproducerDir;
  bool areFlagsApplied = true;
  hooks.onPasses = [&](Stage, PassManager &passes) {
    // Flags such as --mlir-print-ir-after-all.
    areFlagsApplied &= succeeded(applyPassManagerCLOptions(passes));
  };
  hooks.onStage = [&](Stage stage, ModuleOp reached, double milliseconds) {
    if (timing && stage != from)
      timingOs << llvm::formatv("{0,-8} {1,8:f2} ms\n",
                                getStageInfo(stage).name, milliseconds);
    if ((stage == to && !device) || !traceDir.empty())
      last = print(reached);
    if (!traceDir.empty() && !traceError)
      traceError = writeTrace(stage, last);
    if (device)
      device->visit(stage, reached);
  };
  llvm::Error error = runRoad(module, from, to, road, hooks);
  if (!areFlagsApplied)
    error = llvm::joinErrors(
        std::move(error),
        llvm::createStringError("a flag that starts with --mlir- does not fit "
                                "this run; it is said above"));
  if (llvm::Error both =
          llvm::joinErrors(std::move(traceError), std::move(error)))
    return both;
  return last;
}

static ::smx::CompileOptions compileOptions(Stage from) {
  ::smx::CompileOptions options;
  options.road = roadFlags.get(threads);
  options.entry = entryName;
  options.from = from;
  options.optLevel = optLevel;
  options.sourceName = inputName == "-" ? "<stdin>" : inputName.getValue();
  options.reproducerDir = reproducerDir;
  return options;
}

/// The machine code, or the LLVM IR that it comes from.
static llvm::Expected<std::string> emitCode(llvm::StringRef text, Stage from) {
  ::smx::CompileOptions options = compileOptions(from);
  std::string result;
  options.onText = [&](llvm::StringRef name, llvm::StringRef stageText) {
    if (name == emitName)
      result = stageText.str();
  };
  auto kernel = ::smx::compile(text, options);
  if (!kernel)
    return kernel.takeError();
  return result;
}

/// The part of a C name that the output file's name gives.
static std::string headerName() {
  std::string name = llvm::sys::path::stem(outputName).str();
  if (outputName == "-")
    return "smx";
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return llvm::isDigit(name.front()) ? "_" + name : name;
}

/// What follows a module to a device, or null if the output is a stage's text.
static llvm::Expected<std::unique_ptr<DeviceOutput>>
makeDeviceOutput(Stage from) {
  if (!isDeviceForm())
    return nullptr;
  DeviceOutputOptions options;
  options.form = emitName;
  options.image = imageName;
  options.ptxas = ptxasName;
  options.argv0 = argv0;
  options.name = headerName();
  options.prefix = cPrefix;
  options.withManifest = !manifestName.empty();
  options.road = roadTo(Stage::Nvvm);
  auto output = DeviceOutput::create(std::move(options), from);
  if (!output)
    return output.takeError();
  return std::make_unique<DeviceOutput>(std::move(*output));
}

static int compileStages(std::unique_ptr<llvm::MemoryBuffer> buffer, Stage from,
                         Stage to, llvm::raw_ostream &os,
                         llvm::raw_ostream *manifest) {
  auto device = makeDeviceOutput(from);
  if (!device)
    return fail(llvm::toString(device.takeError()), exitBadUse);
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  skipPass.apply(context);
  if (remarks.getNumOccurrences()) {
    // A kind that has no pattern of its own is not reported at all.
    std::string wanted = remarks.empty() ? ".*" : remarks.getValue();
    remark::RemarkCategories categories{/*all=*/std::nullopt, wanted, wanted,
                                        wanted, wanted};
    if (failed(remark::enableOptimizationRemarks(
            context, nullptr,
            std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
            /*printAsEmitRemarks=*/true)))
      return exitBadUse;
  }
  auto sourceMgr = std::make_shared<llvm::SourceMgr>();
  sourceMgr->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sourceMgr, &context, llvm::errs());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sourceMgr, ParserConfig(&context));
  if (!module)
    return exitBadUse;
  if (!entryName.empty()) {
    auto entry = findEntry(*module, entryName);
    if (!entry)
      return fail(llvm::toString(entry.takeError()), exitBadUse);
    keepWhatIsCalled(*entry);
  }
  auto text = runTo(*module, from, to, llvm::errs(), device->get());
  if (!text)
    return fail(llvm::toString(text.takeError()), exitFailure);
  if (llvm::StringRef name = skipPass.findUnused(); !name.empty())
    return fail("--skip-pass=" + name +
                    ": no pass of this name runs from --from to --emit; "
                    "--mlir-print-ir-before-all shows which do",
                exitBadUse);
  if (!*device)
    os << *text;
  else if (llvm::Error error = (*device)->write(*module, os, manifest))
    return fail(llvm::toString(std::move(error)), exitFailure);
  return exitSuccess;
}

/// Flags that only some forms of output have.
static int checkFlags() {
  if (!manifestName.empty() && !isDeviceForm())
    return fail("--manifest goes with --emit=ptx, cubin or c-header, not " +
                    emitName,
                exitBadUse);
  if (!skipPass.findUnused().empty() && (isCodeForm() || explain.isGiven()))
    return fail("--skip-pass goes with --emit=<stage>, ptx, cubin or c-header",
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

static int run() {
  if (printPtxas) {
    auto assembler = Assembler::find(ptxasName, argv0);
    if (!assembler)
      return fail(llvm::toString(assembler.takeError()), exitFailure);
    llvm::outs() << assembler->getPath() << "\n";
    return exitSuccess;
  }
  if (int code = checkFlags())
    return code;
  if (!roadFlags.areNumbersValid(tool) || !roadFlags.loadSchedules(tool))
    return exitBadUse;
  bool isCode = isCodeForm();
  std::optional<Stage> from = roadFlags.getFrom(tool);
  std::optional<Stage> to =
      isCode ? Stage::Llvm
      : isDeviceForm()
          ? Stage::Nvvm
          : RoadFlags::parse(tool, "emit", emitName,
                             ", llvm-ir, asm, ptx, cubin, c-header");
  if (!from || !to)
    return exitBadUse;
  if (*to < *from)
    return fail("--emit=" + emitName +
                    " comes before --from=" + getStageInfo(*from).name +
                    "; the order is " + getStageNames(),
                exitBadUse);
  if (!traceDir.empty())
    if (std::error_code code = llvm::sys::fs::create_directories(traceDir))
      return fail("can not make the folder '" + traceDir +
                      "': " + code.message(),
                  exitBadUse);

  std::string message;
  auto input = openInputFile(inputName, &message);
  if (!input)
    return fail(message, exitBadUse);
  std::string text, manifest;
  llvm::raw_string_ostream os(text), manifestOs(manifest);
  if (explain.isGiven()) {
    ::smx::CompileOptions options = compileOptions(*from);
    // A stage of one branch says what the code is for.
    if (emitName.getNumOccurrences())
      options.road.target = roadTo(*to).target;
    int code = explain.run(tool, input->getBuffer(), options,
                           ::smx::AlignmentIs::Known, os);
    if (code != exitBadUse)
      if (int writing = write(outputName, text))
        return writing;
    return code;
  }
  if (isCode) {
    auto emitted = emitCode(input->getBuffer(), *from);
    if (!emitted)
      return fail(llvm::toString(emitted.takeError()), exitFailure);
    text = std::move(*emitted);
  } else if (int code =
                 compileStages(std::move(input), *from, *to, os,
                               manifestName.empty() ? nullptr : &manifestOs)) {
    return code;
  }
  // Kernels without their launches are of no use, so they come last.
  if (!manifestName.empty())
    if (int code = write(manifestName, manifest))
      return code;
  return write(outputName, text);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "leads a module from textbook softmax to machine code\n",
          &llvm::errs()))
    return exitBadUse;
  argv0 = argv[0];
  return run();
}
