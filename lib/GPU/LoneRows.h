//===- LoneRows.h - what kernels are told of their rows ---------*- C++ -*-===//
#ifndef SMX_LIB_GPU_LONEROWS_H
#define SMX_LIB_GPU_LONEROWS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::smx::gpu {

/// A unit attribute of kernels, set by `smx-gpu-shared-rows`: the blocks of a
/// row's cluster are alone on their multiprocessors, and the row has several
/// states. A hint: a kernel that has lost it is right, too.
inline constexpr llvm::StringLiteral loneRowsAttribute = "smx.lone_rows";

/// A unit attribute of kernels, set by `smx-gpu-kernels`: threads stand along
/// rows so that these may be moved as one piece. A hint as well.
inline constexpr llvm::StringLiteral adjacentRowsAttribute =
    "smx.adjacent_rows";

/// A unit attribute of kernels, set by `smx-gpu-kernels`: threads have so many
/// registers that `smx-gpu-shared-rows` leaves all of a row there. A hint, too.
inline constexpr llvm::StringLiteral rowsInRegistersAttribute =
    "smx.rows_in_registers";

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_LONEROWS_H
