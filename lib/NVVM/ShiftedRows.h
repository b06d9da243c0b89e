//===- ShiftedRows.h - rows that start at any address -----------*- C++ -*-===//
//
// A row may start anywhere between two multiples of 16 bytes; memory is moved
// by 16 bytes at such multiples. So a thread loads the two pieces of 16 bytes
// that hold its vector, which its neighbours load as well, and shifts them in
// registers. What it stores is put together from its own vector and that of the
// lane before. The edges of rows, and of stores of a warp, are moved element by
// element.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_SHIFTEDROWS_H
#define SMX_LIB_NVVM_SHIFTEDROWS_H

#include "GlobalTile.h"

namespace mlir::smx {

/// True if the tile is one row of whole warps, its vectors have 16 bytes, and
/// all that is known of the address of the row is that elements are aligned.
bool isShiftedRow(RankedTensorType tile, const GlobalTile &memory);

/// The registers of such a tile; 0 beyond what is valid.
Value loadShiftedRow(ThreadCode &code, RankedTensorType tile,
                     const GlobalTile &memory);

/// Writes such a tile, whose registers are `value`.
void storeShiftedRow(ThreadCode &code, RankedTensorType tile,
                     const GlobalTile &memory, Value value);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_SHIFTEDROWS_H
