//===- PersistentRowsPass.cpp - clusters that walk over long rows ---------===//
//
// A cluster that holds one row leaves the memory idle from the row's arrival to
// its stores, and again until the next cluster has started. One that stays
// fetches the next row piece by piece to where results have just been stored
// from.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "LoneRows.h"
#include "smx/GPU/Launches.h"
#include "smx/GPU/Passes.h"
#include "smx/GPU/RowCopy.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_PERSISTENTROWSPASS
#include "smx/GPU/Passes.h.inc"

namespace {
/// The kernel's code in two parts: what fetches a row, up to the last copy, and
/// the rest.
class RowKernel {
public:
  explicit RowKernel(KernelOp kernel) : kernel(kernel) {}

  /// Fails, and nothing has changed, for any other kernel.
  LogicalResult match();
  /// `blocks` is the number of blocks that there would be, one for each part of
  /// a row; clusters begin `stagger` cycles one after the other.
  void rewrite(Value blocks, int64_t stagger);

private:
  Block &body() { return kernel.getBody().front(); }
  /// A load, or a copy to where threads have read only what they copy: no other
  /// thread may still be reading there.
  bool canFetchNext(Operation *op);
  /// The scalars that follow from the number of the block, for another one.
  IRMapping forBlock(OpBuilder &builder, Value number);
  void pauseFirst(Value blocks, Value started, int64_t stagger);
  /// Where the next row's part of what `fetch` fetches may be fetched.
  Operation *placeBehindUses(Operation *fetch, Block &round);

  KernelOp kernel;
  ::mlir::gpu::BlockIdOp block;
  SmallVector<Operation *> scalars, fetches;
  Operation *last = nullptr;
};
} // namespace

/// Whether it would have to be computed anew from the next row.
static bool isOfFetched(Operation &op) {
  return llvm::any_of(op.getOperands(), [](Value operand) {
    return operand.getDefiningOp<LoadOp>() != nullptr;
  });
}

bool RowKernel::canFetchNext(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getValid().empty() && load.getTile().getType().getRank() == 2;
  auto copy = dyn_cast<CopyOp>(op);
  int64_t threads = kernel.getWarps() * ::smx::gpu::warpThreads;
  return copy && copy.getValid().empty() &&
         llvm::all_of(getAccesses(copy), [&](Operation *access) {
           return copy->isBeforeInBlock(access) &&
                  accessesOwnCopy(copy, access, threads);
         });
}

LogicalResult RowKernel::match() {
  if (!kernel->hasAttr(loneRowsAttribute))
    return failure();
  for (Operation &op : body())
    if (isa<CopyOp>(op))
      last = &op;
  if (!last)
    return failure();
  bool isFetch = true;
  for (Operation &op : body()) {
    if (op.getNumRegions() != 0)
      return failure();
    if (auto id = dyn_cast<::mlir::gpu::BlockIdOp>(op)) {
      if (block || !isFetch || id.getDimension() != ::mlir::gpu::Dimension::x)
        return failure();
      block = id;
    }
    if (isa<::mlir::gpu::GridDimOp, ClusterBarrierOp>(op))
      return failure();
    if (!isFetch)
      continue;
    if (canFetchNext(&op))
      fetches.push_back(&op);
    else if (isMemoryEffectFree(&op) && !isOfFetched(op))
      scalars.push_back(&op);
    else if (!isa<AllocOp, BarrierOp>(op))
      return failure();
    isFetch = &op != last;
  }
  return success(block != nullptr);
}

IRMapping RowKernel::forBlock(OpBuilder &builder, Value number) {
  IRMapping mapping;
  mapping.map(block.getResult(), number);
  for (Operation *op : scalars)
    if (op != block && llvm::any_of(op->getOperands(), [&](Value operand) {
          return mapping.contains(operand);
        }))
      builder.clone(*op, mapping);
  return mapping;
}

Operation *RowKernel::placeBehindUses(Operation *fetch, Block &round) {
  Operation *after = &round.front();
  if (auto copy = dyn_cast<CopyOp>(fetch)) {
    for (Operation *access : getAccesses(copy))
      if (access->getBlock() == &round && after->isBeforeInBlock(access))
        after = access;
  } else {
    ArrayRef<int64_t> shape =
        cast<LoadOp>(fetch).getTile().getType().getShape();
    for (Operation &op : round)
      if (auto store = dyn_cast<StoreOp>(op);
          store && store.getTile().getType().getShape() == shape)
        return store->getNextNode();
  }
  // What was read is stored next.
  for (Operation *op = after; op; op = op->getNextNode())
    if (isa<StoreOp>(op))
      return op->getNextNode();
  return round.getTerminator();
}

