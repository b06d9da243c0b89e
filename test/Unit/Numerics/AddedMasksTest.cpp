//===- AddedMasksTest.cpp - keys hidden by adding a large negative number -===//
//
// What is added is finite, so that no key is invisible: a row of which all keys
// are hidden is the average of the values of those that are hidden least. The
// numbers are so large that scores of products are lost in them.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace smx;
using namespace smx::test;

namespace {
struct AddedMask {
  int64_t queries, keys, splits;
};

struct AddedMasks : testing::TestWithParam<DType> {
  static constexpr int64_t headDim = 64;
  static constexpr double scale = 0.11;

  static std::string text(AddedMask form) {
    auto type = [](int64_t rows) {
      return llvm::formatv("tensor<1x1x{0}x{1}x{2}>", rows, headDim,
                           std::string(nameOf(GetParam())))
          .str();
    };
    std::string number = std::string(nameOf(stateType()));
    return llvm::formatv(
        "func.func @f(%q: {0}, %k: {1}, %v: {1}, %mask: {2}) -> ({0}, {3}) {{\n"
        "  %o, %l = smx.attention %q, %k, %v scale({4:E16}) score {{\n"
        "  ^bb0(%s: {5}, %b: index, %h: index, %i: index, %j: index):\n"
        "    %added = tensor.extract %mask[%i, %j] : {2}\n"
        "    %t = arith.addf %s, %added : {5}\n"
        "    smx.yield %t : {5}\n"
        "  } : {0}, {1}, {1} -> {0}, {3}\n"
        "  return %o, %l : {0}, {3}\n"
        "}\n",
        type(form.queries), type(form.keys),
        llvm::formatv("tensor<{0}x{1}x{2}>", form.queries, form.keys, number)
            .str(),
        llvm::formatv("tensor<1x1x{0}x{1}>", form.queries, number).str(), scale,
        number);
  }
  static DType stateType() {
    return GetParam() == DType::F64 ? DType::F64 : DType::F32;
  }

  /// By how many times the number key j is hidden from a row. Rows of a
  /// matrix instruction are alike.
  static double depthOf(int64_t row, int64_t j, AddedMask form) {
    int64_t keys = form.keys;
    switch (row * 8 / form.queries) {
    case 0:
      return 1;
    case 1:
      return j < keys / 2;
    case 2:
      return j >= keys / 3;
    case 3:
      return 0;
    case 4:
      return j % 50 == 7 ? 1 : 1.5;
    case 5:
      return j < keys / 2 ? 2 : 1.25;
    case 6:
      return j == keys - 3 ? 0 : 3;
    default:
      // Scores of the last keys times log2(e), which is rounded, are those of
      // the first times 2: of one number of the test up to 1.
      return j < keys / 2 ? 1 : 2 / double(llvm::numbers::log2ef);
    }
  }

  static void check(const Kernel &kernel, AddedMask form, double number) {
    auto [queries, keys, splits] = form;
    Tensor q({1, 1, queries, headDim}), k({1, 1, keys, headDim}),
        v({1, 1, keys, headDim}), mask({queries, keys});
    for (int64_t j = 0; j < keys; ++j) {
      k[j * headDim] = double(j % 5 - 2);
      for (int64_t d = 0; d < headDim; ++d)
        v[j * headDim + d] = double((7 * j + d) % 16 + 32 * j / keys + 1);
    }
    for (int64_t i = 0; i < queries; ++i) {
      q[i * headDim] = 1;
      for (int64_t j = 0; j < keys; ++j)
        mask[i * keys + j] = double(float(number * depthOf(i, j, form)));
    }
    llvm::Expected<std::vector<Tensor>> out = runKernel(
        kernel, {q, k, v, mask}, {{1, 1, queries, headDim}, {1, 1, queries}},
        {GetParam(), GetParam(), GetParam(), stateType()},
        {GetParam(), stateType()}, 0);
    ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
    const double allowed = GetParam() == DType::BF16 ? 0x1p-7 : 0x1p-9;
    for (int64_t i = 0; i < queries; ++i) {
      double sum = 0;
      std::vector<double> expected(headDim), scores(keys);
      double largest = -INFINITY;
      for (int64_t j = 0; j < keys; ++j) {
        scores[j] = scale * k[j * headDim] + mask[i * keys + j];
        if (stateType() == DType::F32)
          scores[j] = double(float(scores[j]));
        largest = std::max(largest, scores[j]);
      }
      for (int64_t j = 0; j < keys; ++j) {
        double weight = std::exp(scores[j] - largest);
        sum += weight;
        for (int64_t d = 0; d < headDim; ++d)
          expected[d] += weight * v[j * headDim + d];
      }
      for (int64_t d = 0; d < headDim; ++d)
        ASSERT_NEAR((*out)[0][i * headDim + d], expected[d] / sum,
                    allowed * expected[d] / sum)
            << "query " << i << ", column " << d;
      ASSERT_FALSE(std::isnan((*out)[1][i])) << "query " << i;
    }
  }
};
} // namespace

TEST_P(AddedMasks, RowsThatAreHiddenAreAverages) {
  const TargetUnderTest &target = targetUnderTest();
  std::vector<std::string> chips{target.chip};
  if (target.chip.empty() && target.target != mlir::smx::Target::Cpu)
    chips = {"sm_80", "sm_90a"};
  for (const std::string &chip : chips)
    for (AddedMask form :
         {AddedMask{512, 384, 1}, AddedMask{8, 640, 1}, AddedMask{8, 640, 3}}) {
      CompileOptions options;
      options.optLevel = 1;
      options.road.splits = form.splits;
      target.applyTo(options.road);
      if (!chip.empty())
        options.road.chip = chip;
      llvm::Expected<Kernel> kernel = compile(text(form), options);
      ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
      for (double number : {-1e9, -200000880.0, -1.7e9, -1e10, -3.3e10, -0x1p40,
                            -1e30, -1e38}) {
        SCOPED_TRACE(text(form) + chip + ", " + std::to_string(number));
        ASSERT_NO_FATAL_FAILURE(check(*kernel, form, number));
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Types, AddedMasks,
                         testing::Values(DType::F64, DType::F32, DType::F16,
                                         DType::BF16),
                         [](const testing::TestParamInfo<DType> &info) {
                           return std::string(nameOf(info.param));
                         });
