//===- PersistentRowsPass.cpp - clusters that walk over long rows ---------===//
//
// A cluster that holds one row leaves the memory idle from the row's arrival to
// its stores, and again until the next cluster has started. One that stays
// fetches the next row piece by piece to where results have just been stored
// from.
//
//===----------------------------------------------------------------------===//

#include "smx/GPU/Passes.h"

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
  /// a row.
  void rewrite(Value blocks);

private:
  Block &body() { return kernel.getBody().front(); }
  /// The scalars that follow from the number of the block, for another one.
  IRMapping forBlock(OpBuilder &builder, Value number);
  /// Where the next row's part of what `fetch` fetches may be fetched.
  Operation *placeBehindUses(Operation *fetch, Block &round);

  KernelOp kernel;
  ::mlir::gpu::BlockIdOp block;
  SmallVector<Operation *> scalars, fetches;
  Operation *last = nullptr;
};
} // namespace

LogicalResult RowKernel::match() {
  if (kernel.getCluster() == 1)
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
    if (isa<LoadOp, CopyOp>(op))
      fetches.push_back(&op);
    else if (isMemoryEffectFree(&op))
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

/// The ops that access a shared tile, through names for it.
static void collectAccesses(Value shared, SmallVectorImpl<Operation *> &ops) {
  for (Operation *user : shared.getUsers()) {
    if (isa<HoldOp>(user))
      collectAccesses(user->getResult(0), ops);
    else
      ops.push_back(user);
  }
}

Operation *RowKernel::placeBehindUses(Operation *fetch, Block &round) {
  Operation *after = &round.front();
  if (auto copy = dyn_cast<CopyOp>(fetch)) {
    SmallVector<Operation *> accesses;
    collectAccesses(copy.getShared(), accesses);
    for (Operation *access : accesses)
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

void RowKernel::rewrite(Value blocks) {
  Location loc = kernel.getLoc();
  OpBuilder builder(last->getNextNode());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value first = block.getResult();
  Value stride =
      ::mlir::gpu::GridDimOp::create(builder, loc, ::mlir::gpu::Dimension::x);
  // All blocks of a cluster have as many rounds: both numbers are multiples.
  Value left = arith::SubIOp::create(builder, loc, blocks, first);
  Value rounds = arith::CeilDivUIOp::create(builder, loc, left, stride);
  SmallVector<Value> loaded;
  for (Operation *fetch : fetches)
    if (auto load = dyn_cast<LoadOp>(fetch))
      loaded.push_back(load.getTile());
  auto loop = scf::ForOp::create(builder, loc, constant(0), rounds, constant(1),
                                 loaded);
  Block &round = *loop.getBody();
  builder.setInsertionPointToStart(&round);
  Value moved =
      arith::MulIOp::create(builder, loc, loop.getInductionVar(), stride);
  Value number = arith::AddIOp::create(builder, loc, first, moved);
  IRMapping now = forBlock(builder, number);
  Value next = arith::AddIOp::create(builder, loc, number, stride);
  Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        next, blocks);
  next = arith::SelectOp::create(builder, loc, isThere, next, number);
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
  SmallVector<Value> yielded;
  auto yield = scf::YieldOp::create(builder, loc, loop.getRegionIterArgs());
  size_t i = 0;
  for (Operation *fetch : fetches) {
    builder.setInsertionPoint(placeBehindUses(fetch, round));
    Operation *again = builder.clone(*fetch, then);
    if (isa<LoadOp>(fetch))
      yield->setOperand(i++, again->getResult(0));
  }
}

namespace {
struct PersistentRowsPass : impl::PersistentRowsPassBase<PersistentRowsPass> {
  using PersistentRowsPassBase::PersistentRowsPassBase;

  void runOnOperation() override {
    if (clusters == 0)
      return;
    SymbolTable symbols(getOperation());
    llvm::MapVector<KernelOp, SmallVector<LaunchOp>> launches;
    getOperation().walk([&](LaunchOp launch) {
      if (auto kernel = symbols.lookup<KernelOp>(launch.getKernel()))
        launches[kernel].push_back(launch);
    });
    for (auto &[kernel, some] : launches) {
      RowKernel rows(kernel);
      if (failed(rows.match()))
        continue;
      Block &body = KernelOp(kernel).getBody().front();
      Value blocks = body.addArgument(IndexType::get(&getContext()),
                                      KernelOp(kernel).getLoc());
      KernelOp(kernel).setFunctionType(
          FunctionType::get(&getContext(), body.getArgumentTypes(), {}));
      rows.rewrite(blocks);
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
