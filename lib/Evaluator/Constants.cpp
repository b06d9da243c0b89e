//===- Constants.cpp - constants, and scalar arithmetic -------------------===//

#include "Frame.h"
#include "smx/Reference/Npy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace mlir::smx;
namespace reference = ::smx::reference;

static Slot toSlot(const APFloat &value) {
  return floatSlot(FloatAttr::getValueAsDouble(value));
}
static Slot toSlot(const APInt &value) {
  return intSlot(value.getBitWidth() == 1 ? int64_t(value.getZExtValue())
                                          : value.getSExtValue());
}

std::optional<Slot> mlir::smx::readScalar(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return toSlot(number.getValue());
  if (auto number = dyn_cast<IntegerAttr>(value))
    return toSlot(number.getValue());
  return std::nullopt;
}

static Shape shapeOf(ShapedType type) {
  return Shape(type.getShape().begin(), type.getShape().end());
}

static Tensor readDense(DenseElementsAttr elements) {
  std::vector<double> values;
  values.reserve(elements.getNumElements());
  if (isa<FloatType>(elements.getElementType()))
    for (const APFloat &value : elements.getValues<APFloat>())
      values.push_back(toSlot(value).f);
  else
    for (const APInt &value : elements.getValues<APInt>())
      values.push_back(static_cast<double>(toSlot(value).i));
  return Tensor(shapeOf(elements.getType()), std::move(values));
}

/// Weights that the module keeps outside of its text.
static llvm::Expected<Tensor> readResource(Operation *op,
                                           DenseResourceElementsAttr elements) {
  std::optional<reference::DType> dtype = getStoredType(elements.getType());
  AsmResourceBlob *blob = elements.getRawHandle().getBlob();
  if (!dtype || !blob)
    return errorAt(op, "has a resource of " + debugString(elements.getType()) +
                           (blob ? " that can not be read"
                                 : " whose data is not in the module"));
  ArrayRef<char> bytes = blob->getData();
  const int64_t width = byteWidth(*dtype);
  const int64_t count = elements.getType().getNumElements();
  if (static_cast<int64_t>(bytes.size()) != count * width)
    return errorAt(op, "has a resource of " + Twine(bytes.size()) +
                           " bytes, but its type needs " +
                           Twine(count * width));
  auto stored = llvm::map_range(bytes, [](char c) { return std::byte(c); });
  return reference::NpyArray{
      *dtype, shapeOf(elements.getType()), {stored.begin(), stored.end()}}
      .toTensor();
}

llvm::Expected<bool> mlir::smx::evaluateConstant(Operation *op, Frame &frame) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return false;
  Attribute value = constant.getValue();
  if (std::optional<Slot> number = readScalar(value)) {
    frame.set(constant, *number);
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    frame.set(constant, readDense(dense));
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    auto tensor = readResource(op, resource);
    if (!tensor)
      return tensor.takeError();
    frame.set(constant, std::move(*tensor));
  } else {
    return errorAt(op, "has a kind of constant that is not supported");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Arithmetic outside of loops
//===----------------------------------------------------------------------===//

static void evaluateOnTensors(Operation *op, const Instruction &instruction,
                              Frame &frame) {
  const Tensor *like = nullptr;
  for (Value operand : op->getOperands())
    if (frame.get(operand).tensor)
      like = &frame.tensor(operand);
  const bool isFloat = hasFloatElements(op->getResult(0).getType());
  std::vector<double> results(like->size());
  SmallVector<Slot, 3> operands(op->getNumOperands());
  SmallVector<const Slot *, 3> addresses;
  for (Slot &slot : operands)
    addresses.push_back(&slot);
  for (int64_t i = 0; i < like->size(); ++i) {
    for (auto [slot, operand] : llvm::zip(operands, op->getOperands())) {
      const RuntimeValue &value = frame.get(operand);
      slot = value.tensor ? loadElement((*value.tensor)[i],
                                        hasFloatElements(operand.getType()))
                          : value.scalar;
    }
    Slot result;
    execute(instruction, addresses.data(), &result, 1);
    results[i] = storedElement(result, isFloat);
  }
  frame.set(op->getResult(0), Tensor(like->shape(), std::move(results)));
}

llvm::Expected<bool> mlir::smx::evaluateElementwiseOp(Operation *op,
                                                      Frame &frame) {
  std::optional<Instruction> instruction =
      lookUpScalarOp(op, frame.getRounding());
  if (!instruction)
    return false;
  if (isa<ShapedType>(op->getResult(0).getType())) {
    evaluateOnTensors(op, *instruction, frame);
    return true;
  }
  // A scalar may still be selected or computed from scalars only.
  SmallVector<const Slot *, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&frame.get(operand).scalar);
  Slot result;
  execute(*instruction, operands.data(), &result, 1);
  frame.set(op->getResult(0), result);
  return true;
}
