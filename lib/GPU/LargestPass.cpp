//===- LargestPass.cpp - the largest keys of a row, by their scores -------===//
//
// A key is larger where its score is, and of equal scores where its place is
// lower: the r-th key is that of the r-th largest score, of which the first
// counts.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "Rankings.h"
#include "ScoreArithmetic.h"
#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/ElementBits.h"
#include "smx/IR/TopKKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_LARGESTPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// Nothing beyond the row is among the largest of it.
static bool areInRow(const Ranking &ranking) {
  auto compare = ranking.all.inside.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return false;
  auto position = compare.getLhs().getDefiningOp<PositionOp>();
  std::optional<double> length = splatValue(compare.getRhs());
  return position && position.getDim() == 1 && length &&
         double(ranking.ranks.size()) <= *length;
}

static void rewrite(Ranking &ranking) {
  std::optional<mlir::smx::KeyParts> parts =
      mlir::smx::matchKey(ranking.all.keys);
  int64_t count = ranking.ranks.size();
  Value scores = parts ? scoresOf(*parts, count) : Value();
  if (!scores)
    return;
  auto type = cast<RankedTensorType>(scores.getType());
  Type element = type.getElementType();
  ReduceOp first = ranking.ranks.front();
  OpBuilder builder(first);
  Location loc = first.getLoc();
  auto slice = RankedTensorType::get(
      type.getDimSize(0), element,
      SliceAttr::get(builder.getContext(), 1, getLayout(type)));
  KeyBuilder keys(builder, scores, slice);
  Value tile = ranking.all.inside && areInRow(ranking) ? ranking.all.keys
                                                       : first.getTile();
  if (!KeyBuilder::canBuild(tile, scores))
    return;
  Value elements = scores;
  if (ranking.all.inside) {
    Value nothing = arith::ConstantOp::create(
        builder, loc, type,
        DenseElementsAttr::get(
            type,
            mlir::smx::extremeOf(cast<FloatType>(element), /*isLeast=*/true)));
    elements = arith::SelectOp::create(builder, loc, ranking.all.inside,
                                       elements, nothing);
  }
  SmallVector<Type> values(count, slice),
      columns(count, slice.clone(builder.getIndexType()));
  auto largest =
      LargestOp::create(builder, loc, values, columns, elements,
                        /*memory=*/Value(), ValueRange(),
                        /*valid=*/Value(), /*starts=*/Value(),
                        /*seconds=*/Value(), /*extent=*/0, /*aligned=*/0,
                        /*span=*/0, /*ranks=*/IntegerAttr());
  for (auto [reduce, value, column] : llvm::zip_equal(
           ranking.ranks, largest.getValues(), largest.getColumns()))
    reduce.getResult().replaceAllUsesWith(keys.build(tile, value, column));
  for (ReduceOp reduce : llvm::reverse(ranking.ranks))
    reduce.erase();
}

/// What `op` takes from a key that is known, without the key: which is not
/// nothing, and whose score counts where the sum of the row is a number.
static Value takeFromKey(OpBuilder &builder, Operation *op) {
  auto partsOf = [](Value key) {
    return key ? mlir::smx::matchKey(key) : std::nullopt;
  };
  Location loc = op->getLoc();
  Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  if (auto larger = dyn_cast<arith::MaxNumFOp>(op);
      larger && isNothing(larger.getRhs()) && partsOf(larger.getLhs()))
    return larger.getLhs();
  if (auto compare = dyn_cast<arith::CmpFOp>(op);
      compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
      isNothing(compare.getRhs()) && partsOf(compare.getLhs()))
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(cast<ShapedType>(type), false));
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    if (auto parts = partsOf(mlir::smx::matchScoreOfKey(trunc.getIn()));
        parts && parts->score.getType() == type)
      return parts->score;
  if (isa<arith::SIToFPOp>(op))
    if (auto parts = partsOf(mlir::smx::matchPlaceOfKey(op->getResult(0)))) {
      Value place = arith::IndexCastOp::create(
          builder, loc, op->getOperand(0).getType(), parts->place);
      return arith::SIToFPOp::create(builder, loc, type, place);
    }
  return {};
}

namespace {
struct LargestPass : mlir::smx::gpu::impl::LargestPassBase<LargestPass> {
  using LargestPassBase::LargestPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    uniteEqualOps(kernel);
    IRRewriter rewriter(&getContext());
    kernel.walk([](Block *block) {
      for (Ranking &ranking : findRankings(*block))
        rewrite(ranking);
    });
    kernel.walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (Value taken = takeFromKey(rewriter, op))
        rewriter.replaceOp(op, taken);
    });
    eraseDeadOps(kernel);
  }
};
} // namespace
