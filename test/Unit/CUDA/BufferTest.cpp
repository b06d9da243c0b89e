//===- BufferTest.cpp - device memory, copies and canaries ----------------===//

#include "CudaFixture.h"

#include <numeric>

using namespace smx::cuda;
using smx::cuda::api::Status;

namespace {
class BufferTest : public CudaTest {
protected:
  BufferTest()
      : device(openDevice()), stream(llvm::cantFail(Stream::create(device))) {}
  void TearDown() override {}

  /// A byte of device memory.
  static uint8_t &at(uint64_t address) {
    return *reinterpret_cast<uint8_t *>(address);
  }

  Device device;
  Stream stream;
};
} // namespace

TEST_F(BufferTest, CopiesThereAndBack) {
  std::vector<int> in(100), out(100);
  std::iota(in.begin(), in.end(), 0);
  Buffer first = llvm::cantFail(Buffer::allocate(device, 400));
  Buffer second = llvm::cantFail(Buffer::allocate(device, 400));
  EXPECT_EQ(first.address() % 256, 0u);
  EXPECT_EQ(textOf(first.copyFromHost(stream, in.data(), 400)), "");
  EXPECT_EQ(textOf(second.copyFrom(stream, first, 400)), "");
  EXPECT_EQ(textOf(second.copyToHost(stream, out.data(), 400)), "");
  EXPECT_EQ(textOf(stream.synchronize()), "");
  EXPECT_EQ(in, out);
  int last = 0;
  EXPECT_EQ(textOf(second.copyToHost(stream, &last, 4, /*offset=*/396)), "");
  EXPECT_EQ(last, 99);
  EXPECT_EQ(textOf(second.copyFromHost(stream, &in[7], 4, /*offset=*/4)), "");
  EXPECT_EQ(at(second.address() + 4), 7);
}

TEST_F(BufferTest, FillsEveryByte) {
  Buffer buffer = llvm::cantFail(Buffer::allocate(device, 33));
  EXPECT_EQ(textOf(buffer.fill(stream, 0xa5)), "");
  std::vector<uint8_t> bytes(33);
  EXPECT_EQ(textOf(buffer.copyToHost(stream, bytes.data(), 33)), "");
  EXPECT_EQ(bytes, std::vector<uint8_t>(33, 0xa5));
}

TEST_F(BufferTest, MovesAndFreesOnce) {
  {
    Buffer first = llvm::cantFail(Buffer::allocate(device, 16));
    uint64_t address = first.address();
    Buffer second = std::move(first);
    EXPECT_EQ(second.address(), address);
    EXPECT_EQ(first.address(), 0u);
    Buffer third = llvm::cantFail(Buffer::allocate(device, 32));
    third = std::move(second);
    EXPECT_EQ(third.address(), address);
    EXPECT_EQ(third.bytes(), 16);
  }
  EXPECT_EQ(fake.allocations.size(), 0u);
  EXPECT_EQ(fake.calls["cuMemFree"], 2);
}

TEST_F(BufferTest, OfNoBytesNeedsNoMemory) {
  Buffer buffer = llvm::cantFail(Buffer::allocate(device, 0));
  EXPECT_EQ(buffer.address(), 0u);
  EXPECT_EQ(textOf(buffer.fill(stream, 1)), "");
  EXPECT_EQ(textOf(buffer.copyToHost(stream, nullptr, 0)), "");
  EXPECT_EQ(textOf(buffer.copyFromHost(stream, nullptr, 0)), "");
  EXPECT_EQ(textOf(buffer.copyFrom(stream, buffer, 0)), "");
  EXPECT_EQ(fake.calls["cuMemAlloc"], 0);
}

TEST_F(BufferTest, SizesAreChecked) {
  EXPECT_EQ(textOf(Buffer::allocate(device, -1)),
            "a buffer can not have -1 bytes");
  EXPECT_TRUE(contains(textOf(Buffer::allocateGuarded(stream, -5, "x")),
                       "a buffer can not have -5 bytes"));
  Buffer buffer = llvm::cantFail(Buffer::allocate(device, 64));
  Buffer small = llvm::cantFail(Buffer::allocate(device, 32));
  char host[128] = {};
  EXPECT_EQ(textOf(buffer.copyFromHost(stream, host, 65)),
            "can not write 65 bytes at offset 0: the buffer has 64 bytes");
  EXPECT_EQ(textOf(buffer.copyToHost(stream, host, 60, 8)),
            "can not read 60 bytes at offset 8: the buffer has 64 bytes");
  EXPECT_NE(textOf(buffer.copyToHost(stream, host, 1, INT64_MAX)), "");
  EXPECT_NE(textOf(buffer.copyToHost(stream, host, -1)), "");
  EXPECT_NE(textOf(buffer.copyToHost(stream, host, 4, -4)), "");
  EXPECT_TRUE(contains(textOf(buffer.copyFrom(stream, small, 64)),
                       "can not read 64 bytes at offset 0: the buffer has 32"));
}

TEST_F(BufferTest, OutOfMemorySaysWhatIsFree) {
  EXPECT_EQ(textOf(Buffer::allocate(device, int64_t(1) << 31)),
            "can not allocate 2147483648 bytes on device 0: cuMemAlloc "
            "returned CUDA_ERROR_OUT_OF_MEMORY (some text); 1073741824 of "
            "150323855360 bytes are free");
}

