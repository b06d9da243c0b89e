//===- GroupCode.cpp - code on a block's tiles for one group of warps -----===//

#include "GroupCode.h"

#include "DealtTiles.h"
#include "Multiples.h"
#include "OverlappedRounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx::gpu {

GroupCode::GroupCode(OpBuilder &builder, const GroupShape &shape,
                     const DealtTiles &operands, Value turns)
    : builder(builder), shape(shape), operands(operands), turns(turns) {
  Location loc = builder.getUnknownLoc();
  Value group = GroupIdOp::create(builder, loc);
  Value rows = arith::ConstantIndexOp::create(builder, loc, shape.rows);
  firstRow = arith::MulIOp::create(builder, loc, group, rows);
}

Type GroupCode::convert(Type type) const {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return type;
  auto layout = FragmentAttr::get(tile.getContext(), warpgroupWarps);
  SmallVector<int64_t> extents(tile.getShape());
  Attribute encoding = layout;
  SliceAttr slice = getSlice(tile);
  if (slice)
    encoding = SliceAttr::get(tile.getContext(), slice.getDim(), layout);
  // A slice along the rows has columns.
  if (!slice || slice.getDim() == 1)
    extents.front() = shape.rows;
  return RankedTensorType::get(extents, tile.getElementType(), encoding);
}

SmallVector<Type> GroupCode::convert(TypeRange types) const {
  return llvm::map_to_vector(types, [&](Type type) { return convert(type); });
}

SmallVector<Value> GroupCode::lookup(ValueRange values) const {
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookup(value); });
}

bool GroupCode::keepsTurn() const {
  return shape.keepsTurns && !operands.haveTerms();
}

void GroupCode::takeTurn(Location loc) {
  if (turns)
    TakeTurnOp::create(builder, loc, turns);
}

void GroupCode::passTurn(Location loc) {
  if (turns)
    PassTurnOp::create(builder, loc, turns);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void GroupCode::clone(Block &block) {
  for (Operation &op : block.without_terminator())
    clone(op);
  releaseOperandsOf(*block.getTerminator());
}

void GroupCode::clone(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && shape.overlapsProducts)
    if (std::optional<OverlappedLoop> overlapped = OverlappedLoop::match(loop))
      return OverlappedRounds(*overlapped, *this).emit();
  cloneOp(op);
  releaseOperandsOf(op);
}

void GroupCode::releaseOperandsOf(Operation &op) {
  operands.releaseAfter(op, *this);
}

void GroupCode::cloneOp(Operation &op) {
  if (isa<PutOp, MakeChannelOp>(op))
    return;
  if (operands.contains(op))
    return operands.get(op, *this);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return cloneLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return cloneBranch(branch);
  if (auto position = dyn_cast<PositionOp>(op))
    return clonePosition(position);
  if (auto product = dyn_cast<MmaOp>(op))
    return cloneProduct(product);
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && cloneRowLimit(compare))
    return;
  Operation *copy = builder.clone(op, mapping);
  for (OpResult result : copy->getResults())
    result.setType(convert(result.getType()));
  if (auto load = dyn_cast<LoadOp>(copy))
    moveRows(load);
  else if (auto store = dyn_cast<StoreOp>(copy))
    moveRows(store);
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      constant.setValueAttr(
          SplatElementsAttr::get(cast<ShapedType>(convert(splat.getType())),
                                 splat.getSplatValue<Attribute>()));
}

void GroupCode::cloneProduct(MmaOp op) {
  auto copy = cast<MmaOp>(builder.clone(*op, mapping));
  Value(copy.getResult()).setType(convert(op.getResult().getType()));
}

static bool isOfRows(PositionOp op) {
  SliceAttr slice = getSlice(op.getTile().getType());
  return slice ? slice.getDim() == 1 : op.getDim() == 0;
}

bool GroupCode::cloneRowLimit(arith::CmpIOp op) {
  auto position = op.getLhs().getDefiningOp<PositionOp>();
  auto limit = op.getRhs().getDefiningOp<tensor::SplatOp>();
  // first + i < limit for all 0 <= i < rows, or for none, where first and
  // limit are multiples of rows.
  if (op.getPredicate() != arith::CmpIPredicate::slt || !position || !limit ||
      !isOfRows(position) || !isMultipleOf(limit.getInput(), shape.rows))
    return false;
  Location loc = op.getLoc();
  Value isThere =
      arith::CmpIOp::create(builder, loc, op.getPredicate(), firstRow,
                            mapping.lookup(limit.getInput()));
  mapping.map(
      op.getResult(),
      tensor::SplatOp::create(builder, loc, isThere,
                              cast<RankedTensorType>(convert(op.getType()))));
  return true;
}

void GroupCode::clonePosition(PositionOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(convert(op.getTile().getType()));
  Value place = PositionOp::create(builder, loc, type, op.getDim());
  if (isOfRows(op)) {
    Value first = tensor::SplatOp::create(builder, loc, type, firstRow);
    place = arith::AddIOp::create(builder, loc, place, first);
  }
  mapping.map(op.getTile(), place);
}

template <typename OpTy>
void GroupCode::moveRows(OpTy op) {
  SliceAttr slice = getSlice(op.getTile().getType());
  int64_t along = op.getDims()[0];
  if (slice && slice.getDim() == 0)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  if (along >= 0) {
    MutableOperandRange offsets = op.getOffsetsMutable();
    OpOperand &offset = offsets[along];
    offset.set(
        arith::AddIOp::create(builder, op.getLoc(), offset.get(), firstRow));
  }
  if (!op.getValid().empty()) {
    OpOperand &valid = op.getValidMutable()[0];
    // Where all rows of the block are there, all of the group are.
    APInt rows;
    bool hasAll = matchPattern(valid.get(), m_ConstantInt(&rows)) &&
                  rows.getSExtValue() >= shape.groups * shape.rows;
    valid.set(hasAll ? Value(arith::ConstantIndexOp::create(
                           builder, op.getLoc(), shape.rows))
                     : Value(arith::SubIOp::create(builder, op.getLoc(),
                                                   valid.get(), firstRow)));
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void GroupCode::cloneLoop(scf::ForOp loop) {
  auto copy = scf::ForOp::create(
      builder, loop.getLoc(), mapping.lookup(loop.getLowerBound()),
      mapping.lookup(loop.getUpperBound()), mapping.lookup(loop.getStep()),
      lookup(loop.getInitArgs()));
  mapping.map(loop.getBody()->getArguments(), copy.getBody()->getArguments());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(copy.getBody());
    clone(*loop.getBody());
    if (copy.getBody()->empty() ||
        !copy.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(builder, loop.getLoc(),
                           lookup(loop.getYieldedValues()));
  }
  mapping.map(loop.getResults(), copy.getResults());
}

void GroupCode::cloneBranch(scf::IfOp branch) {
  bool hasElse = !branch.getElseRegion().empty();
  auto copy = scf::IfOp::create(builder, branch.getLoc(),
                                convert(branch.getResultTypes()),
                                mapping.lookup(branch.getCondition()), hasElse);
  auto cloneSide = [&](Region &from, Region &to) {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = &to.front();
    if (!block->empty())
      block->getTerminator()->erase();
    builder.setInsertionPointToStart(block);
    clone(from.front());
    scf::YieldOp::create(builder, branch.getLoc(),
                         lookup(from.front().getTerminator()->getOperands()));
  };
  cloneSide(branch.getThenRegion(), copy.getThenRegion());
  if (hasElse)
    cloneSide(branch.getElseRegion(), copy.getElseRegion());
  mapping.map(branch.getResults(), copy.getResults());
}

} // namespace mlir::smx::gpu
