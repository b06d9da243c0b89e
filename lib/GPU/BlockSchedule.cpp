//===- BlockSchedule.cpp - how a block of threads holds its tiles ---------===//

#include "BlockSchedule.h"
#include "LongRowSchedule.h"
#include "smx/Tiling/LongRows.h"
#include "smx/Tiling/ProductExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx::gpu;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `value` without conversions to a wider type.
static Value withoutExtension(Value value) {
  while (auto ext = value.getDefiningOp<arith::ExtFOp>())
    value = ext.getIn();
  return value;
}

/// `b` of `select(a is -0, 0, b)`, or null.
static Value unguarded(Value value, Value a) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || !matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
    return {};
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  APInt bits;
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&bits)) ||
      !bits.isSignMask())
    return {};
  auto bitcast = compare.getLhs().getDefiningOp<arith::BitcastOp>();
  if (!bitcast || withoutExtension(bitcast.getIn()) != a)
    return {};
  return select.getFalseValue();
}

std::optional<TileProduct>
mlir::smx::gpu::matchProduct(linalg::GenericOp op, const TileClasses &classes) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  Block *body = op.getBlock();
  auto add = op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  if (!add)
    return std::nullopt;
  Value out = body->getArgument(2);
  Value term = add.getLhs() == out   ? add.getRhs()
               : add.getRhs() == out ? add.getLhs()
                                     : Value();
  auto product = term ? term.getDefiningOp<arith::MulFOp>() : nullptr;
  if (!product)
    return std::nullopt;
  TileProduct result;
  Value factors[2];
  for (int side : {0, 1}) {
    Value factor = product->getOperand(side);
    Value other = withoutExtension(product->getOperand(1 - side));
    if (Value inner = unguarded(factor, other)) {
      result.guarded = true;
      factor = inner;
    }
    factors[side] = withoutExtension(factor);
  }
  if (factors[0] == body->getArgument(1))
    std::swap(factors[0], factors[1]);
  if (factors[0] != body->getArgument(0) || factors[1] != body->getArgument(1))
    return std::nullopt;

  // Which operand has the rows: the one whose dimension the other lacks.
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<TileClasses::Class> loops = classes.iterationClassesOf(op);
  AffineMap left = op.getMatchingIndexingMap(op.getDpsInputOperand(0)),
            right = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
  std::optional<unsigned> onlyLeft, onlyRight, reduced;
  for (unsigned loop = 0; loop < loops.size(); ++loop) {
    bool inLeft = left.isFunctionOfDim(loop),
         inRight = right.isFunctionOfDim(loop);
    // Extents of 1 do not decide anything unless nothing else does.
    auto prefer = [&](std::optional<unsigned> &chosen) {
      if (!chosen || classes.boundOf(loops[*chosen]) == 1)
        chosen = loop;
    };
    if (kinds[loop] == utils::IteratorType::reduction) {
      if (!inLeft || !inRight)
        return std::nullopt;
      prefer(reduced);
    } else if (inLeft && !inRight) {
      prefer(onlyLeft);
    } else if (inRight && !inLeft) {
      prefer(onlyRight);
    }
  }
  if (!onlyLeft || !onlyRight || !reduced)
    return std::nullopt;
  result.a = op.getDpsInputOperand(0);
  result.b = op.getDpsInputOperand(1);
  result.rows = loops[*onlyLeft];
  result.columns = loops[*onlyRight];
  result.reduced = loops[*reduced];
  return result;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

int64_t BlockSchedule::paddedExtent(TileClasses::Class c,
                                    const TileClasses &classes) const {
  int64_t unit = smx::productPiece;
  if (auto striped = dyn_cast<StripedAttr>(layout))
    unit = rowDim == 0 ? striped.getColumnThreads() * striped.getVector()
                       : striped.getRowThreads();
  int64_t part = llvm::divideCeil(classes.boundOf(c), partsOf(c));
  part = std::max<int64_t>(part, 1);
  if (productDims.contains(c))
    return smx::paddedProductExtent(part, productBits);
  return llvm::alignTo(part, unit);
}

