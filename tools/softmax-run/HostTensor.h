//===- HostTensor.h - memory for inputs and outputs -------------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_HOSTTENSOR_H
#define SMX_TOOLS_SOFTMAXRUN_HOSTTENSOR_H

#include "smx/Reference/Npy.h"
#include "smx/Runtime/TensorView.h"

#include "llvm/Support/Error.h"

#include <cstdlib>
#include <memory>

namespace smx::run {

/// A row-major tensor in memory that starts at a cache line.
class HostTensor {
public:
  /// All bytes are 0xff, NaN in every float type: what a kernel leaves
  /// unwritten is not right by chance.
  static llvm::Expected<HostTensor> make(reference::DType dtype,
                                         reference::Shape shape);
  static llvm::Expected<HostTensor> from(const reference::NpyArray &array);
  static llvm::Expected<HostTensor> from(const reference::Tensor &tensor,
                                         reference::DType dtype);

  reference::DType dtype() const { return type; }
  const reference::Shape &shape() const { return extents; }
  int64_t byteCount() const { return bytes; }
  TensorView view() const;
  reference::NpyArray toNpy() const;
  reference::Tensor toTensor() const { return toNpy().toTensor(); }

private:
  HostTensor(reference::DType dtype, reference::Shape shape)
      : type(dtype), extents(std::move(shape)) {}
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  reference::DType type;
  reference::Shape extents;
  int64_t bytes = 0;
  std::unique_ptr<std::byte, Free> data;
};

/// Fails if such a tensor does not fit the memory of this machine, beside its
/// elements in float64, which the reference computes with.
llvm::Error checkFits(reference::DType dtype, const reference::Shape &shape);

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_HOSTTENSOR_H
