//===- CudaKernelTest.cpp - kernels of a fake device ----------------------===//
//
// Everything but the GPU: PTX is made and loaded into a driver that writes down
// what it is asked for.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "Modules.h"
#include "Runtime/TensorMaps.h"

#include "smx/Runtime/Kernel.h"

#include <gtest/gtest.h>
#include <thread>

using namespace smx;
namespace fake = cuda::fake;

namespace {
struct CudaKernelTest : testing::Test {
  CudaKernelTest() : driver(openFakeOnce()) {
    options.road.target = mlir::smx::Target::Cuda;
    options.cudaDriver = SMX_FAKE_DRIVER;
    clearKernelCache();
  }

  Kernel compileOrDie() {
    return llvm::cantFail(compile(softmaxModule, options));
  }
  std::string launch(const Kernel &kernel, int64_t rows, int64_t stride = 100,
                     uintptr_t address = 0x10000) {
    TensorView x(reinterpret_cast<void *>(address), reference::DType::F32,
                 {rows, 100}, {stride, 1});
    TensorView y(reinterpret_cast<void *>(address + 0x10000),
                 reference::DType::F32, {rows, 100}, {stride, 1});
    return llvm::toString(kernel.launch({x}, {y}, nullptr));
  }

  fake::State &driver;
  CompileOptions options;
};
} // namespace

TEST_F(CudaKernelTest, LaunchesWithoutWaiting) {
  Kernel kernel = compileOrDie();
  driver.calls.clear();
  EXPECT_EQ(launch(kernel, 70), "");
  ASSERT_EQ(driver.launches.size(), 1u);
  const fake::Launch &seen = driver.launches[0];
  EXPECT_EQ(seen.kernel, "softmax_kernel");
  EXPECT_EQ(seen.argument<uint64_t>(0), 0x20000u);
  EXPECT_EQ(seen.argument<int64_t>(1), 0);
  EXPECT_EQ(seen.argument<int64_t>(2), 70);
  EXPECT_EQ(seen.argument<int64_t>(3), 100);
  EXPECT_EQ(seen.argument<int64_t>(4), 100);
  EXPECT_EQ(seen.argument<int64_t>(6), 70);
  EXPECT_EQ(seen.argument<uint64_t>(7), 0x10000u);
  EXPECT_EQ(seen.device, 0);
  EXPECT_EQ(driver.calls["cuStreamSynchronize"], 0);
  EXPECT_EQ(driver.calls["cuCtxSynchronize"], 0);
  EXPECT_EQ(launch(kernel, 0), "");
  EXPECT_EQ(driver.launches.size(), 1u);
}

TEST_F(CudaKernelTest, RunWaitsForItsStreamWhereALaunchFails) {
  Kernel kernel = compileOrDie();
  driver.calls.clear();
  driver.failures["cuLaunchKernelEx"] = cuda::api::Status(701);
  TensorView in(reinterpret_cast<void *>(0x10000), reference::DType::F32,
                {5, 100});
  TensorView out(reinterpret_cast<void *>(0x20000), reference::DType::F32,
                 {5, 100});
  EXPECT_NE(llvm::toString(kernel.run({in}, {out})), "");
  EXPECT_EQ(driver.calls["cuStreamSynchronize"], 1);
  EXPECT_NE(launch(kernel, 5), "");
  EXPECT_EQ(driver.calls["cuStreamSynchronize"], 1);
  driver.failures.clear();
  EXPECT_EQ(llvm::toString(kernel.run({in}, {out})), "");
}

TEST_F(CudaKernelTest, EveryDeviceChipAndOptionHasItsOwnCode) {
  auto loads = [&] { return driver.calls["cuModuleLoadDataEx"]; };
  Kernel first = compileOrDie();
  compileOrDie();
  EXPECT_EQ(loads(), 1);
  options.road.chip = "sm_90";
  compileOrDie();
  EXPECT_EQ(loads(), 2);
  options.road.warps = 8;
  compileOrDie();
  EXPECT_EQ(loads(), 3);
  options.device = 1;
  Kernel other = compileOrDie();
  EXPECT_EQ(loads(), 4);
  EXPECT_EQ(launch(first, 5), "");
  EXPECT_EQ(launch(other, 5), "");
  ASSERT_EQ(driver.launches.size(), 2u);
  EXPECT_EQ(driver.launches[0].device, 0);
  EXPECT_EQ(driver.launches[1].device, 1);
  options.device = 2;
  auto none = compile(softmaxModule, options);
  ASSERT_FALSE(none);
  EXPECT_NE(llvm::toString(none.takeError()).find("numbers 0 to 1"),
            std::string::npos);
}

TEST_F(CudaKernelTest, ThirtyTwoThreadsCompileEachVariantOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> errors(32);
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&, i] {
      Kernel kernel = compileOrDie();
      errors[i] = launch(kernel, 5, /*stride=*/i % 2 ? 101 : 100);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &error : errors)
    EXPECT_EQ(error, "");
  EXPECT_EQ(driver.launches.size(), 32u);
  EXPECT_EQ(driver.calls["cuModuleLoadDataEx"], 2);
}

TEST_F(CudaKernelTest, TensorMapsSayWhatTheyAreNot) {
  cuda::Device device = llvm::cantFail(cuda::Device::open(
      llvm::cantFail(cuda::Driver::load(SMX_FAKE_DRIVER)), 0));
  auto errorOf = [&](std::string element, int64_t swizzle) -> std::string {
    mlir::smx::TensorMapUse use;
    use.argument = 3;
    use.element = std::move(element);
    use.dims = {0, 1};
    use.box = {64, 32};
    use.swizzle = swizzle;
    auto map = encodeTensorMap(device, use, 0x10000, {0, 128, 64, 64, 1});
    return map ? "" : llvm::toString(map.takeError());
  };
  EXPECT_EQ(errorOf("bf16", 64), "");
  EXPECT_EQ(errorOf("f8E4M3FN", 32), "");
  EXPECT_EQ(errorOf("i4", 64),
            "argument 3 of the kernel: no tensor map has elements of type "
            "'i4'; floats of f8E4M3FN to f64 and integers of 8 to 64 bits "
            "work");
  EXPECT_EQ(errorOf("bf16", 16),
            "argument 3 of the kernel: no tensor map swizzles spans of 16 "
            "bytes; 32, 64 and 128 work");
}

TEST_F(CudaKernelTest, ACallTakesMicroseconds) {
  Kernel kernel = compileOrDie();
  ASSERT_EQ(launch(kernel, 70), "");
  constexpr int calls = 2000;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    driver.launches.clear();
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      ASSERT_EQ(launch(kernel, 70), "");
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / calls);
  }
  std::printf("[ DISPATCH ] %.2f microseconds a call\n", best);
  // A guard against searches and allocations that grow, on any machine.
  EXPECT_LT(best, 100);
}
