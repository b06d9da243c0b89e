//===- ShapeProgramTest.cpp - sizes of results ----------------------------===//

#include "EvaluatorFixture.h"
#include "Modules.h"

#include "smx/Evaluator/ShapeProgram.h"

#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"

using mlir::smx::ShapeProgram;
using smx::reference::Shape;

namespace {
struct ShapeProgramOf : EvaluatorFixture {
  ShapeProgramOf() {
    mlir::DialectRegistry registry;
    mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
    context.appendDialectRegistry(registry);
  }
};
} // namespace

static std::vector<Shape> sizesOf(const ShapeProgram &program,
                                  llvm::ArrayRef<Shape> shapes,
                                  llvm::ArrayRef<int64_t> integers) {
  return llvm::cantFail(program.evaluate(shapes, integers));
}

TEST_F(ShapeProgramOf, StaticResults) {
  ShapeProgram program = ShapeProgram::build(
      parse("func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { return %x "
            ": tensor<2x3xf32> }"));
  EXPECT_EQ(sizesOf(program, {{2, 3}}, {0})[0], (Shape{2, 3}));
}

/// Nothing in the module has loaded the dialect of tensor.dim.
TEST_F(ShapeProgramOf, ResultsThatAreArguments) {
  ShapeProgram program = ShapeProgram::build(
      parse("func.func @f(%x: tensor<?x3xf32>) -> tensor<?x3xf32> { return %x "
            ": tensor<?x3xf32> }"));
  EXPECT_EQ(sizesOf(program, {{2, 3}}, {0})[0], (Shape{2, 3}));
}

TEST_F(ShapeProgramOf, StructuredOps) {
  ShapeProgram program = ShapeProgram::build(parse(scaleModule));
  auto shapes = sizesOf(program, {{17, 8}, {}}, {0, 0});
  EXPECT_EQ(shapes[0], (Shape{17, 8}));
  EXPECT_EQ(shapes[1], (Shape{17}));
}

TEST_F(ShapeProgramOf, Attention) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
      %0 = smx.attention %q, %k, %v scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
      return %0 : tensor<?x?x?xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{4, 5, 8}, {2, 7, 8}, {2, 7, 6}}, {0, 0, 0})[0],
            (Shape{4, 5, 6}));
}

TEST_F(ShapeProgramOf, ReshapesAndArithmetic) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?x?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
      %c3 = arith.constant 3 : index
      %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
      %m = arith.muli %n, %c3 : index
      %1 = tensor.empty(%m) : tensor<?xf32>
      return %0, %1 : tensor<?xf32>, tensor<?xf32>
    })mlir"));
  auto shapes = sizesOf(program, {{4, 5}, {}}, {0, 7});
  EXPECT_EQ(shapes[0], (Shape{20}));
  EXPECT_EQ(shapes[1], (Shape{21}));
}

TEST_F(ShapeProgramOf, SizesThatDependOnElementsStayOpen) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<4xindex>) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.extract %x[%c0] : tensor<4xindex>
      %1 = tensor.empty(%n) : tensor<?x4xf32>
      return %1 : tensor<?x4xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{4}}, {0})[0], (Shape{-1, 4}));
}

TEST_F(ShapeProgramOf, TheFunctionIsLeftAsItIs) {
  mlir::func::FuncOp function = parse(softmaxModule);
  ShapeProgram::build(function);
  EXPECT_EQ(function.getNumResults(), 1u);
  EXPECT_TRUE(mlir::isa<mlir::RankedTensorType>(function.getResultTypes()[0]));
}

TEST_F(ShapeProgramOf, OpenExtentsThatBelongTogether) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x4xf32> {
      %e = tensor.cast %x : tensor<?x?xf32> to tensor<?x4xf32>
      %0 = linalg.broadcast ins(%y : tensor<?xf32>) outs(%e : tensor<?x4xf32>) dimensions = [1]
      return %0 : tensor<?x4xf32>
    })mlir"));
  EXPECT_EQ(program.getConditions().size(), 2u);
  EXPECT_EQ(sizesOf(program, {{3, 4}, {3}}, {0, 0})[0], (Shape{3, 4}));
  EXPECT_EQ(sizesOf(program, {{0, 4}, {0}}, {0, 0})[0], (Shape{0, 4}));
  auto whyNot = [&](Shape x, Shape y) {
    return llvm::toString(program.evaluate({x, y}, {0, 0}).takeError());
  };
  EXPECT_EQ(whyNot({3, 5}, {3}),
            "'tensor.cast': expected dimension 1 to be 4");
  EXPECT_EQ(whyNot({3, 4}, {2}),
            "'linalg.broadcast': expected dimension 0 of operand 0 and "
            "dimension 0 of operand 1 to be the same");
}

/// An op in a loop need not run, and what it expects may change.
TEST_F(ShapeProgramOf, OpsInRegionsPutNoConditions) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %is: i1) -> tensor<?xf32> {
      %0 = scf.if %is -> tensor<?xf32> {
        %c = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
        %d = tensor.cast %c : tensor<4xf32> to tensor<?xf32>
        scf.yield %d : tensor<?xf32>
      } else {
        scf.yield %x : tensor<?xf32>
      }
      return %0 : tensor<?xf32>
    })mlir"));
  EXPECT_TRUE(program.getConditions().empty());
}
