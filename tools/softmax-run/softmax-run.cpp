//===- softmax-run.cpp - compile a module, run it, check it ---------------===//

#include "../ExplainFlag.h"
#include "../RoadFlags.h"
#include "CheckedRun.h"
#include "Progress.h"
#include "Report.h"
#include "Tune.h"

#include "smx/Bundle/WriteFile.h"
#include "smx/Runtime/FindDevice.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace smx;
using namespace smx::run;
namespace cl = llvm::cl;
using mlir::smx::claimFlag;
using mlir::smx::isCount;
using mlir::smx::RoadFlags;
using mlir::smx::Stage;

static constexpr llvm::StringRef tool = "softmax-run";
static cl::OptionCategory category("softmax-run options");
static RoadFlags roadFlags(category);

static cl::opt<std::string> moduleName(cl::Positional, cl::cat(category),
                                       cl::desc("<module, or - for stdin>"),
                                       cl::init("-"));
static cl::opt<std::string> entryName("entry", cl::cat(category),
                                      cl::desc("public function to run"),
                                      cl::value_desc("name"));
static cl::list<std::string>
    inputNames("input", cl::cat(category), cl::CommaSeparated,
               cl::desc(".npy files (numbers, for scalars), one per input; "
                        "missing and empty ones are generated"),
               cl::value_desc("file,..."));
static cl::list<std::string>
    randomNames("random", cl::cat(category), cl::CommaSeparated,
                cl::desc("generator per input that is not given, the last one "
                         "for all others (default: normal)"),
                cl::value_desc("generator[:seed],..."));
static cl::list<std::string>
    dims("dims", cl::cat(category), cl::CommaSeparated,
         cl::desc("one shape per input, which only generated ones with open "
                  "extents need (nothing between commas is none), or one "
                  "number for every open extent"),
         cl::value_desc("2x8x128x64,..."));
static cl::opt<std::string> outputDir("output", cl::cat(category),
                                      cl::desc("folder for outputN.npy"),
                                      cl::value_desc("folder"));
static cl::list<std::string>
    expectedNames("expected", cl::cat(category), cl::CommaSeparated,
                  cl::desc(".npy files to compare the outputs with, too"),
                  cl::value_desc("file,..."));
static cl::opt<CheckAgainst> checkAgainst(
    "check", cl::cat(category), cl::desc("what to compare the outputs with:"),
    cl::values(clEnumValN(CheckAgainst::Raised, "raised",
                          "the module after raising to smx ops, evaluated in "
                          "float64 (default): an error of raising is in both"),
               clEnumValN(CheckAgainst::Naive, "naive",
                          "the module as written, evaluated in float64: "
                          "raising is checked, too"),
               clEnumValN(CheckAgainst::None, "none", "nothing")),
    cl::init(CheckAgainst::Raised));
static cl::opt<reference::Mode>
    mode("mode", cl::cat(category), cl::desc("tolerance:"),
         cl::values(clEnumValN(reference::Mode::Precise, "precise",
                               "as good as the type allows (default)"),
                    clEnumValN(reference::Mode::Fast, "fast",
                               "approximate exponential, denormals may be 0")),
         cl::init(reference::Mode::Precise));
static cl::opt<bool>
    guards("guards", cl::cat(category), cl::init(true),
           cl::desc("device memory lies between guards that are checked and is "
                    "poisoned (default); false: exact allocations, for tools "
                    "that watch them"));
static cl::opt<int> repeat("repeat", cl::cat(category),
                           cl::desc("timed runs; 0 = run once, untimed"),
                           cl::init(5));
static cl::opt<int> warmup("warmup", cl::cat(category),
                           cl::desc("runs before the timed ones"), cl::init(1));
static cl::opt<int> threads(claimFlag("threads"), cl::cat(category),
                            cl::desc("threads; 0 = one per core"), cl::init(0));
static cl::opt<int> optLevel("opt-level", cl::cat(category),
                             cl::desc("optimisation of the machine code, 0-3"),
                             cl::init(CompileOptions().optLevel));
