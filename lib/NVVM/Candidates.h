//===- Candidates.h - elements of a row with their columns ------*- C++ -*-===//
//
// A candidate for the largest element of a row is an i64: its order, an
// unsigned number, and below it the complement of its column. None is 0.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_CANDIDATES_H
#define SMX_LIB_NVVM_CANDIDATES_H

#include "KernelLowering.h"

namespace mlir::smx {

/// A number of at most 32 bits as f32.
Value wide(ThreadCode &code, Value x);
/// Its order, i32: unsigned, as numbers are; -0 as 0, NaN above all.
Value orderOf(ThreadCode &code, Value x);
/// The f32 of an order.
Value numberOf(ThreadCode &code, Value order);

/// The candidate for an element with this order in `column`, i32.
Value candidateOf(ThreadCode &code, Value order, Value column);
/// The element, of `type`, and its column, i64.
Value elementOf(ThreadCode &code, Value candidate, Type type);
Value columnOf(ThreadCode &code, Value candidate);

/// The largest of a warp: of words, unsigned, and of candidates.
Value warpMaximum(ThreadCode &code, Value word);
Value warpMaximumOfCandidates(ThreadCode &code, Value candidate);

/// A round of `body` for each element that is marked by a bit of an i32, from
/// the lowest one on: it takes the numbers of the round and of the bit. How
/// many are marked.
Value forEachMark(ThreadCode &code, Value marks,
                  llvm::function_ref<void(Value round, Value bit)> body);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_CANDIDATES_H
