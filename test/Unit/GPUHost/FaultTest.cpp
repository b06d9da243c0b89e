//===- FaultTest.cpp - groups that nothing orders, and clusters -----------===//

#include "KernelFixture.h"

using namespace mlir::smx::gpuhost;

using FaultTest = KernelFixture;

/// A role of two groups that fills a channel and a shared tile together, and
/// one that reads the channel.
static std::string together(const std::string &offset,
                            const std::string &between) {
  return R"(
#L = #smx_gpu.fragment<warps = 4>
!s = !smx_gpu.shared<64x64xf32, swizzle = 128>
!c = !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 1>
!g = memref<128x64xf32>
smx_gpu.kernel @k(%x: !g, %y: !g) warps(12) {
  %ch = smx_gpu.make_channel : !c
  %sh = smx_gpu.alloc : !s
  smx_gpu.warp_specialize {
    smx_gpu.role @two warps(8) group(4) (%c = %ch : !c, %s = %sh : !s, %xr = %x : !g, %yr = %y : !g) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %g = smx_gpu.group_id
      %i = arith.muli %g, %c64 : index
      smx_gpu.put %xr[%c0, %c0] into %c dims [0, 1] copy(plain) : !g, !c
      smx_gpu.put %xr[)" +
         offset + R"(, %c0] into %c dims [0, 1] copy(plain) : !g, !c
      smx_gpu.copy %xr[%c0, %c0] to %s dims [0, 1] : !g, !s
      %t = smx_gpu.read %s : !s -> tensor<64x64xf32, #L>
)" + between +
         R"(
      smx_gpu.copy %xr[%c64, %c0] to %s dims [0, 1] : !g, !s
      %u = smx_gpu.read %s : !s -> tensor<64x64xf32, #L>
      %v = arith.addf %t, %u : tensor<64x64xf32, #L>
      smx_gpu.store %v, %yr[%i, %c0] dims [0, 1] : tensor<64x64xf32, #L>, !g
    }
    smx_gpu.role @one warps(4) (%c = %ch : !c) {
      %a = smx_gpu.get %c : !c -> !s
      smx_gpu.release %c : !c
      %b = smx_gpu.get %c : !c -> !s
      smx_gpu.release %c : !c
    }
  }
  smx_gpu.return
})";
}

TEST_F(FaultTest, GroupsOfARoleCopyTogether) {
  std::vector<float> x(128 * 64, 1.0f), y(128 * 64);
  const std::vector<Argument> arguments = {
      Buffer::rowMajor(x.data(), DType::F32, {128, 64}),
      Buffer::rowMajor(y.data(), DType::F32, {128, 64})};
  for (options.jitterSeed = 0; options.jitterSeed < 4; ++options.jitterSeed) {
    parse(together("%c64", "smx_gpu.barrier"));
    EXPECT_EQ(run(arguments), "");
    EXPECT_EQ(y, std::vector<float>(128 * 64, 2.0f));
    // The other group may still be reading.
    parse(together("%c64", ""));
    expectIn(run(arguments), "'smx_gpu.copy' writes");
    parse(together("%i", "smx_gpu.barrier"));
    expectIn(run(arguments), "copies other memory in role @two group");
  }
}

TEST_F(FaultTest, BlocksOfAClusterMissEachOther) {
  parse(R"(
smx_gpu.kernel @k() warps(1) cluster(2) {
  %rank = smx_gpu.cluster_rank
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %rank, %c0 : index
  scf.if %first {
    smx_gpu.cluster_barrier
  }
  smx_gpu.return
})");
  const std::string text = run({}, {2});
  expectIn(text, "deadlock: no group can go on");
  expectIn(text, "the kernel of rank 0 waits at k.mlir:7:5 "
                 "('smx_gpu.cluster_barrier') for the others to arrive: the "
                 "kernel of rank 1 (has ended)");
  expectIn(run({}, {3}), "and the first a multiple of the cluster's 2");
}

