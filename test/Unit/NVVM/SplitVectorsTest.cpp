//===- SplitVectorsTest.cpp - vectors as values of their own --------------===//

#include "FunctionPass.h"

#include "NVVM/SplitVectors.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

namespace {

/// The body of @f after the pass, as text.
std::string split(const std::string &text, unsigned leastBits = 0,
                  size_t *instructions = nullptr) {
  return smx::test::runOnFunction(text, mlir::smx::SplitVectorsPass(leastBits),
                                  instructions);
}

TEST(SplitVectorsTest, ArithmeticIsOfElements) {
  EXPECT_EQ(split(R"(define float @f(float %a, float %b, float %s) {
    %v = insertelement <2 x float> poison, float %a, i64 0
    %w = insertelement <2 x float> %v, float %b, i64 1
    %p = fmul nnan <2 x float> %w, splat (float 2.0)
    %n = fneg <2 x float> %p
    %c = fcmp ogt <2 x float> %n, %w
    %d = select <2 x i1> %c, <2 x float> %n, <2 x float> <float 3.0, float 4.0>
    %e = extractelement <2 x float> %d, i64 1
    ret float %e
  })"),
            "  %1 = fmul nnan float %a, 2.000000e+00\n"
            "  %2 = fmul nnan float %b, 2.000000e+00\n"
            "  %3 = fneg float %1\n"
            "  %4 = fneg float %2\n"
            "  %5 = fcmp ogt float %3, %a\n"
            "  %6 = fcmp ogt float %4, %b\n"
            "  %7 = select i1 %5, float %3, float 3.000000e+00\n"
            "  %8 = select i1 %6, float %4, float 4.000000e+00\n"
            "  ret float %8\n");
}

TEST(SplitVectorsTest, ExtremaOfHalvesAreOfPairs) {
  EXPECT_EQ(split(R"(define bfloat @f(<4 x bfloat> %a, <4 x bfloat> %b) {
    %m = call nnan <4 x bfloat> @llvm.maxnum.v4bf16(<4 x bfloat> %a, <4 x bfloat> %b)
    %e = extractelement <4 x bfloat> %m, i64 3
    ret bfloat %e
  }
  declare <4 x bfloat> @llvm.maxnum.v4bf16(<4 x bfloat>, <4 x bfloat>))"),
            "  %1 = extractelement <4 x bfloat> %b, i64 0\n"
            "  %2 = extractelement <4 x bfloat> %b, i64 1\n"
            "  %3 = extractelement <4 x bfloat> %b, i64 2\n"
            "  %4 = extractelement <4 x bfloat> %b, i64 3\n"
            "  %5 = extractelement <4 x bfloat> %a, i64 0\n"
            "  %6 = extractelement <4 x bfloat> %a, i64 1\n"
            "  %7 = extractelement <4 x bfloat> %a, i64 2\n"
            "  %8 = extractelement <4 x bfloat> %a, i64 3\n"
            "  %9 = insertelement <2 x bfloat> poison, bfloat %5, i64 0\n"
            "  %10 = insertelement <2 x bfloat> %9, bfloat %6, i64 1\n"
            "  %11 = insertelement <2 x bfloat> poison, bfloat %1, i64 0\n"
            "  %12 = insertelement <2 x bfloat> %11, bfloat %2, i64 1\n"
            "  %13 = call nnan <2 x bfloat> @llvm.maxnum.v2bf16("
            "<2 x bfloat> %10, <2 x bfloat> %12)\n"
            "  %14 = insertelement <2 x bfloat> poison, bfloat %7, i64 0\n"
            "  %15 = insertelement <2 x bfloat> %14, bfloat %8, i64 1\n"
            "  %16 = insertelement <2 x bfloat> poison, bfloat %3, i64 0\n"
            "  %17 = insertelement <2 x bfloat> %16, bfloat %4, i64 1\n"
            "  %18 = call nnan <2 x bfloat> @llvm.maxnum.v2bf16("
            "<2 x bfloat> %15, <2 x bfloat> %17)\n"
            "  %19 = extractelement <2 x bfloat> %18, i64 1\n"
            "  ret bfloat %19\n");
}

