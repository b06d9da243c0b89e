//===- AttentionScores.cpp - the scores of an attention -------------------===//

#include "AttentionScores.h"
#include "smx/IR/HidesScores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include <functional>

using namespace mlir;
using namespace mlir::smx;

SmallVector<AffineExpr> mlir::smx::getKeyBatchExprs(AttentionOp op) {
  SmallVector<AffineExpr> exprs;
  int64_t batchDims = op.getNumBatchDims();
  for (int64_t i = 0; i < batchDims; ++i)
    exprs.push_back(getAffineDimExpr(i, op.getContext()));
  if (batchDims > 0 && op.getGroupSize() > 1)
    exprs.back() = exprs.back().floorDiv(op.getGroupSize());
  return exprs;
}

/// sum_d q[b.., i, d] * k[b'.., j, d], in the type of the scores.
static Value buildProduct(OpBuilder &builder, AttentionOp op,
                          ArrayRef<OpFoldResult> sizes) {
  MLIRContext *context = op.getContext();
  unsigned batchDims = op.getNumBatchDims(), dims = batchDims + 3;
  Location loc = NameLoc::get(builder.getStringAttr("scores"), op.getLoc());
  AffineExpr i = getAffineDimExpr(batchDims, context),
             j = getAffineDimExpr(batchDims + 1, context),
             d = getAffineDimExpr(batchDims + 2, context);
  SmallVector<AffineExpr> query, key = getKeyBatchExprs(op);
  for (unsigned b = 0; b < batchDims; ++b)
    query.push_back(getAffineDimExpr(b, context));
  SmallVector<AffineExpr> score = query;
  query.append({i, d});
  key.append({j, d});
  score.append({i, j});
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs : {query, key, score})
    maps.push_back(AffineMap::get(dims, 0, exprs, context));
  SmallVector<utils::IteratorType> iterators(dims,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;

  Type type = op.getScoreType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, 0.0));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, type);
  Value filled = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  return linalg::GenericOp::create(
             builder, loc, filled.getType(), {op.getQuery(), op.getKey()},
             filled, maps, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               auto widened = [&](Value x) -> Value {
                 if (x.getType() == type)
                   return x;
                 return arith::ExtFOp::create(b, loc, type, x);
               };
               Value product = arith::MulFOp::create(b, loc, widened(args[0]),
                                                     widened(args[1]));
               Value sum = arith::AddFOp::create(b, loc, product, args[2]);
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}

/// Copies `region`, which takes `arguments`, in front of `builder`; returns
/// what it yields.
static Value inlineRegion(OpBuilder &builder, Region &region,
                          ValueRange arguments) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  for (Operation &op : region.front().without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(region.front().getTerminator()).getValue());
}

namespace {
struct MaskPart {
  MaskAttrInterface mask;
  SmallVector<Value> data;
};
} // namespace

/// A mask that marks blocks leaves tiles, others leave ranges of keys: each is
/// looked at for itself. What leaves ranges is one mask, the outermost.
static SmallVector<MaskPart> partsOf(MaskAttrInterface mask, ValueRange data) {
  SmallVector<MaskPart> parts;
  SmallVector<Attribute> ranged;
  SmallVector<Value> rangedData;
  std::function<void(Attribute)> visit = [&](Attribute part) {
    if (auto all = dyn_cast<AllOfAttr>(part)) {
      llvm::for_each(all.getMasks(), visit);
      return;
    }
    auto one = cast<MaskAttrInterface>(part);
    size_t count = one.getDataSteps().size();
    SmallVector<Value> reads(data.take_front(count));
    data = data.drop_front(count);
    if (isa<BlocksAttr>(part)) {
      parts.push_back({one, reads});
      return;
    }
    ranged.push_back(part);
    rangedData.append(reads);
  };
  visit(mask);
  if (ranged.size() == 1)
    parts.push_back({cast<MaskAttrInterface>(ranged.front()), rangedData});
  else if (!ranged.empty())
    parts.push_back({AllOfAttr::get(mask.getContext(), ranged), rangedData});
  return parts;
}

AttentionScores mlir::smx::buildAttentionScores(OpBuilder &builder,
                                                AttentionOp op) {
  Location loc = op.getLoc();
  unsigned batchDims = op.getNumBatchDims(), rank = batchDims + 2;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, op.getQuery());
  sizes.back() = getExtent(builder, loc, op.getKey(), batchDims);
  double scale = op.getScale().convertToDouble();
  Value scores = buildProduct(builder, op, sizes);

  // A negative scale does not commute with the maximum, and a score region
  // wants real scores.
  bool hasRegion = !op.getScore().empty() || !op.getVisible().empty();
  bool keepsScale = op.getScore().empty() && scale > 0;
  if (hasRegion || !keepsScale) {
    auto type = cast<FloatType>(op.getScoreType());
    Location loc = NameLoc::get(builder.getStringAttr("score"), op.getLoc());
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, type);
    AffineMap map = builder.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
      SmallVector<Value> positions;
      for (unsigned dim = 0; dim < rank; ++dim)
        positions.push_back(linalg::IndexOp::create(b, loc, dim));
      Value score = args[0];
      if (!keepsScale)
        score = arith::MulFOp::create(
            b, loc, score,
            arith::ConstantOp::create(b, loc, b.getFloatAttr(type, scale)));
      if (!op.getScore().empty()) {
        SmallVector<Value> arguments{score};
        llvm::append_range(arguments, positions);
        score = inlineRegion(b, op.getScore(), arguments);
      }
      if (!op.getVisible().empty()) {
        Value seen = inlineRegion(b, op.getVisible(), positions);
        Value hidden = arith::ConstantOp::create(
            b, loc,
            b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                                 /*Negative=*/true)));
        score = arith::SelectOp::create(b, loc, seen, score, hidden);
      }
      linalg::YieldOp::create(b, loc, score);
    };
    auto generic = linalg::GenericOp::create(
        builder, loc, scores.getType(), scores, empty,
        ArrayRef<AffineMap>{map, map}, iterators, body);
    if (!op.getVisible().empty())
      generic->setAttr(hidesScoresAttribute, builder.getUnitAttr());
    scores = generic.getResult(0);
  }
  if (op.getMask()) {
    auto index = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(builder, loc, size);
    };
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value rows = index(sizes[batchDims]), keys = index(sizes.back());
    auto isEmpty = [](Value data) {
      return llvm::is_contained(cast<ShapedType>(data.getType()).getShape(), 0);
    };
    for (const MaskPart &part : partsOf(*op.getMask(), op.getMaskData())) {
      // There are no scores where there is nothing about them, and of nothing
      // there are no slices.
      if (llvm::any_of(part.data, isEmpty))
        continue;
      scores = MaskOp::create(builder, loc, scores.getType(), scores, part.mask,
                              batchDims, batchDims + 1, zero, zero, rows, keys,
                              part.data);
    }
  }
  return {scores, keepsScale ? scale : 1.0,
          op.getMask() || !op.getVisible().empty()};
}
