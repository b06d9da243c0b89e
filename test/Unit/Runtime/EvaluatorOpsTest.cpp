//===- EvaluatorOpsTest.cpp - scalars, tensors, constants -----------------===//

#include "EvaluatorFixture.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

using smx::reference::Tensor;

namespace {
struct EvaluatorOps : EvaluatorFixture {
  /// The value of one op of `arith` or `math` on scalars.
  double compute(llvm::StringRef op, llvm::ArrayRef<double> operands,
                 llvm::StringRef types, llvm::StringRef argumentType,
                 llvm::StringRef resultType) {
    std::string parameters, names;
    Tensors inputs;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      parameters +=
          llvm::formatv("{0}%a{1}: {2}", i ? ", " : "", i, argumentType).str();
      names += llvm::formatv("{0}%a{1}", i ? ", " : "", i).str();
      inputs.push_back(scalar(operand));
    }
    std::string text =
        llvm::formatv("func.func @f({0}) -> tensor<1x{1}> {{\n"
                      "%0 = {2} {3} : {4}\n"
                      "%1 = tensor.from_elements %0 : tensor<1x{1}>\n"
                      "return %1 : tensor<1x{1}>\n}",
                      parameters, resultType, op, names, types)
            .str();
    Tensors results = run(text, inputs);
    return results.empty() ? std::nan("") : results[0][0];
  }
  double f32(llvm::StringRef op, llvm::ArrayRef<double> operands) {
    return compute(op, operands, "f32", "f32", "f32");
  }
  double i8(llvm::StringRef op, llvm::ArrayRef<double> operands) {
    return compute(op, operands, "i8", "i8", "i8");
  }
  double compareF(llvm::StringRef predicate, double a, double b) {
    return compute(("arith.cmpf " + predicate + ",").str(), {a, b}, "f32",
                   "f32", "i1");
  }
  double compareI(llvm::StringRef predicate, double a, double b) {
    return compute(("arith.cmpi " + predicate + ",").str(), {a, b}, "i8", "i8",
                   "i1");
  }
};
} // namespace

TEST_F(EvaluatorOps, FloatArithmetic) {
  EXPECT_EQ(f32("arith.subf", {1, 4}), -3);
  EXPECT_EQ(f32("arith.divf", {1, 8}), 0.125);
  EXPECT_EQ(f32("arith.negf", {2}), -2);
  EXPECT_EQ(f32("math.exp2", {-3}), 0.125);
  EXPECT_EQ(f32("math.rsqrt", {4}), 0.5);
  EXPECT_EQ(f32("math.fma", {2, 3, 4}), 10);
  EXPECT_EQ(f32("math.roundeven", {2.5}), 2);
  EXPECT_EQ(f32("math.tanh", {0.25}), std::tanh(0.25));
}

TEST_F(EvaluatorOps, MaximaAndNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(f32("arith.maximumf", {1, nan})));
  EXPECT_EQ(f32("arith.maxnumf", {nan, 1}), 1);
  EXPECT_TRUE(std::isnan(f32("arith.minimumf", {nan, 1})));
}

TEST_F(EvaluatorOps, FloatComparisons) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compareF("olt", 1, 2), 1);
  EXPECT_EQ(compareF("olt", 1, nan), 0);
  EXPECT_EQ(compareF("ult", 1, nan), 1);
  EXPECT_EQ(compareF("ult", 2, 1), 0);
  EXPECT_EQ(compareF("oge", 2, 2), 1);
  EXPECT_EQ(compareF("one", 2, nan), 0);
  EXPECT_EQ(compareF("une", 2, nan), 1);
  EXPECT_EQ(compareF("ueq", nan, nan), 1);
  EXPECT_EQ(compareF("uno", 1, 2), 0);
  EXPECT_EQ(compareF("uno", 1, nan), 1);
  EXPECT_EQ(compareF("ord", 1, 2), 1);
}

TEST_F(EvaluatorOps, IntegersWrap) {
  EXPECT_EQ(i8("arith.addi", {127, 1}), -128);
  EXPECT_EQ(i8("arith.muli", {16, 16}), 0);
  EXPECT_EQ(i8("arith.shrui", {-128, 1}), 64);
  EXPECT_EQ(i8("arith.shrsi", {-128, 1}), -64);
  EXPECT_EQ(i8("arith.divui", {-1, 2}), 127);
  EXPECT_EQ(i8("arith.divsi", {-7, 2}), -3);
  EXPECT_EQ(i8("arith.floordivsi", {-7, 2}), -4);
  EXPECT_EQ(i8("arith.ceildivsi", {7, 2}), 4);
  EXPECT_EQ(i8("arith.remsi", {-7, 2}), -1);
  EXPECT_EQ(i8("arith.maxui", {-1, 1}), -1);
  EXPECT_EQ(i8("math.absi", {-7}), 7);
  EXPECT_EQ(i8("math.absi", {-128}), -128);
  EXPECT_EQ(i8("arith.maxsi", {-1, 1}), 1);
}

