//===- Passes.td - what holds at a stage, and what it costs -*- tablegen -*-===//
#ifndef SMX_ANALYSIS_PASSES_TD
#define SMX_ANALYSIS_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyStagePass : Pass<"smx-verify-stage", "::mlir::ModuleOp"> {
  let summary = "check that the IR keeps the contract of a named stage";
  let description = [{
    One walk over the module, which stops at the first op that breaks the contract and says
    which pass should have removed it. Nothing is changed.

    | stage  | contract |
    |--------|----------|
    | input  | none |
    | naive  | no state ops (`smx.identity`, `smx.update`, `smx.merge`, `smx.finish`) |
    | online | no op that needs a whole row: no specification ops, no `linalg.softmax` |
    | tiled  | online, and updates and finishes over a stream are in loops (outside of them, on one tile); extents of tiles have a constant bound; the state of a loop is in its `iter_args` |
    | cpu    | no tensors, no linalg, no smx ops |
    | llvm   | the llvm and omp dialects only, in a builtin.module |
    | gpu    | no smx ops, no linalg, no `scf.forall`; tensors only in kernels, with a layout each |
    | nvvm   | the llvm, nvvm and gpu dialects only in a `gpu.module`; no smx and smx_gpu ops outside of it |

    ```mlir
    func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
      %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
      return %y : tensor<8x128xf32>
    }
    ```
    ==> (`stage=online`)
    ```
    error: 'smx.softmax' op breaks the contract of stage 'online': it needs the whole row
    note: smx-online replaces it by an explicit state
    ```
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"\"", "name of the stage whose contract is checked">,
  ];
}

def ReportPass : Pass<"smx-report", "::mlir::ModuleOp"> {
  let summary = "print bytes moved, operations and roofline time of every function";
  let description = [{
    Counts, for the stage that the IR is at, what a function reads and writes in global memory
    and what it computes, and prints a table to the standard output. Nothing is changed.

    * Global memory holds the arguments of a function and the results of ops outside of all
      loops. An op outside of all loops reads its inputs and writes its results once; views,
      fills and empty tensors are free, and so are states, which live in registers.
    * Where a function at stage tiled or later has no parallel loop, all of it works on one tile,
      and what its ops compute is on the chip as well.
    * In a loop, a slice of global memory is loaded once for each time it is taken, if anything
      computes with it, and written where it is inserted. Loop bounds are evaluated, so that the
      tiles that a mask skips are not counted.
    * Product flops are the multiplications and additions of contractions, other flops are all
      other additions, products, quotients, comparisons for a maximum and elementary functions;
      exponentials are apart. A mask that can be analysed counts the pairs that it lets through.
    * A quantity that depends on a dynamic extent is not counted, and the table says so; `extents`
      gives the dynamic extents of the arguments a value.

    ```mlir
    func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
      %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
      return %y : tensor<8x128xf32>
    }
    ```
    ==>
    ```
    roofline of h200
    function  stage        bytes read   bytes written     product flops       other flops      exponentials  flop/byte  microseconds  limit
    @f        naive              4096            4096                 0              4096              1024       0.50         0.002  memory
    ```
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"\"",
           "stage that the IR is at; found out from the IR if empty">,
    Option<"chip", "chip", "std::string", "\"h200\"",
           "chip of the roofline: h200, a100, or host with peak-gflops and peak-gbs">,
    Option<"peakGflops", "peak-gflops", "double", "0", "peak of chip=host, in 10^9 flop/s">,
    Option<"peakGbs", "peak-gbs", "double", "0", "copy bandwidth of chip=host, in 10^9 bytes/s">,
    Option<"json", "json", "bool", "false", "print one JSON object instead of a table">,
    ListOption<"extents", "extents", "int64_t",
               "values of the dynamic extents of each function's arguments, in the order of the types">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // SMX_ANALYSIS_PASSES_TD
