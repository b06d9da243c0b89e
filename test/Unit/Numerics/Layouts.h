//===- Layouts.h - how attention's tensors lie in memory --------*- C++ -*-===//
#ifndef SMX_TEST_NUMERICS_LAYOUTS_H
#define SMX_TEST_NUMERICS_LAYOUTS_H

#include "NumericCase.h"

namespace smx::test {

/// What differs in the module of an attention: how it comes by %q, %k and %v,
/// and what becomes of %o.
struct LayoutText {
  std::string arguments, prologue, epilogue, result, resultType;
};
LayoutText layoutText(const NumericCase &config);

/// The queries, keys and values `[b, h, s, d]` that `tensors` begins with, as
/// the kernel takes them; the others follow.
std::vector<Tensor> asArguments(const NumericCase &config,
                                const std::vector<Tensor> &tensors);

/// `tensor` of rank 4 with heads and places swapped, if the module has them so.
Tensor asResult(const NumericCase &config, const Tensor &tensor);

/// Dimensions of a tensor of `rank`, from the outermost to the innermost in
/// memory.
std::vector<int64_t> memoryOrder(const NumericCase &config, size_t rank);

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_LAYOUTS_H
