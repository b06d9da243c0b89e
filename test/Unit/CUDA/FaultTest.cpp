//===- FaultTest.cpp - kernels that break the device's context ------------===//

#include "CudaFixture.h"

#include "smx/CUDA/CudaError.h"

using namespace smx::cuda;
using smx::cuda::api::Status;

namespace {
class FaultTest : public CudaTest {
protected:
  FaultTest() : driver(loadDriver()) {
    fake.kernels["good"] = {};
    fake.kernels["bad"].fault = Status::IllegalAddress;
  }
  // After a fault nothing is given back to the driver.
  void TearDown() override { EXPECT_EQ(fake.currentDepth(), 0u); }

  llvm::Error run(const Device &device, const Stream &stream,
                  const char *kernel) {
    kept.push_back(getFunction(device, kernel));
    return launch(kept.back(), stream, {}, {});
  }

  Driver driver;
  /// Unloading a module would be the first to see the fault.
  std::vector<Function> kept;
};

/// Whether an error is sticky; consumes it.
bool isSticky(llvm::Error error) {
  bool sticky = false;
  llvm::handleAllErrors(std::move(error), [&](const CudaError &failure) {
    sticky = failure.isSticky();
  });
  return sticky;
}
} // namespace

TEST_F(FaultTest, KernelIsNamedWhenTheFaultShows) {
  Device device = llvm::cantFail(Device::open(driver));
  Stream stream = llvm::cantFail(Stream::create(device));
  EXPECT_EQ(textOf(run(device, stream, "bad")), "");
  EXPECT_EQ(textOf(stream.synchronize()),
            "can not wait for a stream on device 0: cuStreamSynchronize "
            "returned CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access), "
            "which comes from an earlier launch of kernel 'bad'; the context "
            "of device 0 can not be used any more: start the process again");
}

TEST_F(FaultTest, LaterCallsSayWhatHappenedAndDoNotReachTheDriver) {
  Device device = llvm::cantFail(Device::open(driver));
  Stream stream = llvm::cantFail(Stream::create(device));
  Function good = getFunction(device, "good");
  EXPECT_EQ(textOf(run(device, stream, "bad")), "");
  EXPECT_TRUE(isSticky(stream.synchronize()));
  std::string because =
      " on device 0: an earlier launch of kernel 'bad' failed with "
      "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access); the context of "
      "device 0 can not be used any more: start the process again";
  fake.calls.clear();
  EXPECT_EQ(textOf(stream.synchronize()),
            "can not wait for a stream" + because);
  EXPECT_EQ(textOf(device.synchronize()),
            "can not wait for all work" + because);
  EXPECT_EQ(textOf(Buffer::allocate(device, 8)),
            "can not allocate 8 bytes" + because);
  EXPECT_TRUE(contains(textOf(launch(good, stream, {}, {})), because));
  EXPECT_TRUE(isSticky(stream.synchronize()));
  EXPECT_TRUE(fake.calls.empty());
}

TEST_F(FaultTest, DeviceCanNotBeOpenedAgain) {
  {
    Device device = llvm::cantFail(Device::open(driver));
    Stream stream = llvm::cantFail(Stream::create(device));
    EXPECT_EQ(textOf(run(device, stream, "bad")), "");
    EXPECT_TRUE(isSticky(device.synchronize()));
    kept.clear();
  }
  EXPECT_EQ(fake.devices[0].contextUsers, 0);
  EXPECT_EQ(textOf(Device::open(driver)),
            "can not open device 0: an earlier launch of kernel 'bad' failed "
            "with CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access); the "
            "context of device 0 can not be used any more: start the process "
            "again");
}

TEST_F(FaultTest, OtherDevicesGoOn) {
  Device first = llvm::cantFail(Device::open(driver, 0));
  Device second = llvm::cantFail(Device::open(driver, 1));
  Stream broken = llvm::cantFail(Stream::create(first));
  Stream intact = llvm::cantFail(Stream::create(second));
  EXPECT_EQ(textOf(run(first, broken, "bad")), "");
  EXPECT_TRUE(isSticky(broken.synchronize()));
  EXPECT_EQ(textOf(run(second, intact, "good")), "");
  EXPECT_EQ(textOf(intact.synchronize()), "");
  EXPECT_EQ(textOf(Device::open(driver, 1)), "");
}

