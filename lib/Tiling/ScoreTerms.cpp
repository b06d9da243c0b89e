//===- ScoreTerms.cpp - what scores read from memory ----------------------===//

#include "ScoreTerms.h"
#include "StreamBounds.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

/// True if `index`, in a body, is computed from the place along `loop`.
static bool isFunctionOfLoop(Value index, unsigned loop) {
  Operation *op = index.getDefiningOp();
  if (auto place = dyn_cast_or_null<linalg::IndexOp>(op))
    return place.getDim() == loop;
  return op && llvm::any_of(op->getOperands(), [&](Value operand) {
           return isFunctionOfLoop(operand, loop);
         });
}

/// True if another index tells rows from each other than does columns.
static bool isForEachPair(tensor::ExtractOp read, unsigned row,
                          unsigned column) {
  return llvm::any_of(read.getIndices(),
                      [&](Value index) {
                        return isFunctionOfLoop(index, column) &&
                               !isFunctionOfLoop(index, row);
                      }) &&
         llvm::any_of(read.getIndices(), [&](Value index) {
           return isFunctionOfLoop(index, row);
         });
}

/// True if the last index is the place along `column`, of which no other one is
/// a function.
static bool isInRows(tensor::ExtractOp read, unsigned column) {
  if (read.getIndices().empty())
    return false;
  auto last = read.getIndices().back().getDefiningOp<linalg::IndexOp>();
  return last && last.getDim() == column &&
         llvm::none_of(read.getIndices().drop_back(), [&](Value index) {
           return isFunctionOfLoop(index, column);
         });
}

/// Where a dimension is among the results of `map`, if it is one.
static std::optional<unsigned> placeOf(unsigned dim, AffineMap map) {
  return map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
}

/// True if rows of `type` are multiples of 16 bytes, or may be.
static bool hasPitch(RankedTensorType type) {
  constexpr int64_t pitch = 16;
  int64_t bytes = elementBytes(type);
  return type.isDynamicDim(type.getRank() - 1) ||
         type.getShape().back() * bytes % pitch == 0;
}

/// Counts elements of `tensor`, of which rows of scores read rows or not.
static void add(ScoreTerms &terms, Value tensor, bool areRows) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bits = elementBits(type);
  terms.bytes += llvm::divideCeil(bits, 8);
  terms.areCopied &= areRows && (bits == 16 || bits == 32) && hasPitch(type);
}

/// Counts what neighbours share.
static void addShared(ScoreTerms &terms, tensor::ExtractOp read, unsigned row,
                      unsigned column) {
  ++terms.shared;
  terms.scalars += llvm::none_of(read.getIndices(), [&](Value index) {
    return isFunctionOfLoop(index, row) || isFunctionOfLoop(index, column);
  });
  terms.areNarrow &= elementBits(read.getTensor().getType()) <= 16;
  terms.areRepeated &=
      isInRows(read, column) && hasPitch(read.getTensor().getType()) &&
      llvm::none_of(read.getIndices(),
                    [&](Value index) { return isFunctionOfLoop(index, row); });
}

/// True if what `op` computes takes few registers beside its operands and its
/// result. A quotient has a call for denormals.
static bool takesLittle(Operation &op) {
  if (auto quotient = dyn_cast<arith::DivFOp>(op))
    return matchPattern(quotient.getRhs(), m_Constant());
  return isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
             arith::NegFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::ExtFOp, math::AbsFOp,
             math::FmaOp, math::TanhOp, math::ExpOp, math::Exp2Op,
             arith::AddIOp, arith::SubIOp, arith::IndexCastOp, arith::SIToFPOp,
             linalg::IndexOp, tensor::ExtractOp, linalg::YieldOp>(op);
}

