//===- Frame.h - the values of a function being evaluated -------*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_FRAME_H
#define SMX_LIB_EVALUATOR_FRAME_H

#include "smx/Evaluator/Evaluator.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mlir::smx {

using ::smx::reference::Shape;
using ::smx::reference::Tensor;
using TensorPtr = std::shared_ptr<const Tensor>;

/// One element: `f` where the type is a float, `i` (sign-extended; 0 or 1 for
/// i1) elsewhere.
union Slot {
  double f;
  int64_t i;
};

inline Slot floatSlot(double value) {
  Slot slot;
  slot.f = value;
  return slot;
}
inline Slot intSlot(int64_t value) {
  Slot slot;
  slot.i = value;
  return slot;
}

/// An element of a tensor, which keeps integers as doubles too.
inline Slot loadElement(double stored, bool isFloat) {
  return isFloat ? floatSlot(stored) : intSlot(static_cast<int64_t>(stored));
}
inline double storedElement(Slot slot, bool isFloat) {
  return isFloat ? slot.f : static_cast<double>(slot.i);
}

/// A value at run time: a tensor, or a scalar where there is none.
struct RuntimeValue {
  Slot scalar = intSlot(0);
  TensorPtr tensor;

  RuntimeValue() = default;
  RuntimeValue(Slot scalar) : scalar(scalar) {}
  RuntimeValue(Tensor tensor)
      : tensor(std::make_shared<const Tensor>(std::move(tensor))) {}
  RuntimeValue(TensorPtr tensor) : tensor(std::move(tensor)) {}
};

/// The element type that results of `type` are rounded to, if there is anything
/// to round.
std::optional<::smx::reference::DType> getRoundedType(Type type,
                                                      Rounding rounding);

/// True if values of the type, or its elements, are kept as `Slot::f`.
inline bool hasFloatElements(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// The values computed so far.
class Frame {
public:
  explicit Frame(Rounding rounding) : rounding(rounding) {}
  Rounding getRounding() const { return rounding; }

  void set(Value value, RuntimeValue runtime) {
    values[value] = std::move(runtime);
  }
  const RuntimeValue &get(Value value) const {
    auto found = values.find(value);
    assert(found != values.end() && "definitions dominate uses");
    return found->second;
  }
  bool contains(Value value) const { return values.contains(value); }
  const Tensor &tensor(Value value) const { return *get(value).tensor; }
  double number(Value value) const { return get(value).scalar.f; }
  int64_t integer(Value value) const { return get(value).scalar.i; }
  /// Attributes stand for themselves, values for what they are in this frame.
  int64_t integer(OpFoldResult constantOrValue) const;
  /// `sizes` as a shape.
  Shape shape(ArrayRef<OpFoldResult> sizes) const;

private:
  Rounding rounding;
  DenseMap<Value, RuntimeValue> values;
};

/// "file:line:column: 'op': message".
llvm::Error errorAt(Operation *op, const Twine &message);

/// The evaluation of one op: its results are in the frame afterwards. Each
/// returns false for an op that it does not know.
llvm::Expected<bool> evaluateTensorOp(Operation *op, Frame &frame);
llvm::Expected<bool> evaluateLinalgOp(Operation *op, Frame &frame);
llvm::Expected<bool> evaluateSpecOp(Operation *op, Frame &frame);
llvm::Expected<bool> evaluateConstant(Operation *op, Frame &frame);
/// Arithmetic on scalars, or on tensors element by element.
llvm::Expected<bool> evaluateElementwiseOp(Operation *op, Frame &frame);

} // namespace mlir::smx

#endif // SMX_LIB_EVALUATOR_FRAME_H
