//===- RowPasses.td - kernels of rows ----------------------*- tablegen -*-===//
#ifndef SMX_GPU_ROWPASSES_TD
#define SMX_GPU_ROWPASSES_TD

include "mlir/Pass/PassBase.td"

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
    %p:4 = scf.for %j = %c0 to %c131072 step %c8192 iter_args(%q = %least, %most, %start, %second) {
      %x = smx_gpu.load %m[%i, %j]
      %r = smx_gpu.partial_reduce <maximum> %x
      scf.yield maximum of %q and %r, and of each thread where the round of its maximum starts, and the largest beside it
    }
    %v:2, %c:2 = smx_gpu.largest %p#0 of %m[%i, %c0] extent(131072) rounds(%p#2, %p#3 span 8192)
    %k0 = key of %v#0, %c#0
    %k1 = key of %v#1, %c#1
    ```

    Less than 8 rounds are read again as a whole.

    Where the last tile of the row is behind the loop, and what is merged with its keys there is read for nothing else, its maxima join those
    of the loop, and the largest elements are those of the whole row. Of rows that several blocks share, a block's part begins at a multiple
    of its extent, and the last tile is a loop that may have a round, which the maxima go through: what is found is as much as is left of
    the row, and has places in all of it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RanksInLanesPass : Pass<"smx-gpu-ranks-in-lanes", "::mlir::smx::gpu::KernelOp"> {
  let summary = "compute what is stored of the k largest once, a rank a lane";
  let description = [{
    A tile whose columns are values of the ranks, one after the other, is chosen from k values that each thread computes. Where all are
    computed alike, `smx_gpu.largest` gives a tile with a rank a column, and one lane computes what is stored there. Such a tile
    is no wider than the ranks, and stored element by element, which asks nothing of where rows start.

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
    merged before the blocks are. In a loop over tiles of a row each thread has a state of its own, which no round asks another
    thread about; those of a warp are merged behind the loop. (So it is with squares that are added up by a scale, of RMS norm, and with the mean of distances
    from a maximum, of smoothed cross entropy; how many elements there are is the same for all.) Likewise a sum and that of squared distances from a value that follows from it, of rows that
    fill their tile: `n_w` elements of a warp, their mean `c_w` and second moment become `sum n_w c_w` and
    `sum m2_w + n_w (c_w - r)^2`. A remark says where. Not where weights have the type of the elements and blocks have nearly all threads
    of a multiprocessor, nor where a thread has at most 16 weights in f32 of narrower elements: then a second meeting costs less than what
    the merge computes; nor of masked rows that start at multiples of 16 bytes and are written, whose masks would be kept.

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

def LastingRowsPass : Pass<"smx-gpu-lasting-rows", "::mlir::smx::gpu::KernelOp"> {
  let summary = "rows that are read outlast results in the L2 cache";
  let description = [{
    Where a kernel stores tiles of rows of the shape of those it loads, the loads, and copies to shared memory, are `lasting`: what leaves the L2
    cache while the kernel runs is results. Rows of a softmax, a norm or a gradient take 1 to 3 % less time for it on an H200, and the kernel that
    reads the results next takes no longer. Copies of a cluster that stays for the next row (`smx.lone_rows`) are left. A remark says how many reads
    there are.

    ```mlir
    %x = smx_gpu.load %a[%i, %c0] dims [0, 1] : .. -> tensor<1x4096xbf16, #row>
    smx_gpu.store f(%x), %b[%i, %c0] dims [0, 1] : tensor<1x4096xbf16, #row>, ..
    ```
    ==>
    ```mlir
    %x = smx_gpu.load %a[%i, %c0] dims [0, 1] lasting : .. -> tensor<1x4096xbf16, #row>
    smx_gpu.store f(%x), %b[%i, %c0] dims [0, 1] : tensor<1x4096xbf16, #row>, ..
    ```
  }];
}

def SlidRowsPass : Pass<"smx-gpu-slid-rows", "::mlir::smx::gpu::KernelOp"> {
  let summary = "rows that start between accesses are held from where one may start on";
  let description = [{
    Of a row that has a tile to itself and may start anywhere, each vector of a thread is in two accesses. If the whole row is moved back in its tile to where
    one may start, a multiple of 16 bytes (of 8, where wider elements are written 16 bytes at a time), each is one. Places before the row count as behind it:

      x[c] is at column c + s,   s = elements between that place and the row;
      place(c) = c - s if c >= s, else infinite:  place < n  <=>  c - s < n and c - s >= 0

    What a row is reduced to does not depend on where its elements are. Tiles of a row, of which each block has one, are moved together. Where a tile
    (or the last one of a row or a cluster) has no room behind the row for the slide, or an op asks for columns in another way than by comparing
    them, the kernel stays as it is. A remark says how many tiles are slid.

    ```mlir
    %x = smx_gpu.load %a[%i, %c0] valid(%c1, %n) dims [-1, 1] {aligned = 2} : .. -> tensor<1x4096xbf16, #row>
    %j = smx_gpu.position 1 : tensor<1x4096xindex, #row>
    %m = arith.cmpi slt, %j, %n
    ```
    ==>
    ```mlir
    %s = smx_gpu.slide %a[%i, %c0] dims [-1, 1] : .. -> tensor<1xindex, #smx_gpu.slice<1, #row>>
    %x = smx_gpu.load %a[%i, %c0] valid(%c1, %n) slid(%s) dims [-1, 1] {aligned = 16} : .. -> tensor<1x4096xbf16, #row>
    %p = smx_gpu.position 1 : tensor<1x4096xindex, #row>
    %sb = smx_gpu.broadcast %s
    %j = arith.subi %p, %sb
    %l = arith.cmpi slt, %j, %n
    %f = arith.cmpi sge, %j, %zero
    %m = arith.andi %l, %f
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def AdjacentRowsPass : Pass<"smx-gpu-adjacent-rows", "::mlir::smx::gpu::KernelOp"> {
  let summary = "short rows that start anywhere are moved as one piece of memory";
  let description = [{
    In a kernel whose threads stand along rows for it (`smx.adjacent_rows`, which smx-gpu-kernels gives to short rows of 16 or 32 bits that start
    anywhere), each element of a tile would be an access of its own. Where rows follow one another in memory, as those of a tensor do, they are
    one piece, which the block moves to and from shared memory in accesses of 16 bytes: of tiles that have whole rows, six at most. Loads of
    such tiles are asked for together; what else is read, and needs nothing to be known before, is asked for in front of them, and what is
    computed of that comes behind. Where nothing tells the columns of rows of 16 bits apart but whether they are some, they are `unordered`. A
    remark says how many tiles there are.

    ```mlir
    %x = smx_gpu.load %a[%i, %c0] valid(%m, %c65) dims [0, 1] {aligned = 2} : .. -> tensor<64x68xbf16, #L>
    ..
    smx_gpu.store %y, %b[%i, %c0] valid(%m, %c65) dims [0, 1] {aligned = 2}
    ```
    ==>
    ```mlir
    %x = smx_gpu.load %a[%i, %c0] valid(%m, %c65) dims [0, 1] adjacent {aligned = 2} : .. -> tensor<64x68xbf16, #L>
    ..
    smx_gpu.store %y, %b[%i, %c0] valid(%m, %c65) dims [0, 1] adjacent {aligned = 2}
    ```
  }];
}

