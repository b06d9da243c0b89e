//===- EvaluatorTest.cpp - structured ops, calls, errors ------------------===//

#include "EvaluatorFixture.h"
#include "Modules.h"

#include "smx/Reference/Attention.h"
#include "smx/Reference/Generators.h"
#include "smx/Reference/Softmax.h"

#include <chrono>
#include <cmath>

using namespace smx;
using reference::Tensor;

namespace {
struct Evaluator : EvaluatorFixture {};
} // namespace

static Tensor normal(const reference::Shape &shape, uint64_t seed) {
  reference::GeneratorOptions options;
  options.seed = seed;
  return *reference::generate("normal", shape, options);
}

TEST_F(Evaluator, ScaleAndRowSums) {
  Tensor x({2, 8});
  for (int64_t i = 0; i < 16; ++i)
    x[i] = static_cast<double>(i);
  Tensors results = run(scaleModule, {x, scalar(0.5)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0][15], 7.5);
  EXPECT_EQ(results[1].values(), (std::vector<double>{14, 46}));
}

TEST_F(Evaluator, SoftmaxIsTheReference) {
  Tensor x = normal({3, 100}, 1);
  EXPECT_EQ(run(softmaxModule, {x})[0].values(),
            reference::softmax(x).values());
}

TEST_F(Evaluator, NamedProduct) {
  Tensors results =
      run(R"mlir(
    func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>)
                         outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    })mlir",
          {Tensor({2, 3}, {1, 2, 3, 4, 5, 6}),
           Tensor({3, 2}, {1, 2, 3, 4, 5, 6}), Tensor({2, 2}, {100, 0, 0, 0})});
  EXPECT_EQ(results[0].values(), (std::vector<double>{122, 28, 49, 64}));
}

TEST_F(Evaluator, ReductionOverAllIsOneLane) {
  Tensors results = run(R"mlir(
    func.func @f(%a: tensor<4xf64>, %c: tensor<f64>) -> tensor<f64> {
      %0 = linalg.dot ins(%a, %a : tensor<4xf64>, tensor<4xf64>)
                      outs(%c : tensor<f64>) -> tensor<f64>
      return %0 : tensor<f64>
    })mlir",
                        {Tensor({4}, {1, 2, 3, 4}), scalar(0)});
  EXPECT_EQ(results[0][0], 30);
}

TEST_F(Evaluator, IndexAndCapturedTensor) {
  // result[i] = table[2 - i] + i
  Tensors results = run(R"mlir(
    func.func @f(%table: tensor<3xf32>) -> tensor<3xf32> {
      %c2 = arith.constant 2 : index
      %e = tensor.empty() : tensor<3xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%e : tensor<3xf32>) {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %j = arith.subi %c2, %i : index
        %t = tensor.extract %table[%j] : tensor<3xf32>
        %n = arith.index_cast %i : index to i32
        %x = arith.sitofp %n : i32 to f32
        %y = arith.addf %t, %x : f32
        linalg.yield %y : f32
      } -> tensor<3xf32>
      return %0 : tensor<3xf32>
    })mlir",
                        {Tensor({3}, {10, 20, 30})});
  EXPECT_EQ(results[0].values(), (std::vector<double>{30, 21, 12}));
}

TEST_F(Evaluator, UnwrittenMemoryIsNaN) {
  Tensors results = run("func.func @f() -> tensor<1xf32> {\n"
                        "  %0 = tensor.empty() : tensor<1xf32>\n"
                        "  return %0 : tensor<1xf32>\n}",
                        {});
  EXPECT_TRUE(std::isnan(results[0][0]));
}

TEST_F(Evaluator, RoundsOnlyWhenAsked) {
  constexpr char text[] = R"mlir(
    func.func @f(%x: f32) -> tensor<1xf32> {
      %0 = arith.truncf %x : f32 to bf16
      %1 = arith.extf %0 : bf16 to f32
      %2 = tensor.from_elements %1 : tensor<1xf32>
      return %2 : tensor<1xf32>
    })mlir";
  EXPECT_EQ(run(text, {scalar(1.01)})[0][0], 1.01);
  EXPECT_EQ(run(text, {scalar(1.01)}, mlir::smx::Rounding::AsTyped)[0][0],
            1.0078125);
}

TEST_F(Evaluator, RoundsASoftmaxWhenAsked) {
  constexpr char text[] = R"mlir(
    func.func @f(%x: tensor<3xbf16>) -> tensor<3xbf16> {
      %0 = tensor.empty() : tensor<3xbf16>
      %1 = linalg.softmax dimension(0) ins(%x : tensor<3xbf16>) outs(%0 : tensor<3xbf16>) -> tensor<3xbf16>
      return %1 : tensor<3xbf16>
    })mlir";
  Tensor x({3}, {1, 1, 1});
  EXPECT_EQ(run(text, {x})[0][0], 1.0 / 3);
  EXPECT_EQ(run(text, {x}, mlir::smx::Rounding::AsTyped)[0][0], 0.333984375);
}

