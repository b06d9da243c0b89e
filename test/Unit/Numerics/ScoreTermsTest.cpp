//===- ScoreTermsTest.cpp - scores that read an element each --------------===//
//
// A bias for each pair of query and key, of which a kernel may fetch tiles:
// with extents that end in the middle of them, rows that no tensor copy takes,
// masks, and elements that are not finite.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace smx;
using namespace smx::test;

namespace {
struct TermsForm {
  int64_t queries, keys;
  bool causal = false, open = false;
};

struct ScoreTerms : testing::TestWithParam<DType> {
  static constexpr int64_t heads = 2, headDim = 64;
  static constexpr double scale = 0.11;

  static std::string text(TermsForm form) {
    auto size = [&](int64_t extent) {
      return form.open ? std::string("?") : std::to_string(extent);
    };
    auto type = [&](int64_t rows) {
      return llvm::formatv("tensor<1x{0}x{1}x{2}xbf16>", heads, size(rows),
                           headDim)
          .str();
    };
    std::string dtype(nameOf(GetParam()));
    std::string wide =
        GetParam() == DType::F32
            ? ""
            : "    %wide = arith.extf %x : " + dtype + " to f32\n";
    return llvm::formatv(
        "!q = {0}\n!k = {1}\n!b = tensor<{2}x{3}x{4}x{5}>\n"
        "func.func @f(%q: !q, %k: !k, %v: !k, %bias: !b) -> !q {{\n"
        "  %o = smx.attention %q, %k, %v scale({6:E16}){7} score {{\n"
        "  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):\n"
        "    %x = tensor.extract %bias[%h, %i, %j] : !b\n{8}"
        "    %t = arith.addf %s, {9} : f32\n"
        "    smx.yield %t : f32\n"
        "  } : !q, !k, !k -> !q\n"
        "  return %o : !q\n"
        "}\n",
        type(form.queries), type(form.keys), heads, size(form.queries),
        size(form.keys), dtype, scale,
        form.causal ? " mask(#smx.band<top_left, right = 0>)" : "", wide,
        wide.empty() ? "%x" : "%wide");
  }

  /// Numbers that all the types hold. Some rows hide every other run of 96
  /// keys, or all keys but one; one of all has no number.
  static double biasOf(int64_t head, int64_t i, int64_t j, TermsForm form) {
    if (i % 7 == 3 && j / 96 % 2 == head)
      return -INFINITY;
    if (i % 50 == 11 && j != i / 2)
      return -INFINITY;
    if (head == 1 && i == form.queries - 2 && j == i / 3)
      return NAN;
    return double((3 * i + 5 * j + 7 * head) % 17 - 8) / 4;
  }

  static void check(const Kernel &kernel, TermsForm form) {
    Tensor q({1, heads, form.queries, headDim}),
        k({1, heads, form.keys, headDim}), v({1, heads, form.keys, headDim}),
        bias({heads, form.queries, form.keys});
    for (int64_t n = 0; n < q.size(); ++n)
      q[n] = double(n * 37 % 11 - 5) / 8;
    for (int64_t n = 0; n < k.size(); ++n) {
      k[n] = double(n * 29 % 13 - 6) / 8;
      v[n] = double(n * 31 % 16 + 1);
    }
    for (int64_t n = 0; n < bias.size(); ++n)
      bias[n] = biasOf(n / (form.queries * form.keys),
                       n / form.keys % form.queries, n % form.keys, form);
    llvm::Expected<std::vector<Tensor>> out = runKernel(
        kernel, {q, k, v, bias}, {{1, heads, form.queries, headDim}},
        {DType::BF16, DType::BF16, DType::BF16, GetParam()}, {DType::BF16}, 0);
    ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
    for (int64_t row = 0; row < heads * form.queries; ++row)
      checkRow(&(*out)[0][row * headDim], row / form.queries,
               row % form.queries, &q[row * headDim],
               &k[row / form.queries * form.keys * headDim],
               &v[row / form.queries * form.keys * headDim], form);
  }

  static void checkRow(const double *out, int64_t head, int64_t i,
                       const double *query, const double *keys,
                       const double *values, TermsForm form) {
    const int64_t seen = form.causal ? std::min(i + 1, form.keys) : form.keys;
    std::vector<double> scores(seen), expected(headDim);
    double largest = -INFINITY, sum = 0;
    bool isNumber = true;
    for (int64_t j = 0; j < seen; ++j) {
      for (int64_t d = 0; d < headDim; ++d)
        scores[j] += scale * query[d] * keys[j * headDim + d];
      scores[j] += biasOf(head, i, j, form);
      isNumber &= !std::isnan(scores[j]);
      largest = std::max(largest, scores[j]);
    }
    // Where all scores are those of hidden keys, the contract of masks holds,
    // and other tests look at it.
    if (largest == -INFINITY)
      return;
    for (int64_t j = 0; j < seen; ++j) {
      double weight = std::exp(scores[j] - largest);
      sum += weight;
      for (int64_t d = 0; d < headDim; ++d)
        expected[d] += weight * values[j * headDim + d];
    }
    for (int64_t d = 0; d < headDim; ++d) {
      if (isNumber)
        ASSERT_NEAR(out[d], expected[d] / sum, 0x1p-7 * expected[d] / sum)
            << "head " << head << ", query " << i << ", column " << d;
      else
        ASSERT_TRUE(std::isnan(out[d])) << "head " << head << ", query " << i;
    }
  }
};
} // namespace

TEST_P(ScoreTerms, AreThoseOfTheirPair) {
  const TargetUnderTest &target = targetUnderTest();
  // Whole tiles of three groups' rows; what is left of rows and keys; rows that
  // start anywhere.
  for (TermsForm form :
       {TermsForm{384, 1152}, TermsForm{384, 1152, true}, TermsForm{200, 1112},
        TermsForm{200, 328, true}, TermsForm{150, 301},
        TermsForm{150, 301, true}, TermsForm{384, 1152, false, true},
        TermsForm{200, 328, true, true}, TermsForm{150, 301, false, true}})
    for (const std::string &chip : target.chips()) {
      CompileOptions options;
      options.optLevel = 1;
      target.applyTo(options.road);
      if (!chip.empty())
        options.road.chip = chip;
      SCOPED_TRACE(text(form) + chip);
      llvm::Expected<Kernel> kernel = compile(text(form), options);
      ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
      ASSERT_NO_FATAL_FAILURE(check(*kernel, form));
    }
}

INSTANTIATE_TEST_SUITE_P(Types, ScoreTerms,
                         testing::Values(DType::F32, DType::F16, DType::BF16),
                         [](const testing::TestParamInfo<DType> &info) {
                           return std::string(nameOf(info.param));
                         });
