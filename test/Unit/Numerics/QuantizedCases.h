//===- QuantizedCases.h - attention on f8E4M3FN -----------------*- C++ -*-===//
#ifndef SMX_TEST_NUMERICS_QUANTIZEDCASES_H
#define SMX_TEST_NUMERICS_QUANTIZEDCASES_H

#include "NumericCase.h"

namespace smx::test {

/// The types in memory of queries, and of keys and values.
DType queryType(const NumericCase &config);
DType keyType(const NumericCase &config);

/// Scales of keys and of values, which follow all other inputs; none where the
/// op takes elements of 8 bits.
std::vector<Tensor> scaleInputs(const NumericCase &config);

/// The module; `captured` are the types of what the masks read.
std::string quantizedText(const NumericCase &config,
                          const std::vector<std::string> &captured);

/// `keys` (or values) times `scales` in the type that the module has for them.
Tensor dequantized(const NumericCase &config, const Tensor &keys,
                   const Tensor &scales);

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_QUANTIZEDCASES_H