FailureOr<BlockSchedule>
mlir::smx::gpu::chooseSchedule(scf::ForallOp nest, const TileClasses &classes,
                               const ScheduleOptions &options) {
  FailureOr<NestShape> found = shapeOf(nest, classes);
  if (failed(found))
    return failure();
  const NestShape &shape = *found;
  int64_t rows = shape.rows ? classes.boundOf(*shape.rows) : 1;
  if (rows == ShapedType::kDynamic)
    return nest.emitError("the rows of a tile have no static bound; smx-tile "
                          "with 'blocks' gives them one");
  BlockSchedule schedule;
  schedule.rows = shape.rows;
  MLIRContext *context = nest.getContext();
  if (!shape.products.empty()) {
    int64_t blocks = llvm::PowerOf2Ceil(llvm::divideCeil(rows, 16));
    schedule.warps =
        options.warps ? options.warps : std::min<int64_t>(blocks, 4);
    constexpr int64_t warpgroupRows = 64;
    if (options.warpgroups && !options.warps && shape.elementBits == 16 &&
        (rows == 2 * warpgroupRows || rows == 3 * warpgroupRows)) {
      schedule.warps = rows / 16;
      schedule.hasWarpgroups = true;
    }
    constexpr int64_t mostRowsOfWarp = 64;
    if (rows > mostRowsOfWarp * schedule.warps) // registers, and their code
      return nest.emitError("a tile of ")
             << rows << " rows is more than " << mostRowsOfWarp
             << " for each of " << schedule.warps << " warps; tiles of at most "
             << mostRowsOfWarp * schedule.warps
             << " rows (tile-rows) would work";
    schedule.layout = FragmentAttr::get(context, schedule.warps);
    schedule.rowExtent = llvm::alignTo(rows, 16 * schedule.warps);
    for (const TileProduct &product : shape.products) {
      schedule.productDims.insert(product.columns);
      schedule.productDims.insert(product.reduced);
    }
    schedule.productBits = getElementTypeOrSelf(shape.products.front().b->get())
                               .getIntOrFloatBitWidth();
    return schedule;
  }
  int64_t paddedRows = llvm::PowerOf2Ceil(std::max<int64_t>(rows, 1));
  int64_t length = llvm::PowerOf2Ceil(shape.longest);
  schedule.rowDim = shape.rowsAreFastest ? 1 : 0;
  int64_t fastest = shape.rowsAreFastest ? paddedRows : length;
  int64_t vector = std::min(shape.accessElements(), fastest);
  // A thread keeps the largest keys of all its columns.
  constexpr int64_t heldKeys = 4, mostThreads = 512;
  const bool keepsKeys = shape.rowsAreFastest && shape.maxima != 0;
  if (keepsKeys)
    vector = std::min(vector, int64_t(llvm::divideCeil(
                                  heldKeys, llvm::PowerOf2Ceil(shape.maxima))));
  // Of a long tile in a loop, and of rows that are only read, a thread has
  // twice as much, where it takes no more registers: what lanes exchange, and
  // the arithmetic of a row's values, is shared by more elements.
  constexpr int64_t longRow = 4096;
  bool isLongTile = !shape.isOneRow && rows == 1 && shape.longest > longRow;
  bool isOnlyRead =
      !shape.isWritten && !shape.rowsAreFastest && shape.maxima == 0;
  bool hasTwice = shape.elementBits == 16 && (isLongTile || isOnlyRead);
  int64_t each = hasTwice ? 32 : 16;
  int64_t fewest = keepsKeys ? 1 : paddedRows * fewestThreads(shape);
  int64_t threads =
      std::max(int64_t(llvm::PowerOf2Ceil(paddedRows * length / each)), fewest);
  if (keepsKeys)
    threads = std::min(threads, mostThreads / 2);
  if (options.warps)
    threads = options.warps * 32;
  threads = std::clamp<int64_t>(threads, 32, mostThreads);
  int64_t columnThreads = std::min(threads, fastest / vector);
  // A row that a warp holds needs no exchange with another one. Of more keys
  // than it has lanes it would leave many candidates.
  constexpr int64_t warpRow = 512;
  if (fastest <= warpRow && shape.maxima <= ::smx::gpu::warpThreads)
    columnThreads = std::min(columnThreads, ::smx::gpu::warpThreads);
  // The largest of rows of padding, whose scores are equal, take the longest.
  if (shape.maxima != 0 && !shape.rowsAreFastest && options.warps == 0)
    threads = std::clamp<int64_t>(paddedRows * columnThreads, 32, threads);
  int64_t rowThreads = threads / columnThreads;
  schedule.warps = threads / 32;
  schedule.layout =
      StripedAttr::get(context, rowThreads, columnThreads, vector);
  int64_t unit = shape.rowsAreFastest ? columnThreads * vector : rowThreads;
  schedule.rowExtent = llvm::alignTo(paddedRows, unit);
  if (shape.isOneRow && shape.longest * shape.rowBits > 8 * longRow)
    spreadRow(schedule, shape, options);
  // While a block computes on a long tile, another one loads its own.
  else if (isLongTile && options.warps == 0)
    schedule.minBlocks = threadsOfStream(shape, options) / threads;
  return schedule;
}
