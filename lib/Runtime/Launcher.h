//===- Launcher.h - what runs the kernels of a launch plan ------*- C++ -*-===//
//
// The one difference between a device and what stands in for it: where memory
// comes from and what a launch does. Numbers, order, scratch memory and checks
// are DeviceCode's.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_RUNTIME_LAUNCHER_H
#define SMX_LIB_RUNTIME_LAUNCHER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>

namespace smx {

/// An operand of a kernel or a copy in one call.
struct LaunchOperand {
  /// Where the memory starts that it lies in; null for a number, and for
  /// memory without elements.
  void *memory = nullptr;
  /// What there is from `memory` on, and before it (strides may be negative),
  /// in elements.
  int64_t capacity = 0, capacityBefore = 0;
  int64_t elementBytes = 0;
  bool isMemory = false;
  /// Offset, sizes, strides in elements, or the number.
  llvm::SmallVector<int64_t, 9> numbers;

  int64_t rank() const { return static_cast<int64_t>(numbers.size() / 2); }
  int64_t offset() const { return numbers[0]; }
  llvm::ArrayRef<int64_t> sizes() const {
    return llvm::ArrayRef(numbers).slice(1, rank());
  }
  llvm::ArrayRef<int64_t> strides() const {
    return llvm::ArrayRef(numbers).drop_front(1 + rank());
  }
};

/// A copy of `rows` pieces of `rowBytes`, whose starts are `pitch` bytes apart.
struct RowCopy {
  void *to = nullptr;
  const void *from = nullptr;
  int64_t rowBytes = 0, rows = 1, toPitch = 0, fromPitch = 0;
};

/// Runs the launches of one plan. `stream` is where the work is queued: a
/// stream of the caller, or the launcher's own. May be used from any number of
/// threads at once.
class Launcher {
public:
  virtual ~Launcher() = default;

  virtual void *ownStream() const = 0;
  /// Waits for all work on a stream.
  virtual llvm::Error synchronize(void *stream) const = 0;
  /// Memory for what is queued until it is released, aligned to 256 bytes.
  virtual llvm::Expected<void *> allocate(int64_t bytes,
                                          void *stream) const = 0;
  /// Takes the memory back once the work queued so far is done.
  virtual llvm::Error release(void *memory, void *stream) const = 0;
  /// Runs the kernel of step `number` of the plan on a grid of at least one
  /// block.
  virtual llvm::Error launch(size_t number, const std::array<int64_t, 3> &grid,
                             llvm::ArrayRef<LaunchOperand> operands,
                             void *stream) const = 0;
  virtual llvm::Error copy(const RowCopy &copy, void *stream) const = 0;

  /// Memory with these contents, as long as the launcher lives.
  virtual llvm::Expected<void *> keep(llvm::ArrayRef<char> bytes) = 0;
};

} // namespace smx

#endif // SMX_LIB_RUNTIME_LAUNCHER_H
