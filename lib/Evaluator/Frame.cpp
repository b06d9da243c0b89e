//===- Frame.cpp - the values of a function being evaluated ---------------===//

#include "Frame.h"

#include "smx/IR/SourcePlace.h"

#include "mlir/IR/OpDefinition.h"

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

std::optional<::smx::reference::DType>
mlir::smx::getRoundedType(Type type, Rounding rounding) {
  if (rounding == Rounding::None || !hasFloatElements(type) ||
      getElementTypeOrSelf(type).isF64())
    return std::nullopt;
  std::string name;
  llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
  return ::smx::reference::dtypeFromName(name);
}

llvm::Error mlir::smx::errorAt(Operation *op, const Twine &message) {
  return llvm::createStringError(placed(
      op->getLoc(), "'" + op->getName().getStringRef() + "' " + message));
}
