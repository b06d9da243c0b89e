//===- CacheDirTest.cpp - kernels that earlier processes compiled ---------===//
//
// Forgetting all kernels makes this process as good as a later one.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "Modules.h"

#include "smx/Runtime/Kernel.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace smx;
namespace fake = cuda::fake;
namespace fs = llvm::sys::fs;

namespace {
struct CacheDirTest : testing::Test {
  CacheDirTest() {
    llvm::SmallString<64> made;
    if (fs::createUniqueDirectory("smx-cache", made))
      ADD_FAILURE() << "no temporary folder";
    folder = made.str().str();
    options.cacheDir = folder;
    // A failure of a later test shall not be of what an earlier one set.
    unsetenv("SMX_CACHE_DIR");
  }
  ~CacheDirTest() override { fs::remove_directories(folder); }

  Kernel compileAnew(llvm::StringRef text = softmaxModule) {
    clearKernelCache();
    return llvm::cantFail(compile(text, options));
  }
  static std::vector<std::string> stepsOf(const Kernel &kernel) {
    std::vector<std::string> names;
    for (const CompileStep &step : kernel.timing())
      names.push_back(step.name);
    return names;
  }
  /// The files of kernels.
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    std::error_code error;
    for (fs::directory_iterator i(folder, error), end; !error && i != end;
         i.increment(error))
      if (llvm::sys::path::filename(i->path()) != "llvmcache.timestamp")
        found.push_back(i->path());
    return found;
  }
  static void write(llvm::StringRef path, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    os << text;
  }
  static std::vector<float> run(const Kernel &kernel) {
    std::vector<float> x(500), y(500, -1.0f);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i * 37 % 101) / 7.0f;
    llvm::cantFail(kernel({{x.data(), {5, 100}}}, {{y.data(), {5, 100}}}));
    return y;
  }

  std::string folder;
  CompileOptions options;
};

using Steps = std::vector<std::string>;
const Steps readForHost = {"read", "link"},
            readForDevice = {"read", "read code", "load"};
} // namespace

TEST_F(CacheDirTest, CodeForTheHostIsThere) {
  Kernel first = compileAnew();
  EXPECT_NE(stepsOf(first), readForHost);
  EXPECT_EQ(first.cacheProblems(), "");
  EXPECT_EQ(files().size(), 1u);
  Kernel second = compileAnew();
  EXPECT_EQ(stepsOf(second), readForHost);
  EXPECT_EQ(second.cacheProblems(), "");
  EXPECT_EQ(second.name(), "softmax");
  EXPECT_EQ(run(first), run(second));
  // It checks calls as the first one does.
  std::vector<float> x(500);
  std::string errors[2];
  for (auto [kernel, error] :
       {std::pair(&first, &errors[0]), {&second, &errors[1]}})
    *error = llvm::toString(
        kernel->run({{x.data(), {5, 100}}}, {{x.data(), {4, 100}}}));
  EXPECT_NE(errors[0], "");
  EXPECT_EQ(errors[0], errors[1]);
}

TEST_F(CacheDirTest, AFolderThatIsNamedLaterGetsTheCode) {
  clearKernelCache();
  options.cacheDir.reset();
  llvm::cantFail(compile(softmaxModule, options));
  options.cacheDir = folder;
  llvm::cantFail(compile(softmaxModule, options));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CacheDirTest, OtherCodeIsNot) {
  compileAnew();
  options.optLevel = 2;
  EXPECT_NE(stepsOf(compileAnew()), readForHost);
  EXPECT_NE(stepsOf(compileAnew(scaleModule)), readForHost);
  EXPECT_EQ(files().size(), 3u);
  options.onText = [](llvm::StringRef, llvm::StringRef) {};
  EXPECT_NE(stepsOf(compileAnew()), readForHost);
  options.onText = nullptr;
  EXPECT_EQ(stepsOf(compileAnew()), readForHost);
  options.road.target = mlir::smx::Target::Emulator;
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(stepsOf(compileAnew()).front(), "read");
  EXPECT_EQ(files().size(), 3u);
}

TEST_F(CacheDirTest, TheEnvironmentNamesAFolder) {
  options.cacheDir.reset();
  compileAnew();
  EXPECT_EQ(files().size(), 0u);
  setenv("SMX_CACHE_DIR", folder.c_str(), 1);
  compileAnew();
  EXPECT_EQ(stepsOf(compileAnew()), readForHost);
  options.cacheDir = "";
  EXPECT_NE(stepsOf(compileAnew()), readForHost);
  unsetenv("SMX_CACHE_DIR");
}

