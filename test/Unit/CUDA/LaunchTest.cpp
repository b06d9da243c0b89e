//===- LaunchTest.cpp - what the driver gets to see of a launch -----------===//

#include "CudaFixture.h"

using namespace smx::cuda;
using smx::cuda::api::FunctionAttribute;

namespace {
class LaunchTest : public CudaTest {
protected:
  /// The value of a launch attribute, or null.
  const api::LaunchAttribute *attribute(const fake::Launch &launch, int id) {
    for (const api::LaunchAttribute &candidate : launch.attributes)
      if (candidate.id == id)
        return &candidate;
    return nullptr;
  }
};

struct Strides {
  int64_t row;
  int32_t column;
  float scale;
};
} // namespace

TEST_F(LaunchTest, ArgumentsArriveAsPacked) {
  fake.kernels["f"].parameterBytes = {8, 4, 128, sizeof(Strides), 2, 8};
  Device device = openDevice();
  Stream stream = llvm::cantFail(Stream::create(device));
  Buffer buffer = llvm::cantFail(Buffer::allocate(device, 64));
  TensorMapSpec spec;
  spec.address = 4096;
  spec.sizes = {64};
  spec.strides = {2};
  spec.box = {64};
  TensorMap map = llvm::cantFail(TensorMap::encode(device, spec));
  KernelArgs args;
  args.add(buffer)
      .add(int32_t(-7))
      .add(map)
      .add(Strides{1 << 20, 3, 0.5f})
      .add(uint16_t(0xbeef))
      .add(2.25);
  EXPECT_EQ(args.size(), 6u);
  for (size_t i = 0; i < args.size(); ++i)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(args.bytes(i).data()) % 64, 0u);
  EXPECT_EQ(
      textOf(launch(getFunction(device, "f"), stream, LaunchConfig(), args)),
      "");

  ASSERT_EQ(fake.launches.size(), 1u);
  const fake::Launch &seen = fake.launches[0];
  EXPECT_EQ(seen.argument<uint64_t>(0), buffer.address());
  EXPECT_EQ(seen.argument<int32_t>(1), -7);
  EXPECT_EQ(seen.arguments[2], std::vector<std::byte>(128, std::byte(0x3c)));
  EXPECT_EQ(seen.argument<Strides>(3).row, 1 << 20);
  EXPECT_EQ(seen.argument<Strides>(3).column, 3);
  EXPECT_EQ(seen.argument<Strides>(3).scale, 0.5f);
  EXPECT_EQ(seen.argument<uint16_t>(4), 0xbeef);
  EXPECT_EQ(seen.argument<double>(5), 2.25);
}

TEST_F(LaunchTest, ShapeArrives) {
  fake.kernels["f"] = {};
  Device device = openDevice(1);
  Stream stream = llvm::cantFail(Stream::create(device));
  LaunchConfig config;
  config.grid = {10, 20, 30};
  config.block = {32, 4, 2};
  config.dynamicShared = 4096;
  EXPECT_EQ(
      textOf(launch(getFunction(device, "f"), stream, config, KernelArgs())),
      "");
  const fake::Launch &seen = fake.launches.at(0);
  EXPECT_EQ(seen.device, 1);
  EXPECT_EQ(seen.config.gridDim[0], 10u);
  EXPECT_EQ(seen.config.gridDim[1], 20u);
  EXPECT_EQ(seen.config.gridDim[2], 30u);
  EXPECT_EQ(seen.config.blockDim[0], 32u);
  EXPECT_EQ(seen.config.blockDim[1], 4u);
  EXPECT_EQ(seen.config.blockDim[2], 2u);
  EXPECT_EQ(seen.config.sharedMemBytes, 4096u);
  EXPECT_EQ(seen.config.stream, stream.handle());
  EXPECT_TRUE(seen.attributes.empty());
  // Within 48 KiB nothing needs to be asked for.
  EXPECT_EQ(fake.calls["cuFuncSetAttribute"], 0);
}

TEST_F(LaunchTest, ClusterIsAnAttribute) {
  fake.kernels["f"] = {};
  Device device = openDevice();
  Stream stream = llvm::cantFail(Stream::create(device));
  Function function = getFunction(device, "f");
  LaunchConfig config;
  config.grid = {8, 2, 1};
  config.cluster = {4, 2, 1};
  EXPECT_EQ(textOf(launch(function, stream, config, KernelArgs())), "");
  const api::LaunchAttribute *cluster =
      attribute(fake.launches.at(0), api::launchAttributeClusterDimension);
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->clusterDim[0], 4u);
  EXPECT_EQ(cluster->clusterDim[1], 2u);
  EXPECT_EQ(cluster->clusterDim[2], 1u);
  EXPECT_EQ(fake.calls["cuFuncSetAttribute"], 0);

  config.grid = config.cluster = {16, 1, 1};
  EXPECT_EQ(textOf(launch(function, stream, config, KernelArgs())), "");
  EXPECT_EQ(textOf(launch(function, stream, config, KernelArgs())), "");
  EXPECT_EQ(fake.calls["cuFuncSetAttribute"], 1);
  EXPECT_EQ(fake.kernels["f"]
                .attributes[FunctionAttribute::NonPortableClusterSizeAllowed],
            1);
}

