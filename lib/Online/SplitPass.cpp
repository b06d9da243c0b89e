//===- SplitPass.cpp - partial states and their merge tree ----------------===//
//
// update(identity, x ++ y) = merge(update(identity, x), update(identity, y)):
// what follows from associativity alone. Written against
// StreamingReductionOpInterface.
//
//===----------------------------------------------------------------------===//

#include "smx/IR/ElementBits.h"
#include "smx/IR/OptionBounds.h"
#include "smx/IR/Smx.h"
#include "smx/Online/Passes.h"
#include "smx/Tiling/RowParts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SPLITPASS
#include "smx/Online/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {
struct SplitPass : mlir::smx::impl::SplitPassBase<SplitPass> {
  using SplitPassBase::SplitPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"parts", parts, /*least=*/1},
                                  {"longest-bytes", longestBytes},
                                  {"held-bytes", heldBytes},
                                  {"part-bytes", partBytes},
                                  {"held-blocks", heldBlocks, /*least=*/1},
                                  {"slots", slots, /*least=*/1}});
  }

  /// There is a result as long as the row.
  static bool isReadAgain(StreamingReductionOpInterface op) {
    return llvm::any_of(op->getUsers(), [](Operation *user) {
      auto finish = dyn_cast<FinishOp>(user);
      return finish && finish.isStreamed();
    });
  }

  /// Bits of an element in memory.
  static int64_t bitsOf(StreamingReductionOpInterface op) {
    Value narrow = widenedRow(op);
    return elementBits(
        (narrow ? narrow : op.getInputOperands().front()).getType());
  }

  /// Parts that are tiles, of a row that is a few whole ones.
  int64_t countTiles(StreamingReductionOpInterface op, int64_t extent) const {
    constexpr int64_t mostTiles = 4;
    if (partBytes == 0 || extent * bitsOf(op) % (8 * partBytes) != 0 ||
        !isInMemory(op) || isReadAgain(op))
      return 1;
    int64_t tiles = extent * bitsOf(op) / (8 * partBytes);
    return tiles > mostTiles ? 1 : tiles;
  }

  int64_t countParts(StreamingReductionOpInterface op,
                     ArrayRef<OpFoldResult> rows, int64_t extent) const {
    bool hasAccumulator = op.getNumDims() > op.getNumRows() + 1;
    if (hasAccumulator && !accumulators)
      return 1;
    if (longestBytes == 0 || hasAccumulator)
      return parts;
    int64_t bits = bitsOf(op);
    if (isSharedByBlocks(op, rows, extent, slots) ||
        isReadByCluster(op, rows, extent, heldBlocks, slots))
      return parts;
    if (op.getInputOperands().size() == 1 && isInMemory(op) &&
        isReadAgain(op) && extent * bits <= 8 * heldBytes)
      return parts;
    if (isReadAgain(op) && isWidenedByCluster(op, extent, heldBlocks))
      return parts;
    return std::max(
        {int64_t(parts), countTiles(op, extent),
         int64_t(llvm::divideCeil(extent * bits, 8 * longestBytes))});
  }

  void runOnOperation() override {
    SmallVector<StreamingReductionOpInterface> reductions;
    getOperation()->walk([&](StreamingReductionOpInterface op) {
      if (op.getStateOperands().front().getDefiningOp<IdentityOp>())
        reductions.push_back(op);
    });
    for (StreamingReductionOpInterface reduction : reductions)
      split(reduction);
  }

  void split(StreamingReductionOpInterface op) {
    OpBuilder builder(op);
    SmallVector<OpFoldResult> sizes = op.getDomainSizes(builder, op.getLoc());
    std::optional<int64_t> extent = getConstantIntValue(sizes[op.getNumRows()]);
    bool isEmpty = llvm::any_of(sizes, [](OpFoldResult size) {
      return getConstantIntValue(size) == 0;
    });
    if (!extent || isEmpty)
      return;
    int64_t count =
        countParts(op, ArrayRef(sizes).take_front(op.getNumRows()), *extent);
    if (count == 1 || *extent < count)
      return;
    // Chunks of equal extent, the last one shorter: the tree is fixed by the
    // shape alone.
    int64_t chunk = llvm::divideCeil(*extent, count);
    // A tile lies in one page.
    if (int64_t page = getPageExtent(op))
      chunk = llvm::alignTo(chunk, page);
    SmallVector<AffineMap> maps = op.getOperandMaps();
    SmallVector<SmallVector<Value>> partial;
    for (int64_t first = 0; first < *extent; first += chunk) {
      int64_t length = std::min(chunk, *extent - first);
      SmallVector<Value> inputs;
      for (auto [input, map] : llvm::zip_equal(
               op.getInputOperands(),
               ArrayRef(maps).drop_front(op.getStateOperands().size())))
        inputs.push_back(slice(builder, op.getLoc(), input, map,
                               op.getNumRows(), first, length));
      SmallVector<Value> identity =
          op.buildIdentity(builder, op.getLoc(), sizes);
      partial.push_back(op.buildUpdate(builder, op.getLoc(), identity, inputs,
                                       op.mayBeMasked()));
    }
    while (partial.size() > 1) {
      SmallVector<SmallVector<Value>> merged;
      for (size_t i = 0; i + 1 < partial.size(); i += 2)
        merged.push_back(
            op.buildMerge(builder, op.getLoc(), partial[i], partial[i + 1]));
      if (partial.size() % 2)
        merged.push_back(partial.back());
      partial = std::move(merged);
    }
    op->replaceAllUsesWith(partial.front());
    op->erase();
  }

  /// `input` restricted to `[first, first + length)` of the stream.
  static Value slice(OpBuilder &builder, Location loc, Value input,
                     AffineMap map, unsigned stream, int64_t first,
                     int64_t length) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, input);
    SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      if (expr != getAffineDimExpr(stream, builder.getContext()))
        continue;
      offsets[position] = builder.getIndexAttr(first);
      sizes[position] = builder.getIndexAttr(length);
    }
    return tensor::ExtractSliceOp::create(builder, loc, input, offsets, sizes,
                                          strides);
  }
};
} // namespace
