//===- CrossEntropyOps.cpp - losses and gradients of the softmax family ---===//
//
// Verifiers and shapes; the rule numbers are those of the td descriptions.
//
//===----------------------------------------------------------------------===//

#include "SpecRules.h"

using namespace mlir;
using namespace mlir::smx;

//===----------------------------------------------------------------------===//
// smx.cross_entropy and its gradient
//===----------------------------------------------------------------------===//

/// R1, R2, R4, C1, C3 and C4.
template <typename OpT>
static LogicalResult verifyTargets(OpT op) {
  if (failed(verifyInputAndAxis(op, op.getInput(), op.getAxis())) ||
      failed(verifyScale(op, op.getScale())))
    return failure();
  auto targets = cast<RankedTensorType>(op.getTargets().getType());
  SmallVector<int64_t> rows = withoutAxis(shapeOf(op.getInput()), op.getAxis());
  Type element = targets.getElementType();
  if (!mayHaveShape(targets, rows) || !isNumber(element)) { // C1
    InFlightDiagnostic diagnostic =
        op.emitOpError("expected targets of shape ");
    printShape(diagnostic, rows);
    return diagnostic
           << " with signless integers of more than 1 bit or index, got "
           << targets;
  }
  double smoothing = op.getSmoothing().convertToDouble();
  if (!(smoothing >= 0 && smoothing < 1)) // C3
    return op.emitOpError("expected a smoothing in [0, 1), got ") << smoothing;
  std::optional<uint64_t> ignored = op.getIgnored();
  if (ignored && element.isSignlessInteger() &&
      element.getIntOrFloatBitWidth() < 64 &&
      !llvm::isIntN(element.getIntOrFloatBitWidth(), *ignored)) // C4
    return op.emitOpError("expected an ignored index that ")
           << element << " holds, got " << int64_t(*ignored);
  return success();
}

LogicalResult CrossEntropyOp::verify() {
  if (failed(verifyTargets(*this)))
    return failure();
  SmallVector<int64_t> rows = withoutAxis(shapeOf(getInput()), getAxis());
  if (failed(verifyShape(*this, "a loss", getLoss(), rows))) // C2
    return failure();
  return getLogSumExp()
             ? verifyShape(*this, "a log-sum-exp", getLogSumExp(), rows)
             : success();
}

LogicalResult
CrossEntropyOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  if (failed(reifyAsInput(*this, builder, shapes)))
    return failure();
  shapes[0].erase(shapes[0].begin() + getAxis());
  if (getLogSumExp())
    shapes.push_back(shapes[0]);
  return success();
}

LogicalResult CrossEntropyBackwardOp::verify() {
  if (failed(verifyTargets(*this)))
    return failure();
  SmallVector<int64_t> rows = withoutAxis(shapeOf(getInput()), getAxis());
  if (failed(verifyShape(*this, "a log-sum-exp", getLogSumExp(), rows)) ||
      failed(verifyShape(*this, "a gradient", getGradient(), rows))) // C5
    return failure();
  return verifyShape(*this, "a result", getResult(), shapeOf(getInput()));
}

LogicalResult
CrossEntropyBackwardOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyAsInput(*this, builder, shapes);
}

//===----------------------------------------------------------------------===//
// smx.softmax_backward, smx.log_softmax_backward
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult verifyRowBackward(OpT op) {
  if (failed(verifyInputAndAxis(op, op.getOutput(), op.getAxis())) ||
      failed(verifyScale(op, op.getScale())) ||
      failed(verifyShape(op, "a gradient", op.getGradient(), // G1
                         shapeOf(op.getOutput()))))
    return failure();
  return verifyShape(op, "a result", op.getResult(), shapeOf(op.getOutput()));
}

LogicalResult SoftmaxBackwardOp::verify() { return verifyRowBackward(*this); }
LogicalResult LogSoftmaxBackwardOp::verify() {
  return verifyRowBackward(*this);
}

LogicalResult
SoftmaxBackwardOp::reifyResultShapes(OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  return reifyAsInput(*this, builder, shapes);
}
LogicalResult
LogSoftmaxBackwardOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyAsInput(*this, builder, shapes);
}