TEST_F(EvaluatorOps, IntegerComparisons) {
  EXPECT_EQ(compareI("slt", -1, 1), 1);
  EXPECT_EQ(compareI("ult", -1, 1), 0);
  EXPECT_EQ(compareI("sge", 1, 1), 1);
  EXPECT_EQ(compareI("ne", 1, 1), 0);
}

TEST_F(EvaluatorOps, Conversions) {
  EXPECT_EQ(compute("arith.extsi", {1}, "i1 to i8", "i1", "i8"), -1);
  EXPECT_EQ(compute("arith.extui", {1}, "i1 to i8", "i1", "i8"), 1);
  EXPECT_EQ(compute("arith.trunci", {384}, "i32 to i8", "i32", "i8"), -128);
  EXPECT_EQ(compute("arith.sitofp", {-1}, "i8 to f32", "i8", "f32"), -1);
  EXPECT_EQ(compute("arith.uitofp", {-1}, "i8 to f32", "i8", "f32"), 255);
  EXPECT_EQ(compute("arith.uitofp", {1}, "i1 to f32", "i1", "f32"), 1);
  EXPECT_EQ(compute("arith.fptosi", {-2.75}, "f32 to i32", "f32", "i32"), -2);
}

TEST_F(EvaluatorOps, Constants) {
  Tensors results = run(R"mlir(
    func.func @f() -> (tensor<2xf16>, tensor<2xi1>, tensor<2x2xi64>, tensor<2xf32>) {
      %0 = arith.constant dense<[0.5, 0xFC00]> : tensor<2xf16>
      %1 = arith.constant dense<true> : tensor<2xi1>
      %2 = arith.constant dense<[[1, -2], [3, -4]]> : tensor<2x2xi64>
      %3 = arith.constant dense_resource<weights> : tensor<2xf32>
      return %0, %1, %2, %3 : tensor<2xf16>, tensor<2xi1>, tensor<2x2xi64>, tensor<2xf32>
    }
    {-#
      dialect_resources: { builtin: { weights: "0x040000000000C03F000000C0" } }
    #-})mlir",
                        {});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0][0], 0.5);
  EXPECT_EQ(results[0][1], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(results[1].values(), (std::vector<double>{1, 1}));
  EXPECT_EQ(results[2].values(), (std::vector<double>{1, -2, 3, -4}));
  EXPECT_EQ(results[3].values(), (std::vector<double>{1.5, -2}));
}

TEST_F(EvaluatorOps, Slices) {
  Tensors results = run(R"mlir(
    func.func @f(%x: tensor<3x4xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<3x4xf32>) {
      %0 = tensor.extract_slice %x[1, 0] [1, 2] [1, 2] : tensor<3x4xf32> to tensor<2xf32>
      %1 = tensor.insert_slice %y into %x[0, 3] [2, 1] [2, 1] : tensor<2xf32> into tensor<3x4xf32>
      return %0, %1 : tensor<2xf32>, tensor<3x4xf32>
    })mlir",
                        {Tensor({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                         Tensor({2}, {-1, -2})});
  EXPECT_EQ(results[0].values(), (std::vector<double>{4, 6}));
  EXPECT_EQ(results[1].values(),
            (std::vector<double>{0, 1, 2, -1, 4, 5, 6, 7, 8, 9, 10, -2}));
}

TEST_F(EvaluatorOps, SliceOutside) {
  EXPECT_EQ(
      errorOf(
          R"mlir(func.func @f(%x: tensor<4xf32>, %i: index) -> tensor<2xf32> {
    %0 = tensor.extract_slice %x[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir",
          {Tensor({4}), scalar(3)}),
      "f.mlir:2:10: 'tensor.extract_slice' reads outside of its source");
}

TEST_F(EvaluatorOps, Shapes) {
  Tensors results = run(R"mlir(
    func.func @f(%x: tensor<?x6xf32>) -> (tensor<?x2x3xf32>, tensor<?xf32>, tensor<1xindex>) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x6xf32>
      %0 = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
      %1 = tensor.collapse_shape %x [[0, 1]] : tensor<?x6xf32> into tensor<?xf32>
      %2 = tensor.from_elements %n : tensor<1xindex>
      return %0, %1, %2 : tensor<?x2x3xf32>, tensor<?xf32>, tensor<1xindex>
    })mlir",
                        {Tensor({5, 6})});
  EXPECT_EQ(results[0].shape(), (smx::reference::Shape{5, 2, 3}));
  EXPECT_EQ(results[1].shape(), (smx::reference::Shape{30}));
  EXPECT_EQ(results[2][0], 5);
}

