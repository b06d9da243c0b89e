//===- KernelTest.cpp - calls of compiled kernels -------------------------===//

#include "Modules.h"

#include "smx/Runtime/Kernel.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace smx;

static Kernel compileOrDie(llvm::StringRef text) {
  return llvm::cantFail(compile(text));
}

static std::vector<float> makeRamp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i % 13) - 6.0f;
  return values;
}

TEST(Kernel, DescribesItself) {
  Kernel kernel = compileOrDie(scaleModule);
  EXPECT_EQ(kernel.name(), "scale");
  ASSERT_EQ(kernel.inputs().size(), 2u);
  EXPECT_TRUE(kernel.inputs()[0].isTensor);
  EXPECT_FALSE(kernel.inputs()[1].isTensor);
  ASSERT_EQ(kernel.outputs().size(), 2u);
  EXPECT_EQ(kernel.outputs()[0].sizes[0], -1);
  EXPECT_EQ(kernel.outputs()[0].sizes[1], 8);
  EXPECT_FALSE(kernel.timing().empty());
}

TEST(Kernel, ThatWasMovedFromFails) {
  Kernel kernel = compileOrDie(softmaxModule), moved = std::move(kernel);
  std::vector<float> x = makeRamp(100), y(100);
  std::string error = llvm::toString(
      kernel.run({{x.data(), {1, 100}}}, {{y.data(), {1, 100}}}));
  EXPECT_EQ(error.find("the kernel has been moved from"), 0u) << error;
  EXPECT_FALSE(llvm::toString(kernel.outputSizes({}).takeError()).empty());
  EXPECT_EQ(kernel.name(), "");
  EXPECT_TRUE(kernel.inputs().empty() && kernel.outputs().empty() &&
              kernel.timing().empty() && kernel.cacheProblems().empty());
  EXPECT_FALSE(moved({{x.data(), {1, 100}}}, {{y.data(), {1, 100}}}));
}

TEST(Kernel, RowsOfSoftmaxSumToOne) {
  Kernel kernel = compileOrDie(softmaxModule);
  for (int64_t rows : {1, 2, 7, 64, 129}) {
    std::vector<float> x = makeRamp(rows * 100), y(x.size());
    ASSERT_FALSE(kernel({{x.data(), {rows, 100}}}, {{y.data(), {rows, 100}}}));
    for (int64_t row = 0; row < rows; ++row)
      EXPECT_NEAR(std::accumulate(&y[row * 100], &y[row * 100] + 100, 0.0), 1.0,
                  1e-5);
  }
}

/// Column-major tensors, rows that run backwards and repeated ones: as if they
/// were copied into row-major order.
TEST(Kernel, TakesAnyInnermostStride) {
  constexpr int64_t rows = 3, columns = 8;
  float scale = 2.5f;
  for (mlir::smx::Target target :
       {mlir::smx::Target::Cpu, mlir::smx::Target::Emulator}) {
    CompileOptions options;
    options.road.target = target;
    Kernel kernel = llvm::cantFail(compile(scaleModule, options));
    for (auto [first, step] : {std::pair<int64_t, int64_t>{0, rows},
                               {rows * (columns - 1), -rows},
                               {0, 0}}) {
      std::vector<float> x = makeRamp(rows * columns), y(x.size(), -1), sums(3);
      TensorView in(x.data() + first, reference::DType::F32, {rows, columns},
                    {1, step}),
          out(y.data(), reference::DType::F32, {rows, columns}, {1, rows});
      ASSERT_FALSE(kernel({in, {&scale, {}}}, {out, {sums.data(), {rows}}}));
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          EXPECT_EQ(y[row + column * rows],
                    scale * x[first + row + column * step]);
    }
  }
}

/// Where the module says that a tensor is made of an input, in place as it
/// were.
TEST(Kernel, InputsStayAsTheyAre) {
  for (mlir::smx::Target target :
       {mlir::smx::Target::Cpu, mlir::smx::Target::Emulator}) {
    CompileOptions options;
    options.road.target = target;
    Kernel kernel = llvm::cantFail(compile(R"mlir(
      func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
        %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                             iterator_types = ["parallel", "parallel"]}
            outs(%x : tensor<4x8xf32>) {
        ^bb0(%a: f32):
          %b = arith.addf %a, %a : f32
          linalg.yield %b : f32
        } -> tensor<4x8xf32>
        return %y : tensor<4x8xf32>
      })mlir",
                                           options));
    std::vector<float> x = makeRamp(32), y(32);
    ASSERT_FALSE(kernel({{x.data(), {4, 8}}}, {{y.data(), {4, 8}}}));
    EXPECT_EQ(x, makeRamp(32));
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(y[i], 2 * x[i]);
  }
}

