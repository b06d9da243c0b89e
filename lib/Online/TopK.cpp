//===- TopK.cpp - the largest probabilities of a row ----------------------===//

#include "TopK.h"

#include "smx/IR/TopKKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::smx;

/// The keys of scores, whose places are those along `axis`.
static Value keysOf(OpBuilder &builder, Location loc, Value scores,
                    unsigned axis) {
  return mapElements(
      builder, loc, scores, builder.getF64Type(),
      [&](OpBuilder &b, Location loc, Value score) -> Value {
        if (!score.getType().isF32())
          score = arith::ExtFOp::create(b, loc, b.getF32Type(), score);
        return buildKey(b, loc, score, linalg::IndexOp::create(b, loc, axis));
      });
}

/// One tensor of `type` whose slices along `axis` are `parts`.
static Value join(OpBuilder &builder, Location loc, ValueRange parts,
                  RankedTensorType type, unsigned axis,
                  ArrayRef<OpFoldResult> rowSizes) {
  SmallVector<OpFoldResult> sizes(rowSizes);
  sizes.insert(sizes.begin() + axis, builder.getIndexAttr(parts.size()));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(parts.size(), all.dropResult(axis));
  maps.push_back(all);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value joined =
      linalg::GenericOp::create(
          builder, loc, empty.getType(), parts, empty, maps, iterators,
          [&](OpBuilder &b, Location loc, ValueRange args) {
            Value number = linalg::IndexOp::create(b, loc, axis);
            Value part = args[0];
            for (size_t i = 1; i < parts.size(); ++i) {
              Value isThis = arith::CmpIOp::create(
                  b, loc, arith::CmpIPredicate::eq, number,
                  arith::ConstantIndexOp::create(b, loc, i));
              part = arith::SelectOp::create(b, loc, isThis, args[i], part);
            }
            if (type.getElementType().isInteger())
              part =
                  arith::FPToSIOp::create(b, loc, type.getElementType(), part);
            linalg::YieldOp::create(b, loc, part);
          })
          .getResult(0);
  return joined.getType() == type
             ? joined
             : tensor::CastOp::create(builder, loc, type, joined).getResult();
}

void mlir::smx::buildTopK(OpBuilder &builder, TopKSoftmaxOp op,
                          TopKAlgebraAttr algebra, bool shortSums) {
  Location loc = op.getLoc();
  unsigned axis = op.getAxis();
  double scale = op.getScale().convertToDouble();
  bool isFastest = axis + 1 == op.getInput().getType().getRank();
  Value precise =
      shortSums && isFastest ? op.getInput() : op.getProbabilities();
  Value scores = normalizedScores(builder, loc, op.getInput(), scale,
                                  getElementTypeOrSelf(precise));
  SmallVector<Value> inputs{scores, keysOf(builder, loc, scores, axis)};
  SmallVector<Type> elements(2, builder.getF32Type());
  elements.append(op.getK(), builder.getF64Type());
  OnlineReduction rows(builder, loc, algebra, inputs, axis, elements);
  auto collect = [&](Value result, Type element, auto quantityOf) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    SmallVector<Value> parts;
    for (uint64_t rank = 0; rank < op.getK(); ++rank)
      parts.push_back(rows.finish(quantityOf(rank), {},
                                  RankedTensorType::get(shape, element)));
    result.replaceAllUsesWith(
        join(builder, loc, parts, type, axis, rows.getRowSizes()));
  };
  collect(op.getProbabilities(),
          getElementTypeOrSelf(op.getProbabilities().getType()),
          probabilityOfRank);
  collect(op.getPlaces(), builder.getF64Type(), placeOfRank);
  op.erase();
}
