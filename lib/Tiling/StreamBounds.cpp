//===- StreamBounds.cpp - the part of a stream that is seen ---------------===//

#include "StreamBounds.h"

#include "MaskData.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// The mask of a streamed tensor, and where the tensor starts in the masked
/// scores.
struct MaskOfStream {
  MaskOp mask;
  OpFoldResult firstKey;
};
} // namespace

/// The mask of scores that begin at row 0 and key 0, looking through the slice
/// that splitting makes: it cuts the stream and nothing else.
static std::optional<MaskOfStream> findMask(OpBuilder &builder, Value tensor,
                                            unsigned streamPosition) {
  OpFoldResult firstKey = builder.getIndexAttr(0);
  if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!slice.hasUnitStride() ||
        slice.getSourceType().getRank() != slice.getResultType().getRank())
      return std::nullopt;
    for (auto [dim, offset] : llvm::enumerate(slice.getMixedOffsets()))
      if (dim != streamPosition && getConstantIntValue(offset) != 0)
        return std::nullopt;
    firstKey = slice.getMixedOffsets()[streamPosition];
    tensor = slice.getSource();
  }
  auto mask = tensor.getDefiningOp<MaskOp>();
  if (!mask || getConstantIntValue(mask.getFirstRow()) != 0 ||
      getConstantIntValue(mask.getFirstKey()) != 0)
    return std::nullopt;
  return MaskOfStream{mask, firstKey};
}

/// True if what `scores` is computed from may hide places by itself: a mask, or
/// an elementwise op that puts -inf somewhere.
static bool mayHide(Value scores) {
  Operation *op = scores.getDefiningOp();
  if (isa_and_nonnull<MaskOp>(op))
    return true;
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() != 0)
    return false;
  WalkResult putsInfinity = op->walk([](Operation *inner) {
    return llvm::any_of(
               inner->getOperands(),
               [](Value v) { return matchPattern(v, m_NegInfFloat()); })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return putsInfinity.wasInterrupted() ||
         llvm::any_of(linalgOp.getDpsInputs(), mayHide);
}

StreamBounds mlir::smx::boundsOfStream(OpBuilder &builder, Location loc,
                                       StreamingReductionOpInterface op,
                                       const DomainTile &rows,
                                       ArrayRef<int64_t> rowTiles) {
  unsigned numRows = op.getNumRows();
  AffineMap map = op.getOperandMaps()[op.getStateOperands().size()];
  std::optional<unsigned> streamPosition =
      map.getResultPosition(getAffineDimExpr(numRows, builder.getContext()));
  std::optional<MaskOfStream> found =
      findMask(builder, op.getInputOperands().front(), *streamPosition);
  if (!found || found->mask.getKeyDim() != *streamPosition)
    return {};
  MaskOp mask = found->mask;
  auto rowDim = dyn_cast<AffineDimExpr>(map.getResult(mask.getRowDim()));
  if (!rowDim)
    return {};
  auto index = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  std::optional<SmallVector<IndexRange>> data =
      rangesOfMaskData(builder, loc, mask, map, rows, rowTiles);
  if (!data)
    return {};
  unsigned row = rowDim.getPosition();
  StreamBounds bounds;
  bounds.mask = mask;
  bounds.isHiddenElsewhere = mayHide(mask.getInput());
  bounds.keys = mask.getMask().buildVisibleKeys(
      builder, loc, index(rows.offsets[row]), index(rows.sizes[row]),
      mask.getRows(), mask.getKeys(), *data);
  if (getConstantIntValue(found->firstKey) == 0)
    return bounds;
  // The stream is a part of the keys: [firstKey, firstKey + extent).
  SmallVector<OpFoldResult> domain = op.getDomainSizes(builder, loc);
  Value first = index(found->firstKey), extent = index(domain[numRows]);
  Value zero = index(builder.getIndexAttr(0));
  for (Value *key : {&bounds.keys.begin, &bounds.keys.fullBegin,
                     &bounds.keys.fullEnd, &bounds.keys.end}) {
    Value local = arith::SubIOp::create(builder, loc, *key, first);
    local = arith::MaxSIOp::create(builder, loc, local, zero);
    *key = arith::MinSIOp::create(builder, loc, local, extent);
  }
  return bounds;
}

std::optional<TileCounts>
mlir::smx::countTiles(StreamingReductionOpInterface op,
                      ArrayRef<OpFoldResult> sizes, int64_t rowTile,
                      int64_t streamTile) {
  unsigned numRows = op.getNumRows();
  AffineMap map = op.getOperandMaps()[op.getStateOperands().size()];
  Block scratch;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(&scratch);
  std::optional<unsigned> streamPosition =
      map.getResultPosition(getAffineDimExpr(numRows, builder.getContext()));
  std::optional<MaskOfStream> found =
      findMask(builder, op.getInputOperands().front(), *streamPosition);
  std::optional<int64_t> keys = getConstantIntValue(sizes[numRows]);
  std::optional<int64_t> rows =
      numRows ? getConstantIntValue(sizes[numRows - 1]) : std::nullopt;
  if (!found || !keys || !rows || getConstantIntValue(found->firstKey) != 0 ||
      found->mask.getKeyDim() != *streamPosition ||
      map.getResult(found->mask.getRowDim()) !=
          getAffineDimExpr(numRows - 1, builder.getContext()) ||
      !found->mask.getData().empty())
    return std::nullopt;
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t tiles = llvm::divideCeil(*keys, streamTile);
  TileCounts counts;
  for (int64_t first = 0; first < *rows; first += rowTile) {
    VisibleKeys visible = found->mask.getMask().buildVisibleKeys(
        builder, loc, constant(first),
        constant(std::min(rowTile, *rows - first)), constant(*rows),
        constant(*keys), /*data=*/{});
    std::optional<int64_t> begin = getConstantIntValue(visible.begin),
                           end = getConstantIntValue(visible.end),
                           fullBegin = getConstantIntValue(visible.fullBegin),
                           fullEnd = getConstantIntValue(visible.fullEnd);
    if (!begin || !end || !fullBegin || !fullEnd)
      return std::nullopt;
    // As buildStreamLoops rounds them.
    int64_t from = *begin / streamTile, to = llvm::divideCeil(*end, streamTile);
    int64_t seen = std::max<int64_t>(to - from, 0);
    int64_t wholeFrom = std::max<int64_t>(
                from, llvm::divideCeil(*fullBegin, streamTile)),
            wholeTo = std::min(to, *fullEnd / streamTile);
    int64_t whole = std::max<int64_t>(wholeTo - wholeFrom, 0);
    counts.whole += whole;
    counts.cut += seen - whole;
    counts.skipped += tiles - seen;
  }
  return counts;
}
