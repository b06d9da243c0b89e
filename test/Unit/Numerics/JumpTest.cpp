//===- JumpTest.cpp - the maximum jumps, anywhere in a tile ---------------===//
//
// A schedule may compute weights before it has looked for the maximum. Here the
// maximum jumps by up to 1e5 at one key, or at one key of every tile: the last
// such key has all of the weight, and the result is its value, exactly.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "llvm/ADT/STLExtras.h"
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

  /// On a GPU for the chip whose blocks walk over tiles, unless one is asked
  /// for.
  static llvm::Expected<Kernel> compileForBlocksThatWalk(const NumericCase &c) {
    return compileCase(c, targetUnderTest().chips().back());
  }
};
} // namespace

TEST_P(Jumps, AreFollowedWhereverTheyAre) {
  // Of f16, 1e5 is too much.
  std::vector<double> jumps{100, 1000, GetParam() == DType::F16 ? 1e4 : 1e5};
  for (const std::string &chip : targetUnderTest().chips())
    for (int64_t headDim : {64, 128, 256}) {
      NumericCase c = attentionCase(headDim, GetParam());
      llvm::Expected<Kernel> kernel = compileCase(c, chip);
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
/// one under the end of another. Every head has values of its own. The first
/// two tiles of a block have a jump anywhere, as have the two from the sixth
/// on; those between have it in their first keys: a schedule that expects jumps
/// after the first does so in the second, and no more in the sixth.
TEST_P(Jumps, AreFollowedByBlocksThatWalkOverTiles) {
  constexpr int64_t heads = 794, headDim = 64, keys = 384;
  NumericCase c = attentionCase(headDim, GetParam());
  c.queryHeads = c.keyHeads = heads;
  c.keys = keys;
  llvm::Expected<Kernel> kernel = compileForBlocksThatWalk(c);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  Tensor q({1, heads, queries, headDim}), k({1, heads, keys, headDim}),
      v({1, heads, keys, headDim});
  constexpr int64_t blocks = 132;
  auto placeOf = [](int64_t head) {
    return head / blocks % 5 < 2 ? 37 * head % keys : head % 64;
  };
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

/// The score rises at some keys and stays where it is in between, for fewer and
/// for more rounds than a schedule may expect another rise for. All keys from
/// the last rise on have one weight, and those before it none: the result is
/// the mean of their values. Queries of 16 rows in a row, a warp's, have the
/// rises or have none. After lower ones a reference may lead for some rounds.
TEST_P(Jumps, AreFollowedWhereTheyEndAndBeginAgain) {
  constexpr int64_t keys = 3072, columns = 64;
  // The mean is rounded to the type, and so are weights, which are all the
  // same, but not their sum.
  const double allowed = GetParam() == DType::BF16 ? 0x3p-9 : 0x3p-12;
  auto rises = [](std::initializer_list<int64_t> places) {
    return std::vector<int64_t>(places);
  };
  std::vector<int64_t> always, early;
  for (int64_t j = 40; j < keys; j += 64)
    always.push_back(j);
  early.assign(always.begin(), always.begin() + always.size() / 3);
  std::vector<int64_t> twice = early;
  twice.insert(twice.end(), {2600, 2664, 2728});
  for (int64_t headDim : {64, 128, 256}) {
    NumericCase c = attentionCase(headDim, GetParam());
    c.keys = keys;
    llvm::Expected<Kernel> kernel = compileForBlocksThatWalk(c);
    ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
    std::vector<std::pair<std::vector<int64_t>, double>> cases{
        {always, 32},       {always, 20},
        {early, 32},        {early, 20},
        {twice, 32},        {twice, 20},
        {rises({200}), 32}, {rises({200, 500, 2900}), 32},
    };
    for (const auto &[places, height] : cases) {
      SCOPED_TRACE(c.text() + ", " + std::to_string(places.size()) +
                   " rises of " + std::to_string(height));
      Tensor q({1, 1, queries, headDim}), k({1, 1, keys, headDim}),
          v({1, 1, keys, headDim});
      auto hasRises = [](int64_t query) { return query / 16 % 3 != 1; };
      for (int64_t i = 0; i < queries; ++i)
        q[i * headDim] = hasRises(i);
      std::vector<double> all(columns), last(columns);
      for (int64_t j = 0; j < keys; ++j) {
        int64_t level =
            llvm::count_if(places, [j](int64_t p) { return p <= j; });
        k[j * headDim] = height * double(level);
        for (int64_t d = 0; d < columns; ++d) {
          double value = double((7 * j + 3 * d + j / 64 * 5) % 64);
          v[j * headDim + d] = value;
          all[d] += value / keys;
          if (j >= places.back())
            last[d] += value / double(keys - places.back());
        }
      }
      llvm::Expected<std::vector<Tensor>> out = runKernel(
          *kernel, {q, k, v}, {{1, 1, queries, headDim}, {1, 1, queries}},
          {GetParam(), GetParam(), GetParam()}, {GetParam(), DType::F32}, 0);
      ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
      for (int64_t i : {0, 15, 16, 31, 32, 63, 64, 79, 80, 127})
        for (int64_t d = 0; d < columns; ++d) {
          double expected = (hasRises(i) ? last : all)[d];
          ASSERT_NEAR((*out)[0][i * headDim + d], expected, allowed * expected)
              << "query " << i << ", column " << d;
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Jumps, testing::Values(DType::BF16, DType::F16),
                         [](const auto &info) {
                           return info.param == DType::BF16 ? "bf16" : "f16";
                         });
