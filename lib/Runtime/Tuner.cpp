//===- Tuner.cpp - measure schedules, keep the fastest that is right ------===//

#include "smx/Runtime/Tuner.h"
#include "smx/Runtime/Median.h"

#include "ModuleInContext.h"
#include "SupportQuestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace smx;
using llvm::Expected;
using mlir::smx::ExtentRange;
using mlir::smx::ScheduleChoice;
using mlir::smx::ScheduleEntry;
using mlir::smx::ShapeClass;
using mlir::smx::Stage;
using mlir::smx::Target;

CandidateRunner::~CandidateRunner() = default;

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

Expected<TunerResult> smx::tune(llvm::ArrayRef<ScheduleChoice> choices,
                                CandidateRunner &runner,
                                const TunerOptions &options) {
  if (choices.empty() || options.rounds < 1)
    return llvm::createStringError(
        "there is nothing to measure: " + llvm::Twine(choices.size()) +
        " candidates, " + llvm::Twine(options.rounds) + " rounds");
  TunerResult result;
  for (const auto &[number, choice] : llvm::enumerate(choices)) {
    Candidate &candidate = result.candidates.emplace_back();
    candidate.choice = choice;
    if (llvm::Error error = runner.prepare(number, choice)) {
      if (number == 0)
        return llvm::joinErrors(
            std::move(error),
            llvm::createStringError("the model's own choice can not be "
                                    "measured, nothing is tuned"));
      candidate.leftOut = llvm::toString(std::move(error));
    }
  }
  std::vector<std::vector<double>> times(choices.size());
  for (int round = 0; round < options.rounds; ++round)
    for (const auto &[number, candidate] : llvm::enumerate(result.candidates)) {

      if (!candidate.leftOut.empty())
        continue;
      Expected<double> time = runner.run(number);
      if (time)
        times[number].push_back(*time);
      else if (number == 0)
        return time.takeError();
      else
        candidate.leftOut = llvm::toString(time.takeError());
    }
  for (const auto &[number, candidate] : llvm::enumerate(result.candidates))
    if (candidate.leftOut.empty())
      candidate.milliseconds = medianOf(times[number]);
  double least = *result.candidates.front().milliseconds * (1 - options.margin);
  for (const auto &[number, candidate] : llvm::enumerate(result.candidates))
    if (candidate.milliseconds && *candidate.milliseconds < least) {
      least = *candidate.milliseconds;
      result.best = number;
    }
  return result;
}

//===----------------------------------------------------------------------===//
// What to measure
//===----------------------------------------------------------------------===//

static Expected<ShapeClass> findClass(llvm::StringRef text,
                                      const CompileOptions &options) {
  std::vector<CompileStep> steps;
  auto module = ModuleInContext::parse(text, options, steps);
  if (!module)
    return module.takeError();
  if (options.from > Stage::Naive)
    return llvm::createStringError(
        "a module at stage '" + getStageInfo(options.from).name +
        "' has no ops to tune; hand over one at stage 'input' or 'naive'");
  if (llvm::Error error =
          (*module)->lead(options.from, Stage::Naive, options, steps))
    return std::move(error);
  std::vector<ShapeClass> classes = mlir::smx::classesOf((*module)->get());
  if (classes.size() != 1)
    return llvm::createStringError(
        "the module has ops of " + llvm::Twine(classes.size()) +
        " classes; a schedule is measured for one at a time");
  return classes.front();
}

/// A number that the tiles of the model have.
static int64_t tileSize(const Support &support, llvm::StringRef key) {
  for (const OpSupport &op : support.ops)
    for (const Decision &decision : op.decisions)
      for (const auto &[name, value] : decision.values)
        if (decision.name == "TileSizes" && name == key) {
          int64_t size = 0;
          return llvm::StringRef(value).getAsInteger(10, size) ? 0 : size;
        }
  return 0;
}

Expected<TuningTask> smx::findTuningTask(llvm::StringRef mlirText,
                                         const CompileOptions &options) {
  auto shape = findClass(mlirText, options);
  if (!shape)
    return shape.takeError();
  auto model = answer({mlirText, options, AlignmentIs::LookedFor, {}});
  if (!model)
    return model.takeError();
  if (!model->support.compiles)
    return llvm::createStringError(llvm::join(model->support.errors, "\n") +
                                   "\nwhat does not compile can not be tuned");
  TuningTask task{*shape, {ScheduleChoice()}};
  const int64_t rows = tileSize(model->support, "rows"),
                stream = tileSize(model->support, "stream");
  auto add = [&](const ScheduleChoice &choice) {
    if (!llvm::is_contained(task.choices, choice))
      task.choices.push_back(choice);
  };
  auto around = [](int64_t size) {
    return llvm::SmallVector<int64_t, 3>{0, size / 2, 2 * size};
  };
  for (int64_t tileRows : around(rows))
    for (int64_t tileStream : around(stream))
      add({tileRows, tileStream, 0, 0, 0});
  if (options.road.target == Target::Cpu)
    return task;
  for (int64_t depth : {1, 2, 3, 4})
    add({0, 0, 0, 0, depth});
  for (int64_t warps : {1, 2, 4, 8})
    add({0, 0, 0, warps, 0});
  for (int64_t splits : {1, 2, 4, 8, 16})
    add({0, 0, splits, 0, 0});
  return task;
}

/// Extents up to the next power of two.
static std::optional<ExtentRange> likeExtent(std::optional<int64_t> extent) {
  if (!extent)
    return std::nullopt;
  int64_t most = llvm::PowerOf2Ceil(std::max<int64_t>(*extent, 1));
  return ExtentRange{most / 2 + 1, most};
}

ScheduleEntry smx::entryFor(const ShapeClass &shape, const Candidate &best,
                            const Candidate &model) {
  ScheduleEntry entry;
  entry.op = shape.op;
  entry.type = shape.type;
  entry.mask = shape.mask;
  entry.headDim = likeExtent(shape.headDim);
  // What fits shared memory for this one may not for a larger one.
  if (entry.headDim)
    entry.headDim->most = *shape.headDim;
  entry.heads = likeExtent(shape.heads);
  // Where one head has many tiles of rows, more heads are more of the same.
  constexpr int64_t fewRows = 16;
  if (entry.heads && shape.rows.value_or(0) > fewRows)
    entry.heads->most = ExtentRange().most;
  entry.rows = likeExtent(shape.rows);
  entry.stream = likeExtent(shape.stream);
  entry.choice = best.choice;
  constexpr double microseconds = 1000;
  if (best.milliseconds && model.milliseconds) {
    entry.microseconds = *best.milliseconds * microseconds;
    entry.modelMicroseconds = *model.milliseconds * microseconds;
  }
  return entry;
}
