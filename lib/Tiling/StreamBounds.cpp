//===- StreamBounds.cpp - the part of a stream that is seen ---------------===//

#include "StreamBounds.h"

#include "MaskData.h"
#include "smx/IR/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// The masks of a streamed tensor, what they mask, and where the tensor starts
/// in the masked scores.
struct MasksOfStream {
  SmallVector<MaskOp> masks;
  Value masked;
  OpFoldResult firstKey;
};
} // namespace

/// The masks of scores that begin at row 0 and key 0, looking through the slice
/// that splitting makes: it cuts the stream and nothing else.
static MasksOfStream findMasks(OpBuilder &builder, Value tensor,
                               unsigned streamPosition) {
  MasksOfStream found{{}, tensor, builder.getIndexAttr(0)};
  if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!slice.hasUnitStride() ||
        slice.getSourceType().getRank() != slice.getResultType().getRank())
      return found;
    for (auto [dim, offset] : llvm::enumerate(slice.getMixedOffsets()))
      if (dim != streamPosition && getConstantIntValue(offset) != 0)
        return found;
    found.firstKey = slice.getMixedOffsets()[streamPosition];
    tensor = slice.getSource();
  }
  while (auto mask = tensor.getDefiningOp<MaskOp>()) {
    if (getConstantIntValue(mask.getFirstRow()) != 0 ||
        getConstantIntValue(mask.getFirstKey()) != 0 ||
        mask.getKeyDim() != streamPosition)
      break;
    found.masks.push_back(mask);
    tensor = found.masked = mask.getInput();
  }
  return found;
}

static AffineMap streamMapOf(StreamingReductionOpInterface op) {
  return op.getOperandMaps()[op.getStateOperands().size()];
}

static MasksOfStream findMasks(OpBuilder &builder,
                               StreamingReductionOpInterface op) {
  std::optional<unsigned> position = streamMapOf(op).getResultPosition(
      getAffineDimExpr(op.getNumRows(), builder.getContext()));
  return findMasks(builder, op.getInputOperands().front(), *position);
}

MaskOp mlir::smx::findBlocks(StreamingReductionOpInterface op) {
  OpBuilder builder(op.getContext());
  for (MaskOp mask : findMasks(builder, op).masks)
    if (isa<BlocksAttr>(mask.getMask()))
      return mask;
  return {};
}

static std::optional<int64_t> widthOf(Attribute mask) {
  auto band = dyn_cast<BandAttr>(mask);
  if (band && band.getLeft() && band.getRight())
    return *band.getLeft() + *band.getRight() + 1;
  if (auto chunks = dyn_cast<ChunksAttr>(mask))
    return chunks.getSize();
  std::optional<int64_t> width;
  if (auto several = dyn_cast<AllOfAttr>(mask))
    for (Attribute one : several.getMasks())
      if (std::optional<int64_t> other = widthOf(one))
        width = std::min(width.value_or(*other), *other);
  return width;
}

std::optional<int64_t>
mlir::smx::widthOfMasks(StreamingReductionOpInterface op) {
  OpBuilder builder(op.getContext());
  std::optional<int64_t> width;
  for (MaskOp mask : findMasks(builder, op).masks)
    if (std::optional<int64_t> other = widthOf(mask.getMask()))
      width = std::min(width.value_or(*other), *other);
  return width;
}

static bool isOfRanges(Attribute mask) {
  if (auto several = dyn_cast<AllOfAttr>(mask))
    return llvm::any_of(several.getMasks(), isOfRanges);
  return isa<KeyRangesAttr>(mask);
}

bool mlir::smx::areRangesGiven(StreamingReductionOpInterface op) {
  OpBuilder builder(op.getContext());
  return llvm::any_of(findMasks(builder, op).masks,
                      [](MaskOp mask) { return isOfRanges(mask.getMask()); });
}

static bool isOneEdge(const MasksOfStream &found) {
  if (found.masks.size() != 1)
    return false;
  auto band = dyn_cast<BandAttr>(MaskOp(found.masks.front()).getMask());
  return band && !(band.getLeft() && band.getRight());
}

bool mlir::smx::isCutOnOneSide(StreamingReductionOpInterface op) {
  OpBuilder builder(op.getContext());
  return isOneEdge(findMasks(builder, op));
}

bool mlir::smx::hasOneEdge(StreamingReductionOpInterface op) {
  OpBuilder builder(op.getContext());
  MasksOfStream found = findMasks(builder, op);
  auto product = found.masked.getDefiningOp<linalg::LinalgOp>();
  return product && product.getNumReductionLoops() != 0 && isOneEdge(found);
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

/// True if what computes `scores` asks for the place of a key.
static bool dependOnPlaces(Value scores, unsigned keyDim) {
  if (auto mask = scores.getDefiningOp<MaskOp>())
    return dependOnPlaces(mask.getInput(), keyDim);
  auto generic = scores.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumReductionLoops() != 0 ||
      !llvm::all_of(generic.getRegionOutputArgs(),
                    [](Value out) { return out.use_empty(); }))
    return false;
  AffineExpr key = generic.getIndexingMapsArray().back().getResult(keyDim);
  for (auto index : generic.getBody()->getOps<linalg::IndexOp>())
    if (getAffineDimExpr(index.getDim(), scores.getContext()) == key &&
        !index->use_empty())
      return true;
  return false;
}

