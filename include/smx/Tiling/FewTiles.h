//===- FewTiles.h - loops over tiles, a good part of them cut ---*- C++ -*-===//
#ifndef SMX_TILING_FEWTILES_H
#define SMX_TILING_FEWTILES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::smx {

/// A unit attribute of loops over tiles of keys, set by `smx-tile`: a mask lets
/// a row see few of them, so what those cost that it cuts matters. A hint: a
/// loop that has lost it is right, too.
inline constexpr llvm::StringLiteral fewTilesAttribute = "smx.few_tiles";

} // namespace mlir::smx

#endif // SMX_TILING_FEWTILES_H