TEST_F(CacheDirTest, FilesThatWereChangedAreMadeAnew) {
  const std::vector<float> right = run(compileAnew());
  ASSERT_EQ(files().size(), 1u);
  const std::string path = files()[0],
                    text =
                        llvm::cantFail(llvm::errorOrToExpected(
                                           llvm::MemoryBuffer::getFile(path)))
                            ->getBuffer()
                            .str();
  std::string changed = text;
  changed[changed.size() / 2] ^= 1;
  for (const std::string &wrong :
       {std::string(), std::string("smx kernel 0 0"), text.substr(1),
        text.substr(0, text.size() - 1), text + " ", changed}) {
    write(path, wrong);
    Kernel kernel = compileAnew();
    EXPECT_NE(stepsOf(kernel), readForHost);
    EXPECT_EQ(kernel.cacheProblems(),
              "'" + path + "': the file was cut or changed");
    EXPECT_EQ(run(kernel), right);
    Kernel next = compileAnew();
    EXPECT_EQ(stepsOf(next), readForHost);
    EXPECT_EQ(next.cacheProblems(), "");
  }
}

TEST_F(CacheDirTest, AKernelNeedsNoFolderThatCanBeWritten) {
  write(folder + "/file", "");
  options.cacheDir = folder + "/file/below";
  Kernel kernel = compileAnew();
  EXPECT_EQ(kernel.cacheProblems(), "a kernel is not kept: '" +
                                        *options.cacheDir +
                                        "': Not a directory");
  options.cacheDir = "";
  EXPECT_EQ(run(kernel), run(compileAnew()));
}

TEST_F(CacheDirTest, ManyThreadsMayShareAFolder) {
  const std::vector<float> right = run(compileAnew());
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(8);
  std::vector<std::string> problems(8);
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 4; ++round) {
        Kernel kernel = compileAnew();
        results[i] = run(kernel);
        problems[i] += kernel.cacheProblems();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i], right);
    EXPECT_EQ(problems[i], "");
  }
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

namespace {
struct DeviceCacheDirTest : CacheDirTest {
  DeviceCacheDirTest() : driver(openFakeOnce()) {
    options.road.target = mlir::smx::Target::Cuda;
    options.cudaDriver = SMX_FAKE_DRIVER;
  }

  std::vector<char> launch(const Kernel &kernel, int64_t stride) {
    driver.launches.clear();
    TensorView x(reinterpret_cast<void *>(0x10000), reference::DType::F32,
                 {70, 100}, {stride, 1});
    TensorView y(reinterpret_cast<void *>(0x20000), reference::DType::F32,
                 {70, 100}, {stride, 1});
    EXPECT_EQ(llvm::toString(kernel.launch({x}, {y}, nullptr)), "");
    EXPECT_EQ(driver.launches.size(), 1u);
    std::vector<char> bytes;
    for (size_t i = 0; i < 13 && !driver.launches.empty(); ++i) {
      const auto value = driver.launches[0].argument<int64_t>(i);
      bytes.insert(bytes.end(), reinterpret_cast<const char *>(&value),
                   reinterpret_cast<const char *>(&value + 1));
    }
    return bytes;
  }

  fake::State &driver;
};
} // namespace

TEST_F(DeviceCacheDirTest, CodeForEveryCallIsThere) {
  Kernel first = compileAnew();
  EXPECT_EQ(stepsOf(first).back(), "load");
  EXPECT_EQ(files().size(), 2u);
  const std::vector<char> likely = launch(first, 100),
                          other = launch(first, 101);
  EXPECT_EQ(files().size(), 3u);
  Kernel second = compileAnew();
  EXPECT_EQ(stepsOf(second), readForDevice);
  EXPECT_EQ(launch(second, 100), likely);
  EXPECT_EQ(launch(second, 101), other);
  EXPECT_EQ(driver.calls["cuModuleLoadDataEx"], 4);
  EXPECT_EQ(files().size(), 3u);
  EXPECT_EQ(second.cacheProblems(), "");
}

/// Files may go at any time: what is left is used.
TEST_F(DeviceCacheDirTest, WhatIsMissingIsMadeAnew) {
  Kernel first = compileAnew();
  const std::vector<char> right = launch(first, 100);
  for (size_t gone : {0, 1}) {
    fs::remove(files()[gone]);
    ASSERT_EQ(files().size(), 1u);
    EXPECT_EQ(launch(compileAnew(), 100), right);
    EXPECT_EQ(files().size(), 2u);
    EXPECT_EQ(stepsOf(compileAnew()), readForDevice);
  }
}

