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
  // Terms that are all hidden have been folded away: what runs stays.
  if (op.getBlock()->getTerminator()->getOperand(number) ==
      op.getMatchingBlockArgument(op.getDpsInitOperand(number)))
    return *start;
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

/// A tile of `type` that is `value` everywhere.
static Value constantTile(OpBuilder &builder, Location loc,
                          RankedTensorType type, TypedAttr value) {
  return arith::ConstantOp::create(builder, loc, type,
                                   DenseElementsAttr::get(type, value));
}

/// True where `extremum` replaces the running one `start`.
static Value beats(OpBuilder &builder, Location loc, const RunningPlace &place,
                   Value extremum, Value start) {
  const bool isMax = isMaximum(place.kind);
  auto pick = [&](auto larger, auto atLeast, auto smaller, auto atMost) {
    return isMax ? (place.takesLast ? atLeast : larger)
                 : (place.takesLast ? atMost : smaller);
  };
  if (isa<FloatType>(place.value.getType()))
    return arith::CmpFOp::create(
        builder, loc,
        pick(arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE,
             arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE),
        extremum, start);
  return arith::CmpIOp::create(
      builder, loc,
      pick(arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge,
           arith::CmpIPredicate::slt, arith::CmpIPredicate::sle),
      extremum, start);
}

/// True at the elements of `value` that may be the extremum: those in front of
/// the row's end, and, where the running extremum becomes a NaN that it meets,
/// of the first NaN.
Value BodyConverter::candidatesOf(const RunningPlace &place, Value value,
                                  Value position, Class reduced) {
  Location loc = op.getLoc();
  auto indices = cast<RankedTensorType>(position.getType());
  Value end =
      tiles.splat(tiles.indexOf(tiles.classes.extentOf(reduced)), indices);
  if (llvm::is_contained({Combiner::Maximum, Combiner::Minimum}, place.kind)) {
    Value isNumber = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ORD, value, value);
    Value firstNaN = reduceRows(
        Combiner::MinSI,
        arith::SelectOp::create(builder, loc, isNumber, end, position),
        reduced);
    end = arith::MinSIOp::create(builder, loc, end,
                                 tiles.widened(firstNaN, indices));
  }
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                               position, end);
}

/// The element of the payload at place `at` of each row: a sum in which one
/// term is not 0.
Value BodyConverter::payloadAt(const RunningPlace &place, Value at,
                               Value position, Class reduced) {
  Location loc = op.getLoc();
  Value isThere = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, position,
      tiles.widened(at, cast<RankedTensorType>(position.getType())));
  Type type = place.payload.getType();
  Value payload = tiles.widened(valueOf(place.payload), fullType(type));
  Value zeros = constantTile(builder, loc, fullType(type),
                             identityOf(Combiner::Add, type));
  return reduceRows(
      Combiner::Add,
      arith::SelectOp::create(builder, loc, isThere, payload, zeros), reduced);
}

/// One after the other, x[j] beats the running extremum r where x[j] > r. So
/// what remains is the payload of the first j whose x[j] is the maximum m of
/// the tile, if m > r at the start; a NaN is never larger. Where r becomes a
/// NaN that it meets (`maximumf`), nothing that follows is larger than r,
/// either. With >=, the last such j.
Value BodyConverter::placeOfExtremum(const RunningPlace &place, Value start,
                                     Value startingExtremum, Class reduced) {
  Location loc = op.getLoc();
  Type elementType = place.value.getType();
  bool isFloat = isa<FloatType>(elementType);
  RankedTensorType elements = fullType(elementType),
                   indices = fullType(builder.getIndexType());
  Value value = tiles.widened(valueOf(place.value), elements);
  Value position =
      tiles.positionsOf(loc, indices, 1 - tiles.schedule.rowDim, reduced);
  Value takesPart = candidatesOf(place, value, position, reduced);
  Combiner kind = !isFloat                ? place.kind
                  : isMaximum(place.kind) ? Combiner::MaxNum
                                          : Combiner::MinNum;
  Value neutral =
      constantTile(builder, loc, elements, identityOf(kind, elementType));
  value = arith::SelectOp::create(builder, loc, takesPart, value, neutral);
  Value extremum = reduceRows(kind, value, reduced);
  Value widened = tiles.widened(extremum, elements);
  Value isIt =
      isFloat ? Value(arith::CmpFOp::create(
                    builder, loc, arith::CmpFPredicate::OEQ, value, widened))
              : arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      value, widened);
  isIt = arith::AndIOp::create(builder, loc, isIt, takesPart);
  Combiner nearest = place.takesLast ? Combiner::MaxSI : Combiner::MinSI;
  TypedAttr nowhere = place.takesLast
                          ? builder.getIndexAttr(-1)
                          : identityOf(nearest, indices.getElementType());
  Value at = reduceRows(
      nearest,
      arith::SelectOp::create(builder, loc, isIt, position,
                              constantTile(builder, loc, indices, nowhere)),
      reduced);
  Value found = payloadAt(place, at, position, reduced);

  Value isBeaten = beats(builder, loc, place, extremum, startingExtremum);
  // Of no element at all, the extremum is its identity, which may be as large
  // as what it started from.
  Value any = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, at,
      constantTile(builder, loc,
                   tiles.tileType(std::nullopt, builder.getIndexType()),
                   nowhere));
  isBeaten = arith::AndIOp::create(builder, loc, isBeaten, any);
  return arith::SelectOp::create(builder, loc, isBeaten, found, start);
}
