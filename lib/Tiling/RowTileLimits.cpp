//===- RowTileLimits.cpp - how long tiles of rows are ---------------------===//

#include "RowTileLimits.h"

#include "smx/IR/ElementBits.h"
#include "smx/Tiling/LongRows.h"
#include "smx/Tiling/RowParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

static int64_t bitsOf(Value value) { return elementBits(value.getType()); }

SmallVector<int64_t> mlir::smx::bytesOfTensors(StreamingReductionOpInterface op,
                                               ArrayRef<FinishOp> finishes,
                                               int64_t extent) {
  llvm::SetVector<Value> values;
  values.insert_range(op.getInputOperands());
  for (FinishOp finish : finishes)
    values.insert_range(finish.getInputs());
  SmallVector<int64_t> bytes;
  for (size_t i = 0; i < values.size(); ++i) {
    auto type = dyn_cast<RankedTensorType>(values[i].getType());
    if (!type || !llvm::is_contained(type.getShape(), extent))
      continue;
    Operation *producer = values[i].getDefiningOp();
    if (isa_and_nonnull<linalg::LinalgOp, MaskOp>(producer))
      values.insert_range(producer->getOperands());
    else if (!isa_and_nonnull<tensor::EmptyOp, arith::ConstantOp>(producer))
      bytes.push_back(elementBytes(type));
  }
  return bytes;
}

int64_t mlir::smx::bytesPerElement(StreamingReductionOpInterface op,
                                   ArrayRef<FinishOp> finishes,
                                   int64_t extent) {
  int64_t bytes = 0;
  for (int64_t ofTensor : bytesOfTensors(op, finishes, extent))
    bytes += ofTensor;
  if (bytes == 0)
    bytes = elementBytes(op.getInputOperands().front().getType());
  return registerBytesOfRow(
      bytes,
      getElementTypeOrSelf(op.getStateOperands().front().getType()).isF64());
}

bool mlir::smx::areOnlyRead(ArrayRef<FinishOp> finishes) {
  return llvm::none_of(finishes,
                       [](FinishOp finish) { return finish.isStreamed(); });
}

RowTileLimits::RowTileLimits(const BlockReduction &reduction,
                             ArrayRef<FinishOp> finishes,
                             const BlockTileOptions &options)
    : row(reduction), heldBytes(options.rowBytes),
      longest(plainTile(row.inputBits)) {
  if (row.extent)
    bytesOfElement = bytesPerElement(row.op, finishes, *row.extent);
  if (areOnlyRead(finishes))
    limitReadOnce(options);
  else if (options.parts == 0)
    lengthenShared(options.slots);
  if (row.hasKeys())
    limitKeys();
}

/// What is read once anyway needs no more than a block. Where accesses are cut,
/// a thread of it has half as much, and longer tiles share what they cost; or
/// the row is slid to where accesses start, and held.
void RowTileLimits::limitReadOnce(const BlockTileOptions &options) {
  StreamingReductionOpInterface op = row.op;
  Value narrow = widenedRow(op);
  int64_t bits = narrow ? bitsOf(narrow) : row.inputBits;
  if (row.extent && isCut(row.inputBits)) {
    int64_t held = blockRowThreads * cutRowThreadBytes;
    // Sums in f64 count twice.
    if (bits <= 32 && op.getInputOperands().size() == 1 && !row.hasKeys())
      held =
          std::max(held, options.slidRowBytes / (bits / 8) * *bytesOfElement);
    heldBytes = std::min(heldBytes, held);
    longest = cutTileBytes / *bytesOfElement;
    return;
  }
  heldBytes = std::min(heldBytes, blockRowBytes);
  longest = plainTile(bits);
  if (bits == 16 && options.alignment * 8 >= accessBits)
    lengthenRead(options.slots);
}

/// Two blocks with 512 threads each, which ask for the next tile before they
/// compute (smx-gpu-next-loads), are up to 10 % faster than four with half as
/// many on an H200 (side by side), and have a last row for half as long. Not of
/// rows that four blocks on a multiprocessor are enough for, and two are not;
/// nor of those that several blocks share, or of which more is computed than a
/// maximum and the sum of weights.
void RowTileLimits::lengthenRead(int64_t slots) {
  constexpr size_t maximumAndSum = 2;
  StreamingReductionOpInterface op = row.op;
  std::optional<int64_t> rows = row.countRows();
  bool fitAtOnce = rows && *rows > slots / 2 && *rows <= slots;
  if (op.getStateOperands().size() == maximumAndSum && row.extent &&
      !fitAtOnce &&
      !isSharedByBlocks(row.op, row.rowSizes(), row.extent, slots))
    longest *= 2;
}

/// Blocks that share a row do not hide each other's loads as well as those of
/// many rows: of 16 bits, twice as much at once is 4 % faster on an H200 (side
/// by side), where each of `slots` blocks has some tiles of that length. Wider
/// elements, and several tensors, have no registers for it.
void RowTileLimits::lengthenShared(int64_t slots) {
  constexpr int64_t fewestTiles = 4;
  StreamingReductionOpInterface op = row.op;
  if (row.inputBits == 16 && op.getInputOperands().size() == 1 && row.extent &&
      isSharedByBlocks(op, row.rowSizes(), row.extent, slots) &&
      *row.extent >= 2 * longest * fewestTiles *
                         mostBlocksOfRow(op, row.rowSizes(), row.extent, slots))
    longest *= 2;
}

/// Of keys, which are wider than the state, few are made of a tile: the longer
/// it is, the fewer. Registers alone hold a row, or half of them a tile, beside
/// the keys of the tiles before.
void RowTileLimits::limitKeys() {
  constexpr int64_t heldKeysRowBytes = 16384;
  heldBytes = std::min(heldBytes, halfRowBytes);
  // Of parts of rows there is a list of keys for each rank, all in one warp.
  StreamingReductionOpInterface op = row.op;
  if (row.hasLists()) {
    int64_t bytes = 0;
    for (Value input : op.getInputOperands())
      bytes += bitsOf(input) / 8;
    heldBytes = halfRowBytes / 2;
    longest = llvm::bit_floor(uint64_t(heldBytes / 2 / bytes));
    return;
  }
  longest = halfRowBytes / 2 / bytesOfElement.value_or(row.elementBytes);
  if (!row.extent)
    return;
  // A loop keeps maxima of its threads, and no keys; so does the rest of the
  // row behind it. What follows is serial, and other rows hide it: of the short
  // tile a multiprocessor has more of them than of whole rows.
  int64_t plain = plainTile(row.scoreBits);
  bool hasLoop = *row.extent >= 2 * plain && !isCut(row.scoreBits);
  if (!hasLoop && *row.extent % plain != 0)
    return;
  longest = plain;
  if (row.scoreBits <= 32)
    heldBytes = std::min(heldBytes, heldKeysRowBytes);
}

int64_t RowTileLimits::longestTile() const {
  if (!row.extent)
    return longest;
  bool isHeld = *row.extent * *bytesOfElement <= heldBytes;
  return isHeld ? *row.extent : std::min(*row.extent, longest);
}
