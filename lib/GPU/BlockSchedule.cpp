//===- BlockSchedule.cpp - how a block of threads holds its tiles ---------===//

#include "BlockSchedule.h"
#include "smx/Tiling/LongRows.h"
#include "smx/Tiling/ProductExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

namespace {
/// What the loop nest says about its tiles.
struct NestShape {
  std::optional<TileClasses::Class> rows;
  SmallVector<TileProduct> products;
  /// Largest bound of the dimensions that are not rows, and its class.
  int64_t longest = 1;
  std::optional<TileClasses::Class> longestClass;
  /// No other dimension than that has more than one element, and a tile has all
  /// of it.
  bool isOneRow = true;
  /// Reductions to the largest key: of top-k, k.
  int64_t maxima = 0;
  /// Bits of all that is read of one element of a row.
  int64_t rowBits = 0;
  /// Bits of the narrowest element type that is read.
  int64_t elementBits = 64;
  bool rowsAreFastest = false;
  /// There is a result as long as a row.
  bool isWritten = false;
};
} // namespace

/// Adds `c` as the class of the rows.
static LogicalResult setRows(NestShape &shape, TileClasses::Class c,
                             const TileClasses &classes, Operation *op) {
  if (classes.boundOf(c) == 1 || shape.rows == c)
    return success();
  if (shape.rows)
    return op->emitOpError("expected tiles with one dimension of rows, got two "
                           "with more than one element; smx-tile with 1 row "
                           "in all but the last would work");
  shape.rows = c;
  return success();
}

/// True for `select(a > out, a, out)` in f64: that is what keys are.
static bool isMaximumOfKeys(linalg::GenericOp op) {
  auto larger = op.getBlock()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!larger || !larger.getType().isF64())
    return false;
  auto compare = larger.getCondition().getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OGT &&
         compare.getLhs() == larger.getTrueValue() &&
         compare.getRhs() == larger.getFalseValue() &&
         larger.getFalseValue() == op.getRegionOutputArgs().front();
}

static FailureOr<NestShape> shapeOf(scf::ForallOp nest,
                                    const TileClasses &classes) {
  NestShape shape;
  // The products say what rows are. The transposed product is as good: take
  // the orientation in which the accumulator of one feeds the next.
  nest.walk([&](linalg::GenericOp op) {
    if (std::optional<TileProduct> product = matchProduct(op, classes))
      shape.products.push_back(*product);
  });
  for (TileProduct &product : shape.products)
    if (failed(setRows(shape, product.rows, classes, product.a->getOwner())))
      return failure();
  WalkResult walked = nest.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0 || matchProduct(op, classes))
      return WalkResult::advance();
    SmallVector<TileClasses::Class> loops = classes.iterationClassesOf(op);
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::parallel &&
          failed(setRows(shape, loops[loop], classes, op)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  // Without a reduction any dimension will do, but the fastest one.
  bool reduces = nest.walk([](linalg::LinalgOp op) {
                       return op.getNumReductionLoops() != 0
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (!reduces)
    nest.walk([&](linalg::LinalgOp op) {
      SmallVector<TileClasses::Class> dims =
          classes.classesOf(op.getDpsInits()[0]);
      for (TileClasses::Class c : ArrayRef(dims).drop_back(!dims.empty()))
        if (classes.boundOf(c) != 1)
          shape.rows = c;
    });
  walked = nest.walk([&](tensor::ExtractSliceOp slice) {
    shape.elementBits = std::min<int64_t>(
        shape.elementBits, slice.getType().getElementTypeBitWidth());
    SmallVector<TileClasses::Class> dims = classes.classesOf(slice);
    bool isMatrix = llvm::count_if(dims, [&](TileClasses::Class c) {
                      return classes.boundOf(c) != 1;
                    }) > 1;
    if (isMatrix && shape.rows && dims.back() == *shape.rows)
      shape.rowsAreFastest = true;
    return WalkResult::advance();
  });
  nest.walk([&](linalg::LinalgOp op) {
    for (TileClasses::Class c : classes.iterationClassesOf(op))
      if (c != shape.rows && classes.boundOf(c) != ShapedType::kDynamic &&
          classes.boundOf(c) > shape.longest) {
        shape.longest = classes.boundOf(c);
        shape.longestClass = c;
      }
  });
  nest.walk([&](linalg::LinalgOp op) {
    // What a value of a row each is written along is as short.
    if (op.getNumDpsInputs() != 0 &&
        llvm::all_of(op.getDpsInputs(), [&](Value input) {
          return isa<RankedTensorType>(input.getType()) &&
                 llvm::all_of(classes.classesOf(input),
                              [&](auto c) { return classes.boundOf(c) == 1; });
        }))
      return;
    shape.isOneRow &= llvm::all_of(classes.iterationClassesOf(op), [&](auto c) {
      return c == shape.longestClass || classes.boundOf(c) == 1;
    });
  });
  nest.walk([&](scf::ForOp) { shape.isOneRow = false; });
  nest.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() != 0 && isMaximumOfKeys(op))
      ++shape.maxima;
  });
  nest.walk([&](tensor::ExtractSliceOp slice) {
    if (nest->isAncestor(slice.getSource().getParentBlock()->getParentOp()) ||
        !llvm::is_contained(classes.classesOf(slice), shape.longestClass))
      return;
    shape.rowBits += llvm::alignTo(slice.getType().getElementTypeBitWidth(), 8);
  });
  nest.walk([&](tensor::ParallelInsertSliceOp insert) {
    shape.isWritten |= llvm::is_contained(classes.classesOf(insert.getSource()),
                                          shape.longestClass);
  });
  return shape;
}