static cl::opt<int> rowLengths(
    "row-lengths", cl::cat(category), cl::value_desc("count"),
    cl::desc("lengths of rows, where types leave them open, that get GPU code "
             "of their own; 0: one kernel for all"),
    cl::init(CompileOptions().rowLengths));
static cl::opt<std::string>
    cacheDir("cache-dir", cl::cat(category), cl::value_desc("folder"),
             cl::desc("where compiled kernels are kept for later runs "
                      "(default: $SMX_CACHE_DIR; none if that is not set)"));
static cl::opt<bool> json("json", cl::cat(category),
                          cl::desc("print one JSON object"));
static cl::opt<bool> timing("timing", cl::cat(category),
                            cl::desc("print the steps of the compilation"));
static cl::opt<std::string>
    tuneName("tune", cl::cat(category), cl::value_desc("file"),
             cl::desc("measure the schedules of the module's op on the target, "
                      "and add the fastest that is right to this table for "
                      "--schedule-table; --repeat is the number of rounds"));
static mlir::smx::ExplainFlag explain(category);
static cl::opt<bool> peaks("peaks", cl::cat(category),
                           cl::desc("measure this machine and set the rates "
                                    "against it"));

static int fail(const llvm::Twine &message) {
  llvm::errs() << tool << ": " << message << "\n";
  return mlir::smx::exitBadUse;
}

/// Opens the device of a run for CUDA, and fills in what the flags leave to it.
static llvm::Expected<cuda::Device> openDevice(CompileOptions &options) {
  auto device = findDevice(options);
  if (device && !roadFlags.namesChip())
    options.road.chip = device->info().specificChip();
  return device;
}

static llvm::Error makeOutputDir() {
  if (outputDir.empty())
    return llvm::Error::success();
  if (std::error_code code = llvm::sys::fs::create_directories(outputDir))
    return llvm::createStringError(
        code, "can not make the folder '" + outputDir + "': " + code.message());
  return llvm::Error::success();
}

