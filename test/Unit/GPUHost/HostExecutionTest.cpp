//===- HostExecutionTest.cpp - what kernels compute -----------------------===//

#include "KernelFixture.h"

#include <cmath>
#include <numeric>

using namespace mlir::smx::gpuhost;

using HostExecutionTest = KernelFixture;

static constexpr const char *addOne = R"(
#L = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
smx_gpu.kernel @k(%x: memref<?x32xf32, strided<[?, ?], offset: ?>>, %s: f32, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [0, 1] : memref<?x32xf32, strided<[?, ?], offset: ?>> -> tensor<1x32xf32, #L>
  %b = tensor.splat %s : tensor<1x32xf32, #L>
  %u = arith.addf %t, %b : tensor<1x32xf32, #L>
  smx_gpu.store %u, %x[%i, %c0] valid(%c1, %n) dims [0, 1] : tensor<1x32xf32, #L>, memref<?x32xf32, strided<[?, ?], offset: ?>>
  smx_gpu.return
})";

TEST_F(HostExecutionTest, StridesOffsetAndValid) {
  parse(addOne);
  // Two rows of 32, backwards along the columns, with a gap between rows.
  std::vector<float> memory(100, 7.0f);
  Buffer buffer{memory.data(), 100, DType::F32, 31, {2, 32}, {50, -1}};
  EXPECT_EQ(run({buffer, 1.5, int64_t(30)}, {2}), "");
  for (int64_t i = 0; i < 100; ++i) {
    const bool isInRow = (2 <= i && i < 32) || (52 <= i && i < 82);
    EXPECT_EQ(memory[i], isInRow ? 8.5f : 7.0f) << i;
  }
}

TEST_F(HostExecutionTest, NothingIsValid) {
  parse(addOne);
  std::vector<float> memory(64, 7.0f);
  auto buffer = Buffer::rowMajor(memory.data(), DType::F32, {2, 32});
  EXPECT_EQ(run({buffer, 1.5, int64_t(-3)}, {2}), "");
  EXPECT_EQ(memory, std::vector<float>(64, 7.0f));
  EXPECT_EQ(run({buffer, 1.5, int64_t(32)}, {0}), "");
  EXPECT_EQ(memory, std::vector<float>(64, 7.0f));
}

TEST_F(HostExecutionTest, BuffersSmallerThanTheirSizes) {
  parse(addOne);
  std::vector<float> memory(63);
  auto buffer = Buffer::rowMajor(memory.data(), DType::F32, {2, 32});
  buffer.capacity = 63;
  expectIn(
      run({buffer, 1.0, int64_t(32)}, {2}),
      "@k block (1, 0, 0): k.mlir:7:8: 'smx_gpu.load' reads element 63 of a "
      "buffer of 63");
}

TEST_F(HostExecutionTest, ArgumentsHaveToFit) {
  parse(addOne);
  std::vector<float> memory(64);
  auto buffer = Buffer::rowMajor(memory.data(), DType::F32, {2, 32});
  expectIn(run({buffer}), "takes 3 arguments, but there are 1");
  expectIn(run({buffer, int64_t(1), int64_t(32)}),
           "takes f32 as argument 1, got a value of another kind");
  expectIn(run({buffer, 1.0, int64_t(32)}, {-1}),
           "is launched on a grid of -1 x 1 x 1 blocks");
  buffer.sizes = {64};
  expectIn(run({buffer, 1.0, int64_t(32)}), "takes 2 sizes of argument 0");
}

TEST_F(HostExecutionTest, RoundsLikeTheTypes) {
  parse(R"(
#L = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
smx_gpu.kernel @k(%x: memref<1x32xbf16>, %y: memref<1x32xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<1x32xbf16> -> tensor<1x32xbf16, #L>
  %s = arith.addf %t, %t : tensor<1x32xbf16, #L>
  %u = arith.addf %s, %t : tensor<1x32xbf16, #L>
  smx_gpu.store %u, %y[%c0, %c0] dims [0, 1] : tensor<1x32xbf16, #L>, memref<1x32xbf16>
  smx_gpu.return
})");
  // 1 + 2^-7 is a bf16, three times it is not.
  std::vector<uint16_t> x(32, smx::reference::toBF16Bits(1.0 + 1.0 / 128)),
      y(32);
  EXPECT_EQ(run({Buffer::rowMajor(x.data(), DType::BF16, {1, 32}),
                 Buffer::rowMajor(y.data(), DType::BF16, {1, 32})}),
            "");
  EXPECT_EQ(smx::reference::fromBF16Bits(y[5]), 3.03125);
}

