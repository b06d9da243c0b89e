//===- Passes.td - bufferized loops to vector code ----------*- tablegen -*-===//
//
// Nothing here knows the smx dialect: the input is func, memref, scf and linalg.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_CPU_PASSES_TD
#define SMX_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def SmxCPUVectorizePass : Pass<"smx-cpu-vectorize"> {
  let summary = "lower linalg on memrefs to register-blocked loops of vector ops";
  let description = [{
    Every linalg op on memrefs becomes one nest of `scf.for` loops whose innermost body works on a block of
    vectors, without materialising the tile as one large vector. One dimension of the op is the *lane* dimension (every
    operand is unit-stride along it or does not depend on it; a parallel dimension is preferred); in a contraction a
    second parallel dimension, the *row* dimension, is blocked so that rows x vectors accumulators fill the registers.
    Accumulators are `iter_args`; an output is loaded before the loops that it does not depend on and stored after them;
    a `linalg.fill` of that output just before is folded into the initial value. Extents that the block does not divide
    get a remainder (masked along the lanes); static extents that it divides get none. A transposing op is done in square
    blocks through registers. An op for which no lane dimension exists becomes scalar loops.

    An elementwise op that writes a function argument which nothing reads uses streaming stores, behind a run-time test: the
    whole argument is larger than the caches (`streaming-bytes`) and every vector is aligned.

    Where several ops of one loop body go through the same tile of a function argument (the row maximum, then the
    exponentials), the last of them finds it in a cache, and fetches the tile of the next iteration meanwhile: memory is not
    idle while exponentials are computed (`prefetch-bytes`).

    A reduction along the lanes or over several accumulators is reassociated, which `linalg` leaves open, unless something
    else in the body reads what is accumulated so far (a running maximum that a sum looks at): that is in order. A product that
    is only added to an accumulator becomes `math.fma` (one rounding less).

    ```mlir
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : memref<32xf32>) outs(%y : memref<32xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
    ```
    ==>
    ```mlir
    %0 = vector.load %x[%c0] : memref<32xf32>, vector<16xf32>
    %1 = vector.load %y[%c0] : memref<32xf32>, vector<16xf32>
    %2 = arith.addf %0, %1 : vector<16xf32>
    vector.store %2, %y[%c0] : memref<32xf32>, vector<16xf32>
    // and the same at %c16
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512",
           "width of a vector register in bits: 128, 256 or 512">,
    Option<"streamingBytes", "streaming-bytes", "int64_t", /*default=*/"33554432",
           "an argument that is only written is written past the caches when it has at least this many bytes; 0: never">,
    Option<"prefetchBytes", "prefetch-bytes", "int64_t", /*default=*/"262144",
           "the next tile of an argument is fetched while this one is read last if it has at most this many bytes; 0: never">
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect", "math::MathDialect",
                           "memref::MemRefDialect", "scf::SCFDialect", "vector::VectorDialect"];
}

def SmxCPUExpandMathPass : Pass<"smx-cpu-expand-math"> {
  let summary = "expand math.exp2, math.exp and math.tanh into polynomials, and what LLVM has no type for";
  let description = [{
    Works on scalars and vectors of f64, f32, f16 and bf16 (the last two through f32). The argument is split into an
    integer n and a remainder in [-1/2, 1/2] (exp: by two multiply-adds with ln 2 in two parts), the remainder goes
    through a minimax polynomial and the result is scaled by 2^n.

    | op                      | largest error, f32 | f64      | results below the normal range |
    |-------------------------|--------------------|----------|--------------------------------|
    | math.exp                | 0.97 ulp           | 0.95 ulp | kept (0.75 ulp)                |
    | math.exp2               | 1.02 ulp           | 1.04 ulp | kept (0.98 ulp)                |
    | math.exp2 fastmath<afn> | 1.02 ulp           | 1.04 ulp | may be flushed to +0           |
    | math.tanh               | 2.7 ulp            | 2.5 ulp  | kept                           |

    (Measured against long double: f32 on every 13th bit pattern, f64 on 8 million arguments.)

    `exp(c * (x - y))` with `fastmath<contract>` on every step (the product is optional, c a constant) is expanded as one
    operation: the difference is never rounded, so the error is that of the exponential alone, however far x is from y. A
    `math.exp2` with the attribute `result_bits` takes a shorter polynomial: relative error 2.8e-6 up to 16, 1.0e-4 up to 12.

    `math.isinf` and `math.isnormal` become comparisons of the magnitude.

    `arith.extf` of f8E4M3FN, for which LLVM has no type, becomes integer arithmetic; it is exact for every code. So does
    `arith.truncf` to it, which rounds once; what is too large is NaN.

    NaN gives NaN, -inf gives +0, overflow gives +inf, zero gives exactly 1. With `avx512` 1-d vectors of 128, 256 and 512 bits are
    scaled by VSCALEF, which does all of that in one instruction; without it by integer arithmetic on the exponent.

    ```mlir
    %0 = math.exp2 %x : vector<16xf32>
    ```
    ==>
    ```mlir
    %n = math.roundeven %x : vector<16xf32>
    %f = arith.subf %x, %n : vector<16xf32>
    %5 = math.fma %f, %c6, %c5 : vector<16xf32>
    // ... down to
    %p = math.fma %f, %1, %one : vector<16xf32>
    %0 = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%p, %n, %p, %all, %current) : ...
    ```
  }];
  let options = [
    Option<"avx512", "avx512", "bool", /*default=*/"false", "the target has AVX-512 F and VL">
  ];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect", "math::MathDialect"];
}

def SmxCPUExpandBF16Pass : Pass<"smx-cpu-expand-bf16"> {
  let summary = "convert between f32 and bf16 in integer arithmetic";
  let description = [{
    For hosts without an instruction (on x86 AVX512-BF16 or AVX-NE-CONVERT): for every element LLVM would call
    `__truncsfbf2`, slowly, and not all run-time libraries of compilers have it. Rounds to nearest even; subnormal numbers
    are kept, and a NaN is a quiet one. Upstream's `arith-expand` does the same, but takes extrema apart as well.

    ```mlir
    %y = arith.truncf %x : vector<8xf32> to vector<8xbf16>
    ```
    ==>
    ```mlir
    %bits = arith.bitcast %x : vector<8xf32> to vector<8xi32>
    %half = // 0x7fff, and 1 more where the upper half is odd
    %sum = arith.addi %bits, %half : vector<8xi32>
    %upper = arith.shrui %sum, %c16 : vector<8xi32>
    %word = arith.trunci %upper : vector<8xi32> to vector<8xi16>
    %kept = arith.select %is_nan, %nan, %word : vector<8xi1>, vector<8xi16>
    %y = arith.bitcast %kept : vector<8xi16> to vector<8xbf16>
    ```
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def SmxCPUSmallLoopsPass : InterfacePass<"smx-cpu-small-loops", "::mlir::FunctionOpInterface"> {
  let summary = "leave functions of few elements to one thread";
  let description = [{
    A function that is given at most `most-elements`, results included, is done before other threads have woken up, or, where
    those are busy, long before: its parallel loops become ordinary ones. Where an extent is open, nobody knows.

    ```mlir
    func.func @f(%x: memref<4x16xf32>, %y: memref<4x16xf32>) {
      scf.forall (%i) in (4) {
    ```
    ==>
    ```mlir
    func.func @f(%x: memref<4x16xf32>, %y: memref<4x16xf32>) {
      scf.for %i = %c0 to %c4 step %c1 {
    ```
  }];
  let options = [
    Option<"mostElements", "most-elements", "int64_t", /*default=*/"1024",
           "elements of all tensors of a function that one thread has">
  ];
  let dependentDialects = ["scf::SCFDialect"];
}

def SmxCPUThreadLoopsPass : Pass<"smx-cpu-thread-loops"> {
  let summary = "give every thread its scratch memory and a share of the work that adapts";
  let description = [{
    Runs when parallel loops are OpenMP regions. A buffer that an iteration allocates and frees is allocated once per
    thread instead, before the thread's first iteration; without OpenMP, before the outermost loop. Buffers of at most
    `stack-bytes` lie on the stack. Iterations are handed out in shrinking chunks (`schedule(guided)`), because under a
    causal mask they differ in work.

    ```mlir
    omp.parallel {
      omp.wsloop {
        omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
          %s = memref.alloc() : memref<64x64xf32>
          ...
          memref.dealloc %s : memref<64x64xf32>
    ```
    ==>
    ```mlir
    omp.parallel {
      %s = memref.alloc() : memref<64x64xf32>
      omp.wsloop schedule(guided) {
        ...
      }
      memref.dealloc %s : memref<64x64xf32>
    ```
  }];
  let options = [
    Option<"stackBytes", "stack-bytes", "int64_t", /*default=*/"1024",
           "largest buffer that is put on the stack, in bytes">
  ];
  let dependentDialects = ["memref::MemRefDialect", "omp::OpenMPDialect"];
}

def SmxCPUStreamBF16Pass : Pass<"smx-cpu-stream-bf16"> {
  let summary = "write streaming stores of bf16 vectors as instructions (x86 with AVX)";
  let description = [{
    LLVM's x86 backend has no streaming store of bf16 vectors: it drops the `nontemporal` mark and writes through the
    caches. Vectors of 128 and 256 bits, and 512 with AVX-512, become inline assembly. Runs on the llvm dialect.

    ```mlir
    llvm.store %v, %p {alignment = 32 : i64, nontemporal} : vector<16xbf16>, !llvm.ptr
    ```
    ==>
    ```mlir
    %i = llvm.bitcast %v : vector<16xbf16> to vector<4xi64>
    llvm.inline_asm has_side_effects "vmovntdq $0, ($1)", "x,r,~{memory}" %i, %p : (vector<4xi64>, !llvm.ptr) -> ()
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def SmxCPUAssertionsPass : Pass<"smx-cpu-assertions", "::mlir::ModuleOp"> {
  let summary = "call what says which assertion failed, and where";
  let description = [{
    `cf.assert` becomes a branch to a call that does not return. Upstream's lowering prints with `puts`, whose text is lost
    when `abort` follows and the output is no terminal. The run-time library defines `smx_assertion_failed` (a text of C, no
    return); who links the code elsewhere does.

    ```mlir
    cf.assert %ok, "index out of range"
    ```
    ==>
    ```mlir
      cf.cond_br %ok, ^bb2, ^bb1
    ^bb1:
      %0 = llvm.mlir.addressof @assertion_text : !llvm.ptr
      llvm.call @smx_assertion_failed(%0) : (!llvm.ptr) -> ()
      llvm.unreachable
    ^bb2:
    ```
  }];
  let dependentDialects = ["cf::ControlFlowDialect", "LLVM::LLVMDialect"];
}

def SmxCPUOwnNamesPass : Pass<"smx-cpu-own-names", "::mlir::ModuleOp"> {
  let summary = "give what a module defines names that no library of C has";
  let description = [{
    A function of the user's may be called `malloc`, `sinf` or `main`, which code that is made for it calls, or the program that
    it is linked with has. Functions and globals get a prefix that is no part of a name in C, before anything is looked up
    by name. Behind the conversion to the llvm dialect the pass runs again: what C calls gets the name that was asked for,
    and what only that calls is nobody else's.

    ```mlir
    func.func @malloc(%x: memref<4xf32>) attributes {llvm.emit_c_interface}
    ```
    ==>
    ```mlir
    llvm.func internal @own.malloc(...)
    llvm.func @_mlir_ciface_malloc(%x: !llvm.ptr)
    ```
  }];
}

def SmxCPUParallelFunctionsPass : Pass<"smx-cpu-parallel-functions", "::mlir::ModuleOp"> {
  let summary = "give each parallel region a function of its own, where one has several";
  let description = [{
    Translation takes every parallel region out of its function, and looks at all that is in the function for each of them:
    500 regions would take 10 seconds. In functions of their own they take a tenth of one. Runs on the llvm dialect.

    ```mlir
    llvm.func @f(%x: !llvm.ptr, %n: i64) {
      omp.parallel { ... %x ... }
      omp.parallel { ... %n ... }
      llvm.return
    }
    ```
    ==>
    ```mlir
    llvm.func @f(%x: !llvm.ptr, %n: i64) {
      llvm.call @f.parallel(%x) : (!llvm.ptr) -> ()
      llvm.call @f.parallel_0(%n) : (i64) -> ()
      llvm.return
    }
    llvm.func internal @f.parallel_0(%n: i64) {
      omp.parallel { ... %n ... }
      llvm.return
    }
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect", "omp::OpenMPDialect"];
}

#endif // SMX_CPU_PASSES_TD
