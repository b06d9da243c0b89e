//===- SerialSums.h - terms that are added one by one -----------*- C++ -*-===//
#ifndef SMX_IR_SERIALSUMS_H
#define SMX_IR_SERIALSUMS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::smx {

/// A unit attribute on `smx.update`: few threads, or lanes, add up all terms of
/// a tile. In f32 each addition may round to the same side, and the mean of
/// 20,000 equal numbers is off by up to 2^-12 of it. So moments, and squares
/// along a strided axis, have sums in f64. And what a mask reads of memory is
/// read for one element after another: softmax asks for it once, and tells by
/// the score.
inline constexpr llvm::StringLiteral serialSumsAttribute = "smx.serial_sums";

} // namespace mlir::smx

#endif // SMX_IR_SERIALSUMS_H