TEST_F(BufferTest, RefusedCopiesAreErrors) {
  Buffer buffer = llvm::cantFail(Buffer::allocate(device, 64));
  char host[64] = {};
  fake.failures = {{"cuMemcpyHtoDAsync", Status(999)},
                   {"cuMemcpyDtoHAsync", Status(999)},
                   {"cuMemcpyDtoDAsync", Status(999)},
                   {"cuMemsetD8Async", Status(999)}};
  EXPECT_EQ(textOf(buffer.copyFromHost(stream, host, 8)),
            "can not copy 8 bytes to the device on device 0: "
            "cuMemcpyHtoDAsync returned CUDA error 999");
  EXPECT_TRUE(
      contains(textOf(buffer.copyToHost(stream, host, 8)), "to the host"));
  EXPECT_TRUE(contains(textOf(buffer.copyFrom(stream, buffer, 8)), "between"));
  EXPECT_TRUE(
      contains(textOf(buffer.fill(stream, 0)), "can not fill 64 bytes"));
  EXPECT_TRUE(contains(textOf(Buffer::allocateGuarded(stream, 64, "x")),
                       "can not write the guards of buffer 'x'"));
}

TEST_F(BufferTest, OtherDevicesStreamsAndBuffersAreRefused) {
  Device other = openDevice(1);
  Stream otherStream = llvm::cantFail(Stream::create(other));
  Buffer buffer = llvm::cantFail(Buffer::allocate(device, 8));
  Buffer otherBuffer = llvm::cantFail(Buffer::allocate(other, 8));
  std::string wrongStream = "the stream is on device 1 but the buffer is on "
                            "device 0; both must be of one device";
  char host[8] = {};
  EXPECT_EQ(textOf(buffer.copyFromHost(otherStream, host, 8)), wrongStream);
  EXPECT_EQ(textOf(buffer.copyToHost(otherStream, host, 8)), wrongStream);
  EXPECT_EQ(textOf(buffer.fill(otherStream, 0)), wrongStream);
  EXPECT_EQ(textOf(buffer.copyFrom(otherStream, buffer, 8)), wrongStream);
  EXPECT_EQ(textOf(buffer.checkCanaries(otherStream)), wrongStream);
  EXPECT_TRUE(
      contains(textOf(buffer.copyFrom(stream, otherBuffer, 8)),
               "the source buffer is on device 1 but the target buffer"));
}

TEST_F(BufferTest, GuardedPayloadIsPoisonedAndAligned) {
  Buffer buffer = llvm::cantFail(Buffer::allocateGuarded(stream, 100, "out"));
  EXPECT_EQ(buffer.bytes(), 100);
  EXPECT_EQ(buffer.address() % 256, 0u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(at(buffer.address() + i), 0xff);
  EXPECT_EQ(textOf(buffer.checkCanaries(stream)), "");
  EXPECT_EQ(textOf(buffer.fill(stream, 0)), "");
  EXPECT_EQ(textOf(buffer.checkCanaries(stream)), "");
}

TEST_F(BufferTest, WritesOutsideAreCaught) {
  for (uint8_t value : {0x00, 0xff, 0x5b}) {
    Buffer buffer = llvm::cantFail(Buffer::allocateGuarded(stream, 100, "out"));
    for (int i = 0; i < 8; ++i)
      at(buffer.address() + 100 + i) = value;
    EXPECT_TRUE(contains(textOf(buffer.checkCanaries(stream)),
                         "bytes changed behind it, the nearest at offset 10"));
  }
  Buffer buffer = llvm::cantFail(Buffer::allocateGuarded(stream, 100, "out"));
  at(buffer.address() + 100 + 4095) ^= 1;
  EXPECT_EQ(textOf(buffer.checkCanaries(stream)),
            "buffer 'out' of 100 bytes was written outside of its bounds: 1 "
            "bytes changed behind it, the nearest at offset 4195");
  at(buffer.address() - 3) ^= 1;
  at(buffer.address() - 4096) ^= 1;
  EXPECT_EQ(textOf(buffer.checkCanaries(stream)),
            "buffer 'out' of 100 bytes was written outside of its bounds: 2 "
            "bytes changed in front of it, the nearest at offset -3; 1 bytes "
            "changed behind it, the nearest at offset 4195");
}

TEST_F(BufferTest, GuardsOfTwoBuffersDiffer) {
  // What a copying kernel does that goes on too long.
  Buffer x = llvm::cantFail(Buffer::allocateGuarded(stream, 64, "x"));
  Buffer y = llvm::cantFail(Buffer::allocateGuarded(stream, 64, "y"));
  std::copy_n(&at(x.address()), 96, &at(y.address()));
  EXPECT_EQ(textOf(x.checkCanaries(stream)), "");
  EXPECT_TRUE(contains(textOf(y.checkCanaries(stream)), "behind it"));
}

TEST_F(BufferTest, GuardsOfAnEmptyBufferWork) {
  Buffer buffer = llvm::cantFail(Buffer::allocateGuarded(stream, 0, "none"));
  EXPECT_EQ(textOf(buffer.checkCanaries(stream)), "");
  at(buffer.address()) ^= 1;
  EXPECT_TRUE(contains(textOf(buffer.checkCanaries(stream)),
                       "the nearest at offset 0"));
}

TEST_F(BufferTest, GuardSizesAreChecked) {
  for (int64_t guard : {0, -256, 100})
    EXPECT_TRUE(contains(textOf(Buffer::allocateGuarded(stream, 8, "x", guard)),
                         "it must be a positive multiple of 256"));
}

TEST_F(BufferTest, WithoutGuardsNothingIsChecked) {
  Buffer buffer = llvm::cantFail(Buffer::allocate(device, 8));
  EXPECT_EQ(textOf(buffer.checkCanaries(stream)), "");
}
