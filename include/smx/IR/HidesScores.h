//===- HidesScores.h - ops that hide scores by -inf -------------*- C++ -*-===//
#ifndef SMX_IR_HIDESSCORES_H
#define SMX_IR_HIDESSCORES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::smx {

/// A unit attribute on `linalg.generic`: its last select hides scores by -inf.
/// What else makes them -inf is data.
inline constexpr llvm::StringLiteral hidesScoresAttribute = "smx.hides_scores";

} // namespace mlir::smx

#endif // SMX_IR_HIDESSCORES_H
