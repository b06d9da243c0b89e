//===- Tuner.h - measures schedules, keeps the fastest ----------*- C++ -*-===//
#ifndef SMX_RUNTIME_TUNER_H
#define SMX_RUNTIME_TUNER_H

#include "smx/Pipeline/ScheduleTable.h"
#include "smx/Runtime/Kernel.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace smx {

/// A schedule that was tried.
struct Candidate {
  mlir::smx::ScheduleChoice choice;
  /// Why it was left out; empty if it was measured.
  std::string leftOut;
  /// In the median; none if it was left out.
  std::optional<double> milliseconds;
};

/// What a tuner asks of those who can compile and run.
class CandidateRunner {
public:
  virtual ~CandidateRunner();
  /// Compiles candidate `number`, runs it once and compares the result. An
  /// error is why it is left out: it does not compile, or its result is wrong.
  virtual llvm::Error prepare(size_t number,
                              const mlir::smx::ScheduleChoice &choice) = 0;
  /// Milliseconds of one more run of a candidate that was prepared.
  virtual llvm::Expected<double> run(size_t number) = 0;
};

struct TunerOptions {
  /// Runs of each candidate that are timed.
  int rounds = 5;
  /// The part of the model's time that another choice has to save.
  double margin = 0.02;
};

struct TunerResult {
  /// The model's choice first.
  std::vector<Candidate> candidates;
  /// The fastest one, if it is not the model's.
  std::optional<size_t> best;
};

/// Prepares all candidates, the first of which is the model's choice, before
/// one is timed; then times those that are right in turns, so that what else
/// happens on the machine happens to all. Fails if the model's choice does.
llvm::Expected<TunerResult>
tune(llvm::ArrayRef<mlir::smx::ScheduleChoice> choices, CandidateRunner &runner,
     const TunerOptions &options = {});

/// What a module gives to tune: its class, and what is worth a try beside the
/// model's choice, which comes first.
struct TuningTask {
  mlir::smx::ShapeClass shape;
  std::vector<mlir::smx::ScheduleChoice> choices;
};

/// The task for a module all of whose ops are of one class: half, as much and
/// twice as much as the model's tiles, and for a GPU, by themselves, other
/// stages of channels, warps and parts of a stream.
llvm::Expected<TuningTask> findTuningTask(llvm::StringRef mlirText,
                                          const CompileOptions &options);

/// The line of a table for what was found: for extents like those of `shape`,
/// that is up to the next power of two; for no larger head dim; and, but for
/// few queries, for more heads.
mlir::smx::ScheduleEntry entryFor(const mlir::smx::ShapeClass &shape,
                                  const Candidate &best,
                                  const Candidate &model);

} // namespace smx

#endif // SMX_RUNTIME_TUNER_H