TEST_F(LaunchTest, FixedClusterNeedsNoAttribute) {
  fake.kernels["f"].attributes = {{FunctionAttribute::RequiredClusterWidth, 2},
                                  {FunctionAttribute::RequiredClusterHeight, 1},
                                  {FunctionAttribute::RequiredClusterDepth, 1}};
  Device device = openDevice();
  Stream stream = llvm::cantFail(Stream::create(device));
  Function function = getFunction(device, "f");
  LaunchConfig config;
  config.grid = {4, 1, 1};
  EXPECT_EQ(textOf(launch(function, stream, config, KernelArgs())), "");
  config.cluster = {2, 1, 1};
  EXPECT_EQ(textOf(launch(function, stream, config, KernelArgs())), "");
  EXPECT_TRUE(fake.launches.at(0).attributes.empty());
  EXPECT_TRUE(fake.launches.at(1).attributes.empty());
  config.grid = {3, 1, 1};
  EXPECT_TRUE(contains(textOf(launch(function, stream, config, KernelArgs())),
                       "it must be a multiple of the cluster, 2x1x1"));
  config.grid = config.cluster = {4, 1, 1};
  EXPECT_EQ(textOf(launch(function, stream, config, KernelArgs())),
            "the cluster of kernel 'f' is compiled as 2x1x1 blocks; the launch "
            "has 4x1x1");
}

TEST_F(LaunchTest, OverlapIsAnAttribute) {
  fake.kernels["f"] = {};
  Device device = openDevice();
  LaunchConfig config;
  config.overlapsPrevious = true;
  EXPECT_EQ(textOf(launch(getFunction(device, "f"),
                          llvm::cantFail(Stream::create(device)), config,
                          KernelArgs())),
            "");
  const api::LaunchAttribute *overlap = attribute(
      fake.launches.at(0), api::launchAttributeProgrammaticSerialization);
  ASSERT_TRUE(overlap);
  EXPECT_EQ(overlap->programmaticSerializationAllowed, 1);
}

TEST_F(LaunchTest, NoBlocksIsNoLaunch) {
  fake.kernels["f"] = {};
  Device device = openDevice();
  Stream stream = llvm::cantFail(Stream::create(device));
  Function function = getFunction(device, "f");
  for (Dim3 grid : {Dim3{0, 1, 1}, Dim3{5, 0, 1}, Dim3{5, 1, 0}}) {
    LaunchConfig config;
    config.grid = grid;
    EXPECT_EQ(textOf(launch(function, stream, config, KernelArgs())), "");
  }
  EXPECT_TRUE(fake.launches.empty());
}

TEST_F(LaunchTest, MuchSharedMemoryIsAskedForOnce) {
  fake.kernels["f"].attributes[FunctionAttribute::SharedSizeBytes] = 1024;
  Device device = openDevice();
  Stream stream = llvm::cantFail(Stream::create(device));
  Function function = getFunction(device, "f");
  // Whatever the order of sizes, and for every copy of the function.
  Function copy = function;
  for (int64_t bytes : {100000, 200000, 60000, 231424}) {
    LaunchConfig config;
    config.dynamicShared = bytes;
    EXPECT_EQ(textOf(launch(copy, stream, config, KernelArgs())), "");
    EXPECT_EQ(fake.launches.back().config.sharedMemBytes, bytes);
  }
  EXPECT_EQ(fake.calls["cuFuncSetAttribute"], 1);
  EXPECT_EQ(fake.kernels["f"]
                .attributes[FunctionAttribute::MaxDynamicSharedSizeBytes],
            231424);
}

TEST_F(LaunchTest, KernelRunsAndItsStrayWriteIsCaught) {
  fake.kernels["scale"].parameterBytes = {8, 8, 4};
  // Writes one element too many.
  fake.kernels["scale"].run = [](const fake::Launch &launch) {
    auto *x = reinterpret_cast<float *>(launch.argument<uint64_t>(0));
    auto *y = reinterpret_cast<float *>(launch.argument<uint64_t>(1));
    for (int i = 0; i <= launch.argument<int32_t>(2); ++i)
      y[i] = 2 * x[i];
  };
  Device device = openDevice();
  Stream stream = llvm::cantFail(Stream::create(device));
  std::vector<float> in = {1, 2, 3, 4}, out(4);
  Buffer x = llvm::cantFail(Buffer::allocateGuarded(stream, 16, "x"));
  Buffer y = llvm::cantFail(Buffer::allocateGuarded(stream, 16, "y"));
  EXPECT_EQ(textOf(x.copyFromHost(stream, in.data(), 16)), "");
  Function scale = getFunction(device, "scale");
  EXPECT_EQ(textOf(launch(scale, stream, LaunchConfig(),
                          KernelArgs().add(x).add(y).add(int32_t(3)))),
            "");
  EXPECT_EQ(textOf(y.copyToHost(stream, out.data(), 16)), "");
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(textOf(y.checkCanaries(stream)), "");
  EXPECT_EQ(textOf(launch(scale, stream, LaunchConfig(),
                          KernelArgs().add(x).add(y).add(int32_t(4)))),
            "");
  EXPECT_EQ(textOf(x.checkCanaries(stream)), "");
  EXPECT_TRUE(
      contains(textOf(y.checkCanaries(stream)),
               "buffer 'y' of 16 bytes was written outside of its bounds"));
}
