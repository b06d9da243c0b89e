//===- TensorStores.h - tiles written by the tensor copy engine -*- C++ -*-===//
#ifndef SMX_LIB_NVVM_TENSORSTORES_H
#define SMX_LIB_NVVM_TENSORSTORES_H

#include "KernelLowering.h"

namespace mlir::smx {

/// The engine has read what this thread's tensor stores have left in shared
/// memory, but for the last `later` pieces.
void waitForTensorStores(ThreadCode &code, int64_t later);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_TENSORSTORES_H
