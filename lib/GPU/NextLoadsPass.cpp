//===- NextLoadsPass.cpp - the next tile of a row comes under this one ----===//
//
// A round that loads its tile waits for it, and asks for nothing while it
// computes:
//
//   for j: use(load(j))
//   ==>
//   x = load(first); for j: y = load(j + 1), if it is there; use(x); x = y
//
//===----------------------------------------------------------------------===//

#include "LoopRegisters.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/OptionBounds.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_NEXTLOADSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// A loop over a row for its maximum and the sum of its weights, with a whole
/// tile of 16-bit elements in each round. Elements of 32 bits, moments and keys
/// of a top-k leave no registers (1 to 45 % slower on an H200).
class ReadingLoop {
public:
  /// Nothing where a round does more than load a tile and compute, or where the
  /// tile depends on more than the number of the round.
  static std::optional<ReadingLoop> match(scf::ForOp loop);
  /// Registers of a thread for a tile.
  int64_t countRegisters() { return registersOf(load.getTile().getType()); }
  LogicalResult rewrite(IRRewriter &rewriter);
  Location getLoc() { return loop.getLoc(); }

private:
  bool collectSlice();
  bool hasRounds();
  /// The tile of the round at `place`.
  Value loadAt(OpBuilder &builder, Value place);

  scf::ForOp loop;
  LoadOp load;
  /// What the load needs of the round, in order.
  llvm::SetVector<Operation *> slice;
};
} // namespace

/// A whole tile of one row of 16-bit elements whose length is known.
static bool isWholeTile(LoadOp load) {
  RankedTensorType tile = load.getTile().getType();
  return isa_and_nonnull<StripedAttr>(getLayout(tile)) &&
         tile.getDimSize(0) == 1 && tile.getElementTypeBitWidth() == 16 &&
         load.getSource().getType().hasStaticShape() &&
         load.getValid().empty() && !load.getAdjacent() &&
         load.getAligned() * 8 >= mlir::smx::accessBits;
}

std::optional<ReadingLoop> ReadingLoop::match(scf::ForOp loop) {
  ReadingLoop found;
  found.loop = loop;
  constexpr unsigned maximumAndSum = 2;
  if (loop.getNumRegionIterArgs() != maximumAndSum)
    return std::nullopt;
  bool sumsWeights = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    sumsWeights |= isa<math::ExpOp, math::Exp2Op>(op);
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (found.load || !isWholeTile(load))
        return std::nullopt;
      found.load = load;
    } else if (op.getNumRegions() != 0 ||
               !(isMemoryEffectFree(&op) || isa<HoldOp>(op))) {
      return std::nullopt;
    }
  }
  if (!found.load || !sumsWeights || !found.hasRounds() ||
      !found.collectSlice())
    return std::nullopt;
  return found;
}

bool ReadingLoop::collectSlice() {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  if (failed(getBackwardSlice(load.getOperation(), &slice, options)))
    return false;
  slice.insert(load);
  return llvm::none_of(slice, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return llvm::is_contained(loop.getRegionIterArgs(), operand);
    });
  });
}

/// Blocks that share a row do not know how many; with the next tile they are up
/// to 3 % slower.
bool ReadingLoop::hasRounds() {
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound());
  return begin && end && *begin < *end;
}

Value ReadingLoop::loadAt(OpBuilder &builder, Value place) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), place);
  for (Operation *op : slice)
    builder.clone(*op, mapping);
  return mapping.lookup(load.getTile());
}

LogicalResult ReadingLoop::rewrite(IRRewriter &rewriter) {
  rewriter.setInsertionPoint(loop);
  Value first = loadAt(rewriter, loop.getLowerBound());
  auto loadNext = [&](OpBuilder &builder, Location loc,
                      ArrayRef<BlockArgument> tile) -> SmallVector<Value> {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = tile.front().getOwner();
    builder.setInsertionPointToStart(body);
    Value next = arith::AddIOp::create(builder, loc, body->getArgument(0),
                                       loop.getStep());
    Value isThere = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, next, loop.getUpperBound());
    auto branch =
        scf::IfOp::create(builder, loc, tile.front().getType(), isThere,
                          /*withElseRegion=*/true);
    OpBuilder there = branch.getThenBodyBuilder(),
              behind = branch.getElseBodyBuilder();
    scf::YieldOp::create(there, loc, loadAt(there, next));
    scf::YieldOp::create(behind, loc, tile.front());
    return {branch.getResult(0)};
  };
  FailureOr<LoopLikeOpInterface> replaced =
      cast<LoopLikeOpInterface>(loop.getOperation())
          .replaceWithAdditionalYields(rewriter, first,
                                       /*replaceInitOperandUsesInLoop=*/false,
                                       loadNext);
  if (failed(replaced))
    return failure();
  rewriter.replaceOp(load, replaced->getRegionIterArgs().back());
  return success();
}

namespace {
struct NextLoadsPass : mlir::smx::gpu::impl::NextLoadsPassBase<NextLoadsPass> {
  using NextLoadsPassBase::NextLoadsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context, {{"share", share}});
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const int64_t threads = ::smx::gpu::warpThreads * kernel.getWarps() *
                            kernel.getMinBlocks(),
                  registers = ::smx::gpu::registerFile / threads;
    SmallVector<ReadingLoop> found;
    for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
      if (std::optional<ReadingLoop> reading = ReadingLoop::match(loop))
        found.push_back(*reading);
    // Where a block has parts of a row one after the other, the first tile of
    // the second would be in registers beside the state of the first (ptxas
    // spills).
    if (found.size() != 1)
      return;
    ReadingLoop &reading = found.front();
    Location loc = reading.getLoc();
    auto options =
        remark::RemarkOpts::name("NextLoads").category("smx-gpu-next-loads");
    int64_t needed = reading.countRegisters();
    if (needed * share > registers) {
      remark::missed(loc, options)
          << "no room for the next tile beside this one: "
          << remark::metric("needed", needed)
          << remark::metric("registers", registers);
      return;
    }
    IRRewriter rewriter(&getContext());
    if (failed(reading.rewrite(rewriter)))
      return signalPassFailure();
    remark::passed(loc, options)
        << "a round asks for the next tile before it computes: "
        << remark::metric("registers", needed);
  }
};
} // namespace
