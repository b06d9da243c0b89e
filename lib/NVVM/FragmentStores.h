//===- FragmentStores.h - rows of fragments in one piece --------*- C++ -*-===//
//
// Of a row of a fragment a thread has two columns of every eight. Of 16-bit
// elements that is a word: stored as they are, words of four neighbouring lanes
// fill half a sector of memory. So the four lanes of a row exchange words
// first, after which each has eight columns in a row, and the four have 64
// bytes.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_FRAGMENTSTORES_H
#define SMX_LIB_NVVM_FRAGMENTSTORES_H

#include "GlobalTile.h"

namespace mlir::smx {

/// True if the tile is a fragment of 16-bit elements, all of its columns go to
/// memory, and there its rows start at multiples of 16 bytes and have a
/// multiple of 64.
bool storesWholeRows(gpu::StoreOp op);

/// Writes such a tile, whose registers are `value`.
void storeWholeRows(ThreadCode &code, gpu::StoreOp op, GlobalTile memory,
                    Value value);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_FRAGMENTSTORES_H