/// Extents that a kernel has to be made for are read, not found again.
TEST_F(DeviceCacheDirTest, OpenExtentsAreKept) {
  constexpr char attention[] = R"mlir(
    func.func @attention(%q: tensor<1x2x64x?xf32>, %k: tensor<1x2x64x?xf32>, %v: tensor<1x2x64x?xf32>) -> tensor<1x2x64x?xf32> {
      %o = smx.attention %q, %k, %v scale(1.0) : tensor<1x2x64x?xf32>, tensor<1x2x64x?xf32>, tensor<1x2x64x?xf32> -> tensor<1x2x64x?xf32>
      return %o : tensor<1x2x64x?xf32>
    })mlir";
  auto call = [&](const Kernel &kernel) {
    std::vector<TensorView> views;
    for (uintptr_t i = 1; i <= 4; ++i)
      views.emplace_back(reinterpret_cast<void *>(i << 20),
                         reference::DType::F32,
                         llvm::ArrayRef<int64_t>{1, 2, 64, 32});
    EXPECT_EQ(llvm::toString(kernel.launch(llvm::ArrayRef(views).drop_back(),
                                           llvm::ArrayRef(views).take_back(),
                                           nullptr)),
              "");
  };
  // Four memrefs of rank 4: address, offset, sizes, strides.
  driver.kernels["attention_kernel"].parameterBytes =
      std::vector<size_t>(4 * 10, 8);
  call(compileAnew(attention));
  EXPECT_EQ(files().size(), 2u);
  Kernel second = compileAnew(attention);
  EXPECT_EQ(stepsOf(second), Steps{"read"});
  call(second);
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(driver.calls["cuModuleLoadDataEx"], 2);
  EXPECT_EQ(second.cacheProblems(), "");
}

/// What code asks of results is kept with it, and also where the code is for no
/// call.
TEST_F(DeviceCacheDirTest, WhatIsAskedOfResultsIsKept) {
  struct Case {
    const char *text, *kernel;
    size_t words, files;
    int64_t columns;
    Steps steps;
  };
  for (const Case &one : {Case{R"mlir(
    func.func @largest(%x: tensor<70x64xbf16>) -> (tensor<70x5xbf16>, tensor<70x5xi64>) {
      %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<70x64xbf16> -> tensor<70x5xbf16>, tensor<70x5xi64>
      return %p, %i : tensor<70x5xbf16>, tensor<70x5xi64>
    })mlir",
                               "largest_kernel", 18, 2, 5, readForDevice},
                          Case{R"mlir(
    func.func @narrowed(%x: tensor<70x100xf32>) -> tensor<70x100xbf16> {
      %y = smx.softmax %x axis(1) : tensor<70x100xf32> -> tensor<70x100xbf16>
      return %y : tensor<70x100xbf16>
    })mlir",
                               "narrowed_kernel",
                               12,
                               3,
                               100,
                               {"read", "read code", "read code", "load"}}}) {
    SCOPED_TRACE(one.kernel);
    fs::remove_directories(folder);
    driver.calls.clear();
    driver.kernels[one.kernel].parameterBytes =
        std::vector<size_t>(one.words, 8);
    auto call = [&](const Kernel &kernel, int64_t stride) {
      std::vector<TensorView> views;
      auto add = [&](const TensorSpec &spec) {
        const uintptr_t address = (views.size() + 1) << 20;
        views.emplace_back(reinterpret_cast<void *>(address), spec.dtype,
                           spec.sizes);
      };
      add(kernel.inputs().front());
      for (const TensorSpec &spec : kernel.outputs()) {
        add(spec);
        views.back().strides[0] = stride;
      }
      EXPECT_EQ(llvm::toString(kernel.launch(llvm::ArrayRef(views).take_front(),
                                             llvm::ArrayRef(views).drop_front(),
                                             nullptr)),
                "");
    };
    Kernel first = compileAnew(one.text);
    call(first, one.columns);
    EXPECT_EQ(files().size(), one.files);
    Kernel second = compileAnew(one.text);
    EXPECT_EQ(stepsOf(second), one.steps);
    call(second, one.columns);
    EXPECT_EQ(files().size(), one.files);
    EXPECT_EQ(driver.calls["cuModuleLoadDataEx"], 2);
    // Of code that there was only a plan of, the rest is made and kept.
    call(second, 104);
    EXPECT_EQ(files().size(), one.files);
    Kernel third = compileAnew(one.text);
    call(third, 104);
    EXPECT_EQ(stepsOf(third), one.steps);
    EXPECT_EQ(files().size(), one.files);
    EXPECT_EQ(third.cacheProblems(), "");
  }
}
