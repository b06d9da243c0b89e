//===- DefinedOffset.h - where a tile has an element ------------*- C++ -*-===//
#ifndef SMX_TEST_NVVM_DEFINEDOFFSET_H
#define SMX_TEST_NVVM_DEFINEDOFFSET_H

#include "NVVM/SharedAddress.h"

namespace smx::gpu {

/// In bytes, as the dialect defines it.
inline int64_t definedOffset(const SharedTile &tile, Coordinate at) {
  return sharedOffset(tile.rows, tile.columns, tile.elementBytes,
                      tile.swizzleBytes, at);
}

} // namespace smx::gpu

#endif // SMX_TEST_NVVM_DEFINEDOFFSET_H
