//===- SmxGpuInterfaces.td - layouts of register tiles ------*- tablegen -*-===//
#ifndef SMX_GPU_SMXGPUINTERFACES_TD
#define SMX_GPU_SMXGPUINTERFACES_TD

include "mlir/IR/OpBase.td"

def SmxGpu_LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::mlir::smx::gpu";
  let description = [{
    How a two-dimensional register tile is spread over threads: thread `t` holds, as its register
    `i`, the element at `getCoordinate(shape, t, i)`. Several threads may hold the same element.
  }];
  let methods = [
    InterfaceMethod<"Threads that hold a part of the tile.", "int64_t", "getThreads">,
    InterfaceMethod<"Success, or the reason why tiles of this shape can not have the layout.",
      "::llvm::LogicalResult", "acceptsShape",
      (ins "::llvm::ArrayRef<int64_t>":$shape,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<"Registers that a thread holds of a tile of this shape.", "int64_t", "getRegisters",
      (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"The element in register `i` of thread `thread`.", "::smx::gpu::Coordinate",
      "getCoordinate", (ins "::llvm::ArrayRef<int64_t>":$shape, "int64_t":$thread, "int64_t":$i)>,
  ];
}

#endif // SMX_GPU_SMXGPUINTERFACES_TD
