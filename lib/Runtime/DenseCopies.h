//===- DenseCopies.h - tensors without a unit stride ------------*- C++ -*-===//
//
// Compiled code reads and writes tensors whose innermost stride is 1. Others
// are copied into row-major order in front of the call, and results back behind
// it.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_RUNTIME_DENSECOPIES_H
#define SMX_LIB_RUNTIME_DENSECOPIES_H

#include "Launcher.h"

#include "smx/Runtime/TensorView.h"

namespace smx {

/// Allocates and copies where a kernel's tensors lie. Work is done in the order
/// of the calls, and before and after that of the kernel in between.
class TensorMemory {
public:
  virtual ~TensorMemory() = default;
  virtual llvm::Expected<void *> allocate(int64_t bytes) = 0;
  virtual llvm::Error release(void *memory) = 0;
  virtual llvm::Error copy(const RowCopy &copy) = 0;
};

class HostMemory : public TensorMemory {
public:
  llvm::Expected<void *> allocate(int64_t bytes) override;
  llvm::Error release(void *memory) override;
  llvm::Error copy(const RowCopy &copy) override;
};

class LauncherMemory : public TensorMemory {
public:
  LauncherMemory(const Launcher &launcher, void *stream)
      : launcher(launcher), stream(stream) {}
  llvm::Expected<void *> allocate(int64_t bytes) override {
    return launcher.allocate(bytes, stream);
  }
  llvm::Error release(void *memory) override {
    return launcher.release(memory, stream);
  }
  llvm::Error copy(const RowCopy &copy) override {
    return launcher.copy(copy, stream);
  }

private:
  const Launcher &launcher;
  void *stream;
};

/// True if code can read the view as it is.
bool hasUnitStride(const TensorView &view);

/// The views of a call, each of which code can read.
class DenseCopies {
public:
  /// The first `inputs` of `given` are inputs. Copies have no memory yet, but
  /// an address that is aligned as they will be.
  DenseCopies(llvm::ArrayRef<TensorView> given, size_t inputs);

  llvm::ArrayRef<TensorView> views() const { return dense; }

  /// Makes the copies, calls `run`, and copies outputs back.
  llvm::Error around(TensorMemory &memory,
                     llvm::function_ref<llvm::Error()> run);

private:
  llvm::SmallVector<TensorView, 8> given, dense;
  size_t inputs;
};

} // namespace smx

#endif // SMX_LIB_RUNTIME_DENSECOPIES_H
