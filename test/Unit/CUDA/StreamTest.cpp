//===- StreamTest.cpp - streams and events --------------------------------===//

#include "CudaFixture.h"

using namespace smx::cuda;
using smx::cuda::api::Status;

namespace {
class StreamTest : public CudaTest {};
} // namespace

TEST_F(StreamTest, SynchronizesAndIsDestroyed) {
  Device device = openDevice();
  {
    Stream stream = llvm::cantFail(Stream::create(device));
    Stream copy = stream;
    EXPECT_EQ(copy.handle(), stream.handle());
    EXPECT_EQ(textOf(copy.synchronize()), "");
    EXPECT_EQ(fake.handles.size(), 1u);
  }
  EXPECT_EQ(fake.handles.size(), 0u);
  EXPECT_EQ(fake.calls["cuStreamDestroy"], 1);
}

TEST_F(StreamTest, BorrowedStreamIsLeftAlone) {
  Device device = openDevice();
  Stream owned = llvm::cantFail(Stream::create(device));
  {
    Stream borrowed = Stream::borrow(device, owned.handle());
    EXPECT_EQ(textOf(borrowed.synchronize()), "");
    EXPECT_EQ(textOf(Stream::borrow(device, nullptr).synchronize()), "");
  }
  EXPECT_EQ(fake.calls["cuStreamDestroy"], 0);
}

TEST_F(StreamTest, CreationCanFail) {
  Device device = openDevice();
  fake.failures["cuStreamCreate"] = Status::OutOfMemory;
  EXPECT_EQ(textOf(Stream::create(device)),
            "can not make a stream on device 0: cuStreamCreate returned "
            "CUDA_ERROR_OUT_OF_MEMORY (some text)");
  fake.failures = {{"cuEventCreate", Status::OutOfMemory}};
  EXPECT_TRUE(contains(textOf(Event::create(device)), "can not make an event"));
}

TEST_F(StreamTest, EventsMeasureTime) {
  Device device = openDevice();
  Stream stream = llvm::cantFail(Stream::create(device));
  Event start = llvm::cantFail(Event::create(device));
  Event stop = llvm::cantFail(Event::create(device));
  EXPECT_EQ(textOf(start.record(stream)), "");
  EXPECT_EQ(textOf(stop.record(stream)), "");
  EXPECT_EQ(llvm::cantFail(stop.millisecondsSince(start)), 2.5f);
  EXPECT_EQ(fake.calls["cuEventSynchronize"], 1);
  fake.failures["cuEventElapsedTime"] = Status::NotReady;
  EXPECT_TRUE(contains(textOf(stop.millisecondsSince(start)),
                       "can not take the time between two events on device 0"));
}

TEST_F(StreamTest, EventOfAnotherDeviceCanBeWaitedForButNotRecorded) {
  Driver driver = loadDriver();
  Device first = llvm::cantFail(Device::open(driver, 0));
  Device second = llvm::cantFail(Device::open(driver, 1));
  Stream stream = llvm::cantFail(Stream::create(first));
  Event event = llvm::cantFail(Event::create(second));
  EXPECT_EQ(textOf(event.record(stream)),
            "the stream is on device 0 but the event is on device 1; both must "
            "be of one device");
  EXPECT_EQ(textOf(stream.wait(event)), "");
  Event other = llvm::cantFail(Event::create(first));
  EXPECT_TRUE(
      contains(textOf(event.millisecondsSince(other)),
               "the first event is on device 0 but the second event is on "
               "device 1"));
}

TEST_F(StreamTest, DevicesAreUsedInTheirOwnContext) {
  Driver driver = loadDriver();
  Device first = llvm::cantFail(Device::open(driver, 0));
  Device second = llvm::cantFail(Device::open(driver, 1));
  Stream a = llvm::cantFail(Stream::create(first));
  Stream b = llvm::cantFail(Stream::create(second));
  // The fake refuses a stream of another device than the current one.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(textOf(a.synchronize()), "");
    EXPECT_EQ(textOf(b.synchronize()), "");
  }
  EXPECT_EQ(textOf(first.synchronize()), "");
  EXPECT_EQ(textOf(second.synchronize()), "");
}
