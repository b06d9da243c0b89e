//===- DriverTest.cpp - finding the driver and its devices ----------------===//

#include "CudaFixture.h"

#include "smx/CUDA/CudaError.h"

using namespace smx::cuda;

using smx::cuda::api::Status;

namespace {
class DriverTest : public CudaTest {};
} // namespace

TEST_F(DriverTest, LoadsAndDescribesItself) {
  Driver driver = loadDriver();
  EXPECT_EQ(driver.version().major, 13);
  EXPECT_EQ(driver.version().minor, 0);
  EXPECT_EQ(driver.deviceCount(), 2);
}

TEST_F(DriverTest, NoDriverIsOnePlainSentence) {
  EXPECT_EQ(textOf(Driver::load("libno-such-cuda.so.1")),
            "no CUDA driver found (libno-such-cuda.so.1): a GPU target needs "
            "an NVIDIA driver; --target=cpu works everywhere");
}

TEST_F(DriverTest, MissingFunctionIsNamed) {
  std::string text = textOf(Driver::load(SMX_FAKE_DRIVER_OLD));
  EXPECT_TRUE(contains(text, "lacks 'cuModuleLoadDataEx': CUDA 12.1 or newer"));
}

TEST_F(DriverTest, OtherLibraryIsNoDriver) {
  EXPECT_TRUE(contains(textOf(Driver::load("libm.so.6")), "lacks 'cuInit'"));
}

TEST_F(DriverTest, OldVersionIsRefused) {
  fake.version = 11080;
  EXPECT_TRUE(contains(textOf(Driver::load(SMX_FAKE_DRIVER)),
                       "is for CUDA 11.8; CUDA 12.1 or newer is needed"));
}

TEST_F(DriverTest, NoGpuIsSaid) {
  fake.failures["cuInit"] = Status::NoDevice;
  EXPECT_EQ(textOf(Driver::load(SMX_FAKE_DRIVER)),
            "the CUDA driver finds no GPU: CUDA_ERROR_NO_DEVICE (some text); "
            "--target=cpu works everywhere");
  fake.failures.clear();
  fake.devices.clear();
  EXPECT_TRUE(contains(textOf(Driver::load(SMX_FAKE_DRIVER)), "finds no GPU"));
}

TEST_F(DriverTest, FailedStartGivesTheNumberOfAnUnknownError) {
  fake.failures["cuInit"] = Status(803);
  EXPECT_EQ(textOf(Driver::load(SMX_FAKE_DRIVER)),
            "the CUDA driver does not start: cuInit returned CUDA error 803; "
            "--target=cpu works everywhere");
}

TEST_F(DriverTest, FailedQueriesOfTheDriverAreErrors) {
  for (const char *function : {"cuDriverGetVersion", "cuDeviceGetCount"}) {
    fake.failures = {{function, Status::OutOfMemory}};
    EXPECT_TRUE(contains(textOf(Driver::load(SMX_FAKE_DRIVER)), function));
  }
}

/// All names of the function table are in the toolkit's stub of the driver,
/// which then refuses to start.
TEST_F(DriverTest, RealDriversHaveAllFunctions) {
#ifdef SMX_CUDA_STUB
  std::string text = textOf(Driver::load(SMX_CUDA_STUB));
  EXPECT_TRUE(contains(text, "does not start: cuInit returned"));
#else
  GTEST_SKIP() << "no CUDA toolkit here";
#endif
}

TEST_F(DriverTest, DeviceTellsWhatItCanDo) {
  Device device = openDevice(1);
  const DeviceInfo &info = device.info();
  EXPECT_EQ(device.ordinal(), 1);
  EXPECT_EQ(info.name, "Fake H200");
  EXPECT_EQ(info.chip(), "sm_90");
  EXPECT_EQ(info.specificChip(), "sm_90a");
  // Suffixes are for code of one architecture; elsewhere there is none.
  DeviceInfo other = info;
  other.major = 8;
  EXPECT_EQ(other.specificChip(), "sm_80");
  other.major = 10;
  EXPECT_EQ(other.specificChip(), "sm_100");
  EXPECT_EQ(info.describe(), "device 1 (Fake H200, sm_90)");
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.maxThreadsPerBlock, 1024);
  EXPECT_EQ(info.sharedPerBlock, 49152);
  EXPECT_EQ(info.maxSharedPerBlock, 232448);
  EXPECT_EQ(info.sharedPerMultiprocessor, 233472);
  EXPECT_EQ(info.registersPerMultiprocessor, 65536);
  EXPECT_EQ(info.clockKHz, 1980000);
  EXPECT_EQ(info.memoryClockKHz, 3201000);
  EXPECT_EQ(info.memoryBusBits, 6144);
  EXPECT_EQ(info.l2Bytes, 62914560);
  EXPECT_EQ(info.memoryBytes, int64_t(140) << 30);
  EXPECT_TRUE(info.hasClusters);
  EXPECT_TRUE(info.hasTensorMaps);
  EXPECT_EQ(llvm::cantFail(device.freeMemory()), int64_t(1) << 30);
}

TEST_F(DriverTest, WrongOrdinalIsRefused) {
  EXPECT_EQ(textOf(Device::open(loadDriver(), 2)),
            "there is no device 2: the driver has 2 devices, numbers 0 to 1");
  EXPECT_TRUE(contains(textOf(Device::open(loadDriver(), -1)),
                       "there is no device -1"));
  fake.devices.pop_back();
  EXPECT_EQ(textOf(Device::open(loadDriver(), 1)),
            "there is no device 1: the driver has 1 device, number 0");
}

TEST_F(DriverTest, OpeningCanFail) {
  for (const char *function :
       {"cuDeviceGet", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"}) {
    fake.failures = {{function, Status::OutOfMemory}};
    std::string text = textOf(Device::open(loadDriver()));
    EXPECT_EQ(text, std::string("can not open device 0: ") + function +
                        " returned CUDA_ERROR_OUT_OF_MEMORY (some text)");
  }
}

TEST_F(DriverTest, ContextIsHeldOnceAndReleased) {
  Driver driver = loadDriver();
  {
    Device first = llvm::cantFail(Device::open(driver));
    Device second = llvm::cantFail(Device::open(driver));
    EXPECT_EQ(first.context(), second.context());
    EXPECT_EQ(fake.devices[0].contextUsers, 1);
  }
  EXPECT_EQ(fake.devices[0].contextUsers, 0);
}

TEST_F(DriverTest, ObjectsKeepTheContext) {
  {
    Stream stream = llvm::cantFail(Stream::create(openDevice()));
    EXPECT_EQ(fake.devices[0].contextUsers, 1);
    EXPECT_EQ(textOf(stream.synchronize()), "");
  }
  EXPECT_EQ(fake.devices[0].contextUsers, 0);
}

TEST_F(DriverTest, ErrorsKnowTheirCode) {
  Device device = openDevice();
  fake.failures["cuMemGetInfo"] = Status::OutOfMemory;
  llvm::Error error = device.freeMemory().takeError();
  bool seen = false;
  llvm::handleAllErrors(std::move(error), [&](const CudaError &failure) {
    seen = true;
    EXPECT_EQ(failure.code(), 2);
    EXPECT_FALSE(failure.isSticky());
    EXPECT_EQ(failure.message(),
              "can not ask for free memory on device 0: cuMemGetInfo returned "
              "CUDA_ERROR_OUT_OF_MEMORY (some text)");
  });
  EXPECT_TRUE(seen);
  EXPECT_EQ(textOf(device.synchronize()), "");
}