TEST_F(Evaluator, AttentionWithRegions) {
  constexpr char text[] = R"mlir(
    func.func @f(%q: tensor<2x5x4xf32>, %k: tensor<1x7x4xf32>, %v: tensor<1x7x3xf32>,
                 %bias: tensor<2x5x7xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>) {
      %c5 = arith.constant 5 : index
      %o, %lse = smx.attention %q, %k, %v scale(5.0e-01) mask(#smx.band<bottom_right, right = 0>)
          score {
          ^bb0(%s: f32, %h: index, %i: index, %j: index):
            %b = tensor.extract %bias[%h, %i, %j] : tensor<2x5x7xf32>
            %t = arith.addf %s, %b : f32
            smx.yield %t : f32
          } visible {
          ^bb0(%h: index, %i: index, %j: index):
            %w = arith.cmpi ne, %j, %c5 : index
            smx.yield %w : i1
          } : tensor<2x5x4xf32>, tensor<1x7x4xf32>, tensor<1x7x3xf32>
            -> tensor<2x5x3xf32>, tensor<2x5xf32>
      return %o, %lse : tensor<2x5x3xf32>, tensor<2x5xf32>
    })mlir";
  Tensor q = normal({2, 5, 4}, 1), k = normal({1, 7, 4}, 2),
         v = normal({1, 7, 3}, 3), bias = normal({2, 5, 7}, 4);
  reference::AttentionOptions options;
  options.scale = 0.5;
  options.band = reference::Band::causal(reference::BandAnchor::BottomRight);
  options.mask = [](int64_t, int64_t, int64_t, int64_t j) { return j != 5; };
  options.bias = &bias;
  reference::AttentionResult expected = reference::attention(q, k, v, options);
  Tensors results = run(text, {q, k, v, bias});
  ASSERT_EQ(results.size(), 2u);
  for (int64_t i = 0; i < expected.out.size(); ++i)
    EXPECT_NEAR(results[0][i], expected.out[i], 1e-12);
  for (int64_t i = 0; i < expected.logSumExp.size(); ++i)
    EXPECT_NEAR(results[1][i], expected.logSumExp[i], 1e-12);
}

TEST_F(Evaluator, CallsLoopsAndBranches) {
  Tensors results = run(R"mlir(
    func.func @f(%n: index) -> tensor<1xf64> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %zero = arith.constant 0.0 : f64
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f64 {
        %big = arith.cmpi sge, %i, %c3 : index
        %t = scf.if %big -> f64 {
          %x = func.call @g(%s) : (f64) -> f64
          scf.yield %x : f64
        } else {
          scf.yield %s : f64
        }
        scf.yield %t : f64
      }
      %r = tensor.from_elements %sum : tensor<1xf64>
      return %r : tensor<1xf64>
    }
    func.func private @g(%x: f64) -> f64 {
      %one = arith.constant 1.0 : f64
      %y = arith.addf %x, %one : f64
      return %y : f64
    })mlir",
                        {scalar(10)});
  EXPECT_EQ(results[0][0], 7);
}

TEST_F(Evaluator, UnknownOpIsLocated) {
  EXPECT_EQ(errorOf("func.func @f(%x: tensor<2xf32>) -> memref<2xf32> {\n"
                    "  %0 = bufferization.to_buffer %x : tensor<2xf32> to "
                    "memref<2xf32>\n"
                    "  return %0 : memref<2xf32>\n}",
                    {Tensor({2})}),
            "f.mlir:2:8: 'bufferization.to_buffer' is not supported by the "
            "evaluator");
}

TEST_F(Evaluator, FalseAssertionIsAnError) {
  EXPECT_EQ(errorOf("func.func @f(%x: i1) {\n"
                    "  cf.assert %x, \"same sizes\"\n  return\n}",
                    {scalar(0)}),
            "f.mlir:2:3: 'cf.assert' fails: same sizes");
}

TEST_F(Evaluator, InputsAreChecked) {
  constexpr char text[] = "func.func @f(%x: tensor<2x?xf32>) { return }";
  EXPECT_EQ(errorOf(text, {}), "f.mlir:1:1: 'func.func' takes 1 arguments, but "
                               "there are 0 inputs");
  EXPECT_EQ(errorOf(text, {Tensor({3, 2})}),
            "f.mlir:1:1: 'func.func' takes tensor<2x?xf32> as argument 0, but "
            "the input is 3x2");
}

TEST_F(Evaluator, ProductIsFastEnough) {
  constexpr char text[] = R"mlir(
    func.func @f(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x128xf32>)
                         outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
      return %0 : tensor<128x128xf32>
    })mlir";
  auto start = std::chrono::steady_clock::now();
  run(text, {normal({128, 64}, 1), normal({64, 128}, 2), Tensor({128, 128})});
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_LT(time.count(), 0.5);
}