TEST_F(HostExecutionTest, RepeatsAndTransposes) {
  parse(R"(
#L = #smx_gpu.fragment<warps = 1>
!g = memref<16x8xf32>
smx_gpu.kernel @k(%x: memref<8x16xf32>, %row: memref<8xf32>, %y: !g) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [1, 0] : memref<8x16xf32> -> tensor<16x8xf32, #L>
  %r = smx_gpu.load %row[%c0] dims [-1, 0] : memref<8xf32> -> tensor<16x8xf32, #L>
  %m = smx_gpu.reduce <maximum> %r dim 0 : tensor<16x8xf32, #L> -> tensor<8xf32, #smx_gpu.slice<0, #L>>
  %b = smx_gpu.broadcast %m : tensor<8xf32, #smx_gpu.slice<0, #L>> -> tensor<16x8xf32, #L>
  %s = arith.addf %t, %b : tensor<16x8xf32, #L>
  smx_gpu.store %s, %y[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, !g
  smx_gpu.return
})");
  std::vector<float> x(128), row(8), y(128);
  std::iota(x.begin(), x.end(), 0.0f);
  std::iota(row.begin(), row.end(), 1000.0f);
  EXPECT_EQ(run({Buffer::rowMajor(x.data(), DType::F32, {8, 16}),
                 Buffer::rowMajor(row.data(), DType::F32, {8}),
                 Buffer::rowMajor(y.data(), DType::F32, {16, 8})}),
            "");
  for (int64_t r = 0; r < 16; ++r)
    for (int64_t c = 0; c < 8; ++c)
      EXPECT_EQ(y[r * 8 + c], x[c * 16 + r] + row[c]);
}

/// -0 is the weight of a hidden place; +0 one that was too small for its type.
TEST_F(HostExecutionTest, GuardedProductsHideWhatHasNoWeight) {
  for (bool isHidden : {true, false}) {
    parse((llvm::Twine(R"(
#L = #smx_gpu.fragment<warps = 1>
!s = !smx_gpu.shared<16x8xf32, swizzle = 32>
smx_gpu.kernel @k(%v: memref<16x8xf32>, %y: memref<16x8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %w = arith.constant dense<)") +
           (isHidden ? "-0.0" : "0.0") + R"(> : tensor<16x16xf32, #L>
  %z = arith.constant dense<1.0> : tensor<16x8xf32, #L>
  %s = smx_gpu.alloc : !s
  smx_gpu.copy %v[%c0, %c0] to %s dims [0, 1] : memref<16x8xf32>, !s
  %p = smx_gpu.mma %w, %s, %z guarded : tensor<16x16xf32, #L>, !s -> tensor<16x8xf32, #L>
  smx_gpu.store %p, %y[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, memref<16x8xf32>
  smx_gpu.return
})")
              .str());
    std::vector<float> v(128, std::nanf("")), y(128);
    EXPECT_EQ(run({Buffer::rowMajor(v.data(), DType::F32, {16, 8}),
                   Buffer::rowMajor(y.data(), DType::F32, {16, 8})}),
              "");
    for (float each : y)
      EXPECT_EQ(isHidden, each == 1.0f) << each;
  }
}

TEST_F(HostExecutionTest, UnknownOpsAreNamed) {
  parse(R"(
smx_gpu.kernel @k(%x: memref<4xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %i = memref.atomic_rmw addf %f, %x[%c0] : (f32, memref<4xf32>) -> f32
  %f = arith.constant 1.0 : f32
  smx_gpu.return
})",
        /*isVerified=*/false);
  std::vector<float> x(4);
  expectIn(run({Buffer::rowMajor(x.data(), DType::F32, {4})}),
           "'memref.atomic_rmw' is not known to host execution");
}

TEST_F(HostExecutionTest, BlocksDoNotWriteTheSamePlace) {
  parse(R"(
#L = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
smx_gpu.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>, %from: index, %to: index) warps(1) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %j = arith.muli %i, %from : index
  %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x32xf32> -> tensor<1x32xf32, #L>
  %k = arith.muli %i, %to : index
  smx_gpu.store %t, %y[%k, %c0] dims [0, 1] : tensor<1x32xf32, #L>, memref<?x32xf32>
  smx_gpu.return
})");
  std::vector<float> x(64), y(64);
  x[32] = 1.0f;
  auto in = Buffer::rowMajor(x.data(), DType::F32, {2, 32});
  auto out = Buffer::rowMajor(y.data(), DType::F32, {2, 32});
  const int64_t own = 1, first = 0;
  EXPECT_EQ(run({in, out, own, own}, {2}), "");
  // All write the same values: one of them wins, whichever it is.
  EXPECT_EQ(run({in, out, first, first}, {2}), "");
  expectIn(run({in, out, own, first}, {2}),
           "'smx_gpu.store' writes element [0, 0] of its tile, element 0 of "
           "the buffer, which another block of the launch writes with another "
           "value: nothing orders the two");
}

TEST_F(HostExecutionTest, BlocksDoNotReadWhatOthersWrite) {
  parse(R"(
#L = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
smx_gpu.kernel @k(%x: memref<2x32xf32>, %from: index, %to: index) warps(1) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %j = arith.muli %i, %from : index
  %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<2x32xf32> -> tensor<1x32xf32, #L>
  %k = arith.muli %i, %to : index
  smx_gpu.store %t, %x[%k, %c0] dims [0, 1] : tensor<1x32xf32, #L>, memref<2x32xf32>
  smx_gpu.return
})");
  std::vector<float> x(64);
  auto buffer = Buffer::rowMajor(x.data(), DType::F32, {2, 32});
  const int64_t own = 1, first = 0;
  EXPECT_EQ(run({buffer, own, own}, {2}), "");
  expectIn(run({buffer, first, own}, {2}), "'smx_gpu.load' reads element");
  expectIn(run({buffer, own, first}, {2}), "'smx_gpu.store' writes element");
}
