//===- ScalarTensors.cpp - tensors that are made of scalars ---------------===//

#include "ScalarTensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::smx;

/// A new tensor all of whose elements are `value`.
static Value filled(OpBuilder &builder, Location loc, Value value,
                    RankedTensorType type, ValueRange sizes = {}) {
  Value empty = tensor::EmptyOp::create(builder, loc, type, sizes);
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

/// The element of `op` at the place of a body in all of its dimensions.
static Value chooseElement(OpBuilder &builder, Location loc,
                           tensor::FromElementsOp op) {
  Value place;
  for (auto [dim, extent] : llvm::enumerate(op.getType().getShape())) {
    Value index = linalg::IndexOp::create(builder, loc, dim);
    if (place) {
      Value factor = arith::ConstantIndexOp::create(builder, loc, extent);
      place = arith::MulIOp::create(builder, loc, place, factor);
      place = arith::AddIOp::create(builder, loc, place, index);
    } else {
      place = index;
    }
  }
  Value chosen = op.getElements().back();
  for (auto [number, element] : llvm::enumerate(op.getElements().drop_back())) {
    Value at = arith::ConstantIndexOp::create(builder, loc, number);
    Value isHere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         place, at);
    chosen = arith::SelectOp::create(builder, loc, isHere, element, chosen);
  }
  return chosen;
}

static void rewrite(RewriterBase &rewriter, tensor::FromElementsOp op) {
  // Each is an argument of a kernel.
  constexpr size_t mostElements = 64;
  OperandRange elements = op.getElements();
  // Shapes are read as they are put together.
  if (elements.empty() || elements.size() > mostElements ||
      llvm::all_of(op->getUsers(), llvm::IsaPred<tensor::ReshapeOp>))
    return;
  rewriter.setInsertionPoint(op);
  RankedTensorType type = op.getType();
  if (llvm::all_equal(elements)) {
    rewriter.replaceOp(op,
                       filled(rewriter, op.getLoc(), elements.front(), type));
    return;
  }
  Value empty =
      tensor::EmptyOp::create(rewriter, op.getLoc(), type, ValueRange());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange(), empty, map, loops,
      [&](OpBuilder &builder, Location loc, ValueRange) {
        linalg::YieldOp::create(builder, loc, chooseElement(builder, loc, op));
      });
}

static void rewrite(RewriterBase &rewriter, tensor::InsertOp op) {
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> units(op.getDest().getType().getRank(), 1);
  Value element =
      filled(rewriter, op.getLoc(), op.getScalar(),
             cast<RankedTensorType>(op.getDest().getType()).clone(units));
  OpFoldResult one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> ones(units.size(), one);
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
      op, element, op.getDest(), getAsOpFoldResult(op.getIndices()), ones,
      ones);
}

void mlir::smx::computeScalarTensors(RewriterBase &rewriter, Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  for (Operation *op : ops) {
    bool isInFunction = isa_and_nonnull<FunctionOpInterface>(op->getParentOp());
    if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
      rewriter.setInsertionPoint(splat);
      rewriter.replaceOp(splat,
                         filled(rewriter, splat.getLoc(), splat.getInput(),
                                splat.getType(), splat.getDynamicSizes()));
    } else if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
      rewriter.setInsertionPoint(generate);
      // What upstream does not rewrite stays as it is.
      (void)linalg::rewriteInDestinationPassingStyle(rewriter, generate);
    } else if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
      if (isInFunction)
        rewrite(rewriter, elements);
    } else if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      if (isInFunction)
        rewrite(rewriter, insert);
    }
  }
}
