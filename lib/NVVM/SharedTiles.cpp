//===- SharedTiles.cpp - alloc, copy, read, write -------------------------===//

#include "GlobalTile.h"
#include "MatrixOperands.h"
#include "SharedBarriers.h"
#include "ThreadAddresses.h"
#include "TileCopy.h"

namespace mlir::smx {

using ::smx::gpu::Coordinate;
using ::smx::gpu::PlaceBits;

/// Whether other warps may still be reading the tile when `op` is reached.
static bool mayBeInUse(gpu::CopyOp op) {
  auto alloc = op.getShared().getDefiningOp<gpu::AllocOp>();
  if (!alloc || alloc->getBlock() != op->getBlock())
    return true;
  return llvm::any_of(alloc->getUsers(), [&](Operation *user) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    return !inBlock || inBlock->isBeforeInBlock(op);
  });
}

namespace {
struct LowerAlloc : TilePattern<gpu::AllocOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::AllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    rewriter.replaceOp(op, code.shared(plan.data(op)));
    return success();
  }
};

struct LowerCopy : TilePattern<gpu::CopyOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    gpu::SharedType type = op.getShared().getType();
    GlobalTile source = makeGlobalTile(
        code, cast<MemRefType>(op.getSource().getType()), adaptor.getSource(),
        adaptor.getOffsets(), adaptor.getValid(), op.getDims(), type.getShape(),
        op.getAligned());
    if (!plan.isAwaitedByReaders(op) && mayBeInUse(op))
      code.teamBarrier();
    copyTile(code, source, type, adaptor.getShared(), op.getLasting());
    if (plan.isAwaitedByReaders(op)) {
      commitCopies(code);
    } else {
      if (copiesAsynchronously(source, type))
        waitForCopies(code);
      code.teamBarrier();
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

static PlaceBits bitsOf(RankedTensorType tile, int64_t elementBytes) {
  PlaceBits bits{0, 0};
  for (int64_t t = 0, e = gpu::getLayout(tile).getThreads(); t < e; ++t) {
    Coordinate at = gpu::getElement(tile, t, 0);
    bits.row |= at.row;
    bits.columnByte |= at.column * elementBytes;
  }
  return bits;
}

/// Calls `access` for the vectors of a register tile: first register, number of
/// registers and address in the shared tile of each.
static void
forEachVector(ThreadCode &code, RankedTensorType tile, gpu::SharedType type,
              Value shared,
              llvm::function_ref<void(int64_t, int64_t, Value)> access) {
  int64_t elementBytes = sharedTileOf(type).elementBytes;
  int64_t count = std::min(neighbouringRegisters(tile), 16 / elementBytes);
  // Rows that are no multiple of the vector would misalign the next ones.
  count = ::smx::gpu::powerOfTwoFactor(tile.getDimSize(1), count);
  ThreadCoordinate first = code.threadPart(tile);
  ThreadAddresses addresses(
      code, type, shared,
      {ThreadInteger(code, first.row), ThreadInteger(code, first.column)},
      bitsOf(tile, elementBytes));
  for (int64_t i = 0, e = gpu::getRegisterCount(tile); i < e; i += count)
    access(i, count, addresses.at(gpu::getElement(tile, 0, i)));
}

/// True for tiles whose squares of 16 x 16 elements of 16 bits are what four
/// matrices of ldmatrix give a warp.
static bool isOfMatrices(RankedTensorType tile, gpu::SharedType type) {
  return isa_and_nonnull<gpu::FragmentAttr>(gpu::getLayout(tile)) &&
         tile.getElementType().isFloat() &&
         tile.getElementTypeBitWidth() == 16 && tile.getDimSize(1) % 16 == 0 &&
         type.getSwizzle() != 0;
}

/// The words of a tile of a fragment layout, two elements each, in the order of
/// registers.
static SmallVector<Value> readMatrices(ThreadCode &code, RankedTensorType tile,
                                       gpu::SharedType type, Value shared) {
  constexpr int64_t matrices = 4, square = 16;
  ThreadInteger lane(code, code.lane());
  ThreadIntegerPlace place = ::smx::gpu::columnMajorMatrices(lane);
  place.row = place.row + ThreadInteger(code, code.warp()) * square;
  ThreadAddresses addresses(code, type, shared, place, ::smx::gpu::matrixBits);
  auto pair = VectorType::get(2, registerElement(tile.getElementType()));
  int64_t rowsOfWarps = gpu::getLayout(tile).getThreads() / 32 * square;
  SmallVector<Value> pairs;
  for (int64_t row = 0; row < tile.getDimSize(0); row += rowsOfWarps)
    for (int64_t column = 0; column < tile.getDimSize(1); column += square)
      pairs.append(loadMatrices(code, addresses.at({row, column}), matrices,
                                /*transposes=*/false, pair));
  return pairs;
}

namespace {
struct LowerRead : TilePattern<gpu::ReadOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    if (std::optional<int64_t> later = plan.copiesInFlight(op))
      waitForCopies(code, *later);
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    SmallVector<Value> vectors;
    // Of a tile that is held, nothing is kept from one read to the next: the
    // assembler sees through everything else.
    bool isHeld = op.getShared().getDefiningOp<gpu::HoldOp>() != nullptr;
    gpu::SharedType type = op.getShared().getType();
    if (!isHeld && isOfMatrices(tile, type)) {
      rewriter.replaceOp(op, code.fromVectors(readMatrices(
                                 code, tile, type, adaptor.getShared())));
      return success();
    }
    forEachVector(code, tile, type, adaptor.getShared(),
                  [&](int64_t, int64_t count, Value address) {
                    auto type = VectorType::get(
                        count, registerElement(tile.getElementType()));
                    Value vector = loadShared(code, type, address);
                    if (isHeld)
                      vector.getDefiningOp<LLVM::LoadOp>().setVolatile_(true);
                    vectors.push_back(vector);
                  });
    rewriter.replaceOp(op, code.fromVectors(vectors));
    return success();
  }
};

struct LowerWrite : TilePattern<gpu::WriteOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    if (std::optional<int64_t> later = plan.copiesInFlight(op))
      waitForCopies(code, *later);
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    forEachVector(code, tile, op.getShared().getType(), adaptor.getShared(),
                  [&](int64_t i, int64_t count, Value address) {
                    storeShared(code,
                                code.getRegisters(adaptor.getTile(), i, count),
                                address);
                  });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateSharedTilePatterns(const TileTypeConverter &converter,
                                const KernelPlan &plan,
                                RewritePatternSet &patterns) {
  patterns.add<LowerAlloc, LowerCopy, LowerRead, LowerWrite>(converter, plan);
}
} // namespace mlir::smx
