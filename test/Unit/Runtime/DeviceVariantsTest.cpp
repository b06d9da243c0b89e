//===- DeviceVariantsTest.cpp - code made for facts of a call -------------===//

#include "Modules.h"

#include "Runtime/DeviceVariants.h"
#include "smx/Runtime/Kernel.h"

#include <array>
#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace smx;
using reference::DType;

static TensorView viewAt(uintptr_t address, llvm::ArrayRef<int64_t> sizes,
                         llvm::ArrayRef<int64_t> strides,
                         DType dtype = DType::F32) {
  return {reinterpret_cast<void *>(address), dtype, sizes, strides};
}

TEST(AlignmentOf, IsWhatAddressesAndStridesShare) {
  EXPECT_EQ(alignmentOf({viewAt(256, {4, 8}, {8, 1})}, 16), 16);
  EXPECT_EQ(alignmentOf({viewAt(256, {4, 8}, {10, 1})}, 16), 8);
  EXPECT_EQ(alignmentOf({viewAt(256, {4, 8}, {9, 1})}, 16), 4);
  EXPECT_EQ(alignmentOf({viewAt(264, {4, 8}, {8, 1})}, 16), 8);
  EXPECT_EQ(alignmentOf({viewAt(258, {4, 8}, {8, 1}, DType::F16)}, 16), 0);
  EXPECT_EQ(
      alignmentOf({viewAt(256, {4, 8}, {8, 1}), viewAt(256, {4, 8}, {10, 1})},
                  16),
      8);
  // No more than was asked for.
  EXPECT_EQ(alignmentOf({viewAt(256, {4, 8}, {8, 1})}, 8), 8);
  EXPECT_EQ(alignmentOf({viewAt(256, {4, 8}, {8, 1})}, 1), 0);
}

TEST(AlignmentOf, WhatIsNotReadDoesNotCount) {
  EXPECT_EQ(alignmentOf({viewAt(0, {0, 8}, {9, 1})}, 16), 16);
  EXPECT_EQ(alignmentOf({viewAt(257, {4, 0}, {9, 1})}, 16), 16);
  EXPECT_EQ(alignmentOf({viewAt(260, {}, {})}, 16), 16);
  EXPECT_EQ(alignmentOf({viewAt(256, {1, 8}, {9, 1})}, 16), 16);
}

namespace {
/// Counts what it is asked to compile.
struct Counted {
  DeviceVariants make(std::vector<mlir::smx::gpu::ArgumentExtent> extents) {
    return {std::move(extents), 16, most,
            [this](const VariantFacts &facts,
                   DeviceVariants::Fits fits) -> llvm::Expected<Variant> {
              ++compiled;
              std::this_thread::sleep_for(std::chrono::milliseconds(20));
              if (facts.sizes == llvm::ArrayRef<int64_t>({13}))
                return llvm::createStringError("no kernel of 13");
              Variant variant{
                  facts.alignment ? aligned : std::vector<unsigned>(), nullptr};
              if (fits(variant.aligned))
                variant.code = llvm::cantFail(DeviceCode::create({}, nullptr));
              codes += variant.code != nullptr;
              return variant;
            }};
  }
  static constexpr int most = 3;
  /// What it asks for the alignment of.
  std::vector<unsigned> aligned;
  std::atomic<int> compiled = 0, codes = 0;
};
} // namespace

TEST(DeviceVariants, ThirtyTwoThreadsCompileOnce) {
  Counted counted;
  DeviceVariants variants = counted.make({{0, 1}});
  std::vector<DeviceVariants::CodePtr> codes(32);
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&, i] {
      codes[i] = llvm::cantFail(
          variants.get({viewAt(256, {i, 64 + i % 2 * 64}, {128, 1})}, 1));
    });
  for (std::thread &thread : threads)
    thread.join();
  // Rows are no fact, head dims are.
  EXPECT_EQ(counted.compiled, 2);
  EXPECT_EQ(variants.count(), 2u);
  EXPECT_EQ(codes[0], codes[30]);
  EXPECT_NE(codes[0], codes[1]);
}

/// Rows of ever new lengths do not wait for a compiler every time.
TEST(DeviceVariants, ManySizesShareCodeThatLeavesThemOpen) {
  Counted counted;
  DeviceVariants variants = counted.make({{0, 0}, {0, 1, /*isNeeded=*/false}});
  auto call = [&](int64_t headDim, int64_t length) {
    return llvm::cantFail(
        variants.get({viewAt(256, {headDim, length}, {1024, 1})}, 1));
  };
  constexpr int most = Counted::most;
  auto first = call(64, 100);
  for (int i = 1; i < most; ++i)
    call(64, 100 + i);
  EXPECT_EQ(counted.compiled, most);
  auto shared = call(64, 200);
  EXPECT_EQ(call(64, 201), shared);
  EXPECT_EQ(call(64, 100), first);
  EXPECT_EQ(counted.compiled, most + 1);
  // What is needed has to be known all the same.
  EXPECT_NE(call(32, 201), shared);
  EXPECT_EQ(counted.compiled, most + 2);
}

