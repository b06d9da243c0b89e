//===- TileEnds.cpp - the ends of the numbers of a tile -------------------===//

#include "TileEnds.h"

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::smx::gpu;

bool TileEnds::bring(Value number) {
  Operation *op = number.getDefiningOp();
  Block *block = builder.getInsertionBlock();
  if (!op || op->getBlock() != block)
    return true;
  bool isThere = builder.getInsertionPoint() == block->end() ||
                 op->isBeforeInBlock(&*builder.getInsertionPoint());
  if (isThere)
    return true;
  auto isNumber = [](Value value) { return value.getType().isIntOrIndex(); };
  if (!isPure(op) || op->getNumRegions() != 0 ||
      !llvm::all_of(op->getResults(), isNumber) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return bring(operand); }))
    return false;
  // The insertion point is never what moves.
  op->moveBefore(block, builder.getInsertionPoint());
  return true;
}

std::optional<TileEnds::Ends> TileEnds::endsOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  Location loc = tile.getLoc();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  DenseIntElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)) && elements.isSplat())
    return single(number(elements.getSplatValue<APInt>().getSExtValue()));
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
    return bring(splat.getInput()) ? std::optional(single(splat.getInput()))
                                   : std::nullopt;
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return endsOf(broadcast.getValues());
  if (auto position = dyn_cast_or_null<PositionOp>(op)) {
    auto type = cast<RankedTensorType>(tile.getType());
    int64_t extent =
        type.getDimSize(type.getRank() == 1 ? 0 : position.getDim());
    return Ends{number(0), number(extent - 1)};
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<Ends> left = endsOf(op->getOperand(0)),
                      right = endsOf(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return Ends{
        builder.createOrFold<arith::AddIOp>(loc, left->least, right->least),
        builder.createOrFold<arith::AddIOp>(loc, left->most, right->most)};
  return Ends{
      builder.createOrFold<arith::SubIOp>(loc, left->least, right->most),
      builder.createOrFold<arith::SubIOp>(loc, left->most, right->least)};
}

TileTruth TileEnds::truthOf(Value mask) {
  Operation *op = mask.getDefiningOp();
  Location loc = mask.getLoc();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    TileTruth left = truthOf(op->getOperand(0)),
              right = truthOf(op->getOperand(1));
    bool isAnd = isa<arith::AndIOp>(op);
    // `And` is false where one side is, and true only where both are; `or` the
    // other way round.
    auto either = [&](Value a, Value b) -> Value {
      return !a || !b ? (a ? a : b)
             : isAnd  ? builder.createOrFold<arith::AndIOp>(loc, a, b)
                      : builder.createOrFold<arith::OrIOp>(loc, a, b);
    };
    auto both = [&](Value a, Value b) -> Value {
      return a && b ? either(a, b) : Value();
    };
    if (isAnd)
      return {either(left.isAny, right.isAny),
              both(left.isEvery, right.isEvery)};
    return {both(left.isAny, right.isAny), either(left.isEvery, right.isEvery)};
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return {};
  arith::CmpIPredicate predicate = compare.getPredicate();
  bool isBelow = predicate == arith::CmpIPredicate::slt ||
                 predicate == arith::CmpIPredicate::sle;
  bool isAbove = predicate == arith::CmpIPredicate::sgt ||
                 predicate == arith::CmpIPredicate::sge;
  if (!isBelow && !isAbove)
    return {};
  std::optional<Ends> left = endsOf(compare.getLhs()),
                      right = endsOf(compare.getRhs());
  if (!left || !right)
    return {};
  // a < b somewhere, if the least a is below the most b, and everywhere, if the
  // most a is below the least b.
  auto holds = [&](Value a, Value b) -> Value {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  };
  if (isBelow)
    return {holds(left->least, right->most), holds(left->most, right->least)};
  return {holds(left->most, right->least), holds(left->least, right->most)};
}
