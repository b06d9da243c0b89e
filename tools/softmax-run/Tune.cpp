//===- Tune.cpp - measure schedules and write a table ---------------------===//

#include "Tune.h"

#include "Progress.h"

#include "smx/Bundle/WriteFile.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace smx;
using namespace smx::run;
using mlir::smx::ScheduleChoice;
using mlir::smx::ScheduleTable;

namespace {
/// Compiles candidates and runs all of them on the same inputs.
class KernelRunner : public CandidateRunner {
public:
  KernelRunner(llvm::StringRef text, const CompileOptions &options,
               CheckedRun &checked)
      : text(text), options(options), checked(checked) {}

  llvm::Error prepare(size_t number, const ScheduleChoice &choice) override;
  llvm::Expected<double> run(size_t number) override;

private:
  llvm::StringRef text;
  CompileOptions options;
  CheckedRun &checked;
  std::vector<std::optional<Kernel>> kernels;
  /// The candidate that first had a code, which is the IR in front of machine
  /// code.
  llvm::StringMap<size_t> known;
};
} // namespace

llvm::Error KernelRunner::prepare(size_t number, const ScheduleChoice &choice) {
  Progress progress("compiling and checking candidate " +
                    std::to_string(number));
  kernels.resize(number + 1);
  CompileOptions chosen = options;
  mlir::smx::fillIn(chosen.road, choice);
  std::string code;
  chosen.onText = [&](llvm::StringRef stage, llvm::StringRef stageText) {
    if (stage == "cpu" || stage == "gpu")
      code = stageText.str();
  };
  auto kernel = compile(text, chosen);
  if (!kernel)
    return llvm::joinErrors(llvm::createStringError("does not compile"),
                            kernel.takeError());
  if (!code.empty()) {
    auto [first, isNew] = known.try_emplace(code, number);
    if (!isNew)
      return llvm::createStringError("the same code as candidate " +
                                     llvm::Twine(first->second));
  }
  TimedRuns once;
  std::vector<HostTensor> outputs;
  if (llvm::Error error = checked.run(*kernel, once, outputs))
    return error;
  auto checks = checked.check(outputs);
  if (!checks)
    return checks.takeError();
  for (const std::vector<OutputCheck> &ofOutput : *checks)
    for (const OutputCheck &check : ofOutput)
      if (!check.checked.report.pass)
        return llvm::createStringError("wrong: " + check.checked.report.text);
  kernels[number] = std::move(*kernel);
  return llvm::Error::success();
}

llvm::Expected<double> KernelRunner::run(size_t number) {
  TimedRuns runs{/*warmup=*/1, /*repeat=*/1, {}};
  std::vector<HostTensor> outputs;
  if (llvm::Error error = checked.run(*kernels[number], runs, outputs))
    return std::move(error);
  return runs.milliseconds.front();
}

/// The table to add to.
static llvm::Expected<ScheduleTable>
openTable(llvm::StringRef path, const mlir::smx::RoadOptions &road) {
  std::string chip = mlir::smx::chipOf(road);
  if (!llvm::sys::fs::exists(path))
    return ScheduleTable(chip, path.str());
  auto table = ScheduleTable::load(path);
  if (table && table->getChip() != chip)
    return llvm::createStringError("'" + path + "' has schedules of '" +
                                   table->getChip() + "', not of '" + chip +
                                   "'; write to another file");
  return table;
}

static llvm::Error writeTable(const ScheduleTable &table,
                              llvm::StringRef path) {
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  return mlir::smx::writeFile(path, text);
}

/// In one line, for a cell of a table.
static std::string oneLine(llvm::StringRef text) {
  std::string line;
  for (char c : text)
    line += c == '\n' ? "; " : c == '|' ? "/" : std::string(1, c);
  return line;
}

static void printCandidates(const TunerResult &result, llvm::raw_ostream &os) {
  os << "| candidate | schedule | ms | of the model's | |\n"
        "|---|---|---|---|---|\n";
  const double model = *result.candidates.front().milliseconds;
  for (const auto &[number, candidate] : llvm::enumerate(result.candidates)) {
    os << "| " << number << " | " << mlir::smx::describe(candidate.choice);
    if (candidate.milliseconds)
      os << llvm::formatv(" | {0:f3} | {1:f2} | ", *candidate.milliseconds,
                          *candidate.milliseconds / model)
         << (result.best == number ? "fastest" : "");
    else
      os << " | - | - | " << oneLine(candidate.leftOut);
    os << " |\n";
  }
}

llvm::Error smx::run::tuneModule(llvm::StringRef text,
                                 const CompileOptions &options,
                                 const ArgumentFlags &arguments,
                                 const CheckSettings &settings,
                                 std::optional<cuda::Device> device,
                                 const TunerOptions &tuner,
                                 llvm::StringRef path, llvm::raw_ostream &os) {
  if (settings.against == CheckAgainst::None)
    return llvm::createStringError(
        "a schedule whose result is not checked is not kept: --check=none "
        "does not go with --tune");
  if (options.road.schedules)
    return llvm::createStringError(
        "schedules are measured against the model's: --schedule-table does not "
        "go with --tune");
  auto table = openTable(path, options.road);
  if (!table)
    return table.takeError();
  auto task = findTuningTask(text, options);
  if (!task)
    return task.takeError();
  auto kernel = compile(text, options);
  if (!kernel)
    return kernel.takeError();
  auto checked = CheckedRun::prepare(text, *kernel, options, arguments,
                                     settings, std::move(device));
  if (!checked)
    return checked.takeError();
  KernelRunner runner(text, options, **checked);
  auto result = tune(task->choices, runner, tuner);
  if (!result)
    return result.takeError();
  printCandidates(*result, os);
  os << "\n";
  size_t dropped = 0;
  if (result->best)
    table->add(entryFor(task->shape, result->candidates[*result->best],
                        result->candidates.front()));
  else
    dropped = table->drop(task->shape);
  if (llvm::Error error = writeTable(*table, path))
    return error;
  if (result->best) {
    os << "written to '" << path << "'\n";
    return llvm::Error::success();
  }
  os << "the model's choice stays; '" << path << "' has no line for it";
  if (dropped)
    os << " any more, " << dropped << " went";
  os << "\n";
  return llvm::Error::success();
}
