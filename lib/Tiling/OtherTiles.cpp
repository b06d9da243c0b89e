//===- OtherTiles.cpp - how large a tile of other ops is ------------------===//

#include "OtherTiles.h"

#include "ProductTiles.h"
#include "smx/IR/ElementBits.h"
#include "smx/Tiling/AdjacentRows.h"
#include "smx/Tiling/LongRows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

static constexpr int64_t tileElements = otherTileExtent * otherTileExtent;
/// Elements of a tile along the dimension that memory runs along, at most.
static constexpr int64_t longestLine = 512;

/// The dimension that memory runs along in every operand that has it, the last
/// one of all results; none if an operand runs along another one of its own
/// dimensions there.
static std::optional<unsigned> commonLine(linalg::GenericOp op) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0 ||
      !isa<AffineDimExpr>(result.getResults().back()))
    return std::nullopt;
  auto line = cast<AffineDimExpr>(result.getResults().back());
  bool isCommon = llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInput(&operand) && !map.isFunctionOfDim(line.getPosition()))
      return true;
    return map.getNumResults() != 0 && map.getResults().back() == line;
  });
  return isCommon ? std::optional(line.getPosition()) : std::nullopt;
}

/// It is compared with something else, and nothing is computed of it.
static bool isComparedAlone(Value position) {
  return llvm::all_of(position.getUsers(), [](Operation *user) {
    return isa<arith::CmpIOp>(user) || (isa<arith::IndexCastOp>(user) &&
                                        isComparedAlone(user->getResult(0)));
  });
}

/// Rows of elements of 16 bits, or of 32, start anywhere, and what is read and
/// written are those alone: threads may hold a part of one from the access
/// before on (`smx-gpu-slid-rows`).
static bool mayBeSlid(linalg::GenericOp op, unsigned line, int64_t alignment) {
  constexpr unsigned narrow = 16, wide = 32;
  const unsigned bits = elementBits(op.getDpsInits().front().getType());
  int64_t read = 0;
  bool areEqual = bits == narrow || bits == wide;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(line)) {
      areEqual &= elementBits(operand.get().getType()) == bits;
      read += op.isDpsInput(&operand);
    }
  return 8 * alignment < accessBits && areEqual && read == 1 &&
         op.getNumDpsInits() == 1 &&
         llvm::all_of(op.getBlock()->getOps<linalg::IndexOp>(),
                      [](linalg::IndexOp index) {
                        return isComparedAlone(index.getResult());
                      });
}

/// Elements of a tile along the dimension that memory runs along, where nothing
/// is transposed: 512 are whole accesses of a warp, and what is known of a row
/// is read once for them. Fewer where too much of the last tile of the row
/// would be beyond its end. The gradient of cross entropy gained 4 to 7 % on
/// an H200; of rows that start anywhere, as tiles of one row, 12 to 18 % more
/// (20001 to 128257 elements, side by side, not kept).
static int64_t lineExtent(linalg::GenericOp op, unsigned dim,
                          int64_t alignment) {
  constexpr int64_t mostWasted = 4;
  int64_t extent = op.getStaticLoopRanges()[dim];
  if (ShapedType::isDynamic(extent))
    return otherTileExtent;
  auto beyondEnd = [&](int64_t columns) {
    return int64_t(llvm::alignTo(extent, columns)) - extent;
  };
  auto wastesTooMuch = [&](int64_t columns) {
    return beyondEnd(columns) > extent / mostWasted;
  };
  // What is slid needs less than an access behind the row.
  const int64_t mostSlid =
      accessBits / elementBits(op.getDpsInits().front().getType()) - 1;
  if (beyondEnd(tileElements) >= mostSlid && !wastesTooMuch(tileElements) &&
      mayBeSlid(op, dim, alignment))
    return tileElements;
  int64_t columns = longestLine;
  while (columns > otherTileExtent && wastesTooMuch(columns))
    columns /= 2;
  return columns;
}

/// Whole rows that are moved as one piece, if the dimension that memory runs
/// along is short, and rows follow one another along the same dimension
/// everywhere.
static std::optional<AdjacentRows>
adjacentRowsOf(linalg::GenericOp op, unsigned line, int64_t alignment) {
  ShortRows rows{op.getStaticLoopRanges()[line], /*read=*/0, /*readBits=*/0,
                 /*writtenBits=*/0, alignment};
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(line))
      continue;
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (map.getNumResults() == 1 || result.getNumResults() == 1 ||
        map.getResults().drop_back().back() !=
            result.getResults().drop_back().back())
      return std::nullopt;
    int64_t bits = elementBits(operand.get().getType());
    if (!op.isDpsInput(&operand)) {
      rows.writtenBits = std::max(rows.writtenBits, bits);
      continue;
    }
    if (rows.read != 0 && bits != rows.readBits)
      return std::nullopt;
    rows.readBits = bits;
    ++rows.read;
  }
  if (ShapedType::isDynamic(rows.columns) || rows.read == 0)
    return std::nullopt;
  return AdjacentRows::of(rows);
}

SmallVector<OpFoldResult> mlir::smx::tileSizesOf(linalg::GenericOp op,
                                                 int64_t alignment) {
  Builder builder(op.getContext());
  SmallVector<OpFoldResult> sizes;
  for (utils::IteratorType kind : op.getIteratorTypesArray())
    sizes.push_back(
        builder.getIndexAttr(kind == utils::IteratorType::parallel ? 1 : 0));
  // A sum of products is a product of matrices; other reductions are tiles of
  // one dimension beside the reduced one.
  bool isProduct = isSumOfProducts(op);
  unsigned most = op.getNumReductionLoops() == 0 || isProduct ? 2 : 1;
  // Inputs are bits: those that have a dimension, and whose is chosen.
  auto inputsWith = [&](unsigned dim) {
    unsigned bits = 0;
    for (auto [number, input] : llvm::enumerate(op.getDpsInputOperands()))
      bits |= unsigned(op.getMatchingIndexingMap(input).isFunctionOfDim(dim))
              << number;
    return bits;
  };
  unsigned chosen = 0, taken = 0;
  std::optional<unsigned> line =
      op.getNumReductionLoops() == 0 ? commonLine(op) : std::nullopt;
  int64_t columns = line ? lineExtent(op, *line, alignment) : otherTileExtent,
          rows = tileElements / columns;
  if (line && columns < longestLine)
    if (auto adjacent = adjacentRowsOf(op, *line, alignment)) {
      columns = op.getStaticLoopRanges()[*line];
      rows = adjacent->rows;
    }
  auto choose = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || chosen == most ||
        getConstantIntValue(sizes[dim.getPosition()]) != 1)
      return;
    // Each of the two matrices has one of a product's dimensions.
    if (isProduct) {
      unsigned inputs = inputsWith(dim.getPosition());
      if (inputs == 3 || (inputs & taken))
        return;
      taken |= inputs;
    }
    sizes[dim.getPosition()] =
        builder.getIndexAttr(dim.getPosition() == line ? columns : rows);
    ++chosen;
  };
  auto fastestOf = [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() != 0)
      choose(map.getResults().back());
  };
  for (OpOperand &operand : op.getDpsInitsMutable())
    fastestOf(operand);
  if (!line)
    for (OpOperand *operand : op.getDpsInputOperands())
      fastestOf(*operand);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : llvm::reverse(result.getResults()))
    choose(expr);
  // Dot products of rows: of one matrix, whatever has it.
  if (std::exchange(isProduct, false) && chosen == 0)
    for (AffineExpr expr : llvm::reverse(result.getResults()))
      if (chosen == 0)
        choose(expr);
  return sizes;
}
