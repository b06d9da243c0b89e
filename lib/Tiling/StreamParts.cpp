//===- StreamParts.cpp - a stream for several blocks of threads -----------===//

#include "StreamParts.h"

#include "smx/IR/ElementBits.h"
#include "smx/IR/IndexMath.h"
#include "smx/Tiling/RowParts.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::smx;

std::optional<StreamParts> mlir::smx::chooseStreamParts(
    OpBuilder &builder, StreamingReductionOpInterface op,
    ArrayRef<OpFoldResult> sizes, const TileSizes &tileSizes,
    const PartOptions &options) {
  constexpr int64_t fewRows = 16, fewParts = 64, fewerLost = 16;
  unsigned numRows = op.getNumRows();
  bool hasAccumulator = op.getNumDims() > numRows + 1;
  // A merge of numbers alone costs no more than the next tile does.
  int64_t leastTiles = hasAccumulator ? 4 : 1;
  // Heads that share what is streamed may be rows as well: of one query each.
  int64_t tileRows = numRows == 0 ? 1 : tileSizes.rows.back();
  // Where rows have values of their own nothing is gained by a tile of them,
  // and there are as many blocks as rows: parts are for fewer.
  AffineMap values = op.getOperandMaps().back();
  bool sharesValues = numRows == 0 || !values.isFunctionOfDim(numRows - 1);
  bool isChosen = options.parts == 0;
  std::optional<int64_t> length = getConstantIntValue(sizes[numRows]);
  bool mayHaveFewRows =
      mostBlocksOfRow(op, sizes.take_front(numRows), length, options.slots) > 1;
  bool areColumns = !hasAccumulator && !isStreamFastest(op);
  if (options.parts == 1 ||
      (isChosen && ((tileRows > fewRows && !areColumns) ||
                    !(sharesValues || mayHaveFewRows) || options.slots <= 1)) ||
      (length && *length <= tileSizes.stream))
    return std::nullopt;

  // Elements that one sum adds up.
  int64_t longest = 8 * longestPartBytes /
                    elementBits(op.getInputOperands().front().getType());
  IndexMath math{builder, op.getLoc()};
  auto valueOf = [&](OpFoldResult extent) {
    return getValueOrCreateConstantIndexOp(builder, op.getLoc(), extent);
  };
  Value stream = valueOf(sizes[numRows]);
  Value wanted = math.constant(options.parts);
  if (isChosen) {
    Value tiles = math.constant(1);
    for (auto [size, tile] :
         llvm::zip(sizes.take_front(numRows), tileSizes.rows))
      tiles = math.mul(tiles, math.ceilDiv(valueOf(size), math.constant(tile)));
    if (tileSizes.hasStrips(sizes))
      tiles = math.mul(tiles, math.ceilDiv(valueOf(sizes.back()),
                                           math.constant(tileSizes.columns)));
    tiles = math.atLeast(tiles, 1);
    auto blocksOfTile = [&](int64_t blocks) {
      return math.div(math.constant(blocks), tiles);
    };
    int64_t slots = tileSizes.slots != 0 ? tileSizes.slots : options.slots;
    wanted = blocksOfTile(slots);
    // A merge of many accumulators takes longer than fewer blocks do that
    // stream, down to one of four.
    if (hasAccumulator)
      wanted =
          math.min(wanted, math.atLeast(blocksOfTile(slots / 4), fewParts));
    wanted = math.atLeast(wanted, 1);
    // A power of two of them fills the tile that merges, which asks for nothing
    // then: it is taken where parts are hardly longer by it.
    if (std::optional<int64_t> known = getConstantIntValue(wanted)) {
      int64_t power = llvm::bit_floor(uint64_t(*known));
      if (fewerLost * (*known - power) <= *known)
        wanted = math.constant(power);
    }
    if (!sharesValues)
      wanted = math.max(wanted, math.ceilDiv(stream, math.constant(longest)));
  }
  int64_t unit = tileSizes.stream;
  Value extent =
      math.ceilDiv(math.ceilDiv(stream, wanted), math.constant(unit));
  extent = math.mul(math.atLeast(extent, isChosen ? leastTiles : 1),
                    math.constant(unit));
  Value count = math.atLeast(math.ceilDiv(stream, extent), 1);
  if (isConstantIntValue(count, 1))
    return std::nullopt;
  return StreamParts{getAsOpFoldResult(count), getAsOpFoldResult(extent)};
}

SmallVector<FinishOp> mlir::smx::mergeParts(OpBuilder &builder,
                                            StreamingReductionOpInterface op,
                                            MutableArrayRef<FinishOp> finishes,
                                            StateAlgebraAttrInterface algebra,
                                            ValueRange parts) {
  unsigned numRows = op.getNumRows();
  AffineExpr stream = builder.getAffineDimExpr(numRows);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  maps.truncate(op.getStateOperands().size());
  // The parts are the stream: behind the rows, as in the domain.
  for (AffineMap map : SmallVector<AffineMap>(maps))
    maps.push_back(map.insertResult(stream, numRows));
  Location loc =
      NameLoc::get(builder.getStringAttr("merge of parts"), op.getLoc());
  SmallVector<OpFoldResult> sizes = op.getDomainSizes(builder, loc);
  sizes[numRows] = getExtent(builder, loc, parts.front(), numRows);
  auto identity =
      op.buildIdentity(builder, loc, sizes).front().getDefiningOp<IdentityOp>();
  identity.setAlgebraAttr(algebra);
  auto update = UpdateOp::create(builder, loc, identity.getStates().getTypes(),
                                 algebra, identity.getStates(), parts,
                                 builder.getAffineMapArrayAttr(maps),
                                 /*masked=*/false);
  SmallVector<FinishOp> merged;
  for (FinishOp finish : finishes)
    merged.push_back(FinishOp::create(builder, loc,
                                      finish.getResult().getType(), algebra,
                                      finish.getQuantity(), update.getResults(),
                                      finish.getInputs(), finish.getMaps()));
  return merged;
}
