//===- TunerTest.cpp - what is measured, and what is kept -----------------===//

#include "smx/Runtime/Tuner.h"

#include <gtest/gtest.h>

using namespace smx;
using mlir::smx::ScheduleChoice;
using mlir::smx::Target;

namespace {
/// Candidates that behave as they are told, and a diary of what was asked.
struct ScriptedRunner : CandidateRunner {
  /// Milliseconds of the rounds of each candidate.
  std::vector<std::vector<double>> times;
  /// Why a candidate can not be prepared; empty if it can.
  std::vector<std::string> faults;
  std::string diary;

  llvm::Error prepare(size_t number, const ScheduleChoice &) override {
    diary += "p" + std::to_string(number) + " ";
    if (number < faults.size() && !faults[number].empty())
      return llvm::createStringError(faults[number]);
    return llvm::Error::success();
  }
  llvm::Expected<double> run(size_t number) override {
    diary += "r" + std::to_string(number) + " ";
    if (times[number].empty())
      return llvm::createStringError("no more runs");
    double time = times[number].front();
    times[number].erase(times[number].begin());
    return time;
  }
};
} // namespace

static ScheduleChoice rows(int64_t count) { return {count, 0, 0, 0, 0}; }

TEST(Tuner, MeasuresInTurnsWhatWasChecked) {
  ScriptedRunner runner;
  runner.times = {{10, 10}, {4, 6}, {9, 7}};
  auto result =
      llvm::cantFail(tune({rows(0), rows(1), rows(2)}, runner, {/*rounds=*/2}));
  EXPECT_EQ(runner.diary, "p0 p1 p2 r0 r1 r2 r0 r1 r2 ");
  EXPECT_EQ(result.best, 1u);
  EXPECT_EQ(*result.candidates[1].milliseconds, 5);
  EXPECT_EQ(*result.candidates[2].milliseconds, 8);
}

TEST(Tuner, NeverTimesOrKeepsAWrongCandidate) {
  ScriptedRunner runner;
  runner.times = {{10}, {1}, {9}};
  runner.faults = {"", "wrong: 3 of 8 elements", ""};
  auto result =
      llvm::cantFail(tune({rows(0), rows(1), rows(2)}, runner, {/*rounds=*/1}));
  EXPECT_EQ(runner.diary, "p0 p1 p2 r0 r2 ");
  EXPECT_EQ(result.best, 2u);
  EXPECT_EQ(result.candidates[1].leftOut, "wrong: 3 of 8 elements");
  EXPECT_FALSE(result.candidates[1].milliseconds);
}

TEST(Tuner, LeavesOutWhatFailsWhenItIsTimed) {
  ScriptedRunner runner;
  runner.times = {{10, 10}, {1}};
  auto result =
      llvm::cantFail(tune({rows(0), rows(1)}, runner, {/*rounds=*/2}));
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.candidates[1].leftOut, "no more runs");
}

TEST(Tuner, KeepsTheModelsChoiceWithinTheMargin) {
  ScriptedRunner runner;
  runner.times = {{100}, {99}};
  EXPECT_FALSE(llvm::cantFail(tune({rows(0), rows(1)}, runner,
                                   {/*rounds=*/1, /*margin=*/0.02}))
                   .best);
  runner.times = {{100}, {97}};
  EXPECT_TRUE(llvm::cantFail(tune({rows(0), rows(1)}, runner,
                                  {/*rounds=*/1, /*margin=*/0.02}))
                  .best);
}

TEST(Tuner, TakesTheMedian) {
  ScriptedRunner runner;
  runner.times = {{5, 100, 5}, {4, 4, 900}};
  auto result =
      llvm::cantFail(tune({rows(0), rows(1)}, runner, {/*rounds=*/3}));
  EXPECT_EQ(*result.candidates[0].milliseconds, 5);
  EXPECT_EQ(result.best, 1u);
}

