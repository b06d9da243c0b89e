//===- NarrowFloats.h - floats of few bits as integers ----------*- C++ -*-===//
#ifndef SMX_CPU_NARROWFLOATS_H
#define SMX_CPU_NARROWFLOATS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::smx {

/// The numbers of `codes` (i8, or a vector of them) in f8E4M3FN, as `to`, a
/// float of at least 16 bits or a vector of them: exact for every code,
/// whatever the machine does with denormals.
Value widenF8E4M3FN(ImplicitLocOpBuilder &b, Value codes, Type to);

/// `numbers`, of a float of at least 16 bits or a vector of them, rounded to
/// f8E4M3FN, as the codes (i8, or a vector of them): once, to nearest and ties
/// to even. What is too large for it, and infinity, is NaN.
Value narrowToF8E4M3FN(ImplicitLocOpBuilder &b, Value numbers);

/// Converts from and to f8E4M3FN, for which LLVM has no type, and f64 to bf16,
/// by two roundings of which one counts.
void populateNarrowFloatPatterns(RewritePatternSet &patterns);

} // namespace mlir::smx

#endif // SMX_CPU_NARROWFLOATS_H
