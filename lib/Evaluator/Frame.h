//===- Frame.h - the values of a function being evaluated -------*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_FRAME_H
#define SMX_LIB_EVALUATOR_FRAME_H

#include "smx/Evaluator/ScalarOps.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::smx {

using ::smx::reference::Shape;
using ::smx::reference::Tensor;
using TensorPtr = std::shared_ptr<const Tensor>;

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

/// The values computed so far.
class Frame {
public:
  Frame(Rounding rounding, EvaluationNotes *notes)
      : rounding(rounding), notes(notes) {}
  Rounding getRounding() const { return rounding; }
  /// What is wanted beside the results; may be null.
  EvaluationNotes *getNotes() const { return notes; }

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
  EvaluationNotes *notes;
  DenseMap<Value, RuntimeValue> values;
};

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
