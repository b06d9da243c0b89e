//===- RowReductions.cpp - reductions of tiles to values per row --------===//

#include "TileBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

Value BodyConverter::reduceRows(Combiner kind, Value tile, Class reduced) {
  Type element = getElementTypeOrSelf(tile.getType());
  Value values = ReduceOp::create(builder, op.getLoc(),
                                  tiles.tileType(std::nullopt, element), kind,
                                  tile, 1 - tiles.schedule.rowDim);
  if (tiles.schedule.partsOf(reduced) == 1)
    return values;
  return ClusterReduceOp::create(builder, op.getLoc(), kind, values);
}

FailureOr<Value> BodyConverter::convertReduction(unsigned number,
                                                 RankedTensorType type,
                                                 Class reduced) {
  Location loc = op.getLoc();
  Value init = op.getDpsInitOperand(number)->get();
  FailureOr<Value> start = tiles.tileOf(init, op);
  if (failed(start))
    return failure();
  if (std::optional<RunningPlace> place = matchPlace(op, number)) {
    FailureOr<Value> extremum =
        tiles.tileOf(op.getDpsInitOperand(place->extremum)->get(), op);
    if (failed(extremum))
      return failure();
    if (!type.getElementType().isIntOrIndex())
      return op->emitOpError("expected an integer at the place of an extremum, "
                             "got ")
             << type.getElementType();
    return placeOfExtremum(*place, *start, *extremum, reduced);
  }
  std::optional<RunningCombination> combination = matchCombination(op, number);
  if (!combination)
    return op->emitOpError("reduces by something other than a sum, a product, "
                           "an extremum or the place of one");
  auto [kind, value] = *combination;
  int64_t reducedDim = 1 - tiles.schedule.rowDim;
  Value tile = tiles.widened(valueOf(value), fullType(type.getElementType()));
  // -0 is what products are padded with, too, and adds nothing either.
  bool isFloatSum =
      kind == Combiner::Add && isa<FloatType>(type.getElementType());
  tile = tiles.withPadding(
      tile, reduced, reducedDim,
      isFloatSum ? builder.getFloatAttr(type.getElementType(), -0.0)
                 : identityOf(kind, type.getElementType()));
  Value combined = reduceRows(kind, tile, reduced);
  return combineTiles(builder, loc, kind, combined, *start);
}

/// One after the other, x[j] beats the running extremum r where x[j] > r. So
/// what remains is the payload of the first j whose x[j] is the maximum m of
/// the tile, if m > r at the start; a NaN is never larger. Where r becomes a
/// NaN that it meets (`maximumf`), nothing that follows is larger than r,
/// either. With >=, the last such j. The payload is looked up by a sum in which
/// one term is not 0.
Value BodyConverter::placeOfExtremum(const RunningPlace &place, Value start,
                                     Value startingExtremum, Class reduced) {
  Location loc = op.getLoc();
  int64_t dim = 1 - tiles.schedule.rowDim;
  Type elementType = place.value.getType();
  bool isFloat = isa<FloatType>(elementType);
  bool keepsNaN =
      llvm::is_contained({Combiner::Maximum, Combiner::Minimum}, place.kind);
  bool isMax = isMaximum(place.kind);
  RankedTensorType indices = fullType(builder.getIndexType());
  auto reduce = [&](Combiner kind, Value tile) {
    return reduceRows(kind, tile, reduced);
  };
  auto constant = [&](RankedTensorType type, TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, loc, type,
                                     DenseElementsAttr::get(type, value));
  };
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(builder, loc, condition, x, y);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x,
                     Value y) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, x, y);
  };

  Value value = tiles.widened(valueOf(place.value), fullType(elementType));
  Value position = tiles.positionsOf(loc, indices, dim, reduced);
  // Places before `end` take part.
  Value end =
      tiles.splat(tiles.indexOf(tiles.classes.extentOf(reduced)), indices);
  if (keepsNaN) {
    Value isNumber = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ORD, value, value);
    Value firstNaN = reduce(Combiner::MinSI, select(isNumber, end, position));
    end = arith::MinSIOp::create(builder, loc, end,
                                 tiles.widened(firstNaN, indices));
  }
  Value takesPart = compare(arith::CmpIPredicate::slt, position, end);
  Combiner kind =
      isFloat ? (isMax ? Combiner::MaxNum : Combiner::MinNum) : place.kind;
  value =
      select(takesPart, value,
             constant(fullType(elementType), identityOf(kind, elementType)));
  Value extremum = reduce(kind, value);
  Value widened = tiles.widened(extremum, fullType(elementType));
  Value isIt =
      isFloat ? Value(arith::CmpFOp::create(
                    builder, loc, arith::CmpFPredicate::OEQ, value, widened))
              : compare(arith::CmpIPredicate::eq, value, widened);
  isIt = arith::AndIOp::create(builder, loc, isIt, takesPart);
  Combiner nearest = place.takesLast ? Combiner::MaxSI : Combiner::MinSI;
  TypedAttr nowhere = place.takesLast
                          ? builder.getIndexAttr(-1)
                          : identityOf(nearest, indices.getElementType());
  Value at =
      reduce(nearest, select(isIt, position, constant(indices, nowhere)));
  Value isThere =
      compare(arith::CmpIPredicate::eq, position, tiles.widened(at, indices));
  Type payloadType = place.payload.getType();
  Value payload = tiles.widened(valueOf(place.payload), fullType(payloadType));
  Value found = reduce(
      Combiner::Add, select(isThere, payload,
                            constant(fullType(payloadType),
                                     identityOf(Combiner::Add, payloadType))));

  RankedTensorType slice = tiles.tileType(std::nullopt, builder.getIndexType());
  auto pick = [&](auto larger, auto atLeast, auto smaller, auto atMost) {
    return isMax ? (place.takesLast ? atLeast : larger)
                 : (place.takesLast ? atMost : smaller);
  };
  Value beats =
      isFloat
          ? Value(arith::CmpFOp::create(
                builder, loc,
                pick(arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE,
                     arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE),
                extremum, startingExtremum))
          : compare(pick(arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge,
                         arith::CmpIPredicate::slt, arith::CmpIPredicate::sle),
                    extremum, startingExtremum);
  // Of no element at all, the extremum is its identity, which may be as large
  // as what it started from.
  Value any = compare(arith::CmpIPredicate::ne, at, constant(slice, nowhere));
  beats = arith::AndIOp::create(builder, loc, beats, any);
  return select(beats, found, start);
}