static llvm::Error writeOutputs(llvm::ArrayRef<HostTensor> outputs) {
  if (outputDir.empty())
    return llvm::Error::success();
  for (auto [i, output] : llvm::enumerate(outputs)) {
    llvm::SmallString<128> path(outputDir);
    llvm::sys::path::append(path, "output" + llvm::Twine(i) + ".npy");
    const std::vector<std::byte> file = reference::toNpyBytes(output.toNpy());
    if (llvm::Error error = mlir::smx::writeFile(
            path, {reinterpret_cast<const char *>(file.data()), file.size()}))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Expected<Kernel> compileModule(llvm::StringRef text,
                                            const CompileOptions &options,
                                            RunReport &report) {
  Progress progress("compiling");
  auto start = std::chrono::steady_clock::now();
  auto kernel = compile(text, options);
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  report.compileMilliseconds = time.count();
  if (kernel) {
    report.kernel = kernel->name().str();
    report.compileSteps = kernel->timing().vec();
    llvm::SmallVector<llvm::StringRef> problems;
    const std::string text = kernel->cacheProblems();
    llvm::SplitString(text, problems, "\n");
    for (llvm::StringRef problem : problems)
      llvm::errs() << tool << ": warning: " << problem << "\n";
  }
  return kernel;
}

static CompileOptions compileOptions(Stage from) {
  CompileOptions options;
  options.road = roadFlags.get(/*threads=*/threadCount() > 1);
  options.entry = entryName;
  options.from = from;
  options.optLevel = optLevel;
  options.rowLengths = rowLengths;
  if (cacheDir.getNumOccurrences())
    options.cacheDir = cacheDir;
  options.sourceName = moduleName == "-" ? "<stdin>" : moduleName.getValue();
  return options;
}

static CheckSettings checkSettings() {
  return {checkAgainst, mode, expectedNames,
          guards ? DeviceMemory::Guarded : DeviceMemory::Exact};
}

static llvm::Error runModule(llvm::StringRef text, Stage from,
                             RunReport &report) {
  report.threads = threadCount();
  CompileOptions options = compileOptions(from);
  std::optional<cuda::Device> device;
  if (options.road.target == mlir::smx::Target::Cuda) {
    auto opened = openDevice(options);
    if (!opened)
      return opened.takeError();
    device = *opened;
    report.device = device->info().name;
  }
  // Before what may take long.
  if (llvm::Error error = makeOutputDir())
    return error;
  const ArgumentFlags arguments{inputNames, randomNames, dims};
  if (!tuneName.empty())
    return tuneModule(text, options, arguments, checkSettings(), device,
                      {/*rounds=*/repeat}, tuneName, llvm::outs());
  auto kernel = compileModule(text, options, report);
  if (!kernel)
    return kernel.takeError();
  if (!outputDir.empty() && kernel->outputs().empty())
    return llvm::createStringError(
        "--output: '" + kernel->name() +
        "' has no results to write; tensors that it returns would be");
  auto checked = CheckedRun::prepare(text, *kernel, options, arguments,
                                     checkSettings(), device);
  if (!checked)
    return checked.takeError();
  report.productFlops = (*checked)->countProductFlops();
  TimedRuns runs{warmup, repeat, {}};
  {
    Progress progress("running");
    if (llvm::Error error = (*checked)->run(*kernel, runs, report.outputs))
      return error;
  }
  report.milliseconds = std::move(runs.milliseconds);
  {
    Progress progress("comparing");
    auto checks = (*checked)->check(report.outputs);
    if (!checks)
      return checks.takeError();
    report.checks = std::move(*checks);
  }
  report.inputs = (*checked)->takeInputs();
  if (peaks) {
    auto measured = measureHostPeaks();
    if (!measured)
      return measured.takeError();
    report.peaks = *measured;
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "compiles a module for this machine, runs it and checks the result\n",
          &llvm::errs()))
    return mlir::smx::exitBadUse;
  std::optional<Stage> from = roadFlags.getFrom(tool);
  if (!from || !roadFlags.areNumbersValid(tool) ||
      !roadFlags.isChipValid(tool) || !isCount(tool, threads) ||
      !isCount(tool, repeat) || !isCount(tool, rowLengths) ||
      !isCount(tool, warmup) || !roadFlags.loadSchedules(tool))
    return mlir::smx::exitBadUse;
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(moduleName);
  if (!text)
    return fail("can not read '" + moduleName +
                "': " + text.getError().message());
  if ((*text)->getBuffer().trim().empty())
    return fail("'" + moduleName + "' has no module" +
                (moduleName == "-" ? "; name a file, or write one to the "
                                     "standard input"
                                   : ""));
  setThreadCount(threads);
  if (!tuneName.empty() && (json || peaks || !outputDir.empty()))
    return fail("--tune prints a table of schedules, and keeps no outputs: "
                "--json, --peaks and --output go with a run without it");
  if (explain.isGiven()) {
    if (json)
      return fail("--json is about a run; --explain=json explains as JSON");
    CompileOptions options = compileOptions(*from);
    if (options.road.target == mlir::smx::Target::Cuda &&
        !roadFlags.namesChip())
      if (auto device = openDevice(options); !device)
        return fail(llvm::toString(device.takeError()) +
                    "; --chip=sm_NN explains without a device");
    return explain.run(tool, (*text)->getBuffer(), options,
                       AlignmentIs::LookedFor, llvm::outs());
  }
  RunReport report;
  if (llvm::Error error = runModule((*text)->getBuffer(), *from, report))
    return fail(llvm::toString(std::move(error)));
  if (!tuneName.empty())
    return mlir::smx::exitSuccess;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  if (json)
    printJson(report, os);
  else
    printTable(report, timing, os);
  if (llvm::Error error = mlir::smx::writeFile("-", printed))
    return fail(llvm::toString(std::move(error)));
  if (llvm::Error error = writeOutputs(report.outputs))
    return fail(llvm::toString(std::move(error)));
  return report.passes() ? mlir::smx::exitSuccess : mlir::smx::exitFailure;
}
