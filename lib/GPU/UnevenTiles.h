//===- UnevenTiles.h - tiles that take different times ----------*- C++ -*-===//
#ifndef SMX_LIB_GPU_UNEVENTILES_H
#define SMX_LIB_GPU_UNEVENTILES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace mlir::smx::gpu {

/// True if something in memory says how many rounds a loop in `walk`, a loop of
/// each of `blocks` blocks over every `blocks`-th of `tiles` tiles, has; or if
/// it is known that these blocks do not end together. Nothing is known of
/// numbers that are not given.
bool areTilesUneven(scf::ForOp walk, std::optional<int64_t> tiles,
                    std::optional<int64_t> blocks);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_UNEVENTILES_H
