//===- FragmentStores.cpp - rows of fragments, written in one piece -------===//

#include "FragmentStores.h"
#include "WarpExchange.h"

namespace mlir::smx {

/// Lanes of a row, columns of a group, and elements that a lane then writes.
static constexpr int64_t rowLanes = 4, groupColumns = 8;
/// Columns that the lanes of a row write with one instruction each.
static constexpr int64_t pieceColumns = rowLanes * groupColumns;

bool storesWholeRows(gpu::StoreOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  auto memref = cast<MemRefType>(op.getDestination().getType());
  if (!isa_and_nonnull<gpu::FragmentAttr>(tile.getEncoding()) ||
      tile.getElementTypeBitWidth() != 16 || tile.getRank() != 2 ||
      tile.getDimSize(1) % pieceColumns != 0 || op.getAligned() % 16 != 0 ||
      op.getAligned() == 0 || llvm::is_contained(op.getDims(), -1))
    return false;
  auto [strides, start] = memref.getStridesAndOffset();
  bool hasAllColumns =
      op.getValid().empty() ||
      getConstantIntValue(op.getValid()[1]) == tile.getDimSize(1);
  return strides[op.getDims()[1]] == 1 && hasAllColumns;
}

/// Exchanges four words of each of the four lanes of a row: lane q gets word q
/// of each lane, in their order.
static void transpose(ThreadCode &code, MutableArrayRef<Value> words,
                      ArrayRef<Value> isOdd) {
  for (auto [step, odd] : llvm::enumerate(isOdd)) {
    size_t distance = size_t(1) << step;
    for (size_t i = 0; i < words.size(); ++i) {
      if (i & distance)
        continue;
      Value &low = words[i], &high = words[i | distance];
      Value sent = LLVM::SelectOp::create(code, odd, low, high);
      Value got = exchange(code, sent, static_cast<int64_t>(distance));
      Value newLow = LLVM::SelectOp::create(code, odd, got, low);
      high = LLVM::SelectOp::create(code, odd, high, got);
      low = newLow;
    }
  }
}

void storeWholeRows(ThreadCode &code, gpu::StoreOp op, GlobalTile memory,
                    Value value) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  auto run = VectorType::get(groupColumns, tile.getElementType());
  Value lane = code.remainder(code.lane(), rowLanes);
  SmallVector<Value, 2> isOdd;
  for (int64_t bit : {1, 2})
    isOdd.push_back(LLVM::ICmpOp::create(
        code, LLVM::ICmpPredicate::ne,
        LLVM::AndOp::create(code, lane, code.i32(bit)), code.i32(0)));
  // Computed for every tile: registers that a thread's address and multiples of
  // the stride took beside a whole loop of products would be missing there.
  if (Value &stride = memory.dims[0].stride)
    stride = opaque(code, stride);
  Value row = opaque(code, code.threadPart(tile).row);
  Value column = opaque(code, code.mul(lane, code.i32(groupColumns)));
  Value base =
      code.advance(memory.start(code), byteOffset(code, memory, 0, row, 0));
  base = code.advance(base, byteOffset(code, memory, 1, column, 0));
  Value left;
  if (Value valid = memory.dims[0].valid)
    left =
        LLVM::SubOp::create(code, valid, row, LLVM::IntegerOverflowFlags::nsw);

  int64_t perGroup = 4, groups = tile.getDimSize(1) / groupColumns;
  for (int64_t block = 0; block < gpu::getRegisterCount(tile);
       block += perGroup * groups)
    for (int64_t pair = 0; pair < perGroup; pair += 2) {
      int64_t below = gpu::getElement(tile, 0, block + pair).row;
      Value isValid = left ? code.less(code.i32(below), left) : Value();
      Value start =
          code.advance(base, byteOffset(code, memory, 0, Value(), below));
      for (int64_t group = 0; group < groups; group += rowLanes) {
        SmallVector<Value, 4> words;
        for (int64_t i : llvm::seq(rowLanes))
          words.push_back(LLVM::BitcastOp::create(
              code, code.getI32Type(),
              code.getRegisters(value, block + perGroup * (group + i) + pair,
                                2)));
        transpose(code, words, isOdd);
        Value address = code.advance(
            start, byteOffset(code, memory, 1, Value(), group * groupColumns));
        storeGlobal(
            code, LLVM::BitcastOp::create(code, run, code.fromRegisters(words)),
            address, isValid);
      }
    }
}

} // namespace mlir::smx