TEST(SplitVectorsTest, PairsCanBePutTogether) {
  std::string body =
      split(R"(define void @f(<4 x half> %a, <4 x half> %b, ptr %to) {
    %m = call <4 x half> @llvm.maxnum.v4f16(<4 x half> %a, <4 x half> %b)
    store <4 x half> %m, ptr %to
    ret void
  }
  declare <4 x half> @llvm.maxnum.v4f16(<4 x half>, <4 x half>))");
  for (const char *line :
       {"%14 = extractelement <2 x half> %13, i64 0\n",
        "%26 = insertelement <4 x half> %25, half %22, i64 3\n",
        "store <4 x half> %26, ptr %to"})
    EXPECT_NE(body.find(line), std::string::npos) << body;
}

TEST(SplitVectorsTest, StoresTakeWhatTheyStore) {
  // A store of two elements waits for no other ones.
  EXPECT_EQ(split(R"(define void @f(<4 x float> %a, ptr %to) {
    %b = fptrunc <4 x float> %a to <4 x half>
    %c = shufflevector <4 x half> %b, <4 x half> poison, <2 x i32> <i32 2, i32 1>
    store <2 x half> %c, ptr %to
    ret void
  })"),
            "  %1 = extractelement <4 x float> %a, i64 0\n"
            "  %2 = extractelement <4 x float> %a, i64 1\n"
            "  %3 = extractelement <4 x float> %a, i64 2\n"
            "  %4 = extractelement <4 x float> %a, i64 3\n"
            "  %5 = fptrunc float %1 to half\n"
            "  %6 = fptrunc float %2 to half\n"
            "  %7 = fptrunc float %3 to half\n"
            "  %8 = fptrunc float %4 to half\n"
            "  %9 = insertelement <2 x half> poison, half %7, i64 0\n"
            "  %10 = insertelement <2 x half> %9, half %6, i64 1\n"
            "  store <2 x half> %10, ptr %to, align 4\n"
            "  ret void\n");
}

TEST(SplitVectorsTest, BitsOfTwoElementsAreOne) {
  EXPECT_EQ(split(R"(define i32 @f(<4 x half> %a) {
    %b = fneg <4 x half> %a
    %c = bitcast <4 x half> %b to <2 x i32>
    %d = extractelement <2 x i32> %c, i64 1
    ret i32 %d
  })"),
            "  %1 = extractelement <4 x half> %a, i64 0\n"
            "  %2 = extractelement <4 x half> %a, i64 1\n"
            "  %3 = extractelement <4 x half> %a, i64 2\n"
            "  %4 = extractelement <4 x half> %a, i64 3\n"
            "  %5 = fneg half %1\n"
            "  %6 = fneg half %2\n"
            "  %7 = fneg half %3\n"
            "  %8 = fneg half %4\n"
            "  %9 = insertelement <2 x half> poison, half %5, i64 0\n"
            "  %10 = insertelement <2 x half> %9, half %6, i64 1\n"
            "  %11 = bitcast <2 x half> %10 to i32\n"
            "  %12 = insertelement <2 x half> poison, half %7, i64 0\n"
            "  %13 = insertelement <2 x half> %12, half %8, i64 1\n"
            "  %14 = bitcast <2 x half> %13 to i32\n"
            "  ret i32 %14\n");
}

TEST(SplitVectorsTest, LoopsCarryElements) {
  EXPECT_EQ(split(R"(define <2 x float> @f(i1 %more, float %a) {
  entry:
    br label %loop
  loop:
    %v = phi <2 x float> [ splat (float 1.0), %entry ], [ %w, %loop ]
    %w = insertelement <2 x float> %v, float %a, i64 0
    br i1 %more, label %loop, label %end
  end:
    ret <2 x float> %v
  })"),
            "  br label %loop\n"
            "  %0 = phi float [ 1.000000e+00, %entry ], [ %a, %loop ]\n"
            "  %1 = phi float [ 1.000000e+00, %entry ], [ %1, %loop ]\n"
            "  %2 = insertelement <2 x float> poison, float %0, i64 0\n"
            "  %3 = insertelement <2 x float> %2, float %1, i64 1\n"
            "  br i1 %more, label %loop, label %end\n"
            "  ret <2 x float> %3\n");
}

