//===- Masks.h - who sees whom -------------------------------*- C++ -*-===//
//
// What masks say, as conditions on one query and one key.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_MASKS_H
#define SMX_REFERENCE_MASKS_H

#include "smx/Reference/Attention.h"

#include <vector>

namespace smx::reference {

/// A head of queries and keys, and which one: `number` of `count`, leading
/// dimensions numbered through.
struct HeadPlace {
  int64_t number = 0, count = 1, queries = 0, keys = 0;
};

/// True if query `i` of a head sees its key `j`.
using Visible =
    std::function<bool(const HeadPlace &head, int64_t i, int64_t j)>;

Visible inBand(Band band);
/// Keys before `length` are seen by all, the others by `band`.
Visible inPrefixOrBand(int64_t length, Band band);
/// The chunk of `size` keys that the diagonal of the query lies in.
Visible inChunk(BandAnchor anchor, int64_t size);
/// The first keys, `lengths` for one or more heads that follow each other. If
/// `causal`, the queries are the last of these keys, and see those before.
Visible beforeLength(Tensor lengths, bool causal);
/// The keys from `begins` to before `ends`, which have queries last.
Visible inRange(Tensor begins, Tensor ends);
/// The blocks of `blockQueries` x `blockKeys` that `marks`, which has blocks of
/// queries and of keys last, has a number other than 0 for.
Visible inBlocks(Tensor marks, int64_t blockQueries, int64_t blockKeys);
/// What query `i mod queries` sees.
Visible repeated(Visible mask, int64_t queries);
Visible inAll(std::vector<Visible> conditions);

} // namespace smx::reference

#endif // SMX_REFERENCE_MASKS_H
