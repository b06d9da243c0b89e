//===- Passes.td - from loops over tiles to schedules -------*- tablegen -*-===//
#ifndef SMX_GPU_PASSES_TD
#define SMX_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"
include "smx/GPU/GuessPasses.td"
include "smx/GPU/HiddenTilePasses.td"
include "smx/GPU/RolePasses.td"
include "smx/GPU/RowPasses.td"
include "smx/GPU/WalkPasses.td"

def KernelsPass : Pass<"smx-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "turn every loop nest over tiles into a kernel on register and shared tiles";
  let description = [{
    A parallel loop over tiles of rows becomes a kernel, one block of threads to a tile, and a launch. Which block computes which
    tiles, and in which order:

    * If later tiles take longer (rows of causal attention see more keys), they are the first blocks.
    * Tiles of several warpgroups leave no room for a second block. So `blocks` of them walk over all tiles, and the role that fetches
      goes on to the next tile while this one is computed.
    * If later tiles take longer, such blocks walk over pairs of a long and a short tile. Pairs leave blocks idle at the end: 1408 tiles
      on 132 blocks are 10.67 waves. So if the longest tile has at least `deal` rounds of keys, and counts are static, the last whole wave
      and what is behind it are dealt tile by tile, the longest first, to the blocks in rising and in falling order by turns.
    * If only the first tiles of a row are shorter than the others (the first rows of a window see fewer keys), and waves are few, these
      tiles go last, the longest first, and all waves go to the blocks in rising and in falling order by turns.
    * If no tile takes longer, but the last one of a head has fewer rows, each wave takes the tiles of a head from another one on, so
      that every block has some of the shorter ones.

    Tensors in memory become memrefs; all others become register tiles with a layout: a fragment where
    the nest has matrix products, stripes otherwise. The second operand of a product goes through a
    channel. Tiles are padded to what the layout needs: loads fill with 0, reductions and products
    select the padding away, stores leave it out.

    Expects the arithmetic of states to be written out (`smx-expand-state`).

    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%o = %e) -> (tensor<?xf32>) {
      %t = tensor.extract_slice %x[%i, 0] [1, 1024] [1, 1]
      %m = linalg.generic .. reduction .. ins(%t : tensor<1x1024xf32>)
      scf.forall.in_parallel { tensor.parallel_insert_slice %m into %o[%i] [1] [1] }
    }
    ```
    ==>
    ```mlir
    smx_gpu.kernel @f(%x: memref<?x1024xf32, ..>, %y: memref<?xf32, ..>) warps(2) {
      %i = gpu.block_id x
      %t = smx_gpu.load %x[%i, %c0] dims [0, 1] -> tensor<1x1024xf32, #smx_gpu.striped<..>>
      %m = smx_gpu.reduce <maxnum> %t dim 1 -> tensor<1xf32, #smx_gpu.slice<1, ..>>
      smx_gpu.store %m, %y[%i] dims [0]
    }
    smx_gpu.launch @f grid(%n, %c1, %c1) (%x, %y)
    ```

    The walk of 132 blocks over 16 rows of 128 tiles, of which the first 8 of each are shorter: 1920 of them are alike.
    ```mlir
    %b = gpu.block_id x
    scf.for %wave = %c0 to (131 - %b < 68 ? 16 : 15) {
      %t = %wave * 132 + (%wave is odd ? 131 - %b : %b)
      %tile = %t < 1920 ? %t rem 120 + 8 : 7 - (%t - 1920) / 16
      %row = %t < 1920 ? %t / 120 : (%t - 1920) rem 16
    }
    ```
  }];
  let options = [
    Option<"warps", "warps", "int64_t", "0", "warps of a block; 0 lets the model choose">,
    Option<"warpgroups", "warpgroups", "bool", "false",
           "a block that multiplies 16-bit matrices has a warpgroup to 64 rows, for smx-gpu-roles">,
    Option<"blocks", "blocks", "int64_t", "0",
           "most blocks of a kernel of several warpgroups, which then walk over tiles; 0 is a block to a tile">,
    Option<"deal", "deal", "int64_t", "0",
           "rounds of the longest tile from which the last pairs of a walk are dealt tile by tile; 0 never">,
    Option<"alignment", "alignment", "int64_t", "0",
           "bytes that pointers and row strides of all arguments are known to be multiples of; 0 knows nothing">,
    Option<"sharedLimit", "shared-limit", "int64_t", "101376",
           "bytes of shared memory that a block may have on the chip">,
    Option<"clusters", "clusters", "int64_t", "1", "blocks that a row may be spread over; 1 where the chip has no clusters">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::smx::gpu::SmxGpuDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TF32ProductsPass : Pass<"smx-gpu-tf32-products", "::mlir::smx::gpu::KernelOp"> {
  let summary = "multiply f32 tiles on the matrix unit, as three TF32 products";
  let description = [{
    An operand is the sum of two TF32 numbers, of 11 bits each; the product of the two small ones is left out.

    ```mlir
    %s = smx_gpu.mma %q, %k, %zero transpose_b : tensor<64x32xf32, #L>, !smx_gpu.shared<64x32xf32, swizzle = 128>
        -> tensor<64x64xf32, #L>
    ```
    ==>
    ```mlir
    %s = smx_gpu.mma %q, %k, %zero transpose_b precision(tf32x3) : tensor<64x32xf32, #L>,
        !smx_gpu.shared<64x32xf32, swizzle = 128> -> tensor<64x64xf32, #L>
    ```

    Changes rounding: a term has a relative error of about 2^-21, where that of a fused multiply-add has none.
  }];
}

def RecomputePass : Pass<"smx-gpu-recompute", "::mlir::smx::gpu::KernelOp"> {
  let summary = "keep a long row as it was loaded, and compute from it again after a reduction";
  let description = [{
    A thread that holds many elements of a row has registers for them once. What is computed from loaded
    elements, takes more bits than they do, and is needed on both sides of a row reduction, is computed on both: the
    loaded tile is held across (`smx_gpu.hold`), and of several rows held `apart`, as ptxas would keep what it widened. Exponentials
    to the last bits of f32 are kept: they take too long. A load whose tile is not needed before a reduction comes after it.

    ```mlir
    %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] : .. -> tensor<1x32768xbf16, #L>
    %f = arith.extf %x
    %m = smx_gpu.reduce <maxnum> %f dim 1
    %d = arith.subf %f, %mb
    ```
    ==>
    ```mlir
    %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] : .. -> tensor<1x32768xbf16, #L>
    %f = arith.extf %x
    %m = smx_gpu.reduce <maxnum> %f dim 1
    %x1 = smx_gpu.hold %x
    %f1 = arith.extf %x1
    %d = arith.subf %f1, %mb
    ```
  }];
  let options = [
    Option<"elements", "elements", "int64_t", "16", "tiles with at most so many elements a thread stay as they are">,
  ];
}

def PartialSumsPass : Pass<"smx-gpu-partial-sums", "::mlir::smx::gpu::KernelOp"> {
  let summary = "sum up rows in each thread, and over lanes once, after the loop";
  let description = [{
    A sum of rows that a loop carries, and only scales, is carried as partial sums of the columns that a thread holds:
    sum_j f_j (sum_c p_jc) = sum_c (sum_j f_j p_jc). Of fragment layouts, in
    loops without products of more than 16 bits, which need the registers.

    In striped layouts, of f32 weights that say how many bits matter (`result_bits`) and are added up in f64, a thread adds
    up to eight before they are widened: `reduce (extf %p)` becomes `reduce (extf (partial_reduce %p))`. Conversions are slow.

    ```mlir
    %l = scf.for .. iter_args(%l0 = %zero) -> (tensor<64xf32, #smx_gpu.slice<1, #L>>) {
      %s = smx_gpu.reduce <add> %p dim 1 : tensor<64x128xf32, #L> -> tensor<64xf32, #smx_gpu.slice<1, #L>>
      %f0 = arith.mulf %l0, %f
      %l1 = arith.addf %s, %f0
      scf.yield %l1
    }
    ```
    ==>
    ```mlir
    %t = scf.for .. iter_args(%l0 = %zeros) -> (tensor<64x8xf32, #L>) {
      %s = smx_gpu.partial_reduce <add> %p : tensor<64x128xf32, #L> -> tensor<64x8xf32, #L>
      %b = smx_gpu.broadcast %f
      %f0 = arith.mulf %l0, %b
      %l1 = arith.addf %s, %f0
      scf.yield %l1
    }
    %l = smx_gpu.reduce <add> %t dim 1
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UniteLoopsPass : Pass<"smx-gpu-unite-loops", "::mlir::smx::gpu::KernelOp"> {
  let summary = "one loop over the tiles that a mask cuts and those that it does not";
  let description = [{
    Of two loops in a row, the second one does what the first does, and hides elements. One loop does both, and asks in every round whether its tile
    is cut: half of the code, which takes half the time to assemble. Where an open length ends within a tile, that tile is put as far as it goes,
    and the others as a whole. Masks that are computed from more than places, and elements that are needed as they were before they are hidden,
    too, leave both loops; what is computed of such elements and hidden at the same places is computed of the hidden ones. Loops that go from the
    last tile to the first have the cut ones in front, and, where a window ends, once more behind. One loop does what the two or three do in
    their order; with `few-tiles`, of three it visits the whole tiles first, then those in front of them and then those behind, so that one bound tells the cut ones, and
    `smx-gpu-roles` can give them rounds of their own.

    Weights of hidden places are 0, of which a guarded product leaves out those that are marked (-0). With `marks-late` they are marked beside the product,
    and not in every cut tile, where it is known that they are 0 without: where a product of its own looks at its operand, that is almost never.
    With `few-tiles` only loops marked so (`smx-tile`) are united, and those whose cut tiles come last: `smx-gpu-roles` gives whole and cut tiles
    rounds of their own again, so that no round of a whole tile asks for anything, and products overlap where the ones go over into the others.
    That is won once for a tile of rows. Where both kinds of rounds share the registers of a sum of more than `narrow` columns, each of them pays
    for it, so such loops have to have at most `rounds` tiles on average, known from the numbers of the tiles. Of lengths that are open, loops of at most
    `open-groups` warpgroups are united, whose threads have registers for these, too, unless rounds begin at an open tile and have padded columns.
    Of more than `widest` columns none are.

    ```mlir
    %a = scf.for %j = %c0 to %m step %s iter_args(%x = %x0) {
      ..
      %p = math.exp2 %d
      %o = smx_gpu.mma %p, %v, %x
      scf.yield %o
    }
    %b = scf.for %j = %m to %n step %s iter_args(%x = %a) {
      ..
      %p = math.exp2 %d
      %h = arith.select %seen, %p, %zeros
      %o = smx_gpu.mma %h, %v, %x guarded
      scf.yield %o
    }
    ```
    ==>
    ```mlir
    %e = arith.maxsi %n, %m
    %b = scf.for %j = %c0 to %e step %s iter_args(%x = %x0) {
      %cut = arith.cmpi sge, %j, %m
      ..
      %p = math.exp2 %d
      %h = scf.if %cut { .. scf.yield (arith.select %seen, %p, %zeros) } else { scf.yield %p }
      %o = scf.if %cut { smx_gpu.mma %h, %v, %x guarded } else { smx_gpu.mma %h, %v, %x }
      scf.yield %o
    }
    ```
    Of a window, with cut tiles in [%f, %b0) and in [%m, %n) and whole ones in [%b0, %m), of which the last loop comes first:
    ```mlir
    %first_cut = %f + %m - %b0
    scf.for %at = %f to %e step %s {
      %cut = arith.cmpi sge, %at, %first_cut
      %j = %at >= %m ? %at : %cut ? %at - %first_cut + %f : %at + %b0 - %f
      ..
    }
    ```
  }];
  let options = [
    Option<"marksLate", "marks-late", "bool", "false",
           "what a guarded product is to leave out is marked at the product, and not where weights are computed">,
    Option<"fewTiles", "few-tiles", "bool", "false",
           "only loops that are marked `smx.few_tiles`, and those of products with at most `widest` columns whose cut tiles come last">,
    Option<"widest", "widest", "int64_t", "128", "most columns of the sum of weights; other accumulators leave no registers to add terms to">,
    Option<"narrow", "narrow", "int64_t", "64", "most columns of sums that leave registers for whole and for cut tiles">,
    Option<"rounds", "rounds", "int64_t", "24", "most tiles of keys, on average, of wider sums">,
    Option<"openGroups", "open-groups", "int64_t", "2", "most warpgroups whose threads have registers for lengths that are open">,
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PrefetchPass : Pass<"smx-gpu-prefetch", "::mlir::smx::gpu::KernelOp"> {
  let summary = "start the copy of a tile rounds of the loop before it is needed";
  let description = [{
    Channels get `depth` stages, or fewer if shared memory does not hold as many, and a loop that puts a tile and gets it puts the one
    `depth - 1` rounds later instead, so that the copy runs beside the arithmetic of these rounds; with two stages the next one.

    ```mlir
    scf.for %j = %lb to %ub step %s {
      smx_gpu.put %k[%j, %c0] into %c
      %t = smx_gpu.get %c
      ..
    }
    ```
    ==>
    ```mlir
    %any = arith.cmpi slt, %lb, %ub
    scf.if %any { smx_gpu.put %k[%lb, %c0] into %c }
    scf.for %j = %lb to %ub step %s {
      %n = arith.addi %j, %s
      %more = arith.cmpi slt, %n, %ub
      scf.if %more { smx_gpu.put %k[%n, %c0] into %c }
      %t = smx_gpu.get %c
      ..
    }
    ```
  }];
  let options = [
    Option<"depth", "depth", "int64_t", "2", "stages of a channel; 1 copies when the tile is needed">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SharedOperandsPass : Pass<"smx-gpu-shared-operands", "::mlir::smx::gpu::KernelOp"> {
  let summary = "keep the first operand of products in shared memory where registers are short";
  let description = [{
    A tile that is loaded or gathered before a loop and only multiplied in it stays in registers if these, the tiles that the loop
    carries and the results of its products take at most `registers` of a thread. Otherwise it is copied to shared
    memory, if that has room, and read from there in every round. Where elements are multiplied in two TF32 parts, both
    count, and every loop more that multiplies the tile takes 32 registers for its addresses: all of that is computed in
    front of the first one. A tile that is not multiplied on the matrix unit is copied, too: each of its elements is
    needed by four threads. What is gathered, as the queries of heads that share keys are, goes there by way of registers.

    ```mlir
    %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : memref<?x128xbf16, ..> -> tensor<128x128xbf16, #L>
    scf.for .. {
      %s = smx_gpu.mma %q, %k, %zero transpose_b : tensor<128x128xbf16, #L>, !stage -> tensor<128x64xf32, #L>
    ```
    ==>
    ```mlir
    %q = smx_gpu.alloc : !smx_gpu.shared<128x128xbf16, swizzle = 128>
    smx_gpu.copy %x[%i, %c0] to %q dims [0, 1] : memref<?x128xbf16, ..>, !smx_gpu.shared<128x128xbf16, swizzle = 128>
    scf.for .. {
      %s = smx_gpu.mma %q, %k, %zero transpose_b : !smx_gpu.shared<128x128xbf16, swizzle = 128>, !stage -> tensor<128x64xf32, #L>
    ```
  }];
  let options = [
    Option<"registers", "registers", "int64_t", /*default=*/"::mlir::smx::gpu::operandRegisters",
           "registers of a thread, 32 bits each, that tiles may take; the others are for addresses and operands">,
  ];
}

def TensorStoresPass : Pass<"smx-gpu-tensor-stores", "::mlir::smx::gpu::KernelOp"> {
  let summary = "results leave through shared memory, by the tensor copy engine";
  let description = [{
    A thread has two neighbouring columns of every eight of a fragment. To write 16 bytes at a time, the lanes of a row exchange
    words, and compute an address for each piece of a row. The engine computes addresses itself, and swizzled shared memory takes
    a fragment as it is, 16 rows of a warp with each instruction.

    So a role's stores of 16-bit fragments that reach to the end of the memref, or not as far, go through a shared tile, one
    for all stores of a shape, if there is room for it beside the channels: at most `bytes` are taken. What is not valid of
    their rows has to be what lies beyond the memref, where the engine writes nothing.

    ```mlir
    smx_gpu.store %o, %y[%b, %i, %c0] dims [1, 2] {aligned = 16}
    ```
    ==>
    ```mlir
    %s = smx_gpu.alloc : !smx_gpu.shared<128x64xbf16, swizzle = 128>
    smx_gpu.tensor_store %o, %y[%b, %i, %c0] through %s dims [1, 2] {aligned = 16}
    ```
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", "65536", "most bytes of shared memory that results go through; 0: none does">,
  ];
}

#endif // SMX_GPU_PASSES_TD