TEST_F(EvaluatorOps, PadGenerateConcat) {
  Tensors results = run(R"mlir(
    func.func @f(%x: tensor<2xf32>) -> (tensor<5xf32>, tensor<3xindex>, tensor<4xf32>) {
      %v = arith.constant 9.0 : f32
      %0 = tensor.pad %x low[1] high[2] {
      ^bb0(%i: index):
        tensor.yield %v : f32
      } : tensor<2xf32> to tensor<5xf32>
      %1 = tensor.generate {
      ^bb0(%i: index):
        %d = arith.muli %i, %i : index
        tensor.yield %d : index
      } : tensor<3xindex>
      %2 = tensor.concat dim(0) %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
      return %0, %1, %2 : tensor<5xf32>, tensor<3xindex>, tensor<4xf32>
    })mlir",
                        {Tensor({2}, {1, 2})});
  EXPECT_EQ(results[0].values(), (std::vector<double>{9, 1, 2, 9, 9}));
  EXPECT_EQ(results[1].values(), (std::vector<double>{0, 1, 4}));
  EXPECT_EQ(results[2].values(), (std::vector<double>{1, 2, 1, 2}));
}

static const char *pagesText = R"mlir(
  func.func @f(%p: tensor<3x2x1x1xf32>, %t: tensor<2x2xi32>, %n: tensor<2xi32>) -> tensor<2x1x4x1xf32> {
    %0 = smx.paged %p by(%t, %n : tensor<2x2xi32>, tensor<2xi32>) : tensor<3x2x1x1xf32> -> tensor<2x1x4x1xf32>
    return %0 : tensor<2x1x4x1xf32>
  })mlir";

TEST_F(EvaluatorOps, PagesUpToTheLength) {
  Tensor pages({3, 2, 1, 1}, {0, 1, 2, 3, 4, 5});
  // Entries behind the length are no pages.
  Tensors results = run(
      pagesText, {pages, Tensor({2, 2}, {2, 0, 1, -9}), Tensor({2}, {3, 2})});
  for (auto [at, expected] : {std::pair{0, 4}, {1, 5}, {2, 0}, {4, 2}, {5, 3}})
    EXPECT_EQ(results[0][at], expected) << at;
  for (int64_t at : {3, 6, 7})
    EXPECT_TRUE(std::isnan(results[0][at])) << at;
}

TEST_F(EvaluatorOps, PagesThatAreNone) {
  Tensor pages({3, 2, 1, 1});
  for (auto [number, text] :
       {std::pair{3.0, "page 3"}, std::pair{-1.0, "page -1"}})
    EXPECT_EQ(errorOf(pagesText, {pages, Tensor({2, 2}, {2, 0, 1, number}),
                                  Tensor({2}, {3, 3})}),
              std::string("f.mlir:3:10: 'smx.paged' gets ") + text +
                  " at entry 1 of batch 1, but there are 3 pages");
  EXPECT_EQ(errorOf(pagesText, {pages, Tensor({2, 2}), Tensor({2}, {3, 5})}),
            "f.mlir:3:10: 'smx.paged' gets a length of 5 for batch 1, whose "
            "pages have 4 keys");
}

TEST_F(EvaluatorOps, ArithmeticOnTensors) {
  Tensors results = run(R"mlir(
    func.func @f(%x: tensor<2xf32>, %c: i1) -> (tensor<2xf32>, tensor<2xi1>) {
      %0 = arith.addf %x, %x : tensor<2xf32>
      %1 = arith.cmpf ogt, %0, %x : tensor<2xf32>
      %2 = arith.select %1, %0, %x : tensor<2xi1>, tensor<2xf32>
      return %2, %1 : tensor<2xf32>, tensor<2xi1>
    })mlir",
                        {Tensor({2}, {1, -1}), scalar(1)});
  EXPECT_EQ(results[0].values(), (std::vector<double>{2, -1}));
  EXPECT_EQ(results[1].values(), (std::vector<double>{1, 0}));
}
