//===- FixedExtents.h - a module for certain sizes --------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_FIXEDEXTENTS_H
#define SMX_LIB_RUNTIME_FIXEDEXTENTS_H

#include "smx/GPU/OpenExtents.h"

namespace smx {

/// Makes dimensions of arguments static: `sizes[i]` is that of `extents[i]`, or
/// -1 where that stays open; and what follows from them in the types of linalg,
/// tensor and smx ops. Types of results stay.
llvm::LogicalResult
fixExtents(mlir::func::FuncOp function,
           llvm::ArrayRef<mlir::smx::gpu::ArgumentExtent> extents,
           llvm::ArrayRef<int64_t> sizes);

} // namespace smx

#endif // SMX_LIB_RUNTIME_FIXEDEXTENTS_H
