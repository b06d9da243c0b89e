//===- SpecRules.cpp - rules that specification ops share -----------------===//

#include "SpecRules.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult mlir::smx::verifyInputAndAxis(Operation *op, Value input,
                                            int64_t axis) {
  auto type = cast<RankedTensorType>(input.getType());
  if (!isStoredFloat(type.getElementType()) || type.getRank() == 0) // R1
    return op->emitOpError("expected floating-point elements (f64, f32, f16, "
                           "bf16 or of 8 bits) and a rank of at least 1, got ")
           << type;
  if (axis < 0 || axis >= type.getRank()) // R2
    return op->emitOpError("expected an axis in [0, ")
           << type.getRank() << "), got " << axis;
  return success();
}

bool mlir::smx::mayHaveShape(RankedTensorType type,
                             ArrayRef<int64_t> expected) {
  return type.getRank() == (int64_t)expected.size() &&
         llvm::all_of(llvm::zip(type.getShape(), expected), [](auto p) {
           return areCompatible(std::get<0>(p), std::get<1>(p));
         });
}

void mlir::smx::printShape(InFlightDiagnostic &diagnostic,
                           ArrayRef<int64_t> shape) {
  diagnostic << "[";
  llvm::interleaveComma(shape, diagnostic, [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      diagnostic << "?";
    else
      diagnostic << extent;
  });
  diagnostic << "]";
}

LogicalResult mlir::smx::verifyShape(Operation *op, StringRef what, Value value,
                                     ArrayRef<int64_t> expected) {
  auto type = cast<RankedTensorType>(value.getType());
  if (mayHaveShape(type, expected) && isTypeOfResults(type)) // R3
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("expected ")
                                  << what << " of shape ";
  printShape(diagnostic, expected);
  return diagnostic << " with floating-point elements of at least 16 bits, "
                       "got "
                    << type;
}

LogicalResult mlir::smx::verifyMaskData(Operation *op, MaskAttrInterface mask,
                                        ValueRange data,
                                        ArrayRef<int64_t> leading, int64_t rows,
                                        int64_t keys) {
  SmallVector<DataSteps> all =
      mask ? mask.getDataSteps() : SmallVector<DataSteps>();
  if (all.size() != data.size())
    return op->emitOpError("expected as many tensors as the mask reads, ")
           << all.size() << ", got " << data.size();
  auto blocksOf = [](int64_t extent, int64_t step) {
    return ShapedType::isDynamic(extent) ? extent
                                         : llvm::divideCeil(extent, step);
  };
  for (auto [steps, tensor] : llvm::zip(all, data)) {
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t count = type.getRank() - steps.count();
    SmallVector<int64_t> expected(
        leading.take_front(std::clamp<int64_t>(count, 0, leading.size())));
    // An extent of 1 is the same for all.
    for (auto [dim, extent] : llvm::enumerate(expected))
      if (type.getDimSize(dim) == 1)
        extent = 1;
    if (steps.rows != 0)
      expected.push_back(blocksOf(rows, steps.rows));
    if (steps.keys != 0)
      expected.push_back(blocksOf(keys, steps.keys));
    Type element = type.getElementType();
    bool isMark = steps.keys != 0 && element.isInteger(1);
    if ((isMark || isNumber(element)) && mayHaveShape(type, expected))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError("expected the mask to read integers of shape ");
    printShape(diagnostic, expected);
    if (element.isInteger(1))
      diagnostic << " and of more than 1 bit";
    return diagnostic << ", got " << type;
  }
  return success();
}

LogicalResult mlir::smx::verifyScale(Operation *op, const APFloat &scale) {
  const double value = scale.convertToDouble();
  if (!scale.isFinite() || scale.isZero()) // R4
    return op->emitOpError("expected a finite scale other than 0, got ")
           << value;
  Type scores = getElementTypeOrSelf(op->getOperand(0).getType());
  if (isPositiveScale(std::abs(value), scores)) // R4
    return success();
  // One that is 0 in the type of the scores makes NaN of every element that is
  // -inf, and of the maximum that a state starts from.
  bool isSmall = std::abs(value) < getSmallestScale(scores);
  return op->emitOpError("expected a scale of at ")
         << (isSmall ? "least " : "most ")
         << (isSmall ? getSmallestScale(scores) : getLargestScale(scores))
         << " for scores that are computed in " << getAccumulatorType(scores)
         << ", got " << value;
}

LogicalResult mlir::smx::reifyAsInput(Operation *op, OpBuilder &builder,
                                      ReifiedRankedShapedTypeDims &shapes) {
  shapes = {tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0))};
  return success();
}
