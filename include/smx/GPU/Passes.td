//===- Passes.td - from loops over tiles to schedules -------*- tablegen -*-===//
#ifndef SMX_GPU_PASSES_TD
#define SMX_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"
include "smx/GPU/RolePasses.td"

def KernelsPass : Pass<"smx-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "turn every loop nest over tiles into a kernel on register and shared tiles";
  let description = [{
    A parallel loop over tiles of rows becomes a kernel, one block of threads to a tile, and a launch.
    If later tiles take longer (rows of causal attention see more keys), they are the first blocks. Tiles of several
    warpgroups leave no room for a second block: `blocks` of them walk over all tiles, or over pairs of a long and a short
    one, and the role that fetches goes on to the next tile while this one is computed.
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
  }];
  let options = [
    Option<"warps", "warps", "int64_t", "0", "warps of a block; 0 lets the model choose">,
    Option<"warpgroups", "warpgroups", "bool", "false",
           "a block that multiplies 16-bit matrices has a warpgroup to 64 rows, for smx-gpu-roles">,
    Option<"blocks", "blocks", "int64_t", "0",
           "most blocks of a kernel of several warpgroups, which then walk over tiles; 0 is a block to a tile">,
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

def LargestPass : Pass<"smx-gpu-largest", "::mlir::smx::gpu::KernelOp"> {
  let summary = "find the largest keys of a row together, by their scores";
  let description = [{
    The keys of a top-k order scores and their places in f64. Where each of them is a reduction of its own, over what the one
    before leaves, `smx_gpu.largest` finds the scores in their own type, and a key is made of each of the few that it finds.
    Rows with NaN, whose probabilities are NaN whatever their order, have it first instead of last.

    ```mlir
    %k = keys of %x
    %k0 = smx_gpu.reduce <maxnum> %k dim 1
    %left = arith.cmpf ogt, %k0b, %k
    %rest = arith.select %left, %k, %none
    %k1 = smx_gpu.reduce <maxnum> %rest dim 1
    ```
    ==>
    ```mlir
    %v:2, %c:2 = smx_gpu.largest %x
    %k0 = key of %v#0, %c#0
    %k1 = key of %v#1, %c#1
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LargestOfStreamPass : Pass<"smx-gpu-largest-of-stream", "::mlir::smx::gpu::KernelOp"> {
  let summary = "find the largest keys of a streamed row once, behind its loop";
  let description = [{
    A loop over tiles of a row that merges the k largest keys of each tile with those before keeps the maxima of its threads instead:
    the k largest elements are those of k threads, which read what they had again (`smx_gpu.largest` of a row in memory).

    That a loop merges is seen by what comes out of it: k values of two falling lists of k, by networks of larger and smaller ones,
    where each list has zeros behind ones (by the 0-1 principle, then, for all lists).

    ```mlir
    %k:2 = scf.for %j = %c0 to %c131072 step %c8192 iter_args(%a = %none, %b = %none) {
      %x = smx_gpu.load %m[%i, %j]
      %t:2 = the two largest keys of %x
      scf.yield the two largest of %a, %b, %t#0, %t#1
    }
    ```
    ==>
    ```mlir
    %p = scf.for %j = %c0 to %c131072 step %c8192 iter_args(%q = %least) {
      %x = smx_gpu.load %m[%i, %j]
      %r = smx_gpu.partial_reduce <maximum> %x
      scf.yield maximum of %q and %r
    }
    %v:2, %c:2 = smx_gpu.largest %p of %m[%i, %c0] extent(131072)
    %k0 = key of %v#0, %c#0
    %k1 = key of %v#1, %c#1
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RanksInLanesPass : Pass<"smx-gpu-ranks-in-lanes", "::mlir::smx::gpu::KernelOp"> {
  let summary = "compute what is stored of the k largest once, a rank a lane";
  let description = [{
    A tile whose columns are values of the ranks, one after the other, is chosen from k values that each thread computes. Where all are
    computed alike, `smx_gpu.largest` gives a tile with a rank a column, and one lane computes what is stored there. Such a tile
    is no wider than the ranks.

    ```mlir
    %v:2, %c:2 = smx_gpu.largest %x
    %y = arith.select %isRank1, (broadcast of f(%v#1)), (broadcast of f(%v#0))
    smx_gpu.store %y, %out[%row, %c0] valid(%c1, %c2)
    ```
    ==>
    ```mlir
    %v, %c = smx_gpu.largest %x ranks(2)
    %y = f(%v)
    smx_gpu.store %y, %out[%row, %c0] valid(%c1, %c2)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PartialStatesPass : Pass<"smx-gpu-partial-states", "::mlir::smx::gpu::KernelOp"> {
  let summary = "each warp has a state of its part of a row, and the warps meet once";
  let description = [{
    Where a row is held by several warps, or blocks of a cluster, a maximum and the sum of exponentials of differences from
    it are two meetings of all threads. Instead a warp sums by the maximum of its own part, and what is exchanged is the
    pair: `m = max m_w`, `l = sum l_w exp(m_w - m)`, the merge of the algebra. Of more than 64 warps, those of each block are
    merged before the blocks are. Likewise a sum and that of squared distances from a value that follows from it, of rows that
    fill their tile: `n_w` elements of a warp, their mean `c_w` and second moment become `sum n_w c_w` and
    `sum m2_w + n_w (c_w - r)^2`. A remark says where.

    ```mlir
    %m = smx_gpu.reduce <maxnum> %x dim 1
    %d = arith.subf %x, %mb
    %e = math.exp %d
    %l = smx_gpu.reduce <add> %e dim 1
    ```
    ==>
    ```mlir
    %xp = smx_gpu.parts %x : tensor<1x4096xf32, #row> -> tensor<4x1024xf32, #parts>
    %mw = smx_gpu.reduce <maxnum> %xp dim 1
    %dw = arith.subf %xp, %mwb
    %ew = math.exp %dw
    %lw = smx_gpu.reduce <add> %ew dim 1
    %ms, %ls = smx_gpu.collect %mw, %lw fill [0xFF800000 : f32, 0.0 : f32]
    %m, %l = merged %ms, %ls
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SharedRowsPass : Pass<"smx-gpu-shared-rows", "::mlir::smx::gpu::KernelOp"> {
  let summary = "the part of a long row that registers have no room for stays in shared memory";
  let description = [{
    The tile of one row, of which a thread has more than `bytes` bytes, becomes pieces of as many columns as registers hold.
    The first piece stays in registers; the others are copied to shared memory, from where every reduction, and every
    store, reads them again: the row is read once from global memory. A thread combines what it has of all pieces before
    anything is exchanged. Of 16-bit elements that two reductions widen without a meeting between, 48 bytes of a thread stay in
    registers. A kernel with an op that has no form on pieces stays as it is. A remark says how many pieces there are.

    With more than one of `states`, the first reductions being a maximum and the sum of its weights, some pieces come after others: the weights of those
    in front are computed, by the maximum so far, before the last ones have arrived, and their sum is corrected (online softmax). Each state has three
    quarters of the columns that are left. What stays in registers is then loaded first: a barrier keeps its loads before the copies.

    ```mlir
    %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] : .. -> tensor<1x65536xf32, #row>
    %m = smx_gpu.reduce <maxnum> %x dim 1
    ```
    ==>
    ```mlir
    %x = smx_gpu.load %a[%i, %c0] dims [-1, 1] : .. -> tensor<1x32768xf32, #row>
    %s = smx_gpu.alloc : !smx_gpu.shared<1x32768xf32, swizzle = 0>
    smx_gpu.copy %a[%i, %c32768] to %s dims [-1, 1]
    %h = smx_gpu.hold %s
    %y = smx_gpu.read %h
    %t = arith.maxnumf %x, %y
    %m = smx_gpu.reduce <maxnum> %t dim 1
    ```
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", "128", "bytes of a row that a thread has registers for">,
    Option<"states", "states", "int64_t", "0", "states of a warp's part, one after another; 1 = the maximum of all first; 0 = 2 for whole rows of f32 whose blocks, 16 of them, are alone on their multiprocessors, else 1">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PersistentRowsPass : Pass<"smx-gpu-persistent-rows", "::mlir::ModuleOp"> {
  let summary = "clusters that hold long rows walk over them: the next row arrives while this one is stored";
  let description = [{
    A kernel in which `smx-gpu-shared-rows` has made two states of a row, so that nothing else computes while a row arrives, gets a loop over the numbers
    of blocks: at most `clusters` clusters start, each for every so-manieth row. In a round, the next row's load or copy of a piece follows the store of
    that piece, to whose place it goes. Behind the last row nothing is valid, and nothing is read. A kernel stays as it is if it does not begin with loads
    and copies, or if a tile is accessed where the next row may have been copied to it. A remark says where.

    ```mlir
    %x = smx_gpu.load %a[%row, %c0]
    smx_gpu.copy %a[%row, %c1024] to %s
    ..
    smx_gpu.store %y, %b[%row, %c0]
    smx_gpu.store %z, %b[%row, %c1024]
    ```
    ==>
    ```mlir
    %x = smx_gpu.load %a[%row, %c0]
    smx_gpu.copy %a[%row, %c1024] to %s
    scf.for %round = %c0 to %rounds step %c1 iter_args(%now = %x) {
      ..
      smx_gpu.store %y, %b[%row, %c0]
      %next = smx_gpu.load %a[%nextrow, %c0] valid(%is, %c1024)
      smx_gpu.store %z, %b[%row, %c1024]
      smx_gpu.copy %a[%nextrow, %c1024] valid(%is, %c1024) to %s
      scf.yield %next
    }
    ```
  }];
  let options = [
    Option<"clusters", "clusters", "int64_t", "0", "clusters that are on the device at once; 0 = one for each row">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RecomputePass : Pass<"smx-gpu-recompute", "::mlir::smx::gpu::KernelOp"> {
  let summary = "keep a long row as it was loaded, and compute from it again after a reduction";
  let description = [{
    A thread that holds many elements of a row has registers for them once. What is computed from loaded
    elements, takes more bits than they do, and is needed on both sides of a row reduction, is computed on both: the
    loaded tile is held across (`smx_gpu.hold`). A load whose tile is not needed before a reduction comes after it.

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
    is cut: half of the code, which takes half the time to assemble. Masks that are computed from more than places, and elements that are needed
    as they were before they are hidden, too, leave both loops. Loops that go from the last tile to the first have the cut ones in front, and, where a window
    ends, once more behind: one loop does what the two or three do, in their order.

    Weights of hidden places are 0, of which a guarded product leaves out those that are marked (-0). With `marks-late` they are marked beside the product,
    and not in every cut tile, where it is known that they are 0 without: where a product of its own looks at its operand, that is almost never.
    With `few-tiles` only loops marked so (`smx-tile`) are united, and those whose cut tiles come last: `smx-gpu-roles` gives whole and cut tiles
    rounds of their own again, so that no round of a whole tile asks for anything, and products overlap where the ones go over into the others.
    That is won once for a tile of rows. Where both kinds of rounds share the registers of a sum of more than `narrow` columns, each of them pays
    for it, so such loops have to have at most `rounds` tiles on average, known from the numbers of the tiles; and of more than `widest` columns
    none are united.

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
  }];
  let options = [
    Option<"marksLate", "marks-late", "bool", "false",
           "what a guarded product is to leave out is marked at the product, and not where weights are computed">,
    Option<"fewTiles", "few-tiles", "bool", "false",
           "only loops that are marked `smx.few_tiles`, and those of products with at most `widest` columns whose cut tiles come last">,
    Option<"widest", "widest", "int64_t", "128", "most columns of the sum of weights; other accumulators leave no registers to add terms to">,
    Option<"narrow", "narrow", "int64_t", "64", "most columns of sums that leave registers for whole and for cut tiles">,
    Option<"rounds", "rounds", "int64_t", "24", "most tiles of keys, on average, of wider sums">,
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
    A tile that is loaded before a loop and only multiplied in it stays in registers if these, the tiles that the loop
    carries and the results of its products take at most `registers` of a thread. Otherwise it is copied to shared
    memory, if that has room, and read from there in every round. So is a tile that is not multiplied on the matrix unit:
    each of its elements is needed by four threads.

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

#endif // SMX_GPU_PASSES_TD
