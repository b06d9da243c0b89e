//===- Channels.cpp - rings of shared tiles -------------------------------===//
//
// Stage n % depth holds the n-th tile of a channel. Its full barrier completes
// a phase when every thread that copies has arrived (its copies being done; of
// a tensor copy one thread, and the bytes that it has announced), its empty
// barrier when every thread that reads has released the stage (for tensor
// copies, one for its warp). Tile n is use n / depth of its stage, so a reader
// waits for full phases of parity (n / depth) % 2, and a writer for the empty
// phase before that: of the other parity, which for the first use counts as
// complete on a fresh barrier. Of a channel that is dealt, the warps of one
// group read tile n, and a group counts its own tiles. Of a channel that a
// cluster fills, every block copies a part of each tile to all blocks: the full
// barrier expects the bytes of the whole tile, whoever sends them, and a
// release arrives at the empty barriers of all blocks, which all have to be
// free.
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "GlobalTile.h"
#include "Ring.h"
#include "SharedBarriers.h"
#include "TensorCopies.h"
#include "TileCopy.h"

#include "smx/GPU/SharedMemory.h"
#include "smx/NVVM/Chip.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

// Not by using-directives: `gpu` would be upstream's dialect as well.
namespace mlir::smx {

void collectUsers(Value channel, SmallVectorImpl<Operation *> &users) {
  for (OpOperand &use : channel.getUses()) {
    auto role = dyn_cast<gpu::RoleOp>(use.getOwner());
    if (!role)
      users.push_back(use.getOwner());
    else
      collectUsers(role.getBody().getArgument(use.getOperandNumber()), users);
  }
}

/// A counter that starts at 0, in memory that LLVM turns into registers: it
/// does so in the first block of the function only.
static Value makeCounter(ThreadCode &code, Block *kernelBody) {
  OpBuilder::InsertionGuard guard(code);
  code.setInsertionPointToStart(kernelBody);
  auto pointer = LLVM::LLVMPointerType::get(code.getContext());
  Value counter =
      LLVM::AllocaOp::create(code, pointer, code.getI32Type(), code.i32(1));
  LLVM::StoreOp::create(code, code.i32(0), counter);
  return counter;
}

/// The number in a tile of one, as an index.
static Value loadNumber(ThreadCode &code, Value tile) {
  Value number = LLVM::LoadOp::create(code, code.getI32Type(), tile);
  return LLVM::ZExtOp::create(code, code.getI64Type(), number);
}

namespace {
struct LowerMakeChannel : TilePattern<gpu::MakeChannelOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::MakeChannelOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Operation *> users;
    collectUsers(op.getChannel(), users);
    int64_t writers = 0, readers = 0;
    bool hasTensorCopies = false;
    for (Operation *user : users) {
      const Team &team = plan.team(user);
      if (auto put = dyn_cast<gpu::PutOp>(user)) {
        bool isTensorCopy = put.getCopy() == gpu::CopyKind::Tensor;
        hasTensorCopies |= isTensorCopy;
        int64_t arrivals = isTensorCopy ? 1 : team.groupThreads();
        if (writers && writers != arrivals)
          return op.emitOpError("is filled by tensor copies and by threads, "
                                "or by roles with different numbers of warps, "
                                "which is not lowered");
        writers = arrivals;
      } else if (isa<gpu::DrawOp>(user)) {
        writers = 1;
      } else if (isa<gpu::ReleaseOp>(user)) {
        int64_t warps =
            op.getChannel().getType().getDealt() ? team.group : team.warps;
        int64_t arrivals = warps * plan.lanesThatRelease(user);
        if (readers && readers != arrivals)
          return op.emitOpError("is released by roles with different numbers "
                                "of warps, which is not lowered");
        readers = arrivals;
      }
    }

    ThreadCode code(rewriter, op, plan);
    Value barriers = code.shared(plan.barriers(op));
    Value isFirst = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                                         code.thread(), code.i32(0));
    code.when(isFirst, [&] {
      // A channel that nobody waits for still needs valid barriers.
      for (int64_t stage : llvm::seq(op.getChannel().getType().getDepth())) {
        Value full = code.advance(barriers, stage * stageBarrierBytes);
        initBarrier(code, full, std::max<int64_t>(writers, 1));
        initBarrier(code, code.advance(full, emptyBarrier),
                    std::max<int64_t>(readers, 1) * plan.blocksThatFill(op));
      }
      if (hasTensorCopies)
        NVVM::FenceMbarrierInitOp::create(code);
    });
    // One barrier for all channels that are made in a row: of the block, or of
    // the cluster, whose blocks may arrive at each other's.
    Operation *next = op->getNextNode();
    while (isPure(next))
      next = next->getNextNode();
    bool isLast = !isa<gpu::MakeChannelOp>(next);
    if (isLast && code.team.cluster > 1)
      meetInCluster(code);
    else if (isLast)
      code.teamBarrier();

    Value channel = LLVM::PoisonOp::create(
        code, getTypeConverter()->convertType(op.getChannel().getType()));
    for (ChannelPart part : {channelPuts, channelGets, channelReleases})
      channel = LLVM::InsertValueOp::create(code, channel,
                                            makeCounter(code, op->getBlock()),
                                            static_cast<int64_t>(part));
    rewriter.replaceOp(op, channel);
    return success();
  }
};

