//===- softmax-compile.cpp - look at a module at any stage ----------------===//

#include "DeviceOutput.h"
#include "Flags.h"

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
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::smx;
namespace cl = llvm::cl;

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

static void printTime(llvm::StringRef step, double milliseconds,
                      llvm::raw_ostream &os) {
  os << llvm::formatv("{0,-8} {1,8:f2} ms\n", step, milliseconds);
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
      printTime(getStageInfo(stage).name, milliseconds, timingOs);
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
  llvm::Error traceError = llvm::Error::success();
  options.onText = [&](llvm::StringRef name, llvm::StringRef stageText) {
    if (name == emitName)
      result = stageText.str();
    std::optional<Stage> stage = parseStage(name);
    if (stage && !traceDir.empty() && !traceError)
      traceError = writeTrace(*stage, stageText);
  };
  auto kernel = ::smx::compile(text, options);
  if (!kernel)
    return llvm::joinErrors(std::move(traceError), kernel.takeError());
  if (traceError)
    return std::move(traceError);
  if (timing)
    for (const ::smx::CompileStep &step : kernel->timing())
      printTime(step.name, step.milliseconds, llvm::errs());
  return result;
}

/// The part of a C name that the output file's name gives.
static std::string headerName() {
  std::string name = llvm::sys::path::stem(outputName).str();
  if (outputName == "-" || name.empty())
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

/// The stages that --from and --emit name, and a folder for the trace; none
/// after a message about flags that do not go together.
static std::optional<std::pair<Stage, Stage>> chooseStages() {
  std::optional<Stage> from = roadFlags.getFrom(tool);
  if (!from)
    return std::nullopt;
  if (emitName.getNumOccurrences() == 0)
    emitName = defaultForm(*from).str();
  if (checkFlags() != exitSuccess || !roadFlags.areNumbersValid(tool) ||
      !roadFlags.isChipValid(tool) || !roadFlags.loadSchedules(tool))
    return std::nullopt;
  std::optional<Stage> to =
      isCodeForm() ? Stage::Llvm
      : isDeviceForm()
          ? Stage::Nvvm
          : RoadFlags::parse(tool, "emit", emitName,
                             ", llvm-ir, asm, ptx, cubin, c-header");
  if (!to)
    return std::nullopt;
  auto refuse = [](const llvm::Twine &message) {
    fail(message, exitBadUse);
    return std::nullopt;
  };
  if (const StageInfo &info = getStageInfo(*to);
      roadFlags.namesTarget() &&
      info.targetNear(roadFlags.getTarget()) != roadFlags.getTarget())
    return refuse("--emit=" + emitName +
                  " is not on the way to the target; without --target it is "
                  "written all the same");
  if (*to < *from)
    return refuse("--emit=" + emitName +
                  " comes before --from=" + getStageInfo(*from).name +
                  "; the order is " + getStageNames());
  if (!traceDir.empty())
    if (std::error_code code = llvm::sys::fs::create_directories(traceDir))
      return refuse("can not make the folder '" + traceDir +
                    "': " + code.message());
  return std::pair(*from, *to);
}

static int writeExplanation(llvm::StringRef input, Stage from, Stage to,
                            bool isFormChosen) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ::smx::CompileOptions options = compileOptions(from);
  // A stage of one branch says what the code is for.
  if (isFormChosen)
    options.road.target = roadTo(to).target;
  int code = explain.run(tool, input, options, ::smx::AlignmentIs::Known, os);
  if (code != exitBadUse)
    if (int writing = write(outputName, text))
      return writing;
  return code;
}

static int run() {
  if (printPtxas) {
    auto assembler = Assembler::find(ptxasName, argv0);
    if (!assembler)
      return fail(llvm::toString(assembler.takeError()), exitFailure);
    llvm::outs() << assembler->getPath() << "\n";
    return exitSuccess;
  }
  const bool isFormChosen = emitName.getNumOccurrences() != 0;
  auto stages = chooseStages();
  if (!stages)
    return exitBadUse;
  auto [from, to] = *stages;
  std::string message;
  auto input = openInputFile(inputName, &message);
  if (!input)
    return fail(message, exitBadUse);
  if (input->getBuffer().trim().empty())
    return fail("'" + inputName + "' has no module", exitBadUse);
  if (explain.isGiven())
    return writeExplanation(input->getBuffer(), from, to, isFormChosen);
  std::string text, manifest;
  llvm::raw_string_ostream os(text), manifestOs(manifest);
  if (isCodeForm()) {
    auto emitted = emitCode(input->getBuffer(), from);
    if (!emitted)
      return fail(llvm::toString(emitted.takeError()), exitFailure);
    text = std::move(*emitted);
  } else if (int code =
                 compileStages(std::move(input), from, to, os,
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
