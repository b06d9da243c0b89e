//===- LawsTest.cpp - the laws of the monoid, on compiled kernels ---------===//
//
// Any cut of the stream into tiles, any split and any order of merging give the
// same result up to rounding; a second call gives the same bits; what counts
// are the scores, whatever the sign of their scale.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "gtest/gtest.h"

using namespace smx;
using namespace smx::test;

static NumericCase attentionCase(const char *generator) {
  NumericCase c;
  c.op = Op::Attention;
  c.scale = 0.25;
  c.generator = generator;
  c.seed = 7;
  c.queryHeads = 2;
  c.queries = 37;
  c.keys = 211;
  c.headDim = 16;
  c.valueDim = 24;
  return c;
}

TEST(Laws, EveryCutOfTheStreamGivesTheSame) {
  for (const char *generator : {"normal", "staircase", "falling", "spike_last"})
    for (int64_t stream : {1, 7, 16, 64, 100, 210, 211, 300}) {
      NumericCase c = attentionCase(generator);
      c.road.tileStream = stream;
      EXPECT_EQ(checkCase(c), "");
    }
}

TEST(Laws, EverySplitGivesTheSame) {
  for (const char *generator : {"normal", "staircase", "falling"})
    for (int64_t splits : {1, 2, 3, 5, 8, 16}) {
      NumericCase c = attentionCase(generator);
      c.road.splits = splits;
      c.road.tileStream = 16;
      EXPECT_EQ(checkCase(c), "");
    }
}

TEST(Laws, EveryCutOfTheRowsGivesTheSame) {
  for (int64_t rows : {1, 2, 16, 36, 37, 64}) {
    NumericCase c = attentionCase("normal");
    c.band = reference::Band::causal(reference::BandAnchor::BottomRight);
    c.road.tileRows = rows;
    c.road.tileStream = 32;
    EXPECT_EQ(checkCase(c), "");
  }
}

TEST(Laws, ASecondCallGivesTheSameBits) {
  NumericCase c = attentionCase("normal");
  CompileOptions options;
  targetUnderTest().applyTo(options.road);
  llvm::Expected<Kernel> kernel = compile(c.text(), options);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  std::vector<Tensor> inputs = c.makeInputs();
  std::vector<Shape> shapes{{1, 2, 37, 24}, {1, 2, 37}};
  std::vector<Tensor> first;
  for (int i = 0; i < 10; ++i) {
    llvm::Expected<std::vector<Tensor>> out =
        runKernel(*kernel, inputs, shapes, c.inputTypes(inputs.size()),
                  {DType::F32, DType::F32}, 0);
    ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
    if (first.empty())
      first = *out;
    EXPECT_EQ((*out)[0].values(), first[0].values());
    EXPECT_EQ((*out)[1].values(), first[1].values());
  }
}

/// Scores rise where x falls: a sign that is lost anywhere moves the maximum.
TEST(Laws, ANegativeScaleTurnsTheOrder) {
  for (Op op : {Op::Softmax, Op::LogSumExp, Op::TopK})
    for (DType type : {DType::F16, DType::BF16, DType::F32})
      for (int64_t columns : {512, 4096, 65537}) {
        NumericCase c;
        c.op = op;
        c.dtype = type;
        c.scale = -0.75;
        c.generator = "staircase";
        c.seed = 11;
        c.shape = {3, columns};
        c.axis = 1;
        c.k = 8;
        c.isLossWide = false;
        EXPECT_EQ(checkCase(c), "");
      }
}