TEST(SplitVectorsTest, LoopsCarryPairsOfHalves) {
  // Two of them are a register, and no one takes it apart on the way round.
  EXPECT_EQ(
      split(R"(define <4 x half> @f(i1 %more, <2 x half> %a) {
  entry:
    br label %loop
  loop:
    %v = phi <4 x half> [ splat (half 1.0), %entry ], [ %w, %loop ]
    %w = shufflevector <2 x half> %a, <2 x half> %a, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
    br i1 %more, label %loop, label %end
  end:
    ret <4 x half> %v
  })"),
      "  br label %loop\n"
      "  %0 = phi <2 x half> [ splat (half 0xH3C00), %entry ], [ %a, %loop ]\n"
      "  %1 = phi <2 x half> [ splat (half 0xH3C00), %entry ], [ %a, %loop ]\n"
      "  %2 = extractelement <2 x half> %0, i64 0\n"
      "  %3 = extractelement <2 x half> %0, i64 1\n"
      "  %4 = extractelement <2 x half> %1, i64 0\n"
      "  %5 = extractelement <2 x half> %1, i64 1\n"
      "  %6 = insertelement <4 x half> poison, half %2, i64 0\n"
      "  %7 = insertelement <4 x half> %6, half %3, i64 1\n"
      "  %8 = insertelement <4 x half> %7, half %4, i64 2\n"
      "  %9 = insertelement <4 x half> %8, half %5, i64 3\n"
      "  br i1 %more, label %loop, label %end\n"
      "  ret <4 x half> %9\n");
}

TEST(SplitVectorsTest, ElementsOfPairsMayChangePlaces) {
  // What stays in its place is not put together again: the second pair.
  EXPECT_EQ(split(R"(define half @f(i1 %more, <4 x half> %a) {
  entry:
    br label %loop
  loop:
    %v = phi <4 x half> [ %a, %entry ], [ %w, %loop ]
    %w = shufflevector <4 x half> %v, <4 x half> poison, <4 x i32> <i32 1, i32 0, i32 2, i32 3>
    br i1 %more, label %loop, label %end
  end:
    %e = extractelement <4 x half> %v, i64 2
    ret half %e
  })"),
            "  %0 = extractelement <4 x half> %a, i64 0\n"
            "  %1 = extractelement <4 x half> %a, i64 1\n"
            "  %2 = extractelement <4 x half> %a, i64 2\n"
            "  %3 = extractelement <4 x half> %a, i64 3\n"
            "  %4 = insertelement <2 x half> poison, half %0, i64 0\n"
            "  %5 = insertelement <2 x half> %4, half %1, i64 1\n"
            "  %6 = insertelement <2 x half> poison, half %2, i64 0\n"
            "  %7 = insertelement <2 x half> %6, half %3, i64 1\n"
            "  br label %loop\n"
            "  %8 = phi <2 x half> [ %5, %entry ], [ %14, %loop ]\n"
            "  %9 = phi <2 x half> [ %7, %entry ], [ %9, %loop ]\n"
            "  %10 = extractelement <2 x half> %8, i64 0\n"
            "  %11 = extractelement <2 x half> %8, i64 1\n"
            "  %12 = extractelement <2 x half> %9, i64 0\n"
            "  %13 = insertelement <2 x half> poison, half %11, i64 0\n"
            "  %14 = insertelement <2 x half> %13, half %10, i64 1\n"
            "  br i1 %more, label %loop, label %end\n"
            "  ret half %12\n");
}