TEST_F(FaultTest, WhatHadFinishedIsNotSuspected) {
  Device device = llvm::cantFail(Device::open(driver));
  Stream stream = llvm::cantFail(Stream::create(device));
  Stream other = llvm::cantFail(Stream::create(device));
  EXPECT_EQ(textOf(run(device, stream, "good")), "");
  EXPECT_EQ(textOf(run(device, other, "good")), "");
  EXPECT_EQ(textOf(stream.synchronize()), "");
  EXPECT_EQ(textOf(device.synchronize()), "");
  EXPECT_EQ(textOf(run(device, stream, "bad")), "");
  EXPECT_TRUE(contains(textOf(other.synchronize()),
                       "an earlier launch of kernel 'bad';"));
}

TEST_F(FaultTest, AllSuspectsAreNamed) {
  for (const char *name : {"k1", "k2", "k3", "k4", "k5"})
    fake.kernels[name] = {};
  Device device = llvm::cantFail(Device::open(driver));
  Stream stream = llvm::cantFail(Stream::create(device));
  for (const char *name : {"k1", "k2", "k1", "k3", "k4", "k5"})
    EXPECT_EQ(textOf(run(device, stream, name)), "");
  Function good = getFunction(device, "good");
  EXPECT_EQ(textOf(run(device, stream, "bad")), "");
  // The next launch is the call that shows it, and is innocent.
  EXPECT_TRUE(
      contains(textOf(launch(good, stream, {}, {})),
               "which comes from an earlier launch of one of the kernels "
               "'k1', 'k2', 'k3', 'k4' and 2 more; the context"));
}

TEST_F(FaultTest, FaultThatADestructorSeesIsRemembered) {
  Device device = llvm::cantFail(Device::open(driver));
  Stream stream = llvm::cantFail(Stream::create(device));
  {
    Buffer buffer = llvm::cantFail(Buffer::allocate(device, 8));
    EXPECT_EQ(textOf(run(device, stream, "bad")), "");
  }
  EXPECT_TRUE(contains(textOf(stream.synchronize()),
                       "an earlier launch of kernel 'bad' failed with"));
}

TEST_F(FaultTest, FaultWithoutALaunchIsEarlierWork) {
  Device device = llvm::cantFail(Device::open(driver));
  fake.devices[0].fault = Status::EccUncorrectable;
  EXPECT_TRUE(
      contains(textOf(device.synchronize()),
               "which comes from earlier work; the context of device 0"));
}

TEST_F(FaultTest, EveryStickyErrorIsKnown) {
  for (int code :
       {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721}) {
    fake.reset();
    Device device = openDevice();
    fake.devices[0].fault = Status(code);
    EXPECT_TRUE(isSticky(device.synchronize())) << code;
  }
  for (int code : {1, 2, 200, 218, 500, 600, 701}) {
    fake.reset();
    Device device = openDevice();
    fake.failures["cuCtxSynchronize"] = Status(code);
    EXPECT_FALSE(isSticky(device.synchronize())) << code;
    fake.failures.clear();
    EXPECT_EQ(textOf(device.synchronize()), "");
  }
}

TEST_F(FaultTest, ManyDistinctLaunchesAreForgotten) {
  Device device = llvm::cantFail(Device::open(driver));
  Stream stream = llvm::cantFail(Stream::create(device));
  for (int i = 0; i < 200; ++i) {
    std::string name = "k" + std::to_string(i);
    fake.kernels[name] = {};
    EXPECT_EQ(textOf(run(device, stream, name.c_str())), "");
  }
  fake.devices[0].fault = Status::LaunchFailed;
  EXPECT_TRUE(contains(textOf(stream.synchronize()), "'k136', 'k137', 'k138', "
                                                     "'k139' and 60 more"));
}
