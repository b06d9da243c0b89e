//===- AssertionFailed.h - the call behind a failed assertion ---*- C++ -*-===//
#ifndef SMX_CPU_ASSERTIONFAILED_H
#define SMX_CPU_ASSERTIONFAILED_H

#include "llvm/ADT/StringRef.h"

namespace mlir::smx {

/// `void (const char *text)`: says the text and ends the process. Whoever runs
/// the code brings it.
constexpr llvm::StringLiteral assertionFailedName = "smx_assertion_failed";

} // namespace mlir::smx

#endif // SMX_CPU_ASSERTIONFAILED_H
