//===- RowParts.cpp - blocks that share a row -----------------------------===//

#include "smx/Tiling/RowParts.h"
#include "smx/IR/ElementBits.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

bool mlir::smx::isStreamFastest(StreamingReductionOpInterface op) {
  AffineMap streamed = op.getOperandMaps()[op.getStateOperands().size()];
  return streamed.getResults().back() ==
         getAffineDimExpr(op.getNumRows(), op->getContext());
}

bool mlir::smx::isInOrderOfMemory(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  return !op || llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    std::optional<unsigned> before;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || (before && dim.getPosition() <= *before))
        return false;
      before = dim.getPosition();
    }
    return !op.isDpsInput(&operand) || isInOrderOfMemory(operand.get());
  });
}

int64_t mlir::smx::mostBlocksOfRow(StreamingReductionOpInterface op,
                                   ArrayRef<OpFoldResult> rowSizes,
                                   std::optional<int64_t> extent,
                                   int64_t slots) {
  int64_t bits = elementBits(op.getInputOperands().front().getType());
  bool isLong = extent && *extent * bits > 8 * longestPartBytes;
  int64_t rows = 1;
  for (OpFoldResult size : rowSizes)
    rows *= getConstantIntValue(size).value_or(isLong ? 1 : slots);
  // Columns of memory share a block. Strips that are half as wide are faster
  // than two parts of each.
  constexpr int64_t columnsOfBlock = 64, fewestParts = 3;
  if (!isStreamFastest(op) && op.getNumDims() == op.getNumRows() + 1) {
    rows = llvm::divideCeil(rows, columnsOfBlock);
    if (rows * fewestParts > slots)
      return 1;
  }
  int64_t blocks = rows > 0 ? std::max<int64_t>(slots / rows, 1) : 1;
  auto update = dyn_cast<UpdateOp>(op.getOperation());
  int64_t mergeBytes = update ? update.getAlgebra().getMergeBytes() : 0;
  if (mergeBytes != 0 && extent &&
      (*extent - llvm::divideCeil(*extent, blocks)) * bits <= 8 * mergeBytes)
    return 1;
  return blocks;
}

bool mlir::smx::isSharedByBlocks(StreamingReductionOpInterface op,
                                 ArrayRef<OpFoldResult> rowSizes,
                                 std::optional<int64_t> extent, int64_t slots) {
  return mostBlocksOfRow(op, rowSizes, extent, slots) > 1 &&
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           auto finish = dyn_cast<FinishOp>(user);
           return finish && finish.getAlgebra().hasParts();
         });
}

static bool isTensorInMemory(Value tensor) {
  Operation *source = tensor.getDefiningOp();
  return !source || isa<tensor::TensorDialect>(source->getDialect());
}

bool mlir::smx::isInMemory(StreamingReductionOpInterface op) {
  return llvm::all_of(op.getInputOperands(), isTensorInMemory);
}

Value mlir::smx::widenedRow(StreamingReductionOpInterface op) {
  if (op.getInputOperands().size() != 1)
    return {};
  Value row = op.getInputOperands()[0];
  // A part of a row.
  if (auto slice = row.getDefiningOp<tensor::ExtractSliceOp>())
    row = slice.getSource();
  auto widening = row.getDefiningOp<linalg::GenericOp>();
  if (!widening || widening.getNumDpsInputs() != 1 ||
      !llvm::all_of(widening.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  auto extension = widening.getBlock()
                       ->getTerminator()
                       ->getOperand(0)
                       .getDefiningOp<arith::ExtFOp>();
  return extension && isa<BlockArgument>(extension.getIn())
             ? widening.getDpsInputs()[0]
             : Value();
}

bool mlir::smx::isWidenedByCluster(StreamingReductionOpInterface op,
                                   int64_t extent, int64_t most) {
  constexpr int64_t narrowBytes = 2;
  Value narrow = widenedRow(op);
  return narrow && !narrow.getDefiningOp() &&
         elementBits(narrow.getType()) == 8 * narrowBytes &&
         extent * narrowBytes <=
             most * blockRowThreads * exponentialThreadBytes;
}

bool mlir::smx::isReadByCluster(StreamingReductionOpInterface op,
                                ArrayRef<OpFoldResult> rowSizes, int64_t extent,
                                int64_t most, int64_t slots) {
  constexpr int64_t mostBlocks = 8;
  unsigned rows = op.getNumRows();
  AffineMap map = op.getOperandMaps().back();
  Value narrow = widenedRow(op);
  Value row = narrow ? narrow : op.getInputOperands().front();
  bool isRow =
      op.getNumDims() == rows + 1 && op.getInputOperands().size() == 1 &&
      isTensorInMemory(row) &&
      map.getResults().back() == getAffineDimExpr(rows, op->getContext());
  bool isReadOnce = llvm::none_of(op->getUsers(), [](Operation *user) {
    auto finish = dyn_cast<FinishOp>(user);
    return finish && finish.isStreamed();
  });
  int64_t bits = elementBits(row.getType());
  if (!isRow || !isReadOnce || bits != 16 ||
      mostBlocksOfRow(op, rowSizes, extent, slots) != 1)
    return false;
  // Shorter rows are one tile anyway, and clusters of 16 wait for longer.
  int64_t bytes = extent * bits / 8;
  return bytes >= blockRowBytes && bytes * 8 % accessBits == 0 &&
         SmallBlocks(bytes).blocks <= std::min(most, mostBlocks);
}
