//===- MaskCases.h - masks and sinks of attention cases ---------*- C++ -*-===//
#ifndef SMX_TEST_NUMERICS_MASKCASES_H
#define SMX_TEST_NUMERICS_MASKCASES_H

#include "NumericCase.h"

namespace smx::test {

/// What a case has beside queries, keys and values, in the order of arguments.
struct CapturedInput {
  Tensor values;
  DType dtype;
};
std::vector<CapturedInput> capturedInputs(const NumericCase &config);

/// " mask(..) reads(..) sinks(..)", whose operands are %c0, %c1 and so on, of
/// `types`.
std::string maskText(const NumericCase &config,
                     const std::vector<std::string> &types);

/// Adds masks and sinks to `options`; `captured` is what the case captures.
void addMasks(const NumericCase &config, const Tensor *captured,
              reference::AttentionOptions &options);

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_MASKCASES_H
