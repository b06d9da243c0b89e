//===- WidenFactorsPass.cpp - factors of one type -------------------------===//

#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::smx {
#define GEN_PASS_DEF_WIDENFACTORSPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// `tensor` with elements of `element`, which has all of their numbers.
static Value widened(RewriterBase &rewriter, Value tensor, Type element) {
  Location loc = NameLoc::get(rewriter.getStringAttr("widen"), tensor.getLoc());
  auto rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, tensor), element);
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), tensor, empty, maps, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value wide = arith::ExtFOp::create(b, loc, element, args[0]);
               linalg::YieldOp::create(b, loc, wide);
             })
      .getResult(0);
}

/// The same op on a wider factor: its body has no conversion to a type that
/// the factor has by now.
static void widenFactor(RewriterBase &rewriter, linalg::GenericOp op,
                        OpOperand &factor, Type element) {
  rewriter.setInsertionPoint(op);
  Value wide = widened(rewriter, factor.get(), element);
  BlockArgument argument = op.getMatchingBlockArgument(&factor);
  rewriter.modifyOpInPlace(op, [&] {
    factor.set(wide);
    argument.setType(element);
  });
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
    if (auto ext = dyn_cast<arith::ExtFOp>(user);
        ext && ext.getType() == element)
      rewriter.replaceOp(ext, argument);
}

namespace {
struct WidenFactorsPass
    : mlir::smx::impl::WidenFactorsPassBase<WidenFactorsPass> {
  using WidenFactorsPassBase::WidenFactorsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op) && op.hasPureTensorSemantics())
        products.push_back(op);
    });
    for (linalg::LinalgOp op : products) {
      auto factor = [&](int64_t side) {
        return dyn_cast<FloatType>(
            getElementTypeOrSelf(op.getDpsInputOperand(side)->get()));
      };
      FloatType left = factor(0), right = factor(1);
      if (!left || !right || left.getWidth() == right.getWidth())
        continue;
      bool isLeftNarrow = left.getWidth() < right.getWidth();
      FloatType narrow = isLeftNarrow ? left : right,
                wide = isLeftNarrow ? right : left;
      if (!APFloat::isRepresentableBy(narrow.getFloatSemantics(),
                                      wide.getFloatSemantics()))
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> general =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(general)) {
          op->emitOpError("has no generic form");
          return signalPassFailure();
        }
        generic = *general;
      }
      widenFactor(rewriter, generic,
                  *generic.getDpsInputOperand(isLeftNarrow ? 0 : 1), wide);
    }
  }
};
} // namespace
