//===- Frame.cpp - the values of a function being evaluated ---------------===//

#include "Frame.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
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
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  os << "'" << op->getName() << "' " << message;
  return llvm::createStringError(text);
}
