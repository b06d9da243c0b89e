//===- CallCheckTest.cpp - calls that must be refused ---------------------===//

#include "Modules.h"

#include "smx/Runtime/Kernel.h"

#include <gtest/gtest.h>

using namespace smx;
using reference::DType;

namespace {
/// A valid call of the `scale` kernel, for a test to spoil.
struct CallCheck : testing::Test {
  CallCheck() : kernel(llvm::cantFail(compile(scaleModule))) {}

  std::string call() {
    return llvm::toString(kernel(std::vector<TensorView>{in, factor},
                                 std::vector<TensorView>{out, sum}));
  }

  Kernel kernel;
  std::vector<float> x = std::vector<float>(64), y = x, sums = x;
  float scale = 1;
  TensorView in{x.data(), {4, 8}}, factor{&scale, {}}, out{y.data(), {4, 8}},
      sum{sums.data(), {4}};
};
} // namespace

TEST_F(CallCheck, AcceptsWhatIsRight) { EXPECT_EQ(call(), ""); }

TEST_F(CallCheck, WrongNumber) {
  EXPECT_EQ(llvm::toString(kernel({in}, {out, sum})),
            "'scale' has 2 inputs, but the call gives 1");
  EXPECT_EQ(llvm::toString(kernel({in, factor}, {out, sum, sum})),
            "'scale' has 2 outputs, but the call gives 3");
}

TEST_F(CallCheck, WrongElementType) {
  in.dtype = DType::BF16;
  EXPECT_EQ(call(), "'scale': input 0 has elements of type bf16, but the "
                    "kernel was compiled for f32");
}

TEST_F(CallCheck, WrongRank) {
  in = TensorView(x.data(), {4, 2, 4});
  EXPECT_EQ(call(), "'scale': input 0 is 4x2x4, but the kernel was compiled "
                    "for ?x8");
}

TEST_F(CallCheck, WrongStaticSize) {
  out = TensorView(y.data(), {4, 7});
  EXPECT_EQ(call(),
            "'scale': output 0 is 4x7, but the kernel was compiled for ?x8");
}

TEST_F(CallCheck, WrongDynamicSize) {
  out = TensorView(y.data(), {5, 8});
  EXPECT_EQ(call(), "'scale': output 0 is 5x8, but for these inputs the result "
                    "is 4x8");
}

TEST_F(CallCheck, NegativeSize) {
  in = TensorView(x.data(), {-4, 8});
  EXPECT_NE(call(), "");
}

TEST_F(CallCheck, SizesWithoutStrides) {
  in.strides.pop_back();
  EXPECT_EQ(call(), "'scale': input 0 has 2 sizes, but 1 strides");
}

TEST_F(CallCheck, NullAddress) {
  sum.data = nullptr;
  EXPECT_EQ(call(), "'scale': output 1 has a null address, but 4 elements");
}

TEST_F(CallCheck, MisalignedAddress) {
  in.data = reinterpret_cast<char *>(x.data()) + 2;
  EXPECT_EQ(call(),
            "'scale': input 0 is not aligned to the 4 bytes of its elements");
}

TEST_F(CallCheck, OutputOverInput) {
  out.data = x.data();
  EXPECT_EQ(call(), "'scale': output 0 shares memory with input 0; give every "
                    "output memory of its own");
}

TEST_F(CallCheck, OutputPartlyOverInput) {
  out.data = &x[16];
  EXPECT_NE(call(), "");
  out.data = &x[32];
  EXPECT_EQ(call(), "");
}

TEST_F(CallCheck, OutputOverOutput) {
  sum.data = &y[31];
  EXPECT_EQ(call(), "'scale': output 1 shares memory with output 0; give every "
                    "output memory of its own");
}

TEST_F(CallCheck, OutputBetweenTheRowsOfAnInput) {
  // Rows of 8 in lines of 16: the other halves of the lines are free for the
  // result.
  in.strides = {16, 1};
  out = TensorView(&x[8], DType::F32, {4, 8}, {16, 1});
  EXPECT_EQ(call(), "");
}

TEST_F(CallCheck, NothingIsWrittenWhenRefused) {
  y.assign(64, 7.0f);
  sum.data = nullptr;
  EXPECT_NE(call(), "");
  EXPECT_EQ(y, std::vector<float>(64, 7.0f));
}
