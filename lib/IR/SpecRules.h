//===- SpecRules.h - rules that specification ops share ---------*- C++ -*-===//
//
// The rule numbers are those of the td descriptions. Private to lib/IR.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_IR_SPECRULES_H
#define SMX_LIB_IR_SPECRULES_H

#include "smx/IR/Smx.h"

#include "llvm/ADT/APFloat.h"

namespace mlir::smx {

inline ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}
inline Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}
inline bool areCompatible(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}
inline SmallVector<int64_t> withoutAxis(ArrayRef<int64_t> shape, int64_t axis) {
  SmallVector<int64_t> rows(shape);
  rows.erase(rows.begin() + axis);
  return rows;
}

/// True for integers that number things. They are signed: i1 has no 1.
inline bool isNumber(Type type) {
  return type.isSignlessIntOrIndex() && !type.isInteger(1);
}

/// True if `type` may have the shape `expected`.
bool mayHaveShape(RankedTensorType type, ArrayRef<int64_t> expected);
/// "[4, ?]".
void printShape(InFlightDiagnostic &diagnostic, ArrayRef<int64_t> shape);

/// T2: elements along the axis of a top-k.
constexpr int64_t mostPlaces = 1 << 29;
/// R1 and R2.
LogicalResult verifyInputAndAxis(Operation *op, Value input, int64_t axis);
/// R3, R5, A5, A6, C2, C5, D3, G1: `value` has floating-point elements of at
/// least 16 bits and this shape.
LogicalResult verifyShape(Operation *op, StringRef what, Value value,
                          ArrayRef<int64_t> expected);
/// The sizes of the first operand.
LogicalResult reifyAsInput(Operation *op, OpBuilder &builder,
                           ReifiedRankedShapedTypeDims &shapes);
/// A9, M3: `data` is what `mask`, or none, reads on scores whose leading
/// dimensions are `leading`, in front of `rows` x `keys`.
LogicalResult verifyMaskData(Operation *op, MaskAttrInterface mask,
                             ValueRange data, ArrayRef<int64_t> leading,
                             int64_t rows, int64_t keys);
/// Lets upstream tiling slice `smx.paged`.
void attachPagedTiling(MLIRContext &context);
/// R4, D4, A7.
LogicalResult verifyScale(Operation *op, const APFloat &scale);

} // namespace mlir::smx

#endif // SMX_LIB_IR_SPECRULES_H
