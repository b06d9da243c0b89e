//===- CudaError.h - what the CUDA driver said ------------------*- C++ -*-===//
//
// Refusals of the driver. Mistakes that this library finds by itself, before
// the driver is asked, are plain llvm::StringErrors.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_CUDA_CUDAERROR_H
#define SMX_CUDA_CUDAERROR_H

#include "llvm/Support/Error.h"

#include <string>

namespace smx::cuda {

/// A call of the driver API that failed. The text says what was being done, on
/// which device, which function returned what, and names the kernel where one
/// is to blame.
class CudaError : public llvm::ErrorInfo<CudaError> {
public:
  static char ID;

  CudaError(int code, bool sticky, std::string text)
      : value(code), sticky(sticky), text(std::move(text)) {}

  /// The CUresult, as a number.
  int code() const { return value; }
  /// True if the device's context can not be used any more: every later call
  /// fails until the process is started again.
  bool isSticky() const { return sticky; }

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  int value;
  bool sticky;
  std::string text;
};

} // namespace smx::cuda

#endif // SMX_CUDA_CUDAERROR_H