/// Threads of a row, at least: 2 k sets of elements, of two threads each, leave
/// few candidates for the k largest; of 64 threads and k = 64, hundreds.
static int64_t fewestThreads(const NestShape &shape) {
  return llvm::PowerOf2Ceil(4 * shape.maxima);
}

/// The schedule of one long row: how many threads hold it, in how many blocks.
static void spreadRow(BlockSchedule &schedule, const NestShape &shape,
                      const ScheduleOptions &options) {
  using namespace mlir::smx;
  using ::smx::gpu::warpThreads;
  int64_t bytes =
      registerBytesOfRow(llvm::divideCeil(shape.longest * shape.rowBits, 8),
                         /*isDouble=*/shape.elementBits == 64);
  // Copies to shared memory want rows at multiples of 16 bytes. Of a row that
  // does not fill its threads, what is read again is masked again: for narrow
  // elements registers alone are faster, where they do.
  bool isWhole = bytes % halfRowBytes == 0 || shape.elementBits >= 32;
  bool isShared = options.alignment >= 16 &&
                  (isWhole || bytes > options.clusters * halfRowBytes);
  bool isCut =
      !isShared && (options.alignment * 8 < accessBits ||
                    shape.longest * shape.elementBits % accessBits != 0);
  int64_t each = isShared ? blockRowBytes
                 : isCut  ? cutBlockBytes
                          : halfRowBytes;
  int64_t threadBytes = isCut ? cutRowThreadBytes : blockRowThreadBytes;
  if (bytes > blockRowThreads * threadBytes && options.clusters > 1) {
    schedule.cluster = std::min<int64_t>(
        options.clusters, llvm::PowerOf2Ceil(llvm::divideCeil(bytes, each)));
    schedule.spread = shape.longestClass;
  }
  int64_t part = llvm::divideCeil(bytes, schedule.cluster);
  int64_t threads = std::max<int64_t>(llvm::divideCeil(part, threadBytes),
                                      fewestThreads(shape));
  // Where narrow elements are written, blocks of 256 threads with a few whole
  // accesses each are faster by 1 to 3 % on an H200.
  constexpr int64_t manyThreads = 256;
  if (shape.isWritten && shape.elementBits == 16 &&
      part % (manyThreads * accessBits / 8) == 0 &&
      part > manyThreads * accessBits / 8)
    threads = std::max(threads, manyThreads);
  // Of many warps, four at a time exchange 16 bytes.
  threads = llvm::alignTo(threads, threads > 4 * warpThreads ? 4 * warpThreads
                                                             : warpThreads);
  // Two blocks hide each other's exchange, if shared memory has the rest. Of a
  // cluster with f32, half as many threads are faster by 2 % on an H200.
  int64_t most = blockRowThreads;
  if (isShared && part <= blockRowBytes)
    most /= schedule.cluster > 1 && shape.elementBits == 32 ? 4 : 2;
  threads = options.warps ? options.warps * warpThreads
                          : std::min<int64_t>(threads, most);
  schedule.warps = threads / warpThreads;
  schedule.minBlocks = std::max<int64_t>(blockRowThreads / threads, 1);
  schedule.layout = StripedAttr::get(
      schedule.layout.getContext(),
      /*rows=*/1, threads, 128 / std::max<int64_t>(shape.elementBits, 8));
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
  int64_t vector = std::min<int64_t>(128 / shape.elementBits, fastest);
  // Of a long tile in a loop a thread has twice as much, where it takes no more
  // registers: each round exchanges values between lanes.
  constexpr int64_t longRow = 4096;
  bool isLongTile = !shape.isOneRow && rows == 1 && shape.longest > longRow;
  int64_t each = isLongTile && shape.elementBits == 16 ? 32 : 16;
  int64_t threads = std::clamp<int64_t>(
      options.warps
          ? options.warps * 32
          : std::max<int64_t>(llvm::PowerOf2Ceil(paddedRows * length / each),
                              paddedRows * fewestThreads(shape)),
      32, 512);
  int64_t columnThreads = std::min(threads, fastest / vector);
  // A row that a warp holds needs no exchange with another one.
  constexpr int64_t warpRow = 512;
  if (fastest <= warpRow)
    columnThreads = std::min(columnThreads, ::smx::gpu::warpThreads);
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
    schedule.minBlocks = smx::blockRowThreads / threads;
  return schedule;
}
