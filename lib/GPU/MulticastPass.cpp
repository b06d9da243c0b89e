//===- MulticastPass.cpp - blocks that read the same keys fetch together --===//
//
// Blocks c i .. c i + c - 1 of a cluster walk over tiles c t .. c t + c - 1.
// What a put is told (its source, its place, the loops around it) is then known
// to be the same in all of them, or to be consecutive, or nothing is known:
//
//   consecutive v = c x + rank:   v / (c y) = x / y              the same
//                                 v % (c y) = c (x % y) + rank   consecutive
//                                 v < c y  <=>  x < y            the same
//
// Heads of an even number of tiles of rows so have their keys fetched by pairs.
//
//===----------------------------------------------------------------------===//

#include "smx/GPU/Captures.h"
#include "smx/GPU/Launches.h"
#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_MULTICASTPASS
#include "smx/GPU/Passes.h.inc"

namespace {
/// What is known of a value in the blocks of a cluster.
struct InCluster {
  enum Kind { Same, Consecutive, Different } kind = Different;
  /// The same, and a multiple of the blocks of a cluster.
  bool isMultiple = false;

  static InCluster same(bool isMultiple = false) { return {Same, isMultiple}; }
  bool isSame() const { return kind == Same; }
};

class ClusterAnalysis {
public:
  ClusterAnalysis(int64_t cluster, ArrayRef<LaunchOp> launches)
      : cluster(cluster), launches(launches) {}

  InCluster of(Value value);
  /// All blocks of a cluster execute `op` equally often, in the same order.
  bool isInStep(Operation *op);

private:
  InCluster ofArgument(BlockArgument argument);
  InCluster ofRounds(scf::ForOp loop);
  InCluster ofResult(Operation *op);

  int64_t cluster;
  ArrayRef<LaunchOp> launches;
  llvm::DenseMap<Value, InCluster> known;
};
} // namespace

InCluster ClusterAnalysis::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<int64_t> constant = getConstantIntValue(value);
  InCluster result = constant ? InCluster::same(*constant % cluster == 0)
                     : isa<BlockArgument>(value)
                         ? ofArgument(cast<BlockArgument>(value))
                         : ofResult(value.getDefiningOp());
  return known[value] = result;
}

InCluster ClusterAnalysis::ofArgument(BlockArgument argument) {
  Operation *owner = argument.getOwner()->getParentOp();
  const unsigned number = argument.getArgNumber();
  if (isa<KernelOp>(owner))
    return InCluster::same(llvm::all_of(launches, [&](LaunchOp launch) {
      auto passed = getConstantIntValue(launch.getArguments()[number]);
      return passed && *passed % cluster == 0;
    }));
  if (auto role = dyn_cast<RoleOp>(owner))
    return of(role.getCaptures()[number]);
  auto loop = dyn_cast<scf::ForOp>(owner);
  return loop && number == 0 ? ofRounds(loop) : InCluster();
}

InCluster ClusterAnalysis::ofRounds(scf::ForOp loop) {
  InCluster lower = of(loop.getLowerBound()), upper = of(loop.getUpperBound()),
            step = of(loop.getStep());
  if (!upper.isSame() || !step.isSame())
    return {};
  if (lower.isSame())
    return InCluster::same(lower.isMultiple && step.isMultiple);
  return upper.isMultiple && step.isMultiple ? lower : InCluster();
}