StreamBounds mlir::smx::boundsOfStream(OpBuilder &builder, Location loc,
                                       StreamingReductionOpInterface op,
                                       const DomainTile &rows,
                                       const TileSizes &tileSizes) {
  IndexMath math{builder, loc};
  AffineMap map = streamMapOf(op);
  MasksOfStream found = findMasks(builder, op);
  auto index = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  StreamBounds bounds;
  bounds.hasTail = getPageExtent(op) == 0;
  bounds.isHiddenElsewhere = mayHide(found.masked);
  for (MaskOp mask : found.masks) {
    auto rowDim = dyn_cast<AffineDimExpr>(map.getResult(mask.getRowDim()));
    if (auto blocks = dyn_cast<BlocksAttr>(mask.getMask())) {
      // The list is of tiles of all keys, from the first one on, and of one
      // mask: what another one hides is hidden in the tiles.
      bool isFirst =
          rowDim && !bounds.tiles && isConstantIntValue(found.firstKey, 0);
      if (isFirst)
        bounds.tiles = listTiles(builder, loc, mask, map, rows, tileSizes.rows,
                                 tileSizes.stream);
      if (isFirst && bounds.tiles &&
          areTilesInBlocks(blocks, tileSizes.rows[rowDim.getPosition()],
                           tileSizes.stream))
        bounds.listed.push_back(mask);
      else
        bounds.isHiddenElsewhere = true;
      continue;
    }
    std::optional<SmallVector<IndexRange>> data;
    if (rowDim)
      data = rangesOfMaskData(builder, loc, mask, map, rows, tileSizes.rows);
    if (!data) {
      bounds.isHiddenElsewhere = true;
      continue;
    }
    unsigned row = rowDim.getPosition();
    VisibleKeys keys = mask.getMask().buildVisibleKeys(
        builder, loc, index(rows.offsets[row]), index(rows.sizes[row]),
        mask.getRows(), mask.getKeys(), *data);
    bounds.keys =
        bounds.ranged.empty() ? keys : math.intersection(bounds.keys, keys);
    bounds.ranged.push_back(mask);
    bounds.hasFewTiles = tileSizes.seesFewKeys;
    // Scores that change with the distance, as in ALiBi, are largest at the
    // diagonal, where a mask ends: from there on references stay where they
    // are. In the other order they rise with every tile.
    bounds.isBackward |= tileSizes.hasSlack && !bounds.tiles &&
                         (tileSizes.fromDiagonal ||
                          dependOnPlaces(found.masked, mask.getKeyDim()));
  }
  if (bounds.ranged.empty() || isConstantIntValue(found.firstKey, 0))
    return bounds;
  // The stream is a part of the keys: [firstKey, firstKey + extent).
  SmallVector<OpFoldResult> domain = op.getDomainSizes(builder, loc);
  Value first = index(found.firstKey), extent = index(domain[op.getNumRows()]);
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
                      int64_t streamTile, int64_t cutTile) {
  unsigned numRows = op.getNumRows();
  AffineMap map = streamMapOf(op);
  Block scratch;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(&scratch);
  MasksOfStream found = findMasks(builder, op);
  MaskOp mask = found.masks.size() == 1 ? found.masks.front() : MaskOp();
  std::optional<int64_t> keys = getConstantIntValue(sizes[numRows]);
  std::optional<int64_t> rows =
      numRows ? getConstantIntValue(sizes[numRows - 1]) : std::nullopt;
  if (!mask || !keys || !rows || !isConstantIntValue(found.firstKey, 0) ||
      map.getResult(mask.getRowDim()) !=
          getAffineDimExpr(numRows - 1, builder.getContext()) ||
      !mask.getData().empty())
    return std::nullopt;
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t tiles = llvm::divideCeil(*keys, cutTile),
          cutsOfWhole = streamTile / cutTile;
  TileCounts counts;
  for (int64_t first = 0; first < *rows; first += rowTile) {
    VisibleKeys visible = mask.getMask().buildVisibleKeys(
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
    int64_t from = *begin / cutTile, to = llvm::divideCeil(*end, cutTile);
    int64_t seen = std::max<int64_t>(to - from, 0);
    int64_t wholeFrom = std::max<int64_t>(
                from, cutsOfWhole * llvm::divideCeil(*fullBegin, streamTile)),
            wholeTo = std::min(to, cutsOfWhole * (*fullEnd / streamTile));
    int64_t whole = std::max<int64_t>(wholeTo - wholeFrom, 0);
    counts.whole += whole;
    counts.cut += seen - whole;
    counts.skipped += tiles - seen;
  }
  return counts;
}
