//===- GridTest.cpp - a seeded random grid of configurations --------------===//
//
// Sizes are chosen where things break: 0, 1, primes, one less and one more than
// a tile.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "gtest/gtest.h"

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

using namespace smx;
using namespace smx::test;
using reference::Band;
using reference::BandAnchor;

namespace {

class CaseMaker {
public:
  explicit CaseMaker(uint64_t seed) : random(seed) {}

  NumericCase rowOp(Op op) {
    NumericCase c = common(op);
    if (op == Op::LayerNorm) {
      c.scale = 1.0;
      c.generator = pick<const char *>({"normal", "uniform", "ramp"});
    } else {
      c.generator = pick<const char *>(
          {"normal", "normal", "uniform", "staircase", "falling", "spike_last",
           "all_equal", "alternating", "denormals", "all_neg_inf", "one_nan",
           "one_inf", "huge_jump", "ramp"});
    }
    int64_t rank = op == Op::SoftmaxDot ? pick<int64_t>({1, 2, 3})
                                        : pick<int64_t>({1, 2, 2, 3});
    for (int64_t dim = 0; dim < rank; ++dim)
      c.shape.push_back(pick<int64_t>({1, 2, 3, 5, 17}));
    c.axis = op == Op::SoftmaxDot
                 ? rank - 1
                 : pick<int64_t>({0, rank / 2, rank - 1, rank - 1});
    c.shape[c.axis] = extent();
    // Layer norm of nothing is NaN by any reading; softmax of nothing is
    // nothing.
    if (op == Op::LayerNorm && c.shape[c.axis] == 0)
      c.shape[c.axis] = 1;
    c.columns = pick<int64_t>({1, 3, 8, 16, 33});
    c.zeroForMaskedRow = op == Op::Softmax && pick<int>({0, 0, 1});
    return c;
  }

  NumericCase attention() {
    NumericCase c = common(Op::Attention);
    c.scale = pick<double>({0.125, 0.25, 1.0, 0.0883883});
    c.generator = pick<const char *>({"normal", "normal", "normal", "staircase",
                                      "falling", "spike_last", "all_equal"});
    c.batch = pick<int64_t>({1, 1, 2, 0});
    c.keyHeads = pick<int64_t>({1, 1, 2, 3});
    c.queryHeads = c.keyHeads * pick<int64_t>({1, 1, 2, 4});
    c.queries = pick<int64_t>({1, 5, 16, 17, 31, 63, 64, 65, 100, 0});
    c.keys = pick<int64_t>({1, 7, 32, 33, 64, 101, 127, 128, 129, 200, 257, 0});
    c.headDim = pick<int64_t>({1, 8, 16, 24, 40, 64});
    c.valueDim = pick<int64_t>({c.headDim, c.headDim, 1, 8, 20, 48});
    auto anchor =
        pick<BandAnchor>({BandAnchor::TopLeft, BandAnchor::BottomRight});
    switch (pick<int>({0, 0, 1, 1, 2, 3, 4})) {
    case 1:
      c.band = Band::causal(anchor);
      break;
    case 2:
      c.band = Band{anchor, pick<int64_t>({0, 1, 16, 50}),
                    pick<int64_t>({0, 3, 20})};
      break;
    case 3:
      c.band = Band{anchor, pick<int64_t>({0, 5, 40}), std::nullopt};
      break;
    case 4:
      c.band = Band::causal(anchor);
      c.prefix = pick<int64_t>({1, 16, 70});
      break;
    }
    return c;
  }

private:
  template <typename T>
  T pick(std::vector<T> choices) {
    return choices[random() % choices.size()];
  }
  int64_t extent() {
    return pick<int64_t>(
        {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 509});
  }
  NumericCase common(Op op) {
    NumericCase c;
    c.op = op;
    c.seed = random();
    c.dtype = pick<DType>(
        {DType::F32, DType::F32, DType::F64, DType::F16, DType::BF16});
    c.scale = pick<double>({1.0, 1.0, 0.5, -0.75, 2.0});
    c.isDynamic = pick<int>({0, 0, 1});
    c.gap = pick<int64_t>({0, 0, 1, 7});
    c.road.tileRows = pick<int64_t>({0, 0, 4, 16, 7});
    c.road.tileStream = pick<int64_t>({0, 16, 32, 64, 50});
    c.road.splits = pick<int64_t>({1, 1, 1, 2, 5});
    c.road.threads = pick<int>({0, 0, 0, 1});
    return c;
  }

  std::mt19937_64 random;
};

/// Checks `count` cases on all cores; prints how many there were.
void checkAll(int count, const std::vector<NumericCase> &cases) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::vector<std::string> failures;
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency());
       ++i)
    workers.emplace_back([&] {
      for (size_t at = next++; at < cases.size(); at = next++) {
        std::string failure = checkCase(cases[at]);
        std::lock_guard<std::mutex> lock(mutex);
        if (!failure.empty())
          failures.push_back(failure);
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  for (size_t i = 0; i < failures.size() && i < 5; ++i)
    ADD_FAILURE() << failures[i];
  EXPECT_EQ(failures.size(), 0u) << "of " << count << " configurations";
  std::printf("[ CONFIGS  ] %d\n", count);
}

class RowGrid : public testing::TestWithParam<std::pair<Op, int>> {};

TEST_P(RowGrid, MatchesTheReference) {
  auto [op, count] = GetParam();
  if (int most = targetUnderTest().mostCases)
    count = std::min(count, most);
  CaseMaker maker(1000 + static_cast<int>(op));
  std::vector<NumericCase> cases;
  for (int i = 0; i < count; ++i)
    cases.push_back(op == Op::Attention ? maker.attention() : maker.rowOp(op));
  checkAll(count, cases);
}

INSTANTIATE_TEST_SUITE_P(Seeded, RowGrid,
                         testing::Values(std::pair(Op::Softmax, 260),
                                         std::pair(Op::LogSoftmax, 120),
                                         std::pair(Op::LogSumExp, 120),
                                         std::pair(Op::SoftmaxDot, 120),
                                         std::pair(Op::LayerNorm, 80),
                                         std::pair(Op::Attention, 320)));

} // namespace