/// Adds what `scores` are computed from. `row` and `column` are the dimensions
/// of `scores` of which tiles are made.
static void addTerms(ScoreTerms &terms, Value scores, unsigned row,
                     unsigned column) {
  if (auto mask = scores.getDefiningOp<MaskOp>())
    return addTerms(terms, mask.getInput(), row, column);
  auto producer = scores.getDefiningOp<linalg::LinalgOp>();
  if (producer && producer.getNumReductionLoops() != 0)
    return;
  auto function = scores.getDefiningOp<linalg::GenericOp>();
  AffineMap result =
      function ? function.getIndexingMapMatchingResult(cast<OpResult>(scores))
               : AffineMap();
  if (!result || !result.isProjectedPermutation()) {
    terms.takeLittle = false;
    return;
  }
  terms.takeLittle &= llvm::all_of(*function.getBody(), takesLittle);
  terms.areAdded &= llvm::all_of(
      *function.getBody(),
      llvm::IsaPred<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::ExtFOp,
                    arith::ConstantOp, linalg::IndexOp, tensor::ExtractOp,
                    linalg::YieldOp>);
  unsigned rowLoop = result.getDimPosition(row),
           columnLoop = result.getDimPosition(column);
  for (auto place : function.getBody()->getOps<linalg::IndexOp>())
    terms.takePlaces |= !place.use_empty() && (place.getDim() == rowLoop ||
                                               place.getDim() == columnLoop);
  for (auto read : function.getBody()->getOps<tensor::ExtractOp>())
    if (isForEachPair(read, rowLoop, columnLoop))
      add(terms, read.getTensor(), isInRows(read, columnLoop));
    else
      addShared(terms, read, rowLoop, columnLoop);
  for (OpOperand *operand : function.getDpsInputOperands()) {
    AffineMap map = function.getMatchingIndexingMap(operand);
    std::optional<unsigned> rowOf = placeOf(rowLoop, map),
                            columnOf = placeOf(columnLoop, map);
    if (!rowOf || !columnOf) {
      terms.takeLittle &= !rowOf && !columnOf;
      continue;
    }
    Operation *producer = operand->get().getDefiningOp();
    if (isa_and_nonnull<linalg::LinalgOp, MaskOp>(producer))
      addTerms(terms, operand->get(), *rowOf, *columnOf);
    else if (!isa_and_nonnull<tensor::EmptyOp, arith::ConstantOp>(producer))
      add(terms, operand->get(), *columnOf == map.getNumResults() - 1);
  }
}

ScoreTerms mlir::smx::findScoreTerms(StreamingReductionOpInterface op) {
  unsigned stream = op.getNumRows();
  AffineMap scores = op.getOperandMaps()[op.getStateOperands().size()];
  std::optional<unsigned> column = placeOf(stream, scores);
  std::optional<unsigned> row =
      stream == 0 ? std::nullopt : placeOf(stream - 1, scores);
  ScoreTerms terms;
  if (row && column)
    addTerms(terms, op.getInputOperands().front(), *row, *column);
  return terms;
}

int64_t mlir::smx::longestGatheredStream(const ScoreTerms &terms,
                                         int64_t columns) {
  // Others: references, sums and addresses.
  constexpr int64_t longest = 128, registers = 224, others = 16, bits = 16;
  if (terms.bytes == 0)
    return longest;
  int64_t room = registers - others - columns / 2;
  int64_t keys =
      std::clamp<int64_t>(llvm::alignDown(room * 4 / 5, ProductTiles::piece),
                          ProductTiles::piece, longest);
  // What is padded takes registers, too.
  while (paddedProductExtent(keys, bits) != keys)
    keys -= ProductTiles::piece;
  return keys;
}

int64_t mlir::smx::longestPortableStream(StreamingReductionOpInterface op,
                                         const ScoreTerms &terms,
                                         int64_t width) {
  constexpr int64_t longest = 64, longestOfWidest = 48, longestMasked = 32,
                    longestCutTwice = 16, widest = 96, narrowBytes = 2;
  bool isByDistance = terms.shared != 0 && !terms.areRepeated;
  if (!op.mayBeMasked())
    return terms.bytes != 0 && width > widest ? longestOfWidest : longest;
  bool isCutTwice = widthOfMasks(op).has_value() || areRangesGiven(op);
  // What is read of f16 is widened by an instruction of its own.
  bool isF16 = getElementTypeOrSelf(op.getInputOperands().back()).isF16();
  if (isCutTwice && (terms.bytes > narrowBytes ||
                     (isByDistance && (!terms.areNarrow || isF16))))
    return longestCutTwice;
  return isByDistance || (isCutTwice && terms.bytes != 0) ? longestMasked
                                                          : longest;
}

std::optional<ProductTile>
mlir::smx::tileWithTerms(const ScoreTerms &terms, const ProductTiles &shared,
                         int64_t columns, bool mayHaveLongRows, int64_t bytes) {
  static constexpr ProductTile longRows{192, 64};
  static constexpr ProductTile fastestOf16[] = {{128, 128},
                                                {128, 96},
                                                {128, 64}},
                               fastestOf32[] = {{128, 96}, {128, 64}};
  if (terms.bytes == 0 || !terms.areCopied)
    return std::nullopt;
  bool isWide = terms.bytes > 2;
  bool hasRest = shared.extent && *shared.extent % longRows.stream != 0;
  if (mayHaveLongRows && terms.areAdded && !isWide && !hasRest &&
      shared.bytesOf(longRows.rows, longRows.stream) <= bytes)
    return longRows;
  int64_t longest = columns > 128 ? 64 : 128;
  for (ProductTile tile :
       isWide ? ArrayRef(fastestOf32) : ArrayRef(fastestOf16))
    if (tile.stream <= longest &&
        shared.bytesOf(tile.rows, tile.stream) <= bytes)
      return tile;
  return std::nullopt;
}
