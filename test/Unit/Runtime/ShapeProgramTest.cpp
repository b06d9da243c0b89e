//===- ShapeProgramTest.cpp - sizes of results ----------------------------===//

#include "EvaluatorFixture.h"
#include "Modules.h"

#include "smx/Evaluator/ShapeProgram.h"

#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "llvm/Support/FormatVariadic.h"

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
  EXPECT_EQ(sizesOf(program, {{4, 5, 8}, {4, 7, 8}, {4, 7, 6}}, {0, 0, 0})[0],
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
            "f.mlir:3:12: 'tensor.cast': expected dimension 1 to be 4");
  EXPECT_EQ(
      whyNot({3, 4}, {2}),
      "f.mlir:4:12: 'linalg.broadcast': expected dimension 0 of operand 0 and "
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

TEST_F(ShapeProgramOf, ConditionsBehindArithmeticOnTensors) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
      %q2 = arith.addf %q, %q : tensor<?x?x8xf32>
      %0 = smx.attention %q2, %k, %k scale(1.0) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x8xf32>
      return %0 : tensor<?x?x8xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{4, 5, 8}, {4, 7, 8}}, {0, 0})[0],
            (Shape{4, 5, 8}));
  EXPECT_NE(llvm::toString(
                program.evaluate({{4, 5, 8}, {2, 7, 8}}, {0, 0}).takeError()),
            "");
}

TEST_F(ShapeProgramOf, ReshapesAndSlices) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %n: index, %from: index) -> (tensor<?x4xf32>, tensor<?xf32>) {
      %0 = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
      %1 = tensor.extract_slice %x[%from] [%n] [2] : tensor<?xf32> to tensor<?xf32>
      return %0, %1 : tensor<?x4xf32>, tensor<?xf32>
    })mlir"));
  auto isRefused = [&](int64_t extent, int64_t n, int64_t from) {
    auto shapes = program.evaluate({{extent}, {}, {}}, {0, n, from});
    if (shapes)
      return false;
    llvm::consumeError(shapes.takeError());
    return true;
  };
  EXPECT_FALSE(isRefused(8, 2, 0));
  EXPECT_FALSE(isRefused(8, 2, 5));
  EXPECT_TRUE(isRefused(8, 2, 6));
  EXPECT_TRUE(isRefused(7, 2, 0));
  EXPECT_TRUE(isRefused(8, 3, 0));
  EXPECT_FALSE(isRefused(0, 0, 3));
}

/// Why `program` does not take inputs of such shapes and integers.
static std::string whyNot(const ShapeProgram &program,
                          llvm::ArrayRef<Shape> shapes,
                          llvm::ArrayRef<int64_t> integers) {
  return llvm::toString(program.evaluate(shapes, integers).takeError());
}

/// A result that is larger than what it is made of would be read beside it.
TEST_F(ShapeProgramOf, ReshapesToComputedSizes) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?x3xf32>, %n: i32, %m: i32) -> tensor<6x?xf32> {
      %s = tensor.from_elements %n, %m : tensor<2xi32>
      %0 = tensor.reshape %x(%s) : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<6x?xf32>
      return %0 : tensor<6x?xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{4, 3}, {}, {}}, {0, 6, 2})[0], (Shape{6, 2}));
  EXPECT_EQ(whyNot(program, {{4, 3}, {}, {}}, {0, 4, 3}),
            "f.mlir:4:12: 'tensor.reshape': expected dimension 0 to be 6");
  EXPECT_EQ(whyNot(program, {{4, 3}, {}, {}}, {0, 6, 3}),
            "f.mlir:4:12: 'tensor.reshape': expected as many elements as "
            "before");
}

