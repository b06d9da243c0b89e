//===- ToldByScorePass.cpp - a score tells whether it is hidden -----------===//
//
// The condition of a mask is asked for at the score, and again at its weight.
// A predicate for each element in between takes registers that loops over keys
// do not have; the score is there anyway.
//
//===----------------------------------------------------------------------===//

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_TOLDBYSCOREPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// exp2(a c - r), or -0 where a mask hides the score of a.
struct MarkedWeight {
  static std::optional<MarkedWeight> match(arith::SelectOp mark);
  void rewrite(IRRewriter &rewriter);

  arith::SelectOp mark, score;
  /// The largest score of each row.
  ReduceOp largest;
};
} // namespace

std::optional<MarkedWeight> MarkedWeight::match(arith::SelectOp mark) {
  if (!isa<RankedTensorType>(mark.getCondition().getType()) ||
      !matchPattern(mark.getFalseValue(), m_NegZeroFloat()))
    return std::nullopt;
  auto weight = mark.getTrueValue().getDefiningOp<math::Exp2Op>();
  auto exponent =
      weight ? weight.getOperand().getDefiningOp<math::FmaOp>() : math::FmaOp();
  auto score = exponent ? exponent.getA().getDefiningOp<arith::SelectOp>()
                        : arith::SelectOp();
  if (!score || score.getCondition() != mark.getCondition() ||
      !matchPattern(score.getFalseValue(), m_NegInfFloat()))
    return std::nullopt;
  ReduceOp largest;
  for (Operation *user : score->getUsers()) {
    if (user == exponent)
      continue;
    auto reduce = dyn_cast<ReduceOp>(user);
    if (largest || !reduce || reduce.getKind() != Combiner::MaxNum)
      return std::nullopt;
    largest = reduce;
  }
  if (!largest)
    return std::nullopt;
  return MarkedWeight{mark, score, largest};
}

/// The lowest finite number, as a tile of `type`.
static Value lowestOf(OpBuilder &builder, Location loc, RankedTensorType type) {
  auto element = cast<FloatType>(type.getElementType());
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type,
                             APFloat::getLargest(element.getFloatSemantics(),
                                                 /*Negative=*/true)));
}

void MarkedWeight::rewrite(IRRewriter &rewriter) {
  Location loc = score.getLoc();
  rewriter.setInsertionPoint(score);
  Value finite = arith::MaximumFOp::create(
      rewriter, loc, score.getTrueValue(),
      lowestOf(rewriter, loc, cast<RankedTensorType>(score.getType())));
  rewriter.modifyOpInPlace(score,
                           [&] { score.getTrueValueMutable().assign(finite); });
  // A row of such scores alone has none.
  rewriter.setInsertionPointAfter(largest);
  RankedTensorType rows = largest.getType();
  Value lowest = lowestOf(rewriter, loc, rows);
  Value isNone = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OEQ,
                                       largest, lowest);
  Value none = arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(
          rows, APFloat::getInf(
                    cast<FloatType>(rows.getElementType()).getFloatSemantics(),
                    /*Negative=*/true)));
  Value known = arith::SelectOp::create(rewriter, loc, isNone, none, largest);
  llvm::SmallPtrSet<Operation *, 2> own{isNone.getDefiningOp(),
                                        known.getDefiningOp()};
  rewriter.replaceAllUsesExcept(largest.getResult(), known, own);
  rewriter.setInsertionPoint(mark);
  Value isHidden = arith::CmpFOp::create(
      rewriter, loc, arith::CmpFPredicate::OEQ, score, score.getFalseValue());
  rewriter.replaceOpWithNewOp<arith::SelectOp>(
      mark, isHidden, mark.getFalseValue(), mark.getTrueValue());
}

namespace {
struct ToldByScorePass
    : mlir::smx::gpu::impl::ToldByScorePassBase<ToldByScorePass> {
  using ToldByScorePassBase::ToldByScorePassBase;

  void runOnOperation() override {
    SmallVector<MarkedWeight> found;
    getOperation().walk([&](arith::SelectOp select) {
      if (auto weight = MarkedWeight::match(select))
        found.push_back(*weight);
    });
    IRRewriter rewriter(&getContext());
    for (MarkedWeight &weight : found)
      weight.rewrite(rewriter);
  }
};
} // namespace
