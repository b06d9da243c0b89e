//===- CallCheckTest.cpp - calls that must be refused ---------------------===//

#include "Modules.h"

#include "smx/Runtime/Kernel.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST_F(CallCheck, NegativeExtent) {
  in.sizes = {-4, 8};
  EXPECT_EQ(call(),
            "'scale': input 0 has the negative extent -4 in dimension 0");
}

TEST_F(CallCheck, MoreBytesThanCanBeCounted) {
  in = TensorView(x.data(), {int64_t(1) << 61, 8});
  EXPECT_EQ(call(), "'scale': input 0 is 2305843009213693952x8: more than 2^63 "
                    "bytes, which can not be counted");
}

TEST_F(CallCheck, ElementsFurtherApartThanCanBeCounted) {
  for (int64_t stride : {int64_t(1) << 62, INT64_MAX, INT64_MIN}) {
    in.strides = {stride, 1};
    EXPECT_EQ(call(), "'scale': input 0 has strides " + std::to_string(stride) +
                          ", 1 for 4x8: it reaches over more than 2^63 bytes, "
                          "which can not be counted");
  }
  in.strides = {8, 1};
  out.strides = {int64_t(1) << 62, 1};
  EXPECT_NE(call(), "");
}

TEST_F(CallCheck, NoElementsOfManyRows) {
  TensorView none(x.data(), {int64_t(1) << 40, int64_t(1) << 40, 0});
  EXPECT_EQ(none.elementCount(), 0);
}

TEST_F(CallCheck, TypeThatIsNone) {
  in.dtype = static_cast<DType>(99);
  EXPECT_EQ(call(), "'scale': input 0 has elements of type 99, which is none "
                    "of DType's");
}

TEST_F(CallCheck, OutputOverItself) {
  out.strides = {0, 1};
  EXPECT_EQ(call(), "'scale': output 0 has strides 0, 1 for 4x8: its elements "
                    "share memory; give each its own");
  out.strides = {4, 1};
  EXPECT_EQ(call(), "'scale': output 0 has strides 4, 1 for 4x8: its elements "
                    "share memory; give each its own");
}

TEST(CallCheckLayouts, StridesOfTheType) {
  auto compiled = compile(R"mlir(
    func.func @f(%x: memref<4x8xf32, strided<[16, 1]>>) -> tensor<4x8xf32> {
      %t = bufferization.to_tensor %x restrict : memref<4x8xf32, strided<[16, 1]>> to tensor<4x8xf32>
      %p = smx.softmax %t axis(1) : tensor<4x8xf32> -> tensor<4x8xf32>
      return %p : tensor<4x8xf32>
    })mlir");
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  std::vector<float> x(64, -INFINITY), y(32);
  TensorView in(x.data(), {4, 8}), out(y.data(), {4, 8});
  EXPECT_EQ(llvm::toString((*compiled)({in}, {out})),
            "'f': input 0 has strides 8, 1, but the kernel was compiled for "
            "16, 1");
  for (int i = 0; i < 4; ++i)
    x[17 * i] = 0;
  in.strides = {16, 1};
  EXPECT_EQ(llvm::toString((*compiled)({in}, {out})), "");
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(y[9 * i], 1) << i;
}

TEST(CallCheckLayouts, LayoutsThatNoCallHas) {
  auto errorOf = [](const std::string &layout) {
    std::string type = "memref<4x8xf32, " + layout + ">";
    auto compiled = compile("func.func @f(%x: " + type +
                            ") -> tensor<4x8xf32> {\n %t = "
                            "bufferization.to_tensor %x restrict : " +
                            type +
                            " to tensor<4x8xf32>\n return %t : "
                            "tensor<4x8xf32>\n}");
    return compiled ? std::string() : llvm::toString(compiled.takeError());
  };
  EXPECT_EQ(errorOf("affine_map<(i, j) -> (j, i)>"),
            "<module>:1:14: argument 0 of 'f' has the layout affine_map<(d0, "
            "d1) -> (d1, "
            "d0)>; a kernel takes strided layouts");
  EXPECT_EQ(errorOf("strided<[8, 1], offset: 3>"),
            "<module>:1:14: argument 0 of 'f' has a layout with offset 3; a "
            "call passes the "
            "address of the first element, so that it must be 0 or open");
  EXPECT_EQ(
      errorOf("strided<[1, 4]>"),
      "<module>:1:14: argument 0 of 'f' has a layout with a stride of 4 in its "
      "innermost dimension; it must be 1, or open for tensors of any "
      "strides");
}
