//===- AdjacentRowsPass.cpp - short rows as one piece of memory -----------===//

#include "ColumnOrder.h"
#include "LoneRows.h"
#include "Verify.h"
#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_ADJACENTROWSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::elementBits;

/// A tile of whole rows that follow one another, if they have no gaps.
template <typename OpTy>
static bool isOfRows(OpTy op) {
  // The places of the largest elements are written as 64 bits.
  constexpr int64_t mostBits = std::is_same_v<OpTy, StoreOp> ? 64 : 32;
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(tile));
  if (!striped || tile.getDimSize(0) == 1 || elementBits(tile) < 16 ||
      elementBits(tile) > mostBits || op.getSlide() ||
      llvm::is_contained(op.getDims(), -1) ||
      op.getDims()[0] + 1 != op.getDims()[1])
    return false;
  MemRefType memory = op.getMemoryType();
  int64_t columns = op.getDims()[1];
  if (!hasDenseRows(memory, columns) || memory.isDynamicDim(columns) ||
      !isConstantIntValue(op.getOffsets()[columns], 0))
    return false;
  int64_t length = memory.getDimSize(columns);
  return op.getValid().empty() ? length == tile.getDimSize(1)
                               : isConstantIntValue(op.getValid()[1], length);
}

static bool onlyReads(Operation &op) {
  return op.getNumRegions() == 0 &&
         (isMemoryEffectFree(&op) || hasSingleEffect<MemoryEffects::Read>(&op));
}

/// Loads that could be asked for before `rows`, which are waited for, are.
static void askForOthersBefore(LoadOp rows, const DominanceInfo &dominance) {
  SmallVector<LoadOp> others;
  for (Operation *op = rows->getNextNode(); op && onlyReads(*op);
       op = op->getNextNode())
    if (auto load = dyn_cast<LoadOp>(op);
        load && !load.getAdjacent() &&
        llvm::all_of(load->getOperands(), [&](Value operand) {
          return dominance.properlyDominates(operand, rows);
        }))
      others.push_back(load);
  for (LoadOp load : others)
    load->moveBefore(rows);
}

/// What other loads are computed to is not waited for before rows are asked
/// for: it comes behind those of `rows` that follow each other.
static void askBeforeOthersArrive(LoadOp rows) {
  llvm::SmallSetVector<Operation *, 16> late;
  auto isOfLate = [&](Value operand) {
    Operation *definition = operand.getDefiningOp();
    return definition && (isa<LoadOp>(definition) || late.contains(definition));
  };
  for (Operation &op : *rows->getBlock()) {
    if (&op == rows)
      break;
    if (!onlyReads(op)) // might be what is read behind it
      return;
    if (llvm::any_of(op.getOperands(), isOfLate))
      late.insert(&op);
  }
  Operation *place = nullptr;
  for (LoadOp load = rows; load && load.getAdjacent();
       load = dyn_cast_or_null<LoadOp>(place->getNextNode())) {
    if (llvm::any_of(load->getOperands(), isOfLate))
      return;
    place = load;
  }
  for (Operation *op : late) {
    op->moveAfter(place);
    place = op;
  }
}

/// `position` is only asked whether it is a column of the row.
static bool isOnlyLimited(PositionOp position, int64_t columns) {
  return position.getDim() == 1 &&
         llvm::all_of(position->getUsers(), [&](Operation *user) {
           auto compare = dyn_cast<arith::CmpIOp>(user);
           DenseElementsAttr limit;
           return compare &&
                  compare.getPredicate() == arith::CmpIPredicate::slt &&
                  compare.getLhs() == position.getTile() &&
                  matchPattern(compare.getRhs(), m_Constant(&limit)) &&
                  limit.isSplat() &&
                  limit.getSplatValue<APInt>().getSExtValue() == columns;
         });
}

/// No op of a tile of the rows' shape tells one of their columns from another.
static bool areUnordered(LoadOp rows) {
  auto tile = cast<RankedTensorType>(rows.getTile().getType());
  auto isTile = [&](Type type) {
    auto other = dyn_cast<RankedTensorType>(type);
    return other && other.getRank() == 2 && getLayout(other);
  };
  int64_t columns = rows.getAdjacentColumns();
  auto isUnordered = [&](Operation *op) {
    if (op == rows || (llvm::none_of(op->getOperandTypes(), isTile) &&
                       llvm::none_of(op->getResultTypes(), isTile)))
      return true;
    if (auto position = dyn_cast<PositionOp>(op))
      return position.getTile().getType().getShape() == tile.getShape() &&
             isOnlyLimited(position, columns);
    return treatsColumnsAlike(op);
  };
  return !rows->getParentOp()
              ->walk([&](Operation *op) {
                return isUnordered(op) ? WalkResult::advance()
                                       : WalkResult::interrupt();
              })
              .wasInterrupted();
}

namespace {
struct AdjacentRowsPass
    : mlir::smx::gpu::impl::AdjacentRowsPassBase<AdjacentRowsPass> {
  using AdjacentRowsPassBase::AdjacentRowsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->removeDiscardableAttr(adjacentRowsAttribute))
      return;
    // More of them take the shared memory of other blocks, or more than there
    // is.
    constexpr int64_t mostTiles = 6;
    DominanceInfo dominance(kernel);
    int64_t count = 0;
    LoadOp first, last;
    for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
      auto load = dyn_cast<LoadOp>(op);
      if (load && !load.getAgain() && !load.getLasting() && isOfRows(load) &&
          count < mostTiles) {
        load.setAdjacent(true);
        load.setUnordered(elementBits(load.getTile().getType()) == 16 &&
                          areUnordered(load));
        ++count;
        if (!first)
          first = load;
        if (last && llvm::all_of(load->getOperands(), [&](Value operand) {
              return dominance.properlyDominates(operand, last);
            }))
          load->moveAfter(last);
        last = load;
      } else if (auto store = dyn_cast<StoreOp>(op);
                 store && isOfRows(store) && count < mostTiles) {
        store.setAdjacent(true);
        ++count;
      }
      // What is read behind it may be what it has written.
      if (!load && !isMemoryEffectFree(&op))
        last = {};
    }
    if (first) {
      askForOthersBefore(first, dominance);
      askBeforeOthersArrive(first);
    }
    if (count)
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("AdjacentRows")
                                          .category("smx-gpu-adjacent-rows"))
          << "rows that follow one another are moved as one piece: "
          << remark::metric("tiles", count);
  }
};
} // namespace
