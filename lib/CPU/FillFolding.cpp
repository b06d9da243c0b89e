//===- FillFolding.cpp - fills that become initial values -----------------===//

#include "FillFolding.h"

#include "LanePlan.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::smx;

Value smx::rootBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

static bool touches(Operation *op, Value buffer) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) && rootBuffer(operand) == buffer;
  });
}

/// The next op in the block that may touch `buffer`; null: the block ends or
/// the op is not a linalg op.
static linalg::GenericOp nextUser(linalg::FillOp fill, Value buffer) {
  for (Operation *next = fill->getNextNode(); next;
       next = next->getNextNode()) {
    if (isa<linalg::LinalgOp>(next)) {
      if (touches(next, buffer))
        return dyn_cast<linalg::GenericOp>(next);
      continue;
    }
    if (!isMemoryEffectFree(next) &&
        !hasSingleEffect<MemoryEffects::Allocate>(next))
      return {};
  }
  return {};
}

/// The output of `op` that accumulates into all of `memref` and is all that
/// `op` knows of its buffer.
static std::optional<unsigned> accumulatedOutput(linalg::GenericOp op,
                                                 Value memref, Value buffer) {
  std::optional<unsigned> found;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()) ||
        rootBuffer(operand.get()) != buffer)
      continue;
    if (found || operand.get() != memref || op.isDpsInput(&operand))
      return std::nullopt;
    found = operand.getOperandNumber() - op.getNumDpsInputs();
  }
  if (!found)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(*found));
  if (!map.isProjectedPermutation())
    return std::nullopt;
  // The nest must hold this output in registers, i.e. every loop inside the
  // first one that it does not depend on is another such loop; LanePlan orders
  // parallel loops outside, so this asks for no mixed reductions.
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    if (accumulatesAlong(op, *found, dim))
      continue;
    for (unsigned init = 0; init < op.getNumDpsInits(); ++init)
      if (accumulatesAlong(op, init, dim))
        return std::nullopt;
  }
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    if (accumulatesAlong(op, *found, dim))
      return found;
  return std::nullopt;
}

FilledOutputs smx::foldFills(Operation *root, RewriterBase &b) {
  SmallVector<linalg::FillOp> fills;
  root->walk([&](linalg::FillOp fill) {
    if (fill.hasPureBufferSemantics())
      fills.push_back(fill);
  });
  FilledOutputs filled;
  for (linalg::FillOp fill : fills) {
    Value memref = fill.getOutputs().front();
    Value buffer = rootBuffer(memref);
    linalg::GenericOp user = nextUser(fill, buffer);
    if (!user)
      continue;
    std::optional<unsigned> init = accumulatedOutput(user, memref, buffer);
    if (!init)
      continue;
    SmallVector<Value> &outputs = filled[user];
    outputs.resize(user.getNumDpsInits());
    outputs[*init] = fill.getInputs().front();
    b.eraseOp(fill);
  }
  return filled;
}