TEST(Kernel, RefusesStridesWhereInputsAreDestinations) {
  Kernel kernel = compileOrDie(R"mlir(
    func.func @f(%x: memref<?x4xf32, strided<[?, ?]>>) {
      return
    })mlir");
  std::vector<float> x(16);
  EXPECT_EQ(
      llvm::toString(kernel(
          {TensorView(x.data(), reference::DType::F32, {4, 4}, {1, 4})}, {})),
      "'f': input 0 has a stride of 4 elements in its innermost "
      "dimension, which must be 1 where a function takes its "
      "destinations; copy it into row-major order");
}

TEST(Kernel, TakesScalarsAndGivesSeveralResults) {
  Kernel kernel = compileOrDie(scaleModule);
  std::vector<float> x = makeRamp(24), y(24), sums(3);
  float scale = 2.5f;
  ASSERT_FALSE(kernel({{x.data(), {3, 8}}, {&scale, {}}},
                      {{y.data(), {3, 8}}, {sums.data(), {3}}}));
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(y[i], scale * x[i]);
  for (size_t row = 0; row < 3; ++row)
    EXPECT_FLOAT_EQ(sums[row],
                    std::accumulate(&y[row * 8], &y[row * 8] + 8, 0.0f));
}

TEST(Kernel, TakesStridedRows) {
  Kernel kernel = compileOrDie(scaleModule);
  std::vector<float> x = makeRamp(3 * 20), y(3 * 11, -1.0f), sums(3);
  float scale = 3;
  using reference::DType;
  ASSERT_FALSE(
      kernel({{x.data(), DType::F32, {3, 8}, {20, 1}}, {&scale, {}}},
             {{y.data(), DType::F32, {3, 8}, {11, 1}}, {sums.data(), {3}}}));
  for (size_t row = 0; row < 3; ++row)
    for (size_t j = 0; j < 11; ++j)
      EXPECT_EQ(y[row * 11 + j], j < 8 ? scale * x[row * 20 + j] : -1.0f);
}

TEST(Kernel, TakesRowsFromTheLastToTheFirst) {
  Kernel kernel = compileOrDie(scaleModule);
  std::vector<float> x = makeRamp(24), y(24), sums(3);
  float scale = 1;
  ASSERT_FALSE(
      kernel({{&x[16], reference::DType::F32, {3, 8}, {-8, 1}}, {&scale, {}}},
             {{y.data(), {3, 8}}, {sums.data(), {3}}}));
  EXPECT_EQ(y[0], x[16]);
  EXPECT_EQ(y[23], x[7]);
}

TEST(Kernel, NoRowsIsSuccess) {
  Kernel kernel = compileOrDie(softmaxModule);
  EXPECT_FALSE(kernel({{static_cast<float *>(nullptr), {0, 100}}},
                      {{static_cast<float *>(nullptr), {0, 100}}}));
}

TEST(Kernel, TellsOutputSizes) {
  Kernel kernel = compileOrDie(scaleModule);
  std::vector<float> x(5 * 8);
  float scale = 1;
  auto sizes =
      llvm::cantFail(kernel.outputSizes({{x.data(), {5, 8}}, {&scale, {}}}));
  EXPECT_EQ(sizes[0][0], 5);
  EXPECT_EQ(sizes[0][1], 8);
  EXPECT_EQ(sizes[1][0], 5);
}

TEST(Kernel, ManyThreadsCallOneKernel) {
  Kernel kernel = compileOrDie(scaleModule);
  std::vector<int> wrong(8, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> x = makeRamp(40), y(40), sums(5);
      float scale = static_cast<float>(t);
      for (int round = 0; round < 100; ++round) {
        if (kernel({{x.data(), {5, 8}}, {&scale, {}}},
                   {{y.data(), {5, 8}}, {sums.data(), {5}}}))
          ++wrong[t];
        for (size_t i = 0; i < x.size(); ++i)
          wrong[t] += y[i] != scale * x[i];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

TEST(Kernel, OutlivesTheCache) {
  Kernel kernel = compileOrDie(softmaxModule);
  clearKernelCache();
  std::vector<float> x = makeRamp(100), y(100);
  ASSERT_FALSE(kernel({{x.data(), {1, 100}}}, {{y.data(), {1, 100}}}));
  EXPECT_NEAR(std::accumulate(y.begin(), y.end(), 0.0), 1.0, 1e-5);
}

TEST(Kernel, RunsOnAsManyThreadsAsAsked) {
  setThreadCount(2);
  EXPECT_EQ(threadCount(), 2);
  setThreadCount(0);
  EXPECT_GE(threadCount(), 1);
}
