//===- TileCopy.h - from global to shared memory, by threads ----*- C++ -*-===//
#ifndef SMX_LIB_NVVM_TILECOPY_H
#define SMX_LIB_NVVM_TILECOPY_H

#include "GlobalTile.h"

namespace mlir::smx {

/// Whether `copyTile` moves the bytes of such a tile by asynchronous copies
/// (those of 4, 8 or 16 bytes) or by loads and stores: that is a matter of the
/// alignment alone.
bool copiesAsynchronously(const GlobalTile &source, gpu::SharedType type);

/// This thread's part of copying a tile to `destination` (!llvm.ptr<3>), by all
/// threads of its group; zeros outside `valid`. Copies that are asynchronous
/// are only issued: the caller makes someone wait for them. What is `lasting`
/// stays in the L2 cache, if all of an access is valid.
void copyTile(ThreadCode &code, const GlobalTile &source, gpu::SharedType type,
              Value destination, bool lasting = false);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_TILECOPY_H