TEST_F(ShapeProgramOf, PartsThatArePutTogether) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x2xf32>) -> tensor<6x?xf32> {
      %0 = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<6x?xf32>
      return %0 : tensor<6x?xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{4, 2}, {2, 2}}, {0, 0})[0], (Shape{6, 2}));
  EXPECT_EQ(whyNot(program, {{4, 2}, {1, 2}}, {0, 0}),
            "f.mlir:3:12: 'tensor.concat': expected dimension 0 to be 6");
  EXPECT_EQ(whyNot(program, {{4, 3}, {2, 2}}, {0, 0}),
            "f.mlir:3:12: 'tensor.concat': expected dimension 1 of operand 0 "
            "and dimension 1 of operand 1 to be the same");
}

TEST_F(ShapeProgramOf, Padding) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %n: index) -> tensor<6xf32> {
      %z = arith.constant 0.0 : f32
      %0 = tensor.pad %x low[1] high[%n] {
      ^bb0(%i: index):
        tensor.yield %z : f32
      } : tensor<?xf32> to tensor<6xf32>
      return %0 : tensor<6xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{3}, {}}, {0, 2})[0], (Shape{6}));
  EXPECT_EQ(whyNot(program, {{4}, {}}, {0, 2}),
            "f.mlir:4:12: 'tensor.pad': expected dimension 0 to be 6");
  EXPECT_EQ(whyNot(program, {{6}, {}}, {0, -1}),
            "f.mlir:4:12: 'tensor.pad': expected the padding of dimension 0 "
            "not to be negative");
}

TEST_F(ShapeProgramOf, SourcesOfSlices) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %y: tensor<2x?xf32>, %n: index) -> tensor<2x?xf32> {
      %0 = tensor.insert_slice %x into %y[1, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<2x?xf32>
      return %0 : tensor<2x?xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{3}, {2, 5}, {}}, {0, 0, 3})[0], (Shape{2, 5}));
  EXPECT_EQ(whyNot(program, {{3}, {2, 5}, {}}, {0, 0, 4}),
            "f.mlir:3:12: 'tensor.insert_slice': expected the source and the "
            "slice to have as many elements in dimension 1");
}

TEST_F(ShapeProgramOf, NegativeSizesAndOffsets) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %n: index, %from: index) -> (tensor<?xf32>, tensor<?xf32>) {
      %0 = tensor.empty(%n) : tensor<?xf32>
      %1 = tensor.extract_slice %x[%from] [%n] [1] : tensor<?xf32> to tensor<?xf32>
      return %0, %1 : tensor<?xf32>, tensor<?xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{3}, {}, {}}, {0, 0, 0})[0], (Shape{0}));
  EXPECT_EQ(whyNot(program, {{3}, {}, {}}, {0, -2, 0}),
            "f.mlir:3:12: 'tensor.empty': expected the size of dimension 0 "
            "not to be negative");
  EXPECT_EQ(whyNot(program, {{3}, {}, {}}, {0, 2, -1}),
            "f.mlir:4:12: 'tensor.extract_slice': expected the offset of "
            "dimension 0 not to be negative");
}

/// The verifier of tensor.dim does not look at the rank.
TEST_F(ShapeProgramOf, ADimensionThatIsNone) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c1 = arith.constant 1 : index
      %n = tensor.dim %x, %c1 : tensor<?xf32>
      %0 = tensor.empty(%n) : tensor<?xf32>
      return %0 : tensor<?xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{3}}, {0})[0], (Shape{-1}));
}

TEST_F(ShapeProgramOf, PlacesInStaticTensors) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<2xf32>, %to: tensor<8xf32>, %at: index) -> tensor<8xf32> {
      %0 = tensor.insert_slice %x into %to[%at] [2] [1] : tensor<2xf32> into tensor<8xf32>
      return %0 : tensor<8xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{2}, {8}, {}}, {0, 0, 6})[0], (Shape{8}));
  EXPECT_EQ(
      llvm::toString(program.evaluate({{2}, {8}, {}}, {0, 0, 7}).takeError()),
      "f.mlir:3:12: 'tensor.insert_slice': expected the slice to end within "
      "dimension 0");
}

