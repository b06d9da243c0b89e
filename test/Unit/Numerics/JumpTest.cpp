//===- JumpTest.cpp - the maximum jumps, anywhere in a tile ---------------===//
//
// A schedule may compute weights before it has looked for the maximum. Here the
// maximum jumps by up to 1e5 at one key, or at one key of every tile: the last
// such key has all of the weight, and the result is its value, exactly.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "gtest/gtest.h"

using namespace smx;
using namespace smx::test;

namespace {
constexpr int64_t queries = 128, keys = 384, period = 96;

struct Jumps : testing::TestWithParam<DType> {
  static NumericCase attentionCase(int64_t headDim, DType type) {
    NumericCase c;
    c.op = Op::Attention;
    c.dtype = type;
    c.queries = queries;
    c.keys = keys;
    c.headDim = c.valueDim = headDim;
    c.scale = 1.0;
    return c;
  }

  /// Scores are 0 but at `place`, and `again` also one higher in each period.
  static std::vector<Tensor> inputs(int64_t headDim, int64_t place, double jump,
                                    bool again) {
    Tensor q({1, 1, queries, headDim}), k({1, 1, keys, headDim}),
        v({1, 1, keys, headDim});
    for (int64_t i = 0; i < queries; ++i)
      q[i * headDim] = 1;
    for (int64_t j = 0; j < keys; ++j) {
      if (again ? j % period == place % period : j == place)
        k[j * headDim] = again ? jump * double(j / period + 1) : jump;
      for (int64_t d = 0; d < headDim; ++d)
        v[j * headDim + d] = double((7 * j + d) % 64 - 31);
    }
    return {q, k, v};
  }
};
} // namespace

TEST_P(Jumps, AreFollowedWhereverTheyAre) {
  const TargetUnderTest &target = targetUnderTest();
  std::vector<std::string> chips{target.chip};
  if (target.chip.empty() && target.target != mlir::smx::Target::Cpu)
    chips = {"sm_80", "sm_90a"};
  // Of f16, 1e5 is too much.
  std::vector<double> jumps{100, 1000, GetParam() == DType::F16 ? 1e4 : 1e5};
  for (const std::string &chip : chips)
    for (int64_t headDim : {64, 128, 256}) {
      NumericCase c = attentionCase(headDim, GetParam());
      CompileOptions options;
      options.optLevel = 1;
      target.applyTo(options.road);
      if (!chip.empty())
        options.road.chip = chip;
      llvm::Expected<Kernel> kernel = compile(c.text(), options);
      ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
      for (int64_t place :
           {0, 1, 7, 8, 63, 64, 95, 96, 127, 128, 191, 200, 383})
        for (double jump : jumps)
          for (bool again : {false, true}) {
            SCOPED_TRACE(c.text() + chip + ", " + std::to_string(jump) +
                         " at " + std::to_string(place) +
                         (again ? ", in every period" : ""));
            std::vector<Tensor> in = inputs(headDim, place, jump, again);
            llvm::Expected<std::vector<Tensor>> out = runKernel(
                *kernel, in, {{1, 1, queries, headDim}, {1, 1, queries}},
                {GetParam(), GetParam(), GetParam()}, {GetParam(), DType::F32},
                0);
            ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
            int64_t last = again ? keys - period + place % period : place;
            for (int64_t i : {0, 1, 63, 64, 127})
              for (int64_t d = 0; d < headDim; ++d)
                ASSERT_EQ((*out)[0][i * headDim + d], in[2][last * headDim + d])
                    << "query " << i << ", column " << d;
          }
    }
}

/// More tiles of rows than blocks: a block walks over several, and may begin
/// one under the end of another. Every head has values of its own.
TEST_P(Jumps, AreFollowedByBlocksThatWalkOverTiles) {
  constexpr int64_t heads = 530, headDim = 64, keys = 384;
  const TargetUnderTest &target = targetUnderTest();
  NumericCase c = attentionCase(headDim, GetParam());
  c.queryHeads = c.keyHeads = heads;
  c.keys = keys;
  CompileOptions options;
  options.optLevel = 1;
  target.applyTo(options.road);
  if (target.chip.empty() && target.target != mlir::smx::Target::Cpu)
    options.road.chip = "sm_90a";
  llvm::Expected<Kernel> kernel = compile(c.text(), options);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  Tensor q({1, heads, queries, headDim}), k({1, heads, keys, headDim}),
      v({1, heads, keys, headDim});
  auto placeOf = [](int64_t head) { return 37 * head % keys; };
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t i = 0; i < queries; ++i)
      q[(h * queries + i) * headDim] = 1;
    k[(h * keys + placeOf(h)) * headDim] = 1000;
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t d = 0; d < headDim; ++d)
        v[(h * keys + j) * headDim + d] = double((7 * j + d + 5 * h) % 64 - 31);
  }
  llvm::Expected<std::vector<Tensor>> out = runKernel(
      *kernel, {q, k, v}, {{1, heads, queries, headDim}, {1, heads, queries}},
      {GetParam(), GetParam(), GetParam()}, {GetParam(), DType::F32}, 0);
  ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i : {0, 63, 64, 127})
      for (int64_t d = 0; d < headDim; ++d)
        ASSERT_EQ((*out)[0][(h * queries + i) * headDim + d],
                  v[(h * keys + placeOf(h)) * headDim + d])
            << "head " << h << ", query " << i << ", column " << d;
}

INSTANTIATE_TEST_SUITE_P(Types, Jumps, testing::Values(DType::BF16, DType::F16),
                         [](const auto &info) {
                           return info.param == DType::BF16 ? "bf16" : "f16";
                         });
