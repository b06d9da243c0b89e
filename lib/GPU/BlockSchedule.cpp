//===- BlockSchedule.cpp - how a block of threads holds its tiles ---------===//

#include "BlockSchedule.h"
#include "LoneRows.h"
#include "LongRowSchedule.h"
#include "RowThreads.h"
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

void BlockSchedule::giveHints(KernelOp kernel) const {
  auto unit = UnitAttr::get(kernel.getContext());
  if (hasAdjacentRows)
    kernel->setDiscardableAttr(adjacentRowsAttribute, unit);
  if (isInRegisters)
    kernel->setDiscardableAttr(rowsInRegistersAttribute, unit);
}

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

static std::string counted(int64_t number, StringRef noun) {
  return (Twine(number) + " " + noun + (number == 1 ? "" : "s")).str();
}

/// What would work instead of a tile with `count` of something, of which each
/// warp has at most `most`: the warps for it, if the caller has chosen fewer
/// and blocks have so many, or smaller `tiles`.
static std::string wouldWork(const ScheduleOptions &options, int64_t count,
                             int64_t most, const std::string &tiles) {
  constexpr int64_t mostWarps = 16;
  int64_t warps = llvm::PowerOf2Ceil(llvm::divideCeil(count, most));
  if (options.warps == 0 || warps > mostWarps)
    return tiles + " would work";
  return counted(warps, "warp") + " (warps), or " + tiles + ", would work";
}

/// "tiles of at most 16 rows (tile-rows) or 64 elements of a row
/// (tile-stream)": those of `schedule` have `length` of them, and a block at
/// most `most`.
static std::string smallerTiles(const BlockSchedule &schedule, int64_t length,
                                int64_t most) {
  std::string text = "tiles of at most ";
  // A cluster of fewer rows may be a block.
  int64_t ofRow = length * schedule.cluster;
  if (schedule.rowExtent > 1 && ofRow <= most)
    text += counted(llvm::bit_floor(uint64_t(most / ofRow)), "row") +
            " (tile-rows) or ";
  return text +
         counted(llvm::bit_floor(uint64_t(most / schedule.rowExtent)),
                 "element") +
         " of a row (tile-stream)";
}

/// Of a nest with products: tiles are fragments of matrices.
static FailureOr<BlockSchedule>
scheduleOfProducts(scf::ForallOp nest, const NestShape &shape, int64_t rows,
                   const ScheduleOptions &options) {
  BlockSchedule schedule;
  schedule.rows = shape.rows;
  int64_t blocks = llvm::PowerOf2Ceil(llvm::divideCeil(rows, 16));
  schedule.warps = options.warps ? options.warps : std::min<int64_t>(blocks, 4);
  // Few rows that are more than those of a warpgroup leave a part of the second
  // one's unused: two fragments for each warp would not fit into registers.
  constexpr int64_t warpgroupRows = 64;
  int64_t warpgroups = llvm::divideCeil(rows, warpgroupRows);
  if (options.warpgroups && !options.warps && shape.elementBits == 16 &&
      (warpgroups == 2 || warpgroups == 3)) {
    schedule.warps = warpgroups * warpgroupRows / 16;
    schedule.hasWarpgroups = true;
  }
  constexpr int64_t mostRowsOfWarp = 64;
  if (rows > mostRowsOfWarp * schedule.warps) // registers, and their code
    return nest.emitError("a tile of ")
           << rows << " rows is more than " << mostRowsOfWarp << " for each of "
           << counted(schedule.warps, "warp") << "; "
           << wouldWork(options, rows, mostRowsOfWarp,
                        "tiles of at most " +
                            counted(mostRowsOfWarp * schedule.warps, "row") +
                            " (tile-rows)");
  schedule.layout = FragmentAttr::get(nest.getContext(), schedule.warps);
  schedule.rowExtent = llvm::alignTo(rows, 16 * schedule.warps);
  for (const TileProduct &product : shape.products) {
    schedule.productDims.insert(product.columns);
    schedule.productDims.insert(product.reduced);
  }
  schedule.productBits = getElementTypeOrSelf(shape.products.front().b->get())
                             .getIntOrFloatBitWidth();
  return schedule;
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
  if (!shape.products.empty())
    return scheduleOfProducts(nest, shape, rows, options);
  // Beyond, rounding up overflows.
  constexpr int64_t longestTile = INT32_MAX;
  if (shape.longest > longestTile)
    return nest.emitError("a tile of ")
           << shape.longest << " elements is more than blocks can have; tiles "
           << "of at most " << longestTile << " (tile-stream) would work";
  RowThreads along(shape, rows, options);
  int64_t rowThreads = along.threads / along.columnThreads;
  BlockSchedule schedule;
  schedule.rows = shape.rows;
  schedule.rowDim = shape.rowsAreFastest ? 1 : 0;
  schedule.warps = along.threads / 32;
  schedule.hasAdjacentRows = along.areAdjacent;
  schedule.layout = StripedAttr::get(nest.getContext(), rowThreads,
                                     along.columnThreads, along.vector);
  int64_t unit =
      shape.rowsAreFastest ? along.columnThreads * along.vector : rowThreads;
  schedule.rowExtent = llvm::alignTo(along.paddedRows, unit);
  if (along.cluster > 1) {
    schedule.cluster = along.cluster;
    schedule.spread = shape.longestClass;
  }
  if (isLongRow(shape, options))
    spreadRow(schedule, shape, options);
  // While a block computes on a long tile, another one loads its own.
  else if (along.isLongTile && options.warps == 0)
    schedule.minBlocks = threadsOfStream(shape, options) / along.threads;
  else if (options.warps == 0)
    schedule.minBlocks = along.minBlocks(shape);
  auto layout = cast<StripedAttr>(schedule.layout);
  if (layout.getRowThreads() * layout.getColumnThreads() !=
      schedule.warps * ::smx::gpu::warpThreads)
    return nest.emitError("a tile of ")
           << schedule.rowExtent << " x " << shape.longest
           << " elements has no use for all of " << schedule.warps
           << " warps; a power of two of them (warps) would work";
  // Of more, which takes rows or warps that a caller has chosen, code grows
  // with every element. Clusters have the rest of a row in shared memory, but
  // not of columns.
  constexpr int64_t mostOfThread = 256;
  int64_t threads = schedule.warps * ::smx::gpu::warpThreads;
  if (!shape.longestClass || (schedule.cluster != 1 && !shape.rowsAreFastest))
    return schedule;
  const int64_t length = schedule.paddedExtent(*shape.longestClass, classes);
  if (schedule.rowExtent * length > mostOfThread * threads)
    return nest.emitError("a tile of ")
           << schedule.rowExtent << " x " << shape.longest
           << " elements is more than " << mostOfThread << " for each of "
           << threads << " threads; "
           << wouldWork(options, schedule.rowExtent * length,
                        mostOfThread * ::smx::gpu::warpThreads,
                        smallerTiles(schedule, length, mostOfThread * threads));
  return schedule;
}