/// Two blocks put the tile at rows `row`, read it and end with `end`.
static std::string multicast(const char *row, const char *end) {
  return std::string(R"(
#L = #smx_gpu.striped<rows = 1, columns = 32, vector = 1>
!s = !smx_gpu.shared<16x64xf32, swizzle = 128>
!c = !smx_gpu.channel<16x64xf32, swizzle = 128, depth = 1>
smx_gpu.kernel @k(%x: memref<32x64xf32>, %y: memref<32x64xf32>) warps(2) cluster(2) {
  %ch = smx_gpu.make_channel : !c
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(1) (%c = %ch : !c, %xr = %x : memref<32x64xf32>) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %rank = smx_gpu.cluster_rank
      %mine = arith.muli %rank, %c16 : index
      smx_gpu.put %xr[%c16, %c0] into %c dims [0, 1] copy(tensor) {multicast} : memref<32x64xf32>, !c
      smx_gpu.put %xr[)") +
         row +
         R"(, %c0] into %c dims [0, 1] copy(tensor) {multicast} : memref<32x64xf32>, !c
    }
    smx_gpu.role @store warps(1) (%c = %ch : !c, %yr = %y : memref<32x64xf32>) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %rank = smx_gpu.cluster_rank
      %i = arith.muli %rank, %c16 : index
      %a = smx_gpu.get %c : !c -> !s
      smx_gpu.release %c : !c
      %b = smx_gpu.get %c : !c -> !s
      %t = smx_gpu.read %b : !s -> tensor<16x64xf32, #L>
      smx_gpu.release %c : !c
      smx_gpu.store %t, %yr[%i, %c0] dims [0, 1] : tensor<16x64xf32, #L>, memref<32x64xf32>
    }
  }
  )" + end +
         R"(
  smx_gpu.return
})";
}

TEST_F(FaultTest, BlocksPutATileTogether) {
  parse(multicast("%c0", "smx_gpu.cluster_barrier"));
  std::vector<float> x(32 * 64), y(x.size());
  std::iota(x.begin(), x.end(), 0);
  std::vector<float> expected(x.begin(), x.begin() + 16 * 64);
  expected.insert(expected.end(), x.begin(), x.begin() + 16 * 64);
  for (options.jitterSeed = 0; options.jitterSeed < 8; ++options.jitterSeed)
    EXPECT_EQ(run({Buffer::rowMajor(x.data(), DType::F32, {32, 64}),
                   Buffer::rowMajor(y.data(), DType::F32, {32, 64})},
                  {2}),
              "");
  EXPECT_EQ(y, expected);
}

TEST_F(FaultTest, BlocksPutDifferentTilesTogether) {
  parse(multicast("%mine", "smx_gpu.cluster_barrier"));
  std::vector<float> x(32 * 64), y(x.size());
  expectIn(run({Buffer::rowMajor(x.data(), DType::F32, {32, 64}),
                Buffer::rowMajor(y.data(), DType::F32, {32, 64})},
               {2}),
           "copies other memory in role @load");
}

TEST_F(FaultTest, ABlockEndsThatAnotherReachesInto) {
  parse(multicast("%c0", ""));
  std::vector<float> x(32 * 64), y(x.size());
  bool found = false;
  for (options.jitterSeed = 0; options.jitterSeed < 64 && !found;
       ++options.jitterSeed) {
    const std::string text =
        run({Buffer::rowMajor(x.data(), DType::F32, {32, 64}),
             Buffer::rowMajor(y.data(), DType::F32, {32, 64})},
            {2});
    found = text.find("reaches into the block of rank") != std::string::npos;
  }
  EXPECT_TRUE(found);
}

TEST_F(FaultTest, ReadersOnBothSidesOfAWrite) {
  // The turn orders group 0's write before group 1's read, and nothing orders
  // it after group 1's first read.
  parse(R"(
#L = #smx_gpu.fragment<warps = 4>
!s = !smx_gpu.shared<64x64xf32, swizzle = 128>
smx_gpu.kernel @k(%x: memref<64x64xf32>) warps(8) {
  %c0 = arith.constant 0 : index
  %sh = smx_gpu.alloc : !s
  %tu = smx_gpu.turns : !smx_gpu.turns<2>
  smx_gpu.copy %x[%c0, %c0] to %sh dims [0, 1] : memref<64x64xf32>, !s
  smx_gpu.warp_specialize {
    smx_gpu.role @r warps(8) group(4) (%s = %sh : !s, %t = %tu : !smx_gpu.turns<2>) {
      %z = arith.constant 0 : index
      %g = smx_gpu.group_id
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
      %first = arith.cmpi eq, %g, %z : index
      %a = smx_gpu.read %s : !s -> tensor<64x64xf32, #L>
      smx_gpu.take_turn %t : !smx_gpu.turns<2>
      scf.if %first {
        smx_gpu.write %zero, %s : tensor<64x64xf32, #L>, !s
      }
      smx_gpu.pass_turn %t : !smx_gpu.turns<2>
    }
  }
  smx_gpu.return
})",
        /*isVerified=*/false);
  std::vector<float> x(64 * 64, 1.0f);
  for (options.jitterSeed = 1; options.jitterSeed < 5; ++options.jitterSeed)
    expectIn(run({Buffer::rowMajor(x.data(), DType::F32, {64, 64})}),
             "nothing orders the two");
}