TEST(DeviceVariants, FailuresAreToldAndNotKept) {
  Counted counted;
  DeviceVariants variants = counted.make({{0, 1}});
  for (int i : {1, 2}) {
    auto code = variants.get({viewAt(256, {4, 13}, {16, 1})}, 1);
    ASSERT_FALSE(code);
    EXPECT_EQ(llvm::toString(code.takeError()), "no kernel of 13");
    EXPECT_EQ(counted.compiled, i);
  }
}

namespace {
struct AlignedVariants : testing::Test {
  /// The code for an input and two outputs with rows at multiples of these
  /// bytes.
  DeviceVariants::CodePtr call(std::array<int64_t, 3> aligned) {
    std::vector<TensorView> views;
    for (int64_t bytes : aligned)
      views.push_back(viewAt(256, {4, 4}, {64 + bytes / 4, 1}));
    return llvm::cantFail(variants.get(views, 1));
  }
  Counted counted;
  DeviceVariants variants = counted.make({});
};
} // namespace

TEST_F(AlignedVariants, ResultsCountIfTheCodeAsksThatOfThem) {
  counted.aligned = {0, 2};
  auto fast = call({16, 16, 16});
  EXPECT_EQ(call({16, 4, 16}), fast);
  EXPECT_EQ(counted.compiled, 1);
  auto slower = call({16, 4, 8});
  EXPECT_NE(slower, fast);
  EXPECT_EQ(counted.compiled, 2);
  EXPECT_EQ(call({8, 4, 16}), slower);
  EXPECT_EQ(call({8, 16, 8}), slower);
  EXPECT_EQ(counted.compiled, 2);
}

TEST_F(AlignedVariants, WhatFitsNoCallIsNotMadeToTheEnd) {
  counted.aligned = {0, 1};
  auto slow = call({16, 4, 4});
  EXPECT_NE(slow, nullptr);
  EXPECT_EQ(counted.compiled, 2);
  EXPECT_EQ(counted.codes, 1);
  // Once it is known what the code asks for, nobody looks again.
  EXPECT_EQ(call({16, 4, 16}), slow);
  EXPECT_EQ(counted.compiled, 2);
  auto fast = call({16, 16, 4});
  EXPECT_NE(fast, nullptr);
  EXPECT_EQ(counted.codes, 2);
  EXPECT_EQ(call({16, 16, 16}), fast);
  EXPECT_EQ(counted.compiled, 3);
  EXPECT_EQ(variants.count(), 2u);
}

//===----------------------------------------------------------------------===//
// On the emulator
//===----------------------------------------------------------------------===//

static Kernel compileForEmulator(llvm::StringRef text) {
  CompileOptions options;
  options.road.target = mlir::smx::Target::Emulator;
  return llvm::cantFail(compile(text, options));
}

/// Largest difference of rows of `y` from softmax of those of `x`.
static double errorOf(const float *x, const float *y, int64_t rows,
                      int64_t length, int64_t stride) {
  double worst = 0;
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t j = 0; j < length; ++j)
      sum += std::exp(double(x[r * stride + j]));
    for (int64_t j = 0; j < length; ++j)
      worst =
          std::max(worst, std::abs(y[r * stride + j] -
                                   std::exp(double(x[r * stride + j])) / sum));
  }
  return worst;
}

TEST(Emulator, TakesRowsOfAnyLength) {
  Kernel kernel = compileForEmulator(R"mlir(
    func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %y = smx.softmax %x axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    })mlir");
  std::mt19937 random(7);
  std::vector<float> x(30000), y(30000);
  for (float &value : x)
    value = float(random() % 1000) / 250;
  for (int64_t length :
       {1, 2, 3, 30, 31, 100, 1000, 1001, 1, 2, 0, 7, 64, 999, 4096, 9000}) {
    std::fill(y.begin(), y.end(), -1.0f);
    ASSERT_EQ(llvm::toString(
                  kernel({{x.data(), DType::F32, {3, length}, {length, 1}}},
                         {{y.data(), DType::F32, {3, length}, {length, 1}}})),
              "");
    EXPECT_LT(errorOf(x.data(), y.data(), 3, length, length), 1e-6) << length;
  }
}

TEST(Emulator, TakesAnyLegalTensor) {
  Kernel kernel = compileForEmulator(softmaxModule);
  std::mt19937 random(7);
  alignas(64) float x[2048], y[2048];
  for (float &value : x)
    value = float(random() % 1000) / 250;
  // Aligned; a view that starts anywhere; rows that start anywhere; rows from
  // the last one to the first.
  for (auto [start, stride] : {std::pair(0, 100),
                               {1, 104},
                               {0, 101},
                               {3, 103},
                               {624, -104},
                               {607, -101}}) {
    std::fill(std::begin(y), std::end(y), -1.0f);
    ASSERT_EQ(llvm::toString(
                  kernel({{x + start, DType::F32, {7, 100}, {stride, 1}}},
                         {{y + start, DType::F32, {7, 100}, {stride, 1}}})),
              "");
    EXPECT_LT(errorOf(x + start, y + start, 7, 100, stride), 1e-6);
  }
  // Nothing is read of what has no elements.
  EXPECT_EQ(llvm::toString(kernel({{static_cast<float *>(nullptr), {0, 100}}},
                                  {{static_cast<float *>(nullptr), {0, 100}}})),
            "");
}

