//===- TopKOps.cpp - smx.topk_softmax -------------------------------------===//

#include "SpecRules.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult TopKSoftmaxOp::verify() {
  if (failed(verifyInputAndAxis(*this, getInput(), getAxis())) ||
      failed(verifyScale(*this, getScale())))
    return failure();
  SmallVector<int64_t> shape(shapeOf(getInput()));
  int64_t extent = shape[getAxis()], k = getK();
  int64_t most =
      ShapedType::isDynamic(extent) ? 64 : std::min<int64_t>(64, extent);
  if (most == 0) // T1
    return emitOpError("expected an axis with elements, got ")
           << getInput().getType();
  if (k < 1 || k > most) // T1
    return emitOpError("expected k in [1, ") << most << "], got " << k;
  if (elementOf(getInput()).getIntOrFloatBitWidth() > 32 ||
      extent > mostPlaces) // T2
    return emitOpError("expected elements of at most 32 bits and at most ")
           << mostPlaces << " of them along the axis, got "
           << getInput().getType();
  shape[getAxis()] = k;
  if (failed(verifyShape(*this, "probabilities", getProbabilities(), // T3
                         shape)))
    return failure();
  if (elementOf(getProbabilities()).getIntOrFloatBitWidth() > 32)
    return emitOpError("expected probabilities of at most 32 bits, as the "
                       "scores, got ")
           << getProbabilities().getType();
  auto places = cast<RankedTensorType>(getPlaces().getType());
  Type element = places.getElementType();
  if (mayHaveShape(places, shape) && element.isSignlessInteger() &&
      element.getIntOrFloatBitWidth() >= 32) // T4
    return success();
  InFlightDiagnostic diagnostic = emitOpError("expected places of shape ");
  printShape(diagnostic, shape);
  return diagnostic << " with signless integers of at least 32 bits, got "
                    << places;
}

LogicalResult
TopKSoftmaxOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes = {tensor::getMixedSizes(builder, getLoc(), getInput())};
  shapes[0][getAxis()] = builder.getIndexAttr(getK());
  shapes.push_back(shapes[0]);
  return success();
}
