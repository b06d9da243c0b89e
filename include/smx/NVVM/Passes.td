//===- Passes.td - kernels of whole tiles to per-thread code -*- tablegen -*-===//
#ifndef SMX_NVVM_PASSES_TD
#define SMX_NVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def SmxNVVMNarrowNumbersPass : Pass<"smx-nvvm-narrow-numbers", "::mlir::ModuleOp"> {
  let summary = "count and compute places in 32 bits where a role's fit in them";
  let description = [{
    A number of 64 bits takes two registers of a thread, and a role that fetches has 32 of them. Loops of a role whose bounds and
    steps are within 32 bits count in these, and arithmetic whose results are known to be (upstream's range analysis) is done in
    them. What is known: constants that the only launch of a kernel passes, how many blocks it has, and the groups of a role.

    ```mlir
    scf.for %t = %block to %tiles step %blocks {   // %tiles is 176 in the launch
      %row = arith.muli %t, %c192 : index
    ```
    ==>
    ```mlir
    scf.for %t = %block32 to %c176_i32 step %blocks32 : i32 {
      %row = arith.muli %t, %c192_i32 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SmxGPUToNVVMPass : Pass<"smx-gpu-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "lower smx_gpu kernels to per-thread llvm and nvvm in a gpu.module";
  let description = [{
    Every `smx_gpu.kernel` becomes an `llvm.func` in `gpu.module @kernels`; a register tile becomes the vector of the
    registers that one thread holds of it. Loops stay `scf` until `smx-nvvm` (the pipeline) lowers them. A memref argument
    becomes pointer, offset, sizes and strides. `smx.shared_bytes` is the dynamic shared memory that a launch has to ask
    for: tiles and channels, barriers, scratch. Host functions with an `smx_gpu.launch` are dropped: what is left is what
    runs on the device. A kernel that is launched right after another one waits for it before all else and says so
    (`smx.overlaps_previous`), so that from sm_90 on its launch may begin while that one ends. Places in a tile have 32 bits, since its shape bounds them; offsets in memory have 64. A remark says so.

    ```mlir
    smx_gpu.kernel @scale(%x: memref<?xf32>) warps(1) {
      %t = smx_gpu.load %x[%c0] dims [0] {aligned = 16} : memref<?xf32>
          -> tensor<128xf32, #smx_gpu.slice<0, #smx_gpu.striped<rows = 1, columns = 32, vector = 4>>>
      %u = arith.addf %t, %t : tensor<128xf32, ..>
    ```
    ==>
    ```mlir
    gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">] {
      llvm.func @scale(%x: !llvm.ptr<1>, %offset: i64, %size: i64, %stride: i64)
          attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, nvvm.minctasm = 1 : i32, smx.shared_bytes = 0} {
        %tid = nvvm.read.ptx.sreg.tid.x : i32
        ...
        %t = llvm.load %p {alignment = 16} : !llvm.ptr<1> -> vector<4xf32>
        %u = llvm.fadd %t, %t : vector<4xf32>
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"", "architecture to lower for: sm_80 or newer">,
    Option<"doublesOnMatrixUnit", "doubles-on-matrix-unit", "bool", /*default=*/"false",
           "multiply f64 tiles by mma.m8n8k4, whose terms are fused multiply-adds too, in another order">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "LLVM::LLVMDialect", "NVVM::NVVMDialect", "scf::SCFDialect"];
}

def SmxNVVMSinkIntoBranchesPass : Pass<"smx-nvvm-sink-into-branches", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "compute what is stored once a row in the threads that store it";
  let description = [{
    All threads of a row have its values; what is made of them at the end is needed by the one that stores. Branches on one
    condition, outside of loops, become one, and what only they use goes into them. What only the two sides of
    one use, but for arithmetic in f64, is computed in each.

    ```mlir
    %p = math.exp %m : f32
    scf.if %owner { llvm.store %p, %a : f32, !llvm.ptr<1> }
    %q = arith.divf %p, %l : f32
    scf.if %owner { llvm.store %q, %b : f32, !llvm.ptr<1> }
    ```
    ==>
    ```mlir
    scf.if %owner {
      %p = math.exp %m : f32
      %q = arith.divf %p, %l : f32
      llvm.store %p, %a : f32, !llvm.ptr<1>
      llvm.store %q, %b : f32, !llvm.ptr<1>
    }
    ```
  }];
}

def SmxNVVMThreadBranchesPass : Pass<"smx-nvvm-thread-branches", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "lead a path on which the answer is known past the question";
  let description = [{
    A branch on an argument of a block where paths meet: a path that hands over a constant goes where that leads. Only
    where nothing on that way reads what the paths hand over, so that no value needs a second definition. (LLVM's own pass
    leaves code alone in which threads may part.)

    ```mlir
    ^a: cf.br ^c(%true, %zero : i1, f32)
    ^b: cf.br ^c(%large, %p : i1, f32)
    ^c(%q: i1, %x: f32): cf.cond_br %q, ^move, ^keep
    ```
    ==>
    ```mlir
    ^a: cf.br ^move
    ^b: cf.br ^c(%large, %p : i1, f32)
    ^c(%q: i1, %x: f32): cf.cond_br %q, ^move, ^keep
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def SmxNVVMExpandMathPass : Pass<"smx-nvvm-expand-math"> {
  let summary = "expand math on vectors of registers into what the GPU has instructions for";
  let description = [{
    Works on scalars and vectors; f16 and bf16 go through f32. Without `afn` results below the normal range are right and
    NaN and infinities are as IEEE says.

    | op on f32          | instructions                          | largest error         |
    |--------------------|---------------------------------------|-----------------------|
    | exp2 `afn`         | ex2.approx.ftz                        | 2 ulp, flushes        |
    | exp2               | ex2.approx                            | 2 ulp                 |
    | exp `afn`          | mul, ex2.approx.ftz                   | 2 ulp + 0.5 ulp of x a unit of x |
    | exp                | ex2.approx and the rest of x log2(e)  | 3 ulp                 |
    | exp of a difference, `contract` | a polynomial for the fraction, ex2.approx for the whole part | 1 ulp |
    | log, log2 `afn`    | lg2.approx.ftz                        | 2^-22, absolute       |
    | log, log2, log1p   | division and a series (f64 too)       | 1, 2 and 3 ulp        |
    | rsqrt              | rsqrt.approx                          | 2^-22.9, relative     |

    (Bounds of the approximate instructions as the PTX manual states them.) A division with `afn` is LLVM's: of f32, rcp.approx or
    div.approx, 1 or 2 ulp. expm1, erf, sin, cos and
    their inverses become MLIR's polynomials in f32. `math.tanh` and exponentials in f64 are left
    to `smx-cpu-expand-math`, whose polynomials need no instruction of a processor. An op that nothing expands is an
    error.

    ```mlir
    %0 = math.exp2 %x fastmath<afn> : f32
    ```
    ==>
    ```mlir
    %0 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect", "math::MathDialect", "vector::VectorDialect"];
}

#endif // SMX_NVVM_PASSES_TD
