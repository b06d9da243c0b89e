//===- StateReaders.h - what updates know of their readers ------*- C++ -*-===//
#ifndef SMX_IR_STATEREADERS_H
#define SMX_IR_STATEREADERS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::smx {

/// On an update: all that is made of its sum is logarithms. A unit in the last
/// place of weights is less than one of that.
inline constexpr llvm::StringLiteral forLogarithmAttribute =
    "smx.for_logarithm";

/// On an update: something as long as a row is made of the state. What that
/// takes to write is longer than any arithmetic.
inline constexpr llvm::StringLiteral forRowsAttribute = "smx.for_rows";

} // namespace mlir::smx

#endif // SMX_IR_STATEREADERS_H