InCluster ClusterAnalysis::ofResult(Operation *op) {
  auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
  auto sum = [&](Operation *) {
    InCluster a = operand(0), b = operand(1);
    if (a.isSame() && b.isSame())
      return InCluster::same(a.isMultiple && b.isMultiple);
    return b.isMultiple ? a : InCluster();
  };
  auto isOfMultiple = [&] {
    return operand(0).kind == InCluster::Consecutive && operand(1).isMultiple;
  };
  InCluster other;
  if (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
      !isa<ClusterRankOp>(op) &&
      llvm::all_of(op->getOperands(),
                   [&](Value value) { return of(value).isSame(); }))
    other = InCluster::same();
  return llvm::TypeSwitch<Operation *, InCluster>(op)
      .Case([&](::mlir::gpu::BlockIdOp id) {
        return id.getDimension() == ::mlir::gpu::Dimension::x
                   ? InCluster{InCluster::Consecutive}
                   : InCluster::same();
      })
      .Case([&](::mlir::gpu::GridDimOp grid) {
        return InCluster::same(grid.getDimension() ==
                               ::mlir::gpu::Dimension::x);
      })
      .Case<arith::AddIOp, arith::SubIOp>(sum)
      .Case([&](arith::MulIOp) {
        return other.isSame() ? InCluster::same(operand(0).isMultiple ||
                                                operand(1).isMultiple)
                              : other;
      })
      .Case([&](arith::DivUIOp) {
        return isOfMultiple() ? InCluster::same() : other;
      })
      .Case([&](arith::RemUIOp) { return isOfMultiple() ? operand(0) : other; })
      .Case([&](arith::CmpIOp compare) {
        const bool isStep =
            compare.getPredicate() == arith::CmpIPredicate::slt ||
            compare.getPredicate() == arith::CmpIPredicate::ult;
        return isStep && isOfMultiple() ? InCluster::same() : other;
      })
      .Case([&](arith::SelectOp) {
        InCluster yes = operand(1), no = operand(2);
        if (!operand(0).isSame() || yes.kind != no.kind)
          return InCluster();
        yes.isMultiple &= no.isMultiple;
        return yes;
      })
      .Default([&](Operation *) { return other; });
}

bool ClusterAnalysis::isInStep(Operation *op) {
  Operation *parent = op->getParentOp();
  if (isa<KernelOp>(parent))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (ofRounds(loop).kind == InCluster::Different)
      return false;
  } else if (auto branch = dyn_cast<scf::IfOp>(parent)) {
    if (!of(branch.getCondition()).isSame())
      return false;
  } else if (!isa<RoleOp, WarpSpecializeOp>(parent)) {
    return false;
  }
  return isInStep(parent);
}

namespace {
struct MulticastPass : impl::MulticastPassBase<MulticastPass> {
  using MulticastPassBase::MulticastPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"cluster", cluster, /*least=*/1}});
  }

  void runOnOperation() override {
    if (cluster < 2)
      return;
    for (auto &[kernel, launches] : launchesIn(getOperation()))
      fetchTogether(kernel, launches);
  }

  void fetchTogether(KernelOp kernel, ArrayRef<LaunchOp> launches);
  bool hasParts(PutOp put);
};
} // namespace

bool MulticastPass::hasParts(PutOp put) {
  // A part starts where the swizzle does.
  constexpr int64_t fewestRows = 8;
  return put.getCopy() == CopyKind::Tensor &&
         put.getChannel().getType().getShape()[0] % (fewestRows * cluster) == 0;
}

void MulticastPass::fetchTogether(KernelOp kernel,
                                  ArrayRef<LaunchOp> launches) {
  auto hasWholeClusters = [&](LaunchOp launch) {
    auto blocks = getConstantIntValue(launch.getGridX());
    return blocks && *blocks % cluster == 0;
  };
  if (kernel.getCluster() != 1 || !llvm::all_of(launches, hasWholeClusters))
    return;
  ClusterAnalysis analysis(cluster, launches);
  auto isSame = [&](Value value) { return analysis.of(value).isSame(); };
  llvm::MapVector<Operation *, SmallVector<PutOp>> channels;
  llvm::DenseSet<Operation *> apart;
  kernel.walk([&](PutOp put) {
    MakeChannelOp channel = channelOf(put.getChannel());
    if (!channel)
      return;
    channels[channel].push_back(put);
    if (!hasParts(put) || !isSame(put.getSource()) ||
        !llvm::all_of(put.getOffsets(), isSame) || !analysis.isInStep(put))
      apart.insert(channel);
  });
  int64_t fetched = 0;
  for (auto &[channel, puts] : channels) {
    if (apart.contains(channel))
      continue;
    ++fetched;
    for (PutOp put : puts)
      put.setMulticast(true);
  }
  if (fetched == 0)
    return;
  kernel.setCluster(cluster);
  // A block's shared memory has to be there until nobody releases any more.
  Operation *end = kernel.getBody().front().getTerminator();
  OpBuilder builder(end);
  ClusterBarrierOp::create(builder, end->getLoc());
  remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("Multicast").category("smx-gpu-multicast"))
      << remark::metric("cluster", int64_t(cluster))
      << remark::metric("channels", fetched);
}

} // namespace mlir::smx::gpu
