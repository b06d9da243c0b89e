//===- MapElements.h - elementwise ops on one tensor ------------*- C++ -*-===//
#ifndef SMX_IR_MAPELEMENTS_H
#define SMX_IR_MAPELEMENTS_H

#include "mlir/IR/Builders.h"

namespace mlir::smx {

/// What `body` makes of each element of `tensor`, with elements of type
/// `element`.
Value mapElements(OpBuilder &builder, Location loc, Value tensor, Type element,
                  llvm::function_ref<Value(OpBuilder &, Location, Value)> body);

/// `tensor` with elements of the wider float type `wanted`.
Value extended(OpBuilder &builder, Location loc, Value tensor, Type wanted);

/// `tensor` with elements of the narrower float type `wanted`.
Value truncated(OpBuilder &builder, Location loc, Value tensor, Type wanted);

} // namespace mlir::smx

#endif // SMX_IR_MAPELEMENTS_H