TEST_F(ShapeProgramOf, SoftmaxOfLinalg) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?x8xf32>, %o: tensor<5x8xf32>) -> tensor<5x8xf32> {
      %0 = linalg.softmax dimension(1) ins(%x : tensor<?x8xf32>) outs(%o : tensor<5x8xf32>) -> tensor<5x8xf32>
      return %0 : tensor<5x8xf32>
    })mlir"));
  EXPECT_EQ(sizesOf(program, {{5, 8}, {5, 8}}, {0, 0})[0], (Shape{5, 8}));
  EXPECT_EQ(
      llvm::toString(program.evaluate({{7, 8}, {5, 8}}, {0, 0}).takeError()),
      "f.mlir:3:12: 'linalg.softmax': expected dimension 0 of operand 0 and "
      "dimension 0 of operand 1 to be the same");
}

/// A place in memory has no more elements than its type says.
TEST_F(ShapeProgramOf, ResultsInMemory) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: memref<?x8xf32>, %y: memref<?x?xf32>) {
      %t = bufferization.to_tensor %x restrict : memref<?x8xf32> to tensor<?x8xf32>
      %s = smx.softmax %t axis(1) : tensor<?x8xf32> -> tensor<?x8xf32>
      bufferization.materialize_in_destination %s in restrict writable %y : (tensor<?x8xf32>, memref<?x?xf32>) -> ()
      return
    })mlir"));
  auto errorOf = [&](Shape x, Shape y) {
    return llvm::toString(program.evaluate({x, y}, {0, 0}).takeError());
  };
  const std::string same =
      "f.mlir:5:7: 'bufferization.materialize_in_destination': expected "
      "dimension {0} of operand 0 and dimension {0} of operand 1 to be the "
      "same";
  EXPECT_EQ(errorOf({4, 8}, {4, 8}), "");
  EXPECT_EQ(errorOf({4, 8}, {2, 8}), llvm::formatv(same.c_str(), 0).str());
  EXPECT_EQ(errorOf({4, 8}, {4, 4}), llvm::formatv(same.c_str(), 1).str());
}

TEST_F(ShapeProgramOf, CopiesInMemory) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
      memref.copy %x, %y : memref<?xf32> to memref<?xf32>
      return
    })mlir"));
  EXPECT_EQ(llvm::toString(program.evaluate({{4}, {3}}, {0, 0}).takeError()),
            "f.mlir:3:7: 'memref.copy': expected dimension 0 of operand 0 and "
            "dimension 0 of operand 1 to be the same");
}

/// What nobody reads is not computed, and the module's own assertions are
/// checked where they stand.
TEST_F(ShapeProgramOf, DeadOpsAndAssertionsPutNoConditions) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%x: tensor<?x8xf32>, %is: i1) -> tensor<?x8xf32> {
      cf.assert %is, "some"
      %c = tensor.cast %x : tensor<?x8xf32> to tensor<4x8xf32>
      %0 = smx.softmax %x axis(1) : tensor<?x8xf32> -> tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    })mlir"));
  EXPECT_TRUE(program.getConditions().empty());
}

/// What is inlined may branch, which no kernel does.
TEST_F(ShapeProgramOf, CalleesThatBranch) {
  mlir::func::FuncOp function = parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %is: i1) -> tensor<?xf32> {
      %0 = call @g(%x, %is) : (tensor<?xf32>, i1) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    func.func private @g(%x: tensor<?xf32>, %is: i1) -> tensor<?xf32> {
      cf.cond_br %is, ^a, ^b
    ^a:
      return %x : tensor<?xf32>
    ^b:
      return %x : tensor<?xf32>
    })mlir");
  EXPECT_EQ(sizesOf(ShapeProgram::build(function), {{4}, {}}, {0, 1})[0],
            (Shape{-1}));
}