def OneProductPass : Pass<"smx-gpu-one-product", "::mlir::smx::gpu::KernelOp"> {
  let summary = "the exponent of a weight that is only summed up is one multiply-add";
  let description = [{
    Where weights of 16-bit elements are only summed up, the reference of the row is multiplied instead of each difference, and what
    that product rounds is a factor of the sum. A thread has at least eight elements of the row. A remark says how many exponentials there are.

    ```mlir
    %yb = smx_gpu.broadcast %y
    %d = arith.subf %x, %yb
    %p = arith.mulf %d, %L
    %e = math.exp2 %p fastmath<afn>
    %l = smx_gpu.reduce <add> %e dim 1
    ```
    ==>
    ```mlir
    %f = |%y %L| < 2^30 ? %L : the power of two below it
    %c = arith.mulf %y, %f
    %n = arith.negf %c
    %r = math.fma %y, %f, %n
    %fb, %nb = smx_gpu.broadcast %f, %n
    %p = math.fma %x, %fb, %nb
    %e = math.exp2 %p fastmath<afn>
    %s = smx_gpu.reduce <add> %e dim 1
    %q = exp2(-%r)
    %l = arith.mulf %s, %q
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def SharedRowsPass : Pass<"smx-gpu-shared-rows", "::mlir::smx::gpu::KernelOp"> {
  let summary = "the part of a long row that registers have no room for stays in shared memory";
  let description = [{
    The tile of one row, of which a thread has more than `bytes` bytes, becomes pieces of as many columns as registers hold.
    The first piece stays in registers; the others are copied to shared memory, from where every reduction, and every
    store, reads them again: the row is read once from global memory. A thread combines what it has of all pieces before
    anything is exchanged. Of 16-bit elements that two reductions widen without a meeting between, 48 bytes of a thread stay in
    registers. A kernel with an op that has no form on pieces stays as it is, and so does one whose threads have more registers
    (`smx.rows_in_registers`, from smx-gpu-kernels). A remark says how many pieces there are.

    What has one value for each column and is the same for all rows (the weights of a norm) is no part of the row: it is read where a piece is
    stored, of up to four accesses of a thread (two, if a column has more than 16 bits of it, one from 33 bits on), and leaves the row half of the registers. Rows that registers
    hold are in pieces then, too.

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
    Option<"states", "states", "int64_t", "0", "states that a warp has of its part of a row, each of the pieces that have arrived by then; 1 = one, after all pieces; "
           "0 = 2 for rows of f32 that fill clusters of 16 blocks, one to a multiprocessor, else 1">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KeptTilePass : Pass<"smx-gpu-kept-tile", "::mlir::smx::gpu::KernelOp"> {
  let summary = "what registers keep of a row is stored before a loop loads the rest again";
  let description = [{
    Of a row that is read twice, tile by tile, what the first loop leaves over is a tile of its own, which is loaded once. It would be in registers
    while the second loop stores the others. What is computed from it, and stored behind all that the loop stores, comes before the loop. The loop has
    loads and stores alone, constant bounds and whole steps; a result may take the row's place. A remark says where.

    ```mlir
    %x = smx_gpu.load %a[%i, %c8192] dims [-1, 1] : .. -> tensor<1x4096xbf16, #row>
    %s = smx_gpu.reduce <add> ..
    scf.for %j = %c0 to %c8192 step %c8192 {
      %y = smx_gpu.load %a[%i, %j] dims [-1, 1] : .. -> tensor<1x8192xbf16, #row>
      smx_gpu.store f(%y, %s), %b[%i, %j]
    }
    smx_gpu.store f(%x, %s), %b[%i, %c8192]
    ```
    ==>
    ```mlir
    %x = smx_gpu.load %a[%i, %c8192] dims [-1, 1] : .. -> tensor<1x4096xbf16, #row>
    %s = smx_gpu.reduce <add> ..
    smx_gpu.store f(%x, %s), %b[%i, %c8192]
    scf.for %j = %c0 to %c8192 step %c8192 {
      %y = smx_gpu.load %a[%i, %j] dims [-1, 1] : .. -> tensor<1x8192xbf16, #row>
      smx_gpu.store f(%y, %s), %b[%i, %j]
    }
    ```
  }];
}

def PersistentRowsPass : Pass<"smx-gpu-persistent-rows", "::mlir::ModuleOp"> {
  let summary = "clusters that hold long rows walk over them: the next row arrives while this one is stored";
  let description = [{
    A kernel in which `smx-gpu-shared-rows` has made two states of a row, so that nothing else computes while a row arrives, gets a loop over the numbers
    of blocks: at most `clusters` clusters start, and each has every row whose number is its own modulo their count. In a round, the next row's load or copy of a piece follows the store of
    that piece, to whose place it goes. Behind the last row nothing is valid, and nothing is read. With `stagger`, a cluster begins
    so many cycles after the one before it, where there are more rows than clusters: in step, all of them would leave the memory idle at the same time. A kernel stays as it is if it does not begin with loads
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
    smx_gpu.pause %begin
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
    Option<"stagger", "stagger", "int64_t", "0", "cycles between the beginnings of two clusters">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def NextLoadsPass : Pass<"smx-gpu-next-loads", "::mlir::smx::gpu::KernelOp"> {
  let summary = "a round over a row asks for the next tile before it computes";
  let description = [{
    Where a block reads a row tile by tile, for its maximum and the sum of its weights, memory would have nothing to do while a
    round computes. The loop carries the tile of the round that follows: whole tiles of 16-bit elements, in as many rounds as
    the types say, and no larger than one in `share` of the registers of a thread. A kernel that has several such loops, one for
    each part of a row, stays as it is. A remark says where.

    ```mlir
    scf.for %j = %c0 to %c262144 step %c16384 iter_args(%m = .., %l = ..) {
      %x = smx_gpu.load %a[%i, %j] dims [-1, 1] : .. -> tensor<1x16384xbf16, #row>
      ..
    }
    ```
    ==>
    ```mlir
    %first = smx_gpu.load %a[%i, %c0] dims [-1, 1] : .. -> tensor<1x16384xbf16, #row>
    scf.for %j = %c0 to %c262144 step %c16384 iter_args(%m = .., %l = .., %x = %first) {
      %n = arith.addi %j, %c16384
      %is_there = arith.cmpi slt, %n, %c262144
      %next = scf.if %is_there { smx_gpu.load %a[%i, %n] dims [-1, 1] } else { %x }
      ..
      scf.yield .., .., %next
    }
    ```
  }];
  let options = [
    Option<"share", "share", "int64_t", "4", "a tile takes at most one in so many of the registers of a thread">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // SMX_GPU_ROWPASSES_TD
