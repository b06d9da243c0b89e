//===- KernelCacheTest.cpp - many threads, one build ----------------------===//

#include "CudaFixture.h"

#include "smx/Runtime/KernelCache.h"

#include <atomic>
#include <thread>

using namespace smx;
using namespace smx::cuda;

/// Runs `body(i)` on 32 threads that start together.
static void runOnThreads(llvm::function_ref<void(int)> body) {
  std::atomic<int> waiting = 32;
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&, i] {
      --waiting;
      while (waiting > 0)
        std::this_thread::yield();
      body(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(KernelCache, OneKeyIsBuiltOnce) {
  KernelCache<int> cache;
  std::atomic<int> builds = 0;
  runOnThreads([&](int) {
    int value = llvm::cantFail(cache.get("key", [&]() -> llvm::Expected<int> {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return ++builds;
    }));
    EXPECT_EQ(value, 1);
  });
  EXPECT_EQ(builds, 1);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(KernelCache, KeysAreBuiltAtTheSameTime) {
  KernelCache<int> cache;
  std::atomic<int> building = 0;
  // Every build waits for all others to have begun.
  runOnThreads([&](int i) {
    int value = llvm::cantFail(
        cache.get(std::to_string(i), [&]() -> llvm::Expected<int> {
          ++building;
          while (building < 32)
            std::this_thread::yield();
          return i;
        }));
    EXPECT_EQ(value, i);
  });
  EXPECT_EQ(cache.size(), 32u);
}

TEST(KernelCache, FailureIsToldToAllAndNotKept) {
  KernelCache<int> cache;
  std::atomic<int> asked = 0, builds = 0;
  auto fail = [&]() -> llvm::Expected<int> {
    while (asked < 32)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return llvm::createStringError("build " + llvm::Twine(++builds) +
                                   " failed");
  };
  runOnThreads([&](int) {
    ++asked;
    EXPECT_TRUE(contains(textOf(cache.get("key", fail)), " failed"));
  });
  int failed = builds;
  EXPECT_LT(failed, 32);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(textOf(cache.get("key", fail)),
            "build " + std::to_string(failed + 1) + " failed");
  EXPECT_EQ(llvm::cantFail(
                cache.get("key", []() -> llvm::Expected<int> { return 7; })),
            7);
}

TEST(KernelCache, ClearForgetsButValuesLive) {
  KernelCache<std::shared_ptr<int>> cache;
  auto build = [&]() -> llvm::Expected<std::shared_ptr<int>> {
    return std::make_shared<int>(3);
  };
  std::shared_ptr<int> first = llvm::cantFail(cache.get("key", build));
  cache.clear();
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_NE(llvm::cantFail(cache.get("key", build)), first);
  EXPECT_EQ(*first, 3);
}

TEST(KernelCache, FailureAfterClearLeavesTheNewEntry) {
  KernelCache<int> cache;
  std::string text = textOf(cache.get("key", [&]() -> llvm::Expected<int> {
    cache.clear();
    llvm::cantFail(cache.get("key", []() -> llvm::Expected<int> { return 1; }));
    return llvm::createStringError("too late");
  }));
  EXPECT_EQ(text, "too late");
  EXPECT_EQ(cache.size(), 1u);
}

namespace {
class CudaKernelCache : public CudaTest {};
} // namespace

TEST_F(CudaKernelCache, ThreadsLoadOneModuleAndLaunchIt) {
  fake.kernels["f"].parameterBytes = {4};
  Device device = openDevice();
  KernelCache<Function> cache;
  runOnThreads([&](int i) {
    Function function =
        llvm::cantFail(cache.get("f", [&]() -> llvm::Expected<Function> {
          return getFunction(device, "f");
        }));
    Stream stream = llvm::cantFail(Stream::create(device));
    LaunchConfig config;
    config.dynamicShared = 50000 + i;
    EXPECT_EQ(textOf(launch(function, stream, config, KernelArgs().add(i))),
              "");
    EXPECT_EQ(textOf(stream.synchronize()), "");
  });
  EXPECT_EQ(fake.calls["cuModuleLoadDataEx"], 1);
  EXPECT_EQ(fake.launches.size(), 32u);
}
