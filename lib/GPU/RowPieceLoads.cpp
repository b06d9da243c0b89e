//===- RowPieceLoads.cpp - where the pieces of a long row are -------------===//
//
// The first piece is in registers. The others are copied to shared memory once,
// or are loaded again by each reduction, and by the stores.
//
//===----------------------------------------------------------------------===//

#include "RowPieces.h"

using namespace mlir;
using namespace mlir::smx::gpu;

template <typename OpTy>
void RowPieces::moveTo(OpBuilder &builder, const Piece &piece, OpTy op) {
  if (piece.first == 0)
    return;
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value first = arith::ConstantIndexOp::create(builder, loc, piece.first);
  MutableOperandRange offsets = op.getOffsetsMutable();
  OpOperand &offset = offsets[op.getDims().back()];
  offset.set(arith::AddIOp::create(builder, loc, offset.get(), first));
  if (op.getValid().empty())
    return;
  OpOperand &valid = op.getValidMutable()[1];
  Value left = arith::SubIOp::create(builder, loc, valid.get(), first);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  valid.set(arith::MaxSIOp::create(builder, loc, left, zero));
}

template void RowPieces::moveTo(OpBuilder &, const Piece &, StoreOp);

Value RowPieces::loadPiece(OpBuilder &builder, const Piece &piece, LoadOp load,
                           Reading reading) {
  OpBuilder::InsertionGuard guard(builder);
  auto part = cast<LoadOp>(builder.clone(*load));
  part.getTile().setType(typeOf(piece, load.getTile()));
  part.setReading(reading);
  moveTo(builder, piece, part);
  return part.getTile();
}

Value RowPieces::copyPiece(OpBuilder &builder, const Piece &piece,
                           LoadOp load) {
  OpBuilder::InsertionGuard guard(builder);
  RankedTensorType type = typeOf(piece, load.getTile());
  auto sharedType = SharedType::get(kernel.getContext(), type.getShape(),
                                    type.getElementType(), 0);
  Value shared = AllocOp::create(builder, load.getLoc(), sharedType);
  auto copy = CopyOp::create(builder, load.getLoc(), load.getSource(),
                             load.getOffsets(), load.getValid(), shared,
                             load.getDims(), load.getAligned());
  moveTo(builder, piece, copy);
  return shared;
}

void RowPieces::load(OpBuilder &builder, Piece &piece) {
  bool isFirst = piece.first == 0;
  for (LoadOp load : loads) {
    Value &loaded = piece.loaded[load.getTile()];
    if (!isFirst && rest == Rest::InShared) {
      loaded = copyPiece(builder, piece, load);
      continue;
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(load);
    if (rest == Rest::InShared)
      loaded = loadPiece(builder, piece, load, load.getReading());
    else if (usesOf[load.getTile()] > 1)
      loaded = isFirst ? loadPiece(builder, piece, load, Reading::Last)
                       : readAgain(builder, piece, load);
  }
}

void RowPieces::countUses(ArrayRef<Operation *> roots) {
  for (Operation *root : roots) {
    llvm::SetVector<Value> needed;
    collect(root->getOperand(0), needed);
    for (LoadOp load : loads)
      if (needed.contains(load.getTile()))
        ++usesOf[load.getTile()];
  }
}

Value RowPieces::readAgain(OpBuilder &builder, Piece &piece, LoadOp load) {
  int64_t uses = usesOf[load.getTile()];
  bool isLast = ++piece.uses[load.getTile()] == uses;
  // What only one needs is of no other's concern.
  return loadPiece(builder, piece, load,
                   uses == 1 ? load.getReading()
                   : isLast  ? Reading::Last
                             : Reading::First);
}

void RowPieces::loadAhead(OpBuilder &builder, Value stored) {
  llvm::SetVector<Value> needed;
  collect(stored, needed);
  for (Piece &piece : MutableArrayRef(pieces).drop_front())
    for (LoadOp load : loads)
      if (Value tile = load.getTile();
          needed.contains(tile) && usesOf[tile] > 1 && !piece.loaded[tile])
        piece.loaded[tile] = readAgain(builder, piece, load);
}

/// `tile` in the other form: the row, or the parts of warps.
static Value inForm(OpBuilder &builder, Value tile, RankedTensorType type) {
  if (tile.getType() == type)
    return tile;
  return PartsOp::create(builder, tile.getLoc(), type, tile);
}

Value RowPieces::loadedOf(OpBuilder &builder, Piece &piece, Value tile) {
  Value &loaded = piece.loaded[tile];
  if (rest == Rest::InMemory) {
    if (!loaded)
      return readAgain(builder, piece, tile.getDefiningOp<LoadOp>());
    // What was loaded ahead is used once. In registers the tile is all that is
    // kept from one to the next.
    if (piece.first != 0)
      return std::exchange(loaded, Value());
    if (piece.uses[tile]++ != 0)
      loaded = HoldOp::create(builder, tile.getLoc(), loaded.getType(), loaded);
    return loaded;
  }
  if (!isa<SharedType>(loaded.getType()))
    return loaded;
  Location loc = tile.getLoc();
  loaded = HoldOp::create(builder, loc, loaded.getType(), loaded);
  Value source = tile.getDefiningOp<LoadOp>() ? tile : loads.front().getTile();
  Value row = ReadOp::create(builder, loc, typeOf(piece, source), loaded);
  return inForm(builder, row, typeOf(piece, tile));
}

void RowPieces::keep(OpBuilder &builder, Piece &piece, Value tile, Value made) {
  Value shared = piece.loaded.lookup(loads.front().getTile());
  Value row = inForm(builder, made, typeOf(piece, loads.front().getTile()));
  WriteOp::create(builder, tile.getLoc(), row, shared);
  piece.loaded[tile] = shared;
}
