//===- RecomputePass.cpp - long rows stay as they were loaded -------------===//
//
// The row reductions of a block of code part it into phases. A value of a phase
// that a later one needs would be kept in registers meanwhile; one that is made
// from a narrower loaded tile is made again instead.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "RowPieces.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/ElementBits.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::elementBits;

namespace {

class Phases {
public:
  Phases(Block &block, int64_t elements) : block(block), elements(elements) {}

  void run() {
    number();
    sinkLoads();
    number();
    for (int64_t phase = 1; phase < count; ++phase)
      recomputeIn(phase);
    if (llvm::count_if(block.getOps<LoadOp>(),
                       [&](LoadOp load) {
                         return isLong(load.getTile()) && !isOfAllRows(load);
                       }) > 1 ||
        llvm::any_of(block.getOps<ReduceOp>(), [&](ReduceOp reduce) {
          return reduce.getDim() == 0 &&
                 getRegisterCount(reduce.getTile().getType()) >
                     ::smx::gpu::manyOfColumns;
        }))
      setApart();
  }

private:
  /// A tile of which a thread has many elements.
  bool isLong(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && getLayout(type) && getRegisterCount(type) > elements;
  }
  /// The op of the block in which `user` is.
  Operation *inBlock(Operation *user) const {
    return block.findAncestorOpInBlock(*user);
  }
  int64_t phaseOf(Operation *op) const { return phases.lookup(op); }

  /// A phase ends with the reduction of a long tile.
  void number();
  /// Loads that an earlier phase does not need come in their own, if nothing
  /// is written between.
  void sinkLoads();
  void recomputeIn(int64_t phase);
  /// What a value is computed from, element by element.
  struct Sources {
    llvm::SetVector<Operation *> ops;
    /// Loaded tiles, some as they are held.
    llvm::SetVector<Value> loads;
  };
  /// False if there is something else that is long.
  bool collect(Value value, Sources &sources) const;
  /// The tile of a load as it is held in `phase`, which begins before `first`.
  Value heldIn(int64_t phase, Value load, Operation *first);
  /// Of several rows, and of columns of memory with many elements in a thread,
  /// what ptxas keeps widened takes more registers than there are. (Of one row
  /// it does so as long as it has registers, and seldom spills.) There are two
  /// ways to widen, which phases have in turn.
  void setApart();

  Block &block;
  int64_t elements, count = 1;
  llvm::DenseMap<Operation *, int64_t> phases;
  /// The last hold of a load.
  llvm::DenseMap<Value, Value> held;
};

void Phases::number() {
  phases.clear();
  int64_t phase = 0;
  for (Operation &op : block) {
    phases[&op] = phase;
    if (isa<ReduceOp, PartialReduceOp, LargestOp>(op) &&
        isLong(op.getOperand(0)))
      ++phase;
  }
  count = phase + 1;
}

void Phases::sinkLoads() {
  SmallVector<LoadOp> loads(block.getOps<LoadOp>());
  for (LoadOp load : llvm::reverse(loads)) {
    if (!isLong(load.getTile()) || load.getTile().use_empty())
      continue;
    Operation *first = nullptr;
    for (Operation *user : load->getUsers())
      if (Operation *op = inBlock(user); !first || op->isBeforeInBlock(first))
        first = op;
    bool isWritten = llvm::any_of(
        llvm::make_range(load->getIterator(), first->getIterator()),
        [](Operation &op) {
          return op.getNumRegions() != 0 || isa<StoreOp>(op);
        });
    if (phaseOf(first) > phaseOf(load) && !isWritten)
      load->moveBefore(first);
  }
}

bool Phases::collect(Value value, Sources &sources) const {
  if (!isLong(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block)
    return false;
  if (isa<LoadOp, HoldOp>(op)) {
    sources.loads.insert(value);
    return true;
  }
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<BroadcastOp>(op))
    return true;
  if (!(OpTrait::hasElementwiseMappableTraits(op) || isa<PartsOp>(op)) ||
      !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, sources))
      return false;
  sources.ops.insert(op);
  return true;
}

Value Phases::heldIn(int64_t phase, Value load, Operation *first) {
  for (auto hold = load.getDefiningOp<HoldOp>();
       hold && isa_and_nonnull<LoadOp, HoldOp>(hold.getTile().getDefiningOp());
       hold = load.getDefiningOp<HoldOp>())
    load = hold.getTile();
  if (phaseOf(load.getDefiningOp()) >= phase)
    return load;
  Value &last = held[load];
  if (!last)
    last = load;
  if (phaseOf(last.getDefiningOp()) == phase)
    return last;
  OpBuilder builder(first);
  auto hold = HoldOp::create(builder, load.getLoc(), last.getType(), last);
  phases[hold] = phase;
  // Beside the held tile there is no other copy of it.
  last.replaceUsesWithIf(hold.getResult(), [&](OpOperand &use) {
    Operation *user = inBlock(use.getOwner());
    return user != hold && phaseOf(user) >= phase;
  });
  last = hold.getResult();
  return last;
}

void Phases::setApart() {
  for (auto [load, last] : held) {
    SmallVector<HoldOp> holds;
    for (Value tile = last; tile != load; tile = holds.back().getTile())
      holds.push_back(tile.getDefiningOp<HoldOp>());
    for (auto [i, hold] : llvm::enumerate(llvm::reverse(holds)))
      hold.setApart(i % 2 == 0);
  }
}

/// An exponential to the last bits of f32 is 15 instructions or more.
static bool takesLong(Operation *op) {
  return isa<math::ExpOp>(op) && getElementTypeOrSelf(op->getResult(0)).isF32();
}

void Phases::recomputeIn(int64_t phase) {
  // What this phase has from earlier ones.
  llvm::SetVector<Value> needed;
  // Not before it is needed: until then the loaded tile is all there is.
  Operation *first = nullptr;
  for (Operation &op : block) {
    if (phaseOf(&op) != phase)
      continue;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && source->getBlock() == &block && phaseOf(source) < phase &&
            isLong(operand)) {
          needed.insert(operand);
          first = first ? first : &op;
        }
    });
  }
  IRMapping copies;
  for (Value value : needed) {
    Sources sources;
    if (!collect(value, sources) || sources.ops.empty())
      continue;
    int64_t bits = 0;
    for (Value load : sources.loads)
      bits += elementBits(load.getType());
    if (bits == 0 || bits >= elementBits(value.getType()) ||
        llvm::any_of(sources.ops, takesLong))
      continue;
    OpBuilder builder(first);
    for (Value load : sources.loads)
      copies.map(load, heldIn(phase, load, first));
    for (Operation *op : sources.ops)
      if (!copies.contains(op->getResult(0)))
        phases[builder.clone(*op, copies)] = phase;
    value.replaceUsesWithIf(copies.lookup(value), [&](OpOperand &use) {
      Operation *user = inBlock(use.getOwner());
      return phaseOf(user) == phase && !sources.ops.contains(user);
    });
  }
}

struct RecomputePass : mlir::smx::gpu::impl::RecomputePassBase<RecomputePass> {
  using RecomputePassBase::RecomputePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context, {{"elements", elements}});
  }

  void runOnOperation() override {
    // The order of matrix products and of what is beside them is a schedule.
    bool multiplies = getOperation()
                          .walk([](MmaOp) { return WalkResult::interrupt(); })
                          .wasInterrupted();
    if (multiplies)
      return;
    // What is computed twice anyway is not seen to be needed twice.
    uniteEqualOps(getOperation());
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      if (!block->empty())
        Phases(*block, elements).run();
  }
};
} // namespace
