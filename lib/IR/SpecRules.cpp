//===- SpecRules.cpp - rules that specification ops share -----------------===//

#include "SpecRules.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult mlir::smx::verifyInputAndAxis(Operation *op, Value input,
                                            int64_t axis) {
  auto type = cast<RankedTensorType>(input.getType());
  if (!isa<FloatType>(type.getElementType()) || type.getRank() == 0) // R1
    return op->emitOpError("expected floating-point elements and a rank of at "
                           "least 1, got ")
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
  if (mayHaveShape(type, expected) &&
      isa<FloatType>(type.getElementType())) // R3
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("expected ")
                                  << what << " of shape ";
  printShape(diagnostic, expected);
  return diagnostic << " with floating-point elements, got " << type;
}

LogicalResult mlir::smx::verifyMaskData(Operation *op, MaskAttrInterface mask,
                                        ValueRange data,
                                        ArrayRef<int64_t> leading,
                                        int64_t rows) {
  SmallVector<bool> perRow = mask ? mask.getDataPerRow() : SmallVector<bool>();
  if (perRow.size() != data.size())
    return op->emitOpError("expected ")
           << perRow.size() << " tensors that the mask reads, got "
           << data.size();
  for (auto [isPerRow, tensor] : llvm::zip(perRow, data)) {
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t count = type.getRank() - isPerRow;
    SmallVector<int64_t> expected(
        leading.take_front(std::clamp<int64_t>(count, 0, leading.size())));
    if (isPerRow)
      expected.push_back(rows);
    if (type.getElementType().isIntOrIndex() && mayHaveShape(type, expected))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError("expected the mask to read integers of shape ");
    printShape(diagnostic, expected);
    return diagnostic << ", got " << type;
  }
  return success();
}

LogicalResult mlir::smx::verifyScale(Operation *op, const APFloat &scale) {
  if (scale.isFinite() && !scale.isZero()) // R4
    return success();
  return op->emitOpError("expected a finite scale other than 0, got ")
         << scale.convertToDouble();
}

LogicalResult mlir::smx::reifyAsInput(Operation *op, OpBuilder &builder,
                                      ReifiedRankedShapedTypeDims &shapes) {
  shapes = {tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0))};
  return success();
}
