//===- PagedCases.h - keys and values in pages ------------------*- C++ -*-===//
#ifndef SMX_TEST_NUMERICS_PAGEDCASES_H
#define SMX_TEST_NUMERICS_PAGEDCASES_H

#include "NumericCase.h"

namespace smx::test {

/// Pages for all sequences of a case, and some that nobody has.
int64_t pageCount(const NumericCase &config);

/// The page of each part of each sequence, in any order; numbers out of range
/// behind `lengths`, one for each batch.
Tensor makePageTable(const NumericCase &config, const Tensor &lengths);

/// NaN wherever no sequence has a key: in pages that nobody has, and behind the
/// length.
void poisonUnused(const NumericCase &config, const Tensor &table,
                  const Tensor &lengths, Tensor &pages);

/// `[batch, heads, keys, dim]` as the table says; 0 behind the length.
Tensor gatherPages(const NumericCase &config, const Tensor &pages,
                   const Tensor &table, const Tensor &lengths);

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_PAGEDCASES_H
