//===- KnownIntegers.cpp - sizes that are computed in tensors -------------===//
//
// Shapes are tensors in ONNX: those that a model repeats or reshapes by are put
// together from constants, by concatenation, slices and elementwise ops, and
// extracted one by one. Seen from one element that is arithmetic on constants.
//
//===----------------------------------------------------------------------===//

#include "KnownIntegers.h"

#include "Element.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::smx;

/// What `e` is, if it is computed from constants alone; else null.
static TypedAttr knownValue(ElementReader &reader, Element e) {
  e = reader.peel(e);
  if (TypedAttr literal = reader.literal(e))
    return literal;
  Operation *op = reader.arithmetic(e);
  if (!op || e.isTensor())
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto place = dyn_cast<AffineConstantExpr>(e.at[index.getDim()]);
    return place ? IntegerAttr::get(e.getType(), place.getValue())
                 : IntegerAttr();
  }
  SmallVector<Attribute> operands;
  for (unsigned n = 0; n < op->getNumOperands(); ++n) {
    operands.push_back(knownValue(reader, reader.operand(e, n)));
    if (!operands.back())
      return {};
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != 1)
    return {};
  if (auto attribute = dyn_cast<Attribute>(folded[0]))
    return dyn_cast<TypedAttr>(attribute);
  for (auto [operand, value] : llvm::zip_equal(op->getOperands(), operands))
    if (operand == cast<Value>(folded[0]))
      return cast<TypedAttr>(value);
  return {};
}

static IntegerAttr knownInteger(ElementReader &reader, const Element &e) {
  return dyn_cast_or_null<IntegerAttr>(knownValue(reader, e));
}

/// A shape to reshape by, all of which is known, is put together from
/// constants.
static void nameShape(RewriterBase &rewriter, ElementReader &reader,
                      tensor::ReshapeOp op) {
  auto type = cast<RankedTensorType>(op.getShape().getType());
  if (!type.hasStaticShape() ||
      op.getShape().getDefiningOp<tensor::FromElementsOp>())
    return;
  SmallVector<IntegerAttr> sizes;
  for (int64_t place : llvm::seq(type.getNumElements())) {
    AffineExpr at = reader.getPositions().constant(place);
    sizes.push_back(
        knownInteger(reader, reader.tensorElement(op.getShape(), at)));
    if (!sizes.back())
      return;
  }
  rewriter.setInsertionPoint(op);
  auto constants = llvm::map_to_vector(sizes, [&](IntegerAttr size) -> Value {
    return arith::ConstantOp::create(rewriter, op.getLoc(), size);
  });
  rewriter.modifyOpInPlace(op, [&] {
    op.getShapeMutable().assign(
        tensor::FromElementsOp::create(rewriter, op.getLoc(), type, constants));
  });
}

/// Types say of the results of `ops`, and of what is computed from these, what
/// sizes that have become constants say.
static void narrowTypes(MLIRContext *context, ArrayRef<Operation *> ops) {
  ForwardSliceOptions options;
  options.inclusive = true;
  llvm::SetVector<Operation *> slice;
  for (Operation *op : ops)
    getForwardSlice(op, &slice, options);
  slice.remove_if([](Operation *op) {
    return !isa<tensor::TensorDialect, linalg::LinalgDialect>(op->getDialect());
  });
  RewritePatternSet patterns(context);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
  context->getLoadedDialect<tensor::TensorDialect>()
      ->getCanonicalizationPatterns(patterns);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  // Failure means that patterns have not settled within the rounds they have:
  // types are then less narrow than they might be, and right all the same.
  (void)applyOpPatternsGreedily(
      slice.getArrayRef(), std::move(patterns),
      GreedyRewriteConfig().setStrictness(
          GreedyRewriteStrictness::ExistingAndNewOps));
}

void mlir::smx::foldKnownIntegers(RewriterBase &rewriter, Operation *root) {
  SmallVector<tensor::ExtractOp> extracts;
  SmallVector<tensor::ReshapeOp> reshapes;
  root->walk([&](Operation *op) {
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      reshapes.push_back(reshape);
    // In a body an index may be that of a loop.
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (extract && extract.getType().isIntOrIndex() &&
        !extract->getParentOfType<linalg::LinalgOp>())
      extracts.push_back(extract);
  });
  // All places are constants: there are no positions.
  Positions positions(rewriter.getContext(), {});
  ElementReader reader(positions);
  for (tensor::ReshapeOp reshape : reshapes)
    nameShape(rewriter, reader, reshape);
  llvm::SetVector<Operation *> users;
  auto replace = [&](Operation *op, ValueRange values) {
    users.remove(op);
    users.insert_range(op->getUsers());
    rewriter.replaceOp(op, values);
  };
  for (tensor::ExtractOp extract : extracts)
    if (IntegerAttr known = knownInteger(
            reader, reader.scalarElement(extract, {}, /*body=*/nullptr))) {
      rewriter.setInsertionPoint(extract);
      replace(extract,
              arith::ConstantOp::create(rewriter, extract.getLoc(), known)
                  .getResult());
    }
  SmallVector<Operation *> sized;
  while (!users.empty()) {
    Operation *op = users.pop_back_val();
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      if (matchPattern(assertion.getArg(), m_One()))
        rewriter.eraseOp(op);
      continue;
    }
    SmallVector<Value> results;
    rewriter.setInsertionPoint(op);
    if (isa<arith::ArithDialect>(op->getDialect()) &&
        succeeded(rewriter.tryFold(op, results)) && !results.empty())
      replace(op, results);
    else if (isa<tensor::TensorDialect>(op->getDialect()))
      sized.push_back(op);
  }
  narrowTypes(rewriter.getContext(), sized);
}
