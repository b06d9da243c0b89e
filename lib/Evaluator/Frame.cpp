//===- Frame.cpp - the values of a function being evaluated ---------------===//

#include "Frame.h"

#include "smx/IR/ElementBits.h"
#include "smx/IR/SourcePlace.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace mlir::smx;

int64_t Frame::integer(OpFoldResult constantOrValue) const {
  if (auto value = dyn_cast<Value>(constantOrValue))
    return integer(value);
  return cast<IntegerAttr>(cast<Attribute>(constantOrValue)).getInt();
}

Shape Frame::shape(ArrayRef<OpFoldResult> sizes) const {
  Shape shape;
  for (OpFoldResult size : sizes)
    shape.push_back(integer(size));
  return shape;
}

std::optional<::smx::reference::DType> mlir::smx::getStoredType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return ::smx::reference::DType::I64;
  if (element.isUnsignedInteger(8))
    return ::smx::reference::DType::U8;
  return ::smx::reference::dtypeFromName(debugString(element));
}

std::optional<::smx::reference::DType>
mlir::smx::getRoundedType(Type type, Rounding rounding) {
  // Nobody computes in 8 bits: a rounding to them is what the module asks for.
  bool isAsked = hasFloatElements(type) && elementBits(type) == 8;
  if (!isAsked && (rounding != Rounding::AsTyped || !hasFloatElements(type) ||
                   getElementTypeOrSelf(type).isF64()))
    return std::nullopt;
  return getStoredType(type);
}

llvm::Error mlir::smx::errorAt(Operation *op, const Twine &message) {
  return llvm::createStringError(placed(
      op->getLoc(), "'" + op->getName().getStringRef() + "' " + message));
}
