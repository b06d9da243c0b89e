//===- GlobalMemory.h - tiles in strided buffers ----------------*- C++ -*-===//
#ifndef SMX_LIB_GPUHOST_GLOBALMEMORY_H
#define SMX_LIB_GPUHOST_GLOBALMEMORY_H

#include "Program.h"

namespace mlir::smx::gpuhost {

/// One element of the type at byte `address`.
Slot loadElement(::smx::reference::DType dtype, const char *address);
void storeElement(::smx::reference::DType dtype, char *address, Slot value);

/// A tile as a part of a memref, with everything that can be wrong about it
/// checked: element (r, c) with r < rows and c < columns is at
/// `first + r * rowStride + c * columnStride`, the others of the tile's shape
/// are not in the memref.
struct Window {
  MemoryPtr memory;
  /// In elements from the start of the allocation.
  int64_t first = 0, rowStride = 0, columnStride = 0;
  int64_t rows = 0, columns = 0;

  /// In elements from the start of the allocation.
  int64_t place(int64_t r, int64_t c) const {
    return first + r * rowStride + c * columnStride;
  }
  char *address(int64_t r, int64_t c) const {
    return memory->allocation->data + place(r, c) * byteWidth(memory->dtype);
  }
};

/// Where a tile is: operands and attributes of a load, store, copy or put.
struct WindowOperands {
  const MemoryPtr &memory;
  SmallVector<int64_t, 4> offsets;
  SmallVector<int64_t, 2> valid;
  ArrayRef<int64_t> dims;
  /// Two extents; a one-dimensional tile has one column.
  ArrayRef<int64_t> shape;
  /// Bytes that all rows are a multiple of, as promised; 0: no promise.
  int64_t aligned = 0;
};

/// The operands of a load, store, copy or put whose memref is operand `memory`.
template <typename Op>
WindowOperands getWindowOperands(Op op, const Step &step, Group &group,
                                 unsigned memory, ArrayRef<int64_t> shape) {
  WindowOperands operands{
      get<MemoryPtr>(step, group, memory),  {}, {}, op.getDims(), shape,
      static_cast<int64_t>(op.getAligned())};
  unsigned next = memory + 1;
  for (unsigned i = 0; i < op.getOffsets().size(); ++i)
    operands.offsets.push_back(getInteger(step, group, next++));
  for (unsigned i = 0; i < op.getValid().size(); ++i)
    operands.valid.push_back(getInteger(step, group, next++));
  return operands;
}

/// `does`: "reads" or "writes", for errors.
llvm::Expected<Window> findWindow(Operation *op, StringRef does,
                                  const WindowOperands &operands);

/// An error if rows of the window are not where an engine that copies 16 bytes
/// at a time wants them; `engine` is what it is called.
llvm::Error checkEngineAddresses(Operation *op, const Window &window,
                                 const Twine &engine);

/// Reads the window into a tile of `columns`; what is outside is 0. Fails where
/// another cluster of the launch has written whose announcement was not
/// awaited.
llvm::Error readWindow(Operation *op, const Window &window, const Group &group,
                       bool isFloat, int64_t columns,
                       std::vector<Slot> &elements);

/// Writes the window from a tile of `columns`. Fails where another cluster of
/// the launch has read, or written something else.
llvm::Error writeWindow(Operation *op, const Window &window, const Group &group,
                        int64_t columns, ArrayRef<Slot> elements);

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_GLOBALMEMORY_H
