//===- LaunchRulesTest.cpp - launches that must not happen ----------------===//

#include "CudaFixture.h"

using namespace smx::cuda;
using smx::cuda::api::DeviceAttribute;
using smx::cuda::api::FunctionAttribute;
using smx::cuda::api::Status;

namespace {
class LaunchRulesTest : public CudaTest {
protected:
  LaunchRulesTest() {
    fake.kernels["f"].parameterBytes = {8, 4};
    fake.kernels["f"].attributes = {
        {FunctionAttribute::NumRegs, 168},
        {FunctionAttribute::SharedSizeBytes, 1024},
        {FunctionAttribute::MaxThreadsPerBlock, 384}};
  }

  /// The error of a launch with arguments of the right kind.
  std::string errorOf(const LaunchConfig &config) {
    return errorOf(config, KernelArgs().add(uint64_t(0)).add(int32_t(0)));
  }
  std::string errorOf(const LaunchConfig &config, const KernelArgs &args) {
    Device device = openDevice();
    Stream stream = llvm::cantFail(Stream::create(device));
    std::string text =
        textOf(launch(getFunction(device, "f"), stream, config, args));
    EXPECT_TRUE(fake.launches.empty());
    return text;
  }
};
} // namespace

TEST_F(LaunchRulesTest, NumberOfArguments) {
  EXPECT_EQ(errorOf({}, KernelArgs().add(uint64_t(0))),
            "kernel 'f' takes 2 arguments; there are 1");
}

TEST_F(LaunchRulesTest, SizeOfArguments) {
  EXPECT_EQ(errorOf({}, KernelArgs().add(uint64_t(0)).add(int64_t(0))),
            "argument 1 of kernel 'f' has 4 bytes; there are 8");
}

TEST_F(LaunchRulesTest, Grid) {
  LaunchConfig config;
  config.grid = {1, 65536, 1};
  EXPECT_EQ(errorOf(config), "the grid of kernel 'f' is 1x65536x1 blocks; the "
                             "limit is 2147483647x65535x65535");
  config.grid = {1u << 31, 1, 1};
  EXPECT_TRUE(contains(errorOf(config), "2147483648x1x1"));
}

TEST_F(LaunchRulesTest, Block) {
  LaunchConfig config;
  config.block = {0, 1, 1};
  EXPECT_EQ(errorOf(config), "a block of kernel 'f' is 0x1x1 threads; it must "
                             "be from 1x1x1 to 1024x1024x64");
  config.block = {1, 1, 65};
  EXPECT_TRUE(contains(errorOf(config), "is 1x1x65 threads"));
  config.block = {128, 4, 1};
  EXPECT_EQ(errorOf(config),
            "a block of kernel 'f' has 512 threads; as compiled (168 registers "
            "a thread) it takes at most 384");
}

TEST_F(LaunchRulesTest, SharedMemory) {
  LaunchConfig config;
  config.dynamicShared = 231425;
  EXPECT_EQ(errorOf(config),
            "kernel 'f' needs 232449 bytes of shared memory a block (1024 "
            "static, 231425 dynamic); device 0 (Fake H200, sm_90) gives "
            "232448: use smaller tiles or fewer stages");
  config.dynamicShared = -1;
  EXPECT_TRUE(contains(errorOf(config), "-1 dynamic"));
  config.dynamicShared = INT64_MAX;
  EXPECT_TRUE(contains(errorOf(config), "dynamic); device 0"));
}

TEST_F(LaunchRulesTest, SharedMemoryThatTheDriverRefuses) {
  fake.failures["cuFuncSetAttribute"] = Status::InvalidValue;
  LaunchConfig config;
  config.dynamicShared = 100000;
  EXPECT_TRUE(contains(errorOf(config),
                       "can not give kernel 'f' 231424 bytes of "
                       "dynamic shared memory on device 0"));
  config.dynamicShared = 0;
  config.grid = config.cluster = {16, 1, 1};
  EXPECT_TRUE(contains(errorOf(config), "clusters of more than 8 blocks"));
}

TEST_F(LaunchRulesTest, Cluster) {
  LaunchConfig config;
  config.grid = {5, 1, 1};
  config.cluster = {2, 1, 1};
  EXPECT_EQ(errorOf(config), "the grid of kernel 'f' is 5x1x1 blocks; it must "
                             "be a multiple of the cluster, 2x1x1");
  config.grid = config.cluster = {16, 2, 1};
  EXPECT_EQ(errorOf(config),
            "the cluster of kernel 'f' has 32 blocks; the limit is 16");
  config.cluster = {1, 0, 1};
  EXPECT_EQ(errorOf(config),
            "the cluster of kernel 'f' is 1x0x1 blocks; no extent may be 0");
}

TEST_F(LaunchRulesTest, ClusterOnAnOlderDevice) {
  auto &attributes = fake.devices[0].attributes;
  attributes[DeviceAttribute::ComputeCapabilityMajor] = 8;
  attributes[DeviceAttribute::ClusterLaunch] = 0;
  LaunchConfig config;
  config.grid = config.cluster = {2, 1, 1};
  EXPECT_EQ(errorOf(config),
            "kernel 'f' asks for clusters of 2x1x1 blocks; device 0 (Fake "
            "H200, sm_80) has none, they need sm_90 or newer");
}

TEST_F(LaunchRulesTest, Devices) {
  Driver driver = loadDriver();
  Device first = llvm::cantFail(Device::open(driver, 0));
  Device second = llvm::cantFail(Device::open(driver, 1));
  Function function = getFunction(first, "f");
  Stream stream = llvm::cantFail(Stream::create(second));
  KernelArgs args;
  args.add(uint64_t(0)).add(int32_t(0));
  // These come from two drivers, so not even the same number makes them one.
  EXPECT_EQ(textOf(launch(function, stream, {}, args)),
            "the stream is on device 1 but the kernel is on device 0; both "
            "must be of one device");

  Device device = function.device();
  Stream own = llvm::cantFail(Stream::create(device));
  Buffer foreign = llvm::cantFail(Buffer::allocate(second, 8));
  KernelArgs mixed;
  mixed.add(foreign).add(int32_t(0));
  EXPECT_EQ(textOf(launch(function, own, {}, mixed)),
            "argument 0 of kernel 'f' is on device 1 but the kernel is on "
            "device 0");
  EXPECT_TRUE(fake.launches.empty());
}

TEST_F(LaunchRulesTest, RefusalOfTheDriverNamesTheKernel) {
  fake.failures["cuLaunchKernelEx"] = Status::LaunchOutOfResources;
  LaunchConfig config;
  config.grid = {7, 1, 1};
  config.block = {384, 1, 1};
  config.dynamicShared = 1000;
  EXPECT_EQ(errorOf(config),
            "can not launch kernel 'f' (grid 7x1x1, block 384x1x1) on device "
            "0: cuLaunchKernelEx returned CUDA error 701; a block asks for 384 "
            "threads of 168 registers and 2024 bytes of shared memory");
}
