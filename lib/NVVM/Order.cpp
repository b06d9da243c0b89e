//===- Order.cpp - blocks that wait for others ----------------------------===//

#include "Assembly.h"
#include "KernelLowering.h"

namespace mlir::smx {

static void emitOrdered(ThreadCode &code, StringRef text, StringRef constraints,
                        ValueRange operands) {
  emitAssembly(code, TypeRange(), operands, text, constraints, Effects::Memory);
}

namespace {
template <typename OpTy>
struct OrderPattern : TilePattern<OpTy> {
  using TilePattern<OpTy>::TilePattern;

protected:
  Value addressOfCount(ConversionPatternRewriter &rewriter, OpTy op,
                       typename OpTy::Adaptor adaptor) const {
    return this->getStridedElementPtr(
        rewriter, op.getLoc(), cast<MemRefType>(op.getCounts().getType()),
        adaptor.getCounts(), adaptor.getPlace());
  }
};

/// What the lanes have stored comes before their meeting, and that before what
/// one of them adds with release semantics: releases are cumulative.
struct LowerAnnounce : OrderPattern<gpu::AnnounceOp> {
  using OrderPattern::OrderPattern;

  LogicalResult
  matchAndRewrite(gpu::AnnounceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    Value address = addressOfCount(rewriter, op, adaptor);
    code.warpBarrier();
    code.when(code.isFirstLane(), [&] {
      emitOrdered(code, "red.release.gpu.global.add.u32 [$0], $1;", "l,r",
                  {address, code.i32(1)});
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerAwait : OrderPattern<gpu::AwaitOp> {
  using OrderPattern::OrderPattern;

  LogicalResult
  matchAndRewrite(gpu::AwaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    Value address = addressOfCount(rewriter, op, adaptor);
    // Labels are local to the braces, so the text may occur many times.
    emitOrdered(code,
                "{ .reg .pred less; .reg .b32 count; again: "
                "ld.acquire.gpu.global.u32 count, [$0]; "
                "setp.lt.u32 less, count, $1; @less bra again; }",
                "l,r", {address, code.i32(op.getCount())});
    code.warpBarrier();
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerPause : TilePattern<gpu::PauseOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::PauseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    // `nanosleep` may take twice as long as it is told to.
    emitOrdered(code,
                "{ .reg .pred early; .reg .b64 begin, now; "
                "mov.u64 begin, %clock64; again: mov.u64 now, %clock64; "
                "sub.u64 now, now, begin; setp.lt.u64 early, now, $0; "
                "@early bra again; }",
                "l", adaptor.getCycles());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateOrderPatterns(const TileTypeConverter &converter,
                           const KernelPlan &plan,
                           RewritePatternSet &patterns) {
  patterns.add<LowerAnnounce, LowerAwait, LowerPause>(converter, plan);
}

} // namespace mlir::smx
