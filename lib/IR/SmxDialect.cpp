//===- SmxDialect.cpp - registration of the smx dialect -------------------===//

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx;

#include "smx/IR/SmxDialect.cpp.inc"
#include "smx/IR/SmxEnums.cpp.inc"

#include "smx/IR/SmxAttrInterfaces.cpp.inc"
#include "smx/IR/SmxOpInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "smx/IR/SmxAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "smx/IR/SmxOps.cpp.inc"

namespace {
/// A front end may have put a part of a formula into a function of its own.
struct SmxInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  /// Into a region of a score, for instance.
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void SmxDialect::initialize() {
  addInterfaces<SmxInliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "smx/IR/SmxAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "smx/IR/SmxOps.cpp.inc"
      >();
}

FloatType mlir::smx::getAccumulatorType(Type elementType) {
  MLIRContext *context = elementType.getContext();
  if (elementType.isF64())
    return Float64Type::get(context);
  return Float32Type::get(context);
}

double mlir::smx::getSmallestScale(Type elementType) {
  FloatType type = getAccumulatorType(elementType);
  return APFloat::getSmallest(type.getFloatSemantics()).convertToDouble();
}

double mlir::smx::getLargestScale(Type elementType) {
  FloatType type = getAccumulatorType(elementType);
  return APFloat::getLargest(type.getFloatSemantics()).convertToDouble() /
         llvm::numbers::log2e;
}

bool mlir::smx::isPositiveScale(double scale, Type elementType) {
  return scale >= getSmallestScale(elementType) &&
         scale <= getLargestScale(elementType);
}
