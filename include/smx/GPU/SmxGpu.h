//===- SmxGpu.h - the smx_gpu dialect ---------------------------*- C++ -*-===//
//
// The one header that users of the dialect include. The meaning of every op is
// in the td files beside it.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_GPU_SMXGPU_H
#define SMX_GPU_SMXGPU_H

#include "smx/GPU/Layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "smx/GPU/SmxGpuDialect.h.inc"
#include "smx/GPU/SmxGpuEnums.h.inc"

#include "smx/GPU/SmxGpuAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "smx/GPU/SmxGpuAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "smx/GPU/SmxGpuTypes.h.inc"

namespace mlir::smx::gpu {
/// Fails, with a diagnostic, if `op` does not stand in a kernel.
LogicalResult verifyInKernel(Operation *op);

/// Ops of which all warps of a kernel or a role execute their part.
template <typename ConcreteOp>
class InKernel : public OpTrait::TraitBase<ConcreteOp, InKernel> {
public:
  static LogicalResult verifyTrait(Operation *op) { return verifyInKernel(op); }
};
} // namespace mlir::smx::gpu

#define GET_OP_CLASSES
#include "smx/GPU/SmxGpuOps.h.inc"

namespace mlir::smx::gpu {
/// The layout of a two-dimensional register tile, or null.
LayoutAttrInterface getLayout(Type tile);

/// The slice layout of a one-dimensional register tile, or null.
SliceAttr getSlice(Type tile);

/// Registers that a thread holds of a register tile (of one or two dimensions).
int64_t getRegisterCount(RankedTensorType tile);

/// The element in register `i` of thread `thread`; of a one-dimensional tile
/// the position is in `row`.
::smx::gpu::Coordinate getElement(RankedTensorType tile, int64_t thread,
                                  int64_t i);
} // namespace mlir::smx::gpu

#endif // SMX_GPU_SMXGPU_H