/// Where each cluster has one row at most, nobody is to wait.
void RowKernel::pauseFirst(Value blocks, Value started, int64_t stagger) {
  Indices builder(kernel.getLoc(), kernel.getContext());
  builder.setInsertionPointAfterValue(started);
  Value cluster = builder.over(block, kernel.getCluster());
  Value cycles = builder.times(cluster, stagger);
  Value walks = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                      started, blocks);
  PauseOp::create(builder, builder.choose(walks, cycles, builder.number(0)));
}

void RowKernel::rewrite(Value blocks, int64_t stagger) {
  Indices builder(kernel.getLoc(), fetches.front());
  Value stride =
      ::mlir::gpu::GridDimOp::create(builder, ::mlir::gpu::Dimension::x);
  if (stagger != 0)
    pauseFirst(blocks, stride, stagger);
  builder.setInsertionPointAfter(last);
  Value first = block.getResult();
  // All blocks of a cluster have as many rounds: both numbers are multiples.
  Value rounds =
      arith::CeilDivUIOp::create(builder, builder.minus(blocks, first), stride);
  SmallVector<Value> loaded;
  for (Operation *fetch : fetches)
    if (auto load = dyn_cast<LoadOp>(fetch))
      loaded.push_back(load.getTile());
  auto loop = scf::ForOp::create(builder, builder.number(0), rounds,
                                 builder.number(1), loaded);
  Block &round = *loop.getBody();
  builder.setInsertionPointToStart(&round);
  Value moved = arith::MulIOp::create(builder, loop.getInductionVar(), stride);
  Value number = builder.plus(first, moved);
  IRMapping now = forBlock(builder, number);
  Value next = builder.plus(number, stride);
  Value isThere =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, next, blocks);
  // Behind the last row, none is valid, and the addresses are this one's.
  next = builder.choose(isThere, next, number);
  Value valid = builder.choose(isThere, builder.number(1), builder.number(0));
  IRMapping then = forBlock(builder, next);

  // Everything behind the copies belongs to a round.
  SmallVector<Operation *> rest;
  for (Operation *op = loop->getNextNode(); !isa<ReturnOp>(op);
       op = op->getNextNode())
    rest.push_back(op);
  for (auto [value, argument] : llvm::zip(loaded, loop.getRegionIterArgs()))
    now.map(value, argument);
  for (Operation *op : rest) {
    op->moveBefore(&round, round.end());
    for (OpOperand &operand : op->getOpOperands())
      if (Value other = now.lookupOrNull(operand.get()))
        operand.set(other);
  }
  builder.setInsertionPointToEnd(&round);
  auto yield = scf::YieldOp::create(builder, loop.getRegionIterArgs());
  size_t i = 0;
  for (Operation *fetch : fetches) {
    builder.setInsertionPoint(placeBehindUses(fetch, round));
    Operation *again = builder.clone(*fetch, then);
    auto limit = [&](MutableOperandRange operands, ArrayRef<int64_t> shape) {
      builder.setInsertionPoint(again);
      operands.assign({valid, builder.number(shape[1])});
    };
    if (auto copy = dyn_cast<CopyOp>(again)) {
      limit(copy.getValidMutable(), copy.getShared().getType().getShape());
      continue;
    }
    auto load = cast<LoadOp>(again);
    limit(load.getValidMutable(), load.getTile().getType().getShape());
    yield->setOperand(i++, load.getTile());
  }
  remark::passed(kernel.getLoc(), remark::RemarkOpts::name("PersistentRows")
                                      .category("smx-gpu-persistent-rows"))
      << "clusters walk over rows, and fetch the next one while they store";
}

namespace {
struct PersistentRowsPass : impl::PersistentRowsPassBase<PersistentRowsPass> {
  using PersistentRowsPassBase::PersistentRowsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context,
                        {{"clusters", clusters}, {"stagger", stagger}});
  }

  void runOnOperation() override {
    if (clusters == 0)
      return;
    for (auto &[kernel, some] : launchesIn(getOperation())) {
      RowKernel rows(kernel);
      if (failed(rows.match()))
        continue;
      rows.rewrite(
          KernelOp(kernel).appendArgument(IndexType::get(&getContext())),
          stagger);
      for (LaunchOp launch : some) {
        OpBuilder builder(launch);
        Location loc = launch.getLoc();
        Value all = launch.getGridX();
        Value most = arith::ConstantIndexOp::create(
            builder, loc, clusters * KernelOp(kernel).getCluster());
        launch.getArgumentsMutable().append(all);
        launch.getGridXMutable().assign(
            arith::MinUIOp::create(builder, loc, all, most));
      }
    }
  }
};
} // namespace

} // namespace mlir::smx::gpu
