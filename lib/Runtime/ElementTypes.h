//===- ElementTypes.h - a module of other element types ---------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_ELEMENTTYPES_H
#define SMX_LIB_RUNTIME_ELEMENTTYPES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace smx {

/// A type of elements as MLIR spells it, and its width.
struct ElementTypeName {
  std::string name;
  unsigned bits;
};

/// The floating-point types of the arguments' elements, each once.
std::vector<ElementTypeName> elementTypesOf(mlir::ModuleOp module);

/// Puts the floating-point type named `to` in the place of the one named
/// `from`, in all types and constants, of which a verifier may think what it
/// likes. Fails, with a diagnostic, where there is no such type.
llvm::LogicalResult replaceElementType(mlir::ModuleOp module,
                                       llvm::StringRef from,
                                       llvm::StringRef to);

} // namespace smx

#endif // SMX_LIB_RUNTIME_ELEMENTTYPES_H
