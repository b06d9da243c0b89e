//===- NegatedPairsTest.cpp - pairs of negated elements -------------------===//

#include "FunctionPass.h"

#include "NVVM/NegatedPairs.h"

#include <gtest/gtest.h>

using smx::test::runOnFunction;

namespace {

std::string negate(const std::string &text) {
  return runOnFunction(text, mlir::smx::NegatedPairsPass());
}

TEST(NegatedPairsTest, NegationsOfBothElementsAreOne) {
  EXPECT_EQ(negate(R"(define <2 x bfloat> @f(bfloat %a, bfloat %b) {
    %m = fneg bfloat %a
    %n = fneg bfloat %b
    %v = insertelement <2 x bfloat> poison, bfloat %m, i64 0
    %w = insertelement <2 x bfloat> %v, bfloat %n, i64 1
    ret <2 x bfloat> %w
  })"),
            "  %1 = insertelement <2 x bfloat> poison, bfloat %a, i64 0\n"
            "  %2 = insertelement <2 x bfloat> %1, bfloat %b, i64 1\n"
            "  %3 = fneg <2 x bfloat> %2\n"
            "  ret <2 x bfloat> %3\n");
}

TEST(NegatedPairsTest, OtherUsersKeepTheirElements) {
  // The last insertion into a place counts.
  EXPECT_EQ(negate(R"(define <4 x half> @f(half %a, half %b, ptr %to) {
    %m = fneg half %a
    %n = fneg half %b
    %u = insertelement <4 x half> poison, half %b, i64 2
    %v = insertelement <4 x half> %u, half %m, i64 3
    %w = insertelement <4 x half> %v, half %n, i64 2
    %x = insertelement <4 x half> %w, half %n, i64 0
    %y = insertelement <4 x half> %x, half %m, i64 1
    store half %m, ptr %to
    ret <4 x half> %y
  })"),
            "  %m = fneg half %a\n"
            "  %1 = insertelement <4 x half> poison, half %b, i64 0\n"
            "  %2 = insertelement <4 x half> %1, half %a, i64 1\n"
            "  %3 = insertelement <4 x half> %2, half %b, i64 2\n"
            "  %4 = insertelement <4 x half> %3, half %a, i64 3\n"
            "  %5 = fneg <4 x half> %4\n"
            "  store half %m, ptr %to, align 2\n"
            "  ret <4 x half> %5\n");
}

/// True if the pass leaves the function as it is.
bool isKept(const std::string &text) {
  struct Nothing : llvm::PassInfoMixin<Nothing> {
    llvm::PreservedAnalyses run(llvm::Function &,
                                llvm::FunctionAnalysisManager &) {
      return llvm::PreservedAnalyses::all();
    }
  };
  return negate(text) == runOnFunction(text, Nothing());
}

TEST(NegatedPairsTest, OneElementThatIsNotNegatedKeepsAll) {
  EXPECT_TRUE(isKept(R"(define <2 x bfloat> @f(bfloat %a, bfloat %b) {
    %m = fneg bfloat %a
    %v = insertelement <2 x bfloat> poison, bfloat %m, i64 0
    %w = insertelement <2 x bfloat> %v, bfloat %b, i64 1
    ret <2 x bfloat> %w
  })"));
  // Of a vector that was there before.
  EXPECT_TRUE(isKept(R"(define <2 x bfloat> @f(bfloat %a, <2 x bfloat> %b) {
    %m = fneg bfloat %a
    %w = insertelement <2 x bfloat> %b, bfloat %m, i64 1
    ret <2 x bfloat> %w
  })"));
}

TEST(NegatedPairsTest, OtherVectorsAreKept) {
  EXPECT_TRUE(isKept(R"(define <2 x float> @f(float %a, float %b) {
    %m = fneg float %a
    %n = fneg float %b
    %v = insertelement <2 x float> poison, float %m, i64 0
    %w = insertelement <2 x float> %v, float %n, i64 1
    ret <2 x float> %w
  })"));
  EXPECT_TRUE(isKept(R"(define <2 x half> @f(half %a, i64 %i) {
    %m = fneg half %a
    %v = insertelement <2 x half> poison, half %m, i64 %i
    %w = insertelement <2 x half> %v, half %m, i64 1
    ret <2 x half> %w
  })"));
}

} // namespace
