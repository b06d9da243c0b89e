//===- Parts.cpp - rows that warps hold in parts --------------------------===//
//
// A warp's part has its registers already; what is left is the exchange of
// values that are one to a warp.
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"
#include "Clusters.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

/// Values of one operand of the op in scratch: those of all blocks, warp by
/// warp.
static int64_t valuesOf(gpu::CollectOp op, int64_t cluster) {
  return op.getValuesOfBlock() * (op.getInBlock() ? 1 : cluster);
}

static int64_t bytesOf(Value value) {
  return elementBytes(cast<RankedTensorType>(value.getType()).getElementType());
}

int64_t collectScratchBytes(Operation *op) {
  auto collect = dyn_cast<gpu::CollectOp>(op);
  if (!collect)
    return 0;
  int64_t cluster = op->getParentOfType<gpu::KernelOp>().getCluster(),
          bytes = 0;
  for (Value value : collect.getValues())
    bytes += llvm::alignTo(valuesOf(collect, cluster) * bytesOf(value), 16);
  return bytes;
}

namespace {
/// The registers are those of the operand.
template <typename OpTy>
struct LowerSameRegisters : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getOperands().front());
    return success();
  }
};

/// A lane of every warp (of the first one, where there is one value a block)
/// writes the warp's values: in a cluster, as many lanes as there are blocks,
/// each to one of them. After a meeting every lane reads those that it has in
/// the collected tile from its own block.
struct LowerCollect : TilePattern<gpu::CollectOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::CollectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    if (code.team.barrier != 0)
      return op.emitOpError("is not lowered in a role: all threads of the "
                            "kernel meet in it");
    int64_t blocks = op.getInBlock() ? 1 : code.team.cluster,
            perBlock = op.getValuesOfBlock();
    if (blocks > 1)
      awaitScratchOfCluster(code, plan, op);
    else if (!plan.isScratchFree(op))
      code.teamBarrier();
    SmallVector<Value> starts;
    int64_t offset = plan.scratch(op), size = 0;
    for (Value value : op.getValues())
      size +=
          llvm::alignTo(valuesOf(op, code.team.cluster) * bytesOf(value), 16);
    for (Value value : op.getValues()) {
      Value start = code.shared(offset);
      if (Value turn = turnOfExchange(code, plan, op))
        start = code.advance(start, code.mul(turn, code.i32(size)));
      starts.push_back(start);
      offset +=
          llvm::alignTo(valuesOf(op, code.team.cluster) * bytesOf(value), 16);
    }
    bool isOfWarps = perBlock > 1 || code.team.warps == 1;
    Value lane = isOfWarps ? code.lane() : code.thread();
    code.when(code.less(lane, code.i32(blocks)), [&] {
      Value place = isOfWarps ? code.warp() : code.i32(0);
      if (blocks > 1)
        place = code.add(
            place, code.mul(NVVM::ClusterId::create(code, code.getI32Type()),
                            code.i32(perBlock)));
      for (auto [start, value, tile] :
           llvm::zip(starts, adaptor.getValues(), op.getValues())) {
        int64_t bytes = bytesOf(tile);
        Value mine = code.advance(start, code.mul(place, code.i32(bytes)));
        if (plan.isExchange(op)) {
          sendToBlock(code, plan, op, code.getRegister(value, 0), mine, lane);
          continue;
        }
        if (blocks > 1)
          mine = inBlockOfCluster(code, mine, lane);
        LLVM::StoreOp::create(code, code.getRegister(value, 0), mine, bytes);
      }
    });
    if (plan.isExchange(op))
      awaitExchange(code, plan, op);
    else if (blocks > 1)
      meetInCluster(code);
    else
      code.teamBarrier();
    SmallVector<Value> results;
    for (auto [start, value, fill] :
         llvm::zip(starts, op.getValues(), op.getFill()))
      results.push_back(read(code, op, start, bytesOf(value), fill));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// What the lane has of all values from `start` on.
  Value read(ThreadCode &code, gpu::CollectOp op, Value start, int64_t bytes,
             Attribute fill) const {
    int64_t count = valuesOf(op, code.team.cluster);
    Type type = cast<TypedAttr>(fill).getType();
    auto layout = cast<gpu::StripedAttr>(gpu::getLayout(
        cast<RankedTensorType>(op.getCollected().front().getType())));
    int64_t lanes = layout.getColumnThreads();
    Value lane = code.remainder(code.lane(), lanes),
          first = code.advance(start, code.mul(lane, code.i32(bytes)));
    SmallVector<Value> registers;
    for (int64_t i = 0; i < count; i += lanes) {
      auto load = [&]() -> Value {
        return LLVM::LoadOp::create(code, type, code.advance(first, i * bytes),
                                    bytes);
      };
      registers.push_back(
          i + lanes <= count
              ? load()
              : code.choose(type, code.less(lane, code.i32(count - i)), load,
                            [&]() -> Value {
                              return LLVM::ConstantOp::create(code, type, fill);
                            }));
    }
    return code.fromRegisters(registers);
  }
};
} // namespace

void populatePartPatterns(const TileTypeConverter &converter,
                          const KernelPlan &plan, RewritePatternSet &patterns) {
  patterns
      .add<LowerSameRegisters<gpu::PartsOp>, LowerSameRegisters<gpu::AgreedOp>>(
          converter);
  patterns.add<LowerCollect>(converter, plan);
}

} // namespace mlir::smx