/// Five of 64 columns take 10 and 40 bytes of each row.
static constexpr char largestOfShortRows[] = R"mlir(
func.func @largest(%x: tensor<7x64xbf16>) -> (tensor<7x5xbf16>, tensor<7x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<7x64xbf16> -> tensor<7x5xbf16>, tensor<7x5xi64>
  return %p, %i : tensor<7x5xbf16>, tensor<7x5xi64>
})mlir";

TEST(Emulator, ReadsInWideAccessesWhateverIsWrittenInSingleOnes) {
  CompileOptions options;
  options.road.target = mlir::smx::Target::Emulator;
  std::vector<std::string> kernels;
  options.onText = [&](llvm::StringRef stage, llvm::StringRef text) {
    if (stage == "gpu")
      kernels.push_back(text.str());
  };
  Kernel kernel = llvm::cantFail(compile(largestOfShortRows, options));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_NE(kernels[0].find("{aligned = 16 : i64} : memref<7x64xbf16"),
            std::string::npos)
      << kernels[0];
  std::vector<uint16_t> x(7 * 64), p(7 * 6 + 1);
  for (size_t i = 0; i < x.size(); ++i) // From 1 to 2, all different in a row.
    x[i] = 0x3f80 + i * 29 % 64;
  // Without gaps, and from any element on.
  for (auto [start, stride] : {std::pair(0, 5), {1, 6}}) {
    std::vector<int64_t> places(7 * 6, -1);
    ASSERT_EQ(llvm::toString(
                  kernel({{x.data(), DType::BF16, {7, 64}}},
                         {{p.data() + start, DType::BF16, {7, 5}, {stride, 1}},
                          {places.data(), DType::I64, {7, 5}, {stride, 1}}})),
              "");
    for (int64_t row = 0; row < 7; ++row)
      for (int64_t k = 0; k < 5; ++k)
        EXPECT_EQ(x[row * 64 + places[row * stride + k]], 0x3f80 + 63 - k);
  }
}

TEST(Emulator, TakesResultsThatAreLessAlignedThanInputs) {
  Kernel kernel = compileForEmulator(softmaxModule);
  alignas(64) float x[1024], y[1024];
  for (size_t i = 0; i < 1024; ++i)
    x[i] = float(i * 37 % 101) / 25;
  for (auto [start, stride] :
       {std::pair(0, 101), {1, 104}, {2, 102}, {0, 100}}) {
    std::fill(std::begin(y), std::end(y), -1.0f);
    ASSERT_EQ(llvm::toString(
                  kernel({{x, DType::F32, {7, 100}, {100, 1}}},
                         {{y + start, DType::F32, {7, 100}, {stride, 1}}})),
              "");
    for (int64_t r = 0; r < 7; ++r)
      EXPECT_LT(errorOf(x + r * 100, y + start + r * stride, 1, 100, 100),
                1e-6);
  }
}

static constexpr char openAttention[] = R"mlir(
func.func @attention(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %o : tensor<?x?x?xf32>
})mlir";

TEST(Emulator, OpenHeadDimsAreMadeForAtTheFirstCall) {
  Kernel kernel = compileForEmulator(openAttention);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&, i] {
      const int64_t dim = 8 << i % 3, keys = 5 + i, queries = 1 + i % 4;
      std::vector<float> q(queries * dim), k(keys * dim), v(keys * dim, 2.0f),
          out(queries * dim);
      for (size_t at = 0; at < k.size(); ++at)
        k[at] = float(at % 7) - 3;
      llvm::Error error = kernel({{q.data(), {1, queries, dim}},
                                  {k.data(), {1, keys, dim}},
                                  {v.data(), {1, keys, dim}}},
                                 {{out.data(), {1, queries, dim}}});
      const bool failed = bool(error);
      llvm::consumeError(std::move(error));
      // An average of equal values.
      wrong += failed || llvm::any_of(out, [](float x) {
                 return std::abs(x - 2.0f) > 1e-5f;
               });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

static constexpr char scaled[] = R"mlir(
#all = affine_map<(i, j) -> (i, j)>
func.func @scale(%x: tensor<3x8xf32>, %scale: f32) -> tensor<3x8xf32> {
  %e = tensor.empty() : tensor<3x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x8xf32>) outs(%e : tensor<3x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
})mlir";

TEST(Emulator, TakesScalars) {
  Kernel kernel = compileForEmulator(scaled);
  std::vector<float> x(24, 2.0f), y(24);
  float scale = 2.5f;
  ASSERT_EQ(llvm::toString(kernel({{x.data(), {3, 8}}, {&scale, {}}},
                                  {{y.data(), {3, 8}}})),
            "");
  EXPECT_EQ(y[23], 5.0f);
}