static std::string errorOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(Tuner, NeedsTheModelsChoice) {
  ScriptedRunner runner;
  runner.times = {{1}, {1}};
  runner.faults = {"wrong: all of it", ""};
  EXPECT_EQ(errorOf(tune({rows(0), rows(1)}, runner).takeError()),
            "wrong: all of it\nthe model's own choice can not be measured, "
            "nothing is tuned");
  EXPECT_EQ(errorOf(tune({}, runner).takeError()),
            "there is nothing to measure: 0 candidates, 5 rounds");
}

static const char *attentionModule = R"mlir(
!t = tensor<2x300x80xbf16>
func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
})mlir";

TEST(Tuner, TriesWhatIsAroundTheModelsChoice) {
  CompileOptions options;
  TuningTask task = llvm::cantFail(findTuningTask(attentionModule, options));
  EXPECT_EQ(task.shape.op, "attention");
  EXPECT_EQ(task.shape.type, "bf16");
  EXPECT_EQ(task.shape.mask, "band");
  EXPECT_EQ(task.shape.headDim, 80);
  EXPECT_EQ(task.shape.rows, 300);
  EXPECT_EQ(task.shape.stream, 300);
  EXPECT_EQ(task.shape.heads, 2);
  EXPECT_EQ(task.choices.size(), 9u);
  EXPECT_EQ(task.choices.front(), ScheduleChoice());
  options.road.target = Target::Cuda;
  TuningTask device = llvm::cantFail(findTuningTask(attentionModule, options));
  EXPECT_GT(device.choices.size(), task.choices.size());
  EXPECT_TRUE(
      llvm::is_contained(device.choices, ScheduleChoice{0, 0, 0, 2, 0}));
}

TEST(Tuner, RefusesWhatHasNoOneClass) {
  const char *two = R"mlir(
func.func @two(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %0 = smx.softmax %x axis(1) : tensor<8x64xf32> -> tensor<8x64xf32>
  %1 = smx.logsumexp %x axis(1) : tensor<8x64xf32> -> tensor<8xf32>
  return %0, %1 : tensor<8x64xf32>, tensor<8xf32>
})mlir";
  EXPECT_EQ(errorOf(findTuningTask(two, {}).takeError()),
            "the module has ops of 2 classes; a schedule is measured for one "
            "at a time");
  CompileOptions tiled;
  tiled.from = mlir::smx::Stage::Tiled;
  EXPECT_TRUE(
      llvm::StringRef(errorOf(findTuningTask(two, tiled).takeError()))
          .contains("has no ops to tune; hand over one at stage 'input'"));
}

TEST(Tuner, WritesALineForExtentsLikeTheMeasuredOnes) {
  TuningTask task = llvm::cantFail(findTuningTask(attentionModule, {}));
  auto entry = entryFor(task.shape, {rows(32), "", 0.5}, {{}, "", 1.0});
  EXPECT_TRUE(entry.matches(task.shape));
  EXPECT_EQ(entry.choice, rows(32));
  EXPECT_EQ(entry.microseconds, 500);
  EXPECT_EQ(entry.modelMicroseconds, 1000);
  mlir::smx::ShapeClass other = task.shape;
  other.rows = 512;
  EXPECT_TRUE(entry.matches(other));
  other.rows = 513;
  EXPECT_FALSE(entry.matches(other));
  other = task.shape;
  other.headDim = 81;
  EXPECT_FALSE(entry.matches(other));
  other.headDim = 65;
  EXPECT_TRUE(entry.matches(other));
  other.heads = 1000;
  EXPECT_TRUE(entry.matches(other));
  other.heads = 1;
  EXPECT_FALSE(entry.matches(other));
}

TEST(Tuner, WritesALineOfFewQueriesForAsManyHeads) {
  mlir::smx::ShapeClass shape{"attention", "bf16", "none", 128, 1, 65536, 32};
  ScheduleChoice splits{0, 0, 33, 0, 0};
  auto entry = entryFor(shape, {splits, "", 0.5}, {{}, "", 1.0});
  EXPECT_TRUE(entry.matches(shape));
  for (int64_t heads : {16, 33, 64}) {
    shape.heads = heads;
    EXPECT_FALSE(entry.matches(shape)) << heads;
  }
}