TEST_F(FaultTest, OnlyTheReaderCopiesToWhereItHasRead) {
  const auto text = [](const std::string &layout, int64_t columns,
                       const std::string &between) {
    std::string n = std::to_string(columns);
    return R"(
#L = #smx_gpu.striped<rows = 1, columns = 64, vector = )" +
           layout + R"(>
!s = !smx_gpu.shared<1x)" +
           n + R"(xf32, swizzle = 0>
smx_gpu.kernel @k(%x: memref<1x512xf32>, %y: memref<1x512xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %s = smx_gpu.alloc : !s
  smx_gpu.copy %x[%c0, %c0] to %s dims [-1, 1] {aligned = 16} : memref<1x512xf32>, !s
  %t = smx_gpu.read %s : !s -> tensor<1x)" +
           n + R"(xf32, #L>
  )" + between +
           R"(
  smx_gpu.copy %x[%c0, %c256] to %s dims [-1, 1] {aligned = 16} : memref<1x512xf32>, !s
  %u = smx_gpu.read %s : !s -> tensor<1x)" +
           n + R"(xf32, #L>
  smx_gpu.store %t, %y[%c0, %c0] dims [-1, 1] : tensor<1x)" +
           n + R"(xf32, #L>, memref<1x512xf32>
  smx_gpu.store %u, %y[%c0, %c256] dims [-1, 1] : tensor<1x)" +
           n + R"(xf32, #L>, memref<1x512xf32>
  smx_gpu.return
})";
  };
  std::vector<float> x(512), y(512, -1.0f);
  for (int i = 0; i < 512; ++i)
    x[i] = i;
  const auto runIt = [&] {
    return run({Buffer::rowMajor(x.data(), DType::F32, {1, 512}),
                Buffer::rowMajor(y.data(), DType::F32, {1, 512})});
  };
  parse(text("4", 256, ""));
  EXPECT_EQ(runIt(), "");
  EXPECT_EQ(y, x);
  parse(text("2", 256, "smx_gpu.barrier"));
  EXPECT_EQ(runIt(), "");
  // Another warp has read.
  parse(text("2", 256, ""));
  EXPECT_NE(runIt(), "");
  // Half the threads have nothing to copy: the places are others'.
  parse(text("2", 128, ""));
  EXPECT_NE(runIt(), "");
}

TEST_F(FaultTest, OperandsChangedWhileTheProductRuns) {
  const auto text = [](const std::string &early, const std::string &late) {
    return R"(
#L = #smx_gpu.fragment<warps = 4>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>
smx_gpu.kernel @k(%x: memref<64x64xbf16>, %y: memref<64x64xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %a = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
  %s = smx_gpu.alloc : !s
  smx_gpu.copy %x[%c0, %c0] to %s dims [0, 1] : memref<64x64xbf16>, !s
  %r, %t = smx_gpu.mma_async %a, %s, %zero zero : tensor<64x64xbf16, #L>, !s -> tensor<64x64xf32, #L>
  smx_gpu.barrier
)" + early +
           R"(
  %w = smx_gpu.wait %t, %r : tensor<64x64xf32, #L>
)" + late + R"(
  smx_gpu.store %w, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #L>, memref<64x64xf32>
  smx_gpu.return
})";
  };
  const std::string write = "smx_gpu.write %a, %s : tensor<64x64xbf16, #L>, !s";
  std::vector<uint16_t> x(64 * 64, smx::reference::toBF16Bits(0.5));
  std::vector<float> y(64 * 64);
  const std::vector<Argument> arguments = {
      Buffer::rowMajor(x.data(), DType::BF16, {64, 64}),
      Buffer::rowMajor(y.data(), DType::F32, {64, 64})};
  parse(text("", write), /*isVerified=*/false);
  EXPECT_EQ(run(arguments), "");
  EXPECT_EQ(y, std::vector<float>(64 * 64, 32.0f));
  parse(text(write, ""), /*isVerified=*/false);
  expectIn(run(arguments), "while the product at k.mlir:10:12 of the kernel "
                           "reads it: it has not been waited for");
}
