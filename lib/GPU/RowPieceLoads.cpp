//===- RowPieceLoads.cpp - where the pieces of a long row are -------------===//
//
// The first ones are in registers. The others are copied to shared memory once.
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

Value RowPieces::loadPiece(OpBuilder &builder, const Piece &piece,
                           LoadOp load) {
  OpBuilder::InsertionGuard guard(builder);
  auto part = cast<LoadOp>(builder.clone(*load));
  part.getTile().setType(typeOf(piece, load.getTile()));
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
  for (LoadOp load : loads) {
    OpBuilder::InsertionGuard guard(builder);
    if (!piece.isShared)
      builder.setInsertionPoint(load);
    piece.loaded[load.getTile()] = piece.isShared
                                       ? copyPiece(builder, piece, load)
                                       : loadPiece(builder, piece, load);
  }
}

/// `tile` in the other form: the row, or the parts of warps.
static Value inForm(OpBuilder &builder, Value tile, RankedTensorType type) {
  if (tile.getType() == type)
    return tile;
  return PartsOp::create(builder, tile.getLoc(), type, tile);
}

Value RowPieces::loadedOf(OpBuilder &builder, Piece &piece, Value tile) {
  Value &loaded = piece.loaded[tile];
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
