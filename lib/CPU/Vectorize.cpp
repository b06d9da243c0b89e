//===- Vectorize.cpp - lower linalg on memrefs to loops of vectors --------===//
//
// The pass: prepares every linalg op (named ops generalised, fills folded,
// products fused), then lets LanePlan decide and LaneNest emit.
//
//===----------------------------------------------------------------------===//

#include "FillFolding.h"
#include "LaneNest.h"
#include "NextTile.h"
#include "StreamingStores.h"

#include "smx/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUVECTORIZEPASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// A copy between memrefs of one element type as an elementwise generic.
static void generalizeCopy(RewriterBase &b, memref::CopyOp copy) {
  b.setInsertionPoint(copy);
  int64_t rank = cast<MemRefType>(copy.getTarget().getType()).getRank();
  AffineMap map = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, copy.getLoc(), TypeRange{}, ValueRange{copy.getSource()},
      ValueRange{copy.getTarget()}, ArrayRef<AffineMap>{map, map}, iterators,
      [](OpBuilder &nested, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(nested, loc, arguments.front());
      });
  b.eraseOp(copy);
}

/// acc + x * y becomes fma(x, y, acc) where the product has no other use: in a
/// sum over many terms the one rounding less is never worse.
static void fuseMultiplyAdds(RewriterBase &b, linalg::GenericOp op) {
  SmallVector<arith::AddFOp> sums(op.getBody()->getOps<arith::AddFOp>());
  for (arith::AddFOp sum : sums) {
    Type type = sum.getType();
    if (!type.isF32() && !type.isF64())
      continue;
    for (unsigned side = 0; side < 2; ++side) {
      auto accumulator = dyn_cast<BlockArgument>(sum->getOperand(side));
      auto product = sum->getOperand(1 - side).getDefiningOp<arith::MulFOp>();
      if (!accumulator || accumulator.getOwner() != op.getBody() ||
          accumulator.getArgNumber() < op.getNumDpsInputs() || !product ||
          product->getBlock() != op.getBody() || !product->hasOneUse())
        continue;
      b.setInsertionPoint(sum);
      b.replaceOpWithNewOp<math::FmaOp>(sum, product.getLhs(), product.getRhs(),
                                        accumulator, sum.getFastmath());
      b.eraseOp(product);
      break;
    }
  }
}

namespace {
struct SmxCPUVectorizePass
    : smx::impl::SmxCPUVectorizePassBase<SmxCPUVectorizePass> {
  using SmxCPUVectorizePassBase::SmxCPUVectorizePassBase;

  void runOnOperation() override {
    if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512) {
      getOperation()->emitError("vector-bits must be 128, 256 or 512, got ")
          << vectorBits.getValue();
      return signalPassFailure();
    }
    IRRewriter b(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) {
      if (isa<MemRefType>(copy.getSource().getType()) &&
          isa<MemRefType>(copy.getTarget().getType()))
        copies.push_back(copy);
    });
    for (memref::CopyOp copy : copies)
      generalizeCopy(b, copy);

    FilledOutputs fills = foldFills(getOperation(), b);
    LastLooks lastLooks = findLastLooks(getOperation(), prefetchBytes);
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      SmallVector<Value> filled = fills.lookup(op);
      b.setInsertionPoint(op);
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        FailureOr<linalg::GenericOp> general = linalg::generalizeNamedOp(b, op);
        if (failed(general)) {
          op.emitError("cannot be written as linalg.generic");
          return signalPassFailure();
        }
        generic = *general;
      }
      lower(b, generic, filled, lastLooks.lookup(op));
    }
  }

  void lower(IRRewriter &b, linalg::GenericOp op, SmallVector<Value> filled,
             ArrayRef<unsigned> lastLooks) {
    fuseMultiplyAdds(b, op);
    VectorRegisters registers{vectorBits, vectorBits == 512 ? 32 : 16};
    LanePlan plan = planLanes(op, registers);
    filled.resize(op.getNumDpsInits());
    LaneNestOptions options{filled, /*streaming=*/false, {}};
    b.setInsertionPoint(op);
    options.fetched.resize(op->getNumOperands());
    for (unsigned number : lastLooks)
      if (!plan.crossed)
        options.fetched[number] =
            nextTile(b, op.getLoc(), op->getOperand(number));
    if (Value streams = streamingCondition(b, op, plan, streamingBytes)) {
      auto choice = scf::IfOp::create(b, op.getLoc(), streams,
                                      /*withElseRegion=*/true);
      b.setInsertionPointToStart(choice.thenBlock());
      LaneNestOptions streaming = options;
      streaming.streaming = true;
      LaneNest(b, op, plan, streaming).emit();
      b.setInsertionPointToStart(choice.elseBlock());
    }
    LaneNest(b, op, plan, options).emit();
    b.eraseOp(op);
  }
};
} // namespace
