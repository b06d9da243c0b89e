//===- Passes.td - tiles become memory ----------------------*- tablegen -*-===//
#ifndef SMX_BUFFERIZE_PASSES_TD
#define SMX_BUFFERIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def DestinationArgumentsPass : Pass<"smx-destination-arguments", "::mlir::ModuleOp"> {
  let summary = "public functions write their results into memory that the caller brings";
  let description = [{
    Every tensor result of a public function that nothing in the module calls becomes a trailing
    memref argument. Together with bufferization this is the calling convention of a compiled
    kernel: inputs, then destinations, nothing returned. Inputs are not written to.

    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { ... return %y : tensor<8xf32> }
    ```
    ==>
    ```mlir
    func.func @f(%x: tensor<8xf32> {bufferization.writable = false}, %d: memref<8xf32, strided<[1], offset: ?>>) {
      ...
      bufferization.materialize_in_destination %y in restrict writable %d
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def BufferizePass : Pass<"smx-bufferize", "::mlir::ModuleOp"> {
  let summary = "one-shot bufferization with this project's function boundary";
  let description = [{
    Upstream's one-shot bufferization after the elimination of empty tensors. Tensor arguments
    become memrefs with any strides but a unit stride in the fastest dimension, which is what
    vector code needs to know. A result that would be overwritten before it is read, in the destination of another one, is copied, and so is what
    an op begins with that does not write all of it. Scratch memory is freed at the end of the block that allocates it.

    ```mlir
    func.func @f(%x: tensor<8x16xf32>)
    ```
    ==>
    ```mlir
    func.func @f(%x: memref<8x16xf32, strided<[?, 1], offset: ?>>)
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // SMX_BUFFERIZE_PASSES_TD