TEST(SplitVectorsTest, OddNumbersOfHalvesAreElements) {
  EXPECT_EQ(split(R"(define half @f(i1 %more, <3 x half> %a) {
  entry:
    br label %loop
  loop:
    %v = phi <3 x half> [ %a, %entry ], [ %v, %loop ]
    br i1 %more, label %loop, label %end
  end:
    %e = extractelement <3 x half> %v, i64 2
    ret half %e
  })"),
            "  %0 = extractelement <3 x half> %a, i64 0\n"
            "  %1 = extractelement <3 x half> %a, i64 1\n"
            "  %2 = extractelement <3 x half> %a, i64 2\n"
            "  br label %loop\n"
            "  %3 = phi half [ %0, %entry ], [ %3, %loop ]\n"
            "  %4 = phi half [ %1, %entry ], [ %4, %loop ]\n"
            "  %5 = phi half [ %2, %entry ], [ %5, %loop ]\n"
            "  br i1 %more, label %loop, label %end\n"
            "  ret half %5\n");
}

TEST(SplitVectorsTest, PlacesInVectorsMayBeVariables) {
  EXPECT_EQ(split(R"(define float @f(<2 x float> %a, i64 %i) {
    %b = insertelement <2 x float> %a, float 1.0, i64 %i
    %c = extractelement <2 x float> %b, i64 %i
    ret float %c
  })"),
            "  %b = insertelement <2 x float> %a, float 1.000000e+00, i64 %i\n"
            "  %c = extractelement <2 x float> %b, i64 %i\n"
            "  ret float %c\n");
}

TEST(SplitVectorsTest, CallsKeepWhatIsNoVector) {
  EXPECT_EQ(split(R"(define float @f(<2 x float> %a, i32 %n) {
    %b = call <2 x float> @llvm.powi.v2f32.i32(<2 x float> %a, i32 %n)
    %c = extractelement <2 x float> %b, i64 0
    ret float %c
  })"),
            "  %1 = extractelement <2 x float> %a, i64 0\n"
            "  %2 = extractelement <2 x float> %a, i64 1\n"
            "  %3 = call float @llvm.powi.f32.i32(float %1, i32 %n)\n"
            "  %4 = call float @llvm.powi.f32.i32(float %2, i32 %n)\n"
            "  ret float %3\n");
}

TEST(SplitVectorsTest, NarrowElementsMayStayTogether) {
  EXPECT_EQ(split(R"(define <2 x half> @f(<2 x half> %a, <2 x float> %b) {
    %c = fneg <2 x half> %a
    %d = fcmp ogt <2 x half> %c, %a
    %e = select <2 x i1> %d, <2 x float> %b, <2 x float> zeroinitializer
    %g = fptrunc <2 x float> %e to <2 x half>
    ret <2 x half> %g
  })",
                  /*leastBits=*/32),
            "  %1 = extractelement <2 x float> %b, i64 0\n"
            "  %2 = extractelement <2 x float> %b, i64 1\n"
            "  %c = fneg <2 x half> %a\n"
            "  %d = fcmp ogt <2 x half> %c, %a\n"
            "  %3 = extractelement <2 x i1> %d, i64 0\n"
            "  %4 = extractelement <2 x i1> %d, i64 1\n"
            "  %5 = select i1 %3, float %1, float 0.000000e+00\n"
            "  %6 = select i1 %4, float %2, float 0.000000e+00\n"
            "  %7 = insertelement <2 x float> poison, float %5, i64 0\n"
            "  %8 = insertelement <2 x float> %7, float %6, i64 1\n"
            "  %g = fptrunc <2 x float> %8 to <2 x half>\n"
            "  ret <2 x half> %g\n");
}

TEST(SplitVectorsTest, LongVectorsBecomeLinearlyManyInstructions) {
  constexpr int length = 512;
  std::string text = llvm::formatv("define <{0} x float> @f(float %a) {{\n"
                                   "%v0 = fneg <{0} x float> poison\n",
                                   length);
  for (int i = 0; i < length; ++i)
    text += llvm::formatv("%v{1} = insertelement <{0} x float> %v{2}, float "
                          "%a, i64 {2}\n",
                          length, i + 1, i);
  text += llvm::formatv("%r = fneg <{0} x float> %v{0}\n"
                        "ret <{0} x float> %r }\n",
                        length);
  size_t instructions = 0;
  split(text, /*leastBits=*/0, &instructions);
  // A negation and an insertion for each element.
  EXPECT_EQ(instructions, 2u * length + 1);
}

} // namespace
