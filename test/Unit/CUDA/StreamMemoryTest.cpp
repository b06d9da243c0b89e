//===- StreamMemoryTest.cpp - memory in the order of a stream -------------===//

#include "CudaFixture.h"

#include "smx/CUDA/StreamMemory.h"

using namespace smx::cuda;
using smx::cuda::api::Status;

namespace {
class StreamMemoryTest : public CudaTest {
protected:
  StreamMemoryTest()
      : device(openDevice()), stream(llvm::cantFail(Stream::create(*device))) {}

  /// Before the fixture looks at what is left behind.
  void TearDown() override {
    stream.reset();
    device.reset();
    CudaTest::TearDown();
  }

  /// The fake's device memory is memory of this process.
  static std::byte *bytesAt(uint64_t address) {
    return reinterpret_cast<std::byte *>(address);
  }
  /// 0, 1, 2, .. in `count` bytes.
  static std::vector<std::byte> counted(size_t count) {
    std::vector<std::byte> bytes(count);
    for (size_t i = 0; i < count; ++i)
      bytes[i] = std::byte(i);
    return bytes;
  }
  static uint64_t addressOf(std::vector<std::byte> &bytes) {
    return reinterpret_cast<uint64_t>(bytes.data());
  }

  std::optional<Device> device;
  std::optional<Stream> stream;
};
} // namespace

TEST_F(StreamMemoryTest, IsTakenAndGivenBackWithoutWaiting) {
  uint64_t first = llvm::cantFail(allocateOnStream(*stream, 1000));
  uint64_t second = llvm::cantFail(allocateOnStream(*stream, 1));
  EXPECT_EQ(first % 256, 0u);
  EXPECT_EQ(second % 256, 0u);
  std::fill_n(bytesAt(first), 1000, std::byte(1));
  EXPECT_EQ(textOf(freeOnStream(*stream, first)), "");
  EXPECT_EQ(textOf(freeOnStream(*stream, second)), "");
  EXPECT_EQ(fake.allocations.size(), 0u);
  EXPECT_EQ(fake.calls["cuStreamSynchronize"], 0);
}

TEST_F(StreamMemoryTest, OnePoolOfAContextServesAll) {
  Stream other = llvm::cantFail(Stream::create(*device));
  for (const Stream &each : {*stream, other, *stream}) {
    uint64_t address = llvm::cantFail(allocateOnStream(each, 64));
    EXPECT_EQ(textOf(freeOnStream(each, address)), "");
  }
  EXPECT_EQ(fake.calls["cuMemPoolCreate"], 1);
  EXPECT_EQ(fake.calls["cuMemPoolSetAttribute"], 1);
}

TEST_F(StreamMemoryTest, APoolThatCanNotBeMadeIsAskedForAgain) {
  fake.failures["cuMemPoolCreate"] = Status::OutOfMemory;
  EXPECT_EQ(textOf(allocateOnStream(*stream, 64)),
            "can not make a pool of memory on device 0: cuMemPoolCreate "
            "returned CUDA_ERROR_OUT_OF_MEMORY (some text)");
  // A pool that gives all back whenever anybody waits is not kept.
  size_t handles = fake.handles.size();
  fake.failures = {{"cuMemPoolSetAttribute", Status::InvalidValue}};
  EXPECT_TRUE(contains(textOf(allocateOnStream(*stream, 64)),
                       "can not keep memory in a pool on device 0"));
  EXPECT_EQ(fake.handles.size(), handles);
  fake.failures.clear();
  uint64_t address = llvm::cantFail(allocateOnStream(*stream, 64));
  EXPECT_EQ(textOf(freeOnStream(*stream, address)), "");
}

TEST_F(StreamMemoryTest, FailuresSayHowMuchWasWanted) {
  fake.freeBytes = 100;
  EXPECT_TRUE(contains(textOf(allocateOnStream(*stream, 101)),
                       "can not allocate 101 bytes on device 0: "
                       "cuMemAllocFromPoolAsync returned "
                       "CUDA_ERROR_OUT_OF_MEMORY"));
  EXPECT_TRUE(contains(textOf(freeOnStream(*stream, 12345)),
                       "can not free memory on device 0: cuMemFreeAsync"));
}

TEST_F(StreamMemoryTest, RowsAreCopiedBetweenPitches) {
  std::vector<std::byte> from = counted(40), to(60);
  EXPECT_EQ(
      textOf(copyRows(*stream, addressOf(to), 20, addressOf(from), 10, 5, 3)),
      "");
  for (int row = 0; row < 3; ++row)
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(to[20 * row + i], std::byte(i < 5 ? 10 * row + i : 0))
          << row << ", " << i;
  EXPECT_EQ(fake.calls["cuMemcpy2DAsync"], 1);
  EXPECT_EQ(fake.calls["cuMemcpyDtoDAsync"], 0);
}

TEST_F(StreamMemoryTest, OneRowHasNoPitch) {
  std::vector<std::byte> from = counted(8), to(8);
  EXPECT_EQ(
      textOf(copyRows(*stream, addressOf(to), 0, addressOf(from), -1, 8, 1)),
      "");
  EXPECT_EQ(to, from);
  EXPECT_EQ(fake.calls["cuMemcpy2DAsync"], 0);
  EXPECT_EQ(textOf(copyRows(*stream, 0, 0, 0, 0, 8, 0)), "");
  EXPECT_EQ(fake.calls["cuMemcpyDtoDAsync"], 1);
}

TEST_F(StreamMemoryTest, PitchesBeyondTheDriversGoRowByRow) {
  // Neither call gets as far as memory that is not there.
  constexpr int64_t wide = int64_t(1) << 31;
  std::vector<std::byte> bytes = counted(8), to(16);
  fake.failures["cuMemcpyDtoDAsync"] = Status::InvalidValue;
  EXPECT_TRUE(contains(
      textOf(copyRows(*stream, addressOf(to), 8, addressOf(bytes), wide, 8, 2)),
      "can not copy 8 bytes on device 0: cuMemcpyDtoDAsync"));
  EXPECT_EQ(fake.calls["cuMemcpy2DAsync"], 0);
  // The widest pitch that the driver takes, and one that it fails for.
  fake.failures = {{"cuMemcpy2DAsync", Status::InvalidValue}};
  EXPECT_TRUE(contains(textOf(copyRows(*stream, addressOf(to), 8,
                                       addressOf(bytes), wide - 1, 8, 2)),
                       "can not copy 2 rows of 8 bytes on device 0"));
}
