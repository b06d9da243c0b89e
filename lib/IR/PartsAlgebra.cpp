//===- PartsAlgebra.cpp - many states of another algebra become one -------===//

#include "smx/IR/Smx.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult
PartsAlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         StateAlgebraAttrInterface whole) { // Q1
  if (whole.hasParts())
    return success();
  return emitError() << "expected an algebra that merges many states at a "
                        "time, got "
                     << whole;
}

SmallVector<StringRef> PartsAlgebraAttr::getQuantities() const {
  return getWhole().getQuantities();
}
std::pair<unsigned, unsigned> PartsAlgebraAttr::getStateCount() const {
  return getWhole().getStateCount();
}
unsigned PartsAlgebraAttr::getInputCount(unsigned states) const {
  return states;
}
unsigned PartsAlgebraAttr::getFinishInputCount(StringRef quantity) const {
  return getWhole().getFinishInputCount(quantity);
}
unsigned PartsAlgebraAttr::getFinishStateCount(StringRef quantity) const {
  return getWhole().getFinishStateCount(quantity);
}

SmallVector<Value> PartsAlgebraAttr::expandIdentity(OpBuilder &builder,
                                                    Operation *op) const {
  return getWhole().expandIdentity(builder, op);
}
SmallVector<Value> PartsAlgebraAttr::expandUpdate(OpBuilder &builder,
                                                  Operation *op) const {
  return getWhole().expandParts(builder, op);
}
SmallVector<Value> PartsAlgebraAttr::expandMerge(OpBuilder &builder,
                                                 Operation *op) const {
  return getWhole().expandMerge(builder, op);
}
SmallVector<Value> PartsAlgebraAttr::expandFinish(OpBuilder &builder,
                                                  Operation *op) const {
  return getWhole().expandFinish(builder, op);
}