struct LowerPut : TilePattern<gpu::PutOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::PutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    if (code.team.groups() != 1)
      return op.emitOpError("in a role of several groups is not lowered; a "
                            "role that puts has one group");
    gpu::ChannelType type = op.getChannel().getType();
    Ring ring(code, plan, op, adaptor.getChannel(), type);
    auto [stage, parity] = ring.nextToPut();
    Value before = LLVM::XOrOp::create(code, parity, code.i32(1));
    if (op.getCopy() == gpu::CopyKind::Tensor)
      return putByTensorCopies(code, op, adaptor, ring, stage, before,
                               rewriter);
    // The addresses do not depend on the stage: computed while others read.
    GlobalTile source = makeGlobalTile(
        code, cast<MemRefType>(op.getSource().getType()), adaptor.getSource(),
        adaptor.getOffsets(), adaptor.getValid(), op.getDims(), type.getShape(),
        op.getAligned());
    waitForPhase(code, ring.empty(stage), before,
                 chipOf(op).suspendsOnBarriers());
    copyTile(code, source, type.getStageType(), ring.tile(stage));
    if (copiesAsynchronously(source, type.getStageType()))
      arriveAfterCopies(code, ring.full(stage));
    else
      arrive(code, ring.full(stage), Value());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// By one thread; the others neither wait nor copy.
  LogicalResult putByTensorCopies(ThreadCode &code, gpu::PutOp op,
                                  OpAdaptor adaptor, Ring &ring, Value stage,
                                  Value before, RewriterBase &rewriter) const {
    if (!chipOf(op).hasTensorCopies())
      return op.emitOpError("by tensor copies needs sm_90 or newer; 'async' "
                            "and 'plain' do without");
    Value map = mapParameter(plan, op);
    Value isFirst = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                                         code.thread(), code.i32(0));
    code.when(isFirst, [&] {
      Value full = ring.full(stage);
      waitForPhase(code, ring.empty(stage), before,
                   chipOf(op).suspendsOnBarriers());
      arriveExpecting(code, full,
                      op.getChannel().getType().getStageType().getBytes());
      startTensorCopies(code, op, map, adaptor.getOffsets(), ring.tile(stage),
                        full);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// One thread draws and fills the stage. The others of the role read it when
/// they have met that thread, which so finds a stage that all of them have read
/// when it fills it again.
struct LowerDraw : TilePattern<gpu::DrawOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::DrawOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    if (op.getChannel().getType().getDepth() < 2)
      return op.emitOpError("into a channel of one stage is not lowered; two "
                            "do");
    Ring ring(code, plan, op, adaptor.getChannel(), op.getChannel().getType());
    RingPosition position = ring.nextToPut();
    Value stage = position.stage, tile = ring.tile(stage);
    Value counts = getStridedElementPtr(
        rewriter, op.getLoc(), cast<MemRefType>(op.getCounts().getType()),
        adaptor.getCounts(), adaptor.getPlace());
    Value isFirst = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                                         code.thread(), code.i32(0));
    code.when(isFirst, [&] {
      Value drawn = LLVM::AtomicRMWOp::create(
          code, LLVM::AtomicBinOp::add, counts, code.i32(1),
          LLVM::AtomicOrdering::monotonic, /*syncscope=*/"device");
      Value before = LLVM::XOrOp::create(code, position.parity, code.i32(1));
      waitForPhase(code, ring.empty(stage), before,
                   chipOf(op).suspendsOnBarriers());
      LLVM::StoreOp::create(code, drawn, tile);
      arrive(code, ring.full(stage), Value());
    });
    code.teamBarrier();
    rewriter.replaceOp(op, loadNumber(code, tile));
    return success();
  }
};

struct LowerNumberIn : TilePattern<gpu::NumberInOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::NumberInOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    rewriter.replaceOp(op, loadNumber(code, adaptor.getTile()));
    return success();
  }
};

struct LowerGet : TilePattern<gpu::GetOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::GetOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    Ring ring(code, plan, op, adaptor.getChannel(), op.getChannel().getType());
    auto [stage, parity] = ring.nextToGet();
    waitForPhase(code, ring.full(stage), parity,
                 chipOf(op).suspendsOnBarriers());
    rewriter.replaceOp(op, ring.tile(stage));
    return success();
  }
};

struct LowerRelease : TilePattern<gpu::ReleaseOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::ReleaseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    Ring ring(code, plan, op, adaptor.getChannel(), op.getChannel().getType());
    Value stage = ring.nextToRelease();
    // All lanes have read before the first one says so for the warp. ptxas
    // drops this barrier where lanes are in step, and racecheck then takes the
    // others to be reading still: so all arrive, unless a tensor copy comes
    // next, which racecheck does not look at.
    code.warpBarrier();
    const int64_t blocks = plan.blocksThatFill(op);
    if (blocks > 1) {
      // A lane for each block of the cluster.
      Value rank = code.lane();
      arriveInBlock(code, ring.empty(stage), rank,
                    code.less(rank, code.i32(blocks)));
    } else {
      bool byOne = plan.lanesThatRelease(op) == 1;
      arrive(code, ring.empty(stage), byOne ? code.isFirstLane() : Value());
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateChannelPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns) {
  patterns.add<LowerMakeChannel, LowerPut, LowerDraw, LowerNumberIn, LowerGet,
               LowerRelease>(converter, plan);
}

} // namespace mlir::smx
