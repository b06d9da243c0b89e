//===- WidenFactorsPass.cpp - factors of one type -------------------------===//

#include "smx/IR/MapElements.h"
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

static Location locOfStep(RewriterBase &rewriter, OpOperand &factor,
                          StringRef step) {
  return NameLoc::get(rewriter.getStringAttr(step), factor.get().getLoc());
}

/// Replaces `factor` by `other`, of another type, and the conversions to that
/// type by what they gave.
template <typename ConversionOp>
static void replaceFactor(RewriterBase &rewriter, linalg::GenericOp op,
                          OpOperand &factor, Value other) {
  Type element = getElementTypeOrSelf(other);
  BlockArgument argument = op.getMatchingBlockArgument(&factor);
  rewriter.modifyOpInPlace(op, [&] {
    factor.set(other);
    argument.setType(element);
  });
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
    if (auto conversion = dyn_cast<ConversionOp>(user);
        conversion && conversion.getType() == element)
      rewriter.replaceOp(conversion, argument);
}

/// True if the body multiplies `factor` in a wider type than it has, `element`
/// if that is given.
static bool isWidenedByBody(linalg::GenericOp op, OpOperand &factor,
                            Type element = {}) {
  return llvm::all_of(
      op.getMatchingBlockArgument(&factor).getUsers(), [&](Operation *user) {
        return isa<arith::ExtFOp>(user) &&
               (!element || user->getResult(0).getType() == element);
      });
}

static void widenFactor(RewriterBase &rewriter, linalg::GenericOp op,
                        OpOperand &factor, FloatType element) {
  rewriter.setInsertionPoint(op);
  Value wide = extended(rewriter, locOfStep(rewriter, factor, "widen"),
                        factor.get(), element);
  replaceFactor<arith::ExtFOp>(rewriter, op, factor, wide);
}

/// A body that multiplies in the narrow type rounds the wide factor first.
static void roundFactor(RewriterBase &rewriter, linalg::GenericOp op,
                        OpOperand &factor, FloatType element) {
  bool isRounded = llvm::all_of(
      op.getMatchingBlockArgument(&factor).getUsers(), [&](Operation *user) {
        return isa<arith::TruncFOp>(user) &&
               user->getResult(0).getType() == element;
      });
  if (!isRounded)
    return;
  rewriter.setInsertionPoint(op);
  Value narrow = truncated(rewriter, locOfStep(rewriter, factor, "round"),
                           factor.get(), element);
  replaceFactor<arith::TruncFOp>(rewriter, op, factor, narrow);
}

/// Sums of f64 have factors of f64.
static void widenToSums(RewriterBase &rewriter, linalg::GenericOp op) {
  Type sum = getElementTypeOrSelf(op->getResult(0));
  for (OpOperand *factor : op.getDpsInputOperands())
    if (getElementTypeOrSelf(factor->get()) != sum &&
        isWidenedByBody(op, *factor, sum))
      widenFactor(rewriter, op, *factor, cast<FloatType>(sum));
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
      auto typeOf = [&](int64_t side) {
        return dyn_cast<FloatType>(
            getElementTypeOrSelf(op.getDpsInputOperand(side)->get()));
      };
      FloatType left = typeOf(0), right = typeOf(1);
      if (!left || !right)
        continue;
      bool isWide = getElementTypeOrSelf(op->getResult(0)).isF64() &&
                    !(left.isF64() && right.isF64());
      if (left.getWidth() == right.getWidth() && !isWide)
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
      if (isWide) {
        widenToSums(rewriter, generic);
        continue;
      }
      bool isLeftNarrow = left.getWidth() < right.getWidth();
      FloatType narrow = isLeftNarrow ? left : right,
                wide = isLeftNarrow ? right : left;
      if (!APFloat::isRepresentableBy(narrow.getFloatSemantics(),
                                      wide.getFloatSemantics()))
        continue;
      OpOperand &factor = *generic.getDpsInputOperand(isLeftNarrow ? 0 : 1);
      if (isWidenedByBody(generic, factor))
        widenFactor(rewriter, generic, factor, wide);
      else
        roundFactor(rewriter, generic,
                    *generic.getDpsInputOperand(isLeftNarrow ? 1 : 0), narrow);
    }
  }
};
} // namespace
