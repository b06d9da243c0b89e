//===- Passes.td - from states over rows to loops over tiles *- tablegen -*-===//
#ifndef SMX_TILING_PASSES_TD
#define SMX_TILING_PASSES_TD

include "mlir/Pass/PassBase.td"

def TilePass : Pass<"smx-tile", "::mlir::func::FuncOp"> {
  let summary = "turn every streaming reduction into loops over tiles";
  let description = [{
    An `scf.forall` runs over tiles of rows; inside it an `scf.for` streams the tiles of the
    reduced axis with the state in `iter_args`. Producers of the streamed tensors are computed
    tile by tile. Where a mask limits what a tile of rows sees, tiles that no row sees are not
    visited, tiles that all rows see are not masked, and only the ones in between are. Where references
    move rarely (`warpgroups`), loops of a mask that lets a row see at most 2048 keys are marked `smx.few_tiles`: a good part of
    their tiles are cut, so `smx-gpu-unite-loops` makes one loop of them. Those of a sliding window are visited from the last tile
    on (`from-diagonal`), and so are, under any mask, scores that depend on a key's place: they tend to be largest at the
    diagonal, and would move the reference in every tile. Where a tensor
    marks blocks (`#smx.blocks`), the tiles that are visited are listed in front, and loops run along
    the list. A tile of keys in pages (`smx.paged`) is a slice of one page: tiles divide it. Ragged
    tails are loops of their own, so that all other tiles have a static shape. A quantity that
    has a value per element (softmax itself) takes a second loop over the stream, unless one
    tile holds the whole row. Where the algebra can defer the quantity and a cache can hold the row,
    the second loop is over what the first one kept of every tile, beside the state's first
    component at that time.

    For the blocks of a GPU a stream may be cut into parts, where rows are so few that there are less blocks than run at once
    (decoding: one query and a long cache). Each block leaves the state of its part, and a second, small reduction over these
    states merges them in a fixed order, by the algebra for parts (`#smx.parts`). Counts are computed where extents are open.

    An accumulator that registers have no room for is cut along its columns as well, into strips, each for a block of its own: a
    head dim of 512 takes two of 256. Every strip computes the scores and the rest of the state again; what has no columns (the
    log-sum-exp) is the same number from each of them.

    Written against `StreamingReductionOpInterface`, `TilingInterface` (producers) and
    `MaskAttrInterface` (bounds).

    ```mlir
    %i:2 = smx.identity #a -> tensor<8xf32>, tensor<8xf32>
    %s:2 = smx.update #a (%i#0, %i#1 : ..) with (%x : tensor<8x128xf32>) maps [..]
    %y = smx.finish #a "logsumexp" (%s#0, %s#1 : ..) maps [..] : tensor<8xf32>
    ```
    ==> (`rows=4 stream=32`)
    ```mlir
    %y = scf.forall (%r) = (0) to (8) step (4) shared_outs(%o = %e) -> (tensor<8xf32>) {
      %i:2 = smx.identity #a -> tensor<4xf32>, tensor<4xf32>
      %s:2 = scf.for %j = %c0 to %c128 step %c32 iter_args(%m = %i#0, %l = %i#1) {
        %t = tensor.extract_slice %x[%r, %j] [4, 32] [1, 1]
        %u:2 = smx.update #a (%m, %l : ..) with (%t : tensor<4x32xf32>) maps [..]
        scf.yield %u#0, %u#1
      }
      %f = smx.finish #a "logsumexp" (%s#0, %s#1 : ..) maps [..] : tensor<4xf32>
      scf.forall.in_parallel { tensor.parallel_insert_slice %f into %o[%r] [4] [1] }
    }
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "0", "rows of a tile; 0 lets the model choose">,
    Option<"stream", "stream", "int64_t", "0", "extent of a tile along the stream; 0 lets the model choose">,
    Option<"residentBytes", "resident-bytes", "int64_t", "1048576",
           "rows whose f32 tile takes at most this many bytes are kept resident">,
    Option<"deferredBytes", "deferred-bytes", "int64_t", "8388608",
           "rows that are not resident and whose f32 tile takes at most this many bytes are seen once: "
           "what a tile gives is kept and corrected once the state is finished">,
    Option<"blocks", "blocks", "bool", "false",
           "tiles for the thread blocks of a GPU: sizes by another model, and one loop for all rows, "
           "whose last tile is shorter, instead of a loop for what is left">,
    Option<"rowBytes", "row-bytes", "int64_t", /*default=*/"::mlir::smx::blockRowBytes",
           "with blocks: a row is one tile if what is read of it takes at most this many bytes">,
    Option<"slidRowBytes", "slid-row-bytes", "int64_t", "0",
           "with blocks: so is one of 16-bit elements that ends within an access and is only read, of at most this many; 0: as any other">,
    Option<"alignment", "alignment", "int64_t", "16",
           "with blocks: bytes that rows are known to start at multiples of; below 16 more short rows are for one block, as one piece of memory">,
    Option<"heldBlocks", "held-blocks", "int64_t", "1",
           "with blocks: blocks of a cluster that hold a whole row of 16-bit elements which is read once; 1: no row">,
    Option<"stripBlocks", "strip-blocks", "int64_t", "1",
           "with blocks: blocks of a cluster that hold whole rows along another dimension than the fastest one of memory">,
    Option<"parts", "parts", "int64_t", "1",
           "with blocks: parts of a stream, each for a block of its own, where finished parts can be merged; 0 lets the model choose">,
    Option<"slots", "slots", "int64_t", "1", "with blocks: blocks of threads that run at once">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "166912",
           "with blocks: shared memory that a block can have, in bytes">,
    Option<"warpgroups", "warpgroups", "bool", "false",
           "with blocks: products of 16-bit types are made by warpgroups, which take 64 rows each">,
    Option<"multiprocessors", "multiprocessors", "int64_t", "0",
           "with warpgroups: blocks that run at once, one on each multiprocessor; 0: not known">,
    Option<"fromDiagonal", "from-diagonal", "bool", "false",
           "with warpgroups: scores in a sliding window are visited from the last tile that is seen on">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def WidenSumsPass : Pass<"smx-widen-sums", "::mlir::func::FuncOp"> {
  let summary = "sums of narrow floats are f32 until they are complete";
  let description = [{
    Front ends write a product of matrices of 16-bit floats, or a sum of their elements, with a result of that type: rounded whenever a term is
    added. Libraries do not compute it so, and no matrix unit does for bf16. Here its terms and its sum are f32, and the result is rounded once:

        round(.. round(round(0 + a b) + c d) ..)   becomes   round(0 + a b + c d ..)

    Ops outside of loops, whose body is a sum of elements or of products of two; all else stays.

    ```mlir
    %y = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xbf16>) -> tensor<?x?xbf16>
    ```
    ==>
    ```mlir
    %s = linalg.generic {..} ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros_f32 : tensor<?x?xf32>) {
      %u = arith.extf %a
      %v = arith.extf %b
      %t = arith.mulf %u, %v
      %r = arith.addf %t, %sum
    }
    %y = linalg.generic {..} ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xbf16>) { arith.truncf }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def GatherOperandsPass : Pass<"smx-gather-operands", "::mlir::func::FuncOp"> {
  let summary = "read operands that no tile can be cut from element by element";
  let description = [{
    An input of a parallel `linalg.generic` that is read at other places than those of loops (backwards, along a
    diagonal, a column of it, every second element) is read by the body: a kernel's part of an input for a tile is one of
    neighbours in the order of the loops. A CPU reads slices with a start and a stride as well (`keep-slices`), but none
    that go backwards, and no quotients or remainders of loops. Here with its index arithmetic folded:

    ```mlir
    %y = linalg.generic {maps = [(i, j) -> (i, 15 - j), #ij]} ins(%x) outs(%e) { ^bb0(%a, %o): linalg.yield %a }
    ```
    ==>
    ```mlir
    %y = linalg.generic {maps = [#ij]} outs(%e) { ^bb0(%o):
      %i = linalg.index 0
      %j = linalg.index 1
      %k = arith.subi %c15, %j
      %a = tensor.extract %x[%i, %k]
      linalg.yield %a
    }
    ```
  }];
  let options = [
    Option<"keepSlices", "keep-slices", "bool", "false",
           "only inputs whose part of a tile is no slice with a start and a stride">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def DropUnitReductionsPass : Pass<"smx-drop-unit-reductions", "::mlir::func::FuncOp"> {
  let summary = "compute reductions of one term element by element";
  let description = [{
    A loop of a `linalg.generic` that reduces one element is dropped, whatever it reduces by, as front ends write the
    conjunction of the bounds of one index:

    ```mlir
    %all = linalg.generic {maps = [(i, j) -> (i, j), (i, j) -> (i)], kinds = [parallel, reduction]}
        ins(%b : tensor<6x1xi1>) outs(%true : tensor<6xi1>) { ^bb0(%x, %o): arith.andi %o, %x .. }
    ```
    ==>
    ```mlir
    %c = tensor.collapse_shape %b [[0, 1]] : tensor<6x1xi1> into tensor<6xi1>
    %all = linalg.generic {maps = [#i, #i], kinds = [parallel]}
        ins(%c : tensor<6xi1>) outs(%true : tensor<6xi1>) { ^bb0(%x, %o): arith.andi %o, %x .. }
    ```

    Products of matrices stay.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def WidenFactorsPass : Pass<"smx-widen-factors", "::mlir::func::FuncOp"> {
  let summary = "give both factors of a product of matrices the wider one's type";
  let description = [{
    Kernels multiply factors of one type. Where a module multiplies floats of two, the narrower factor is converted by an
    op of its own, which rounds nothing; if the body rounds the wider one first, that is what is done. The weights of a state op, which are f32, are rounded to the type of the values,
    and are not seen here.

    ```mlir
    %c = linalg.generic .. ins(%a, %b : tensor<64x32xf32>, tensor<32x64xbf16>) {
      %w = arith.extf %in_1 : bf16 to f32 ..
    ```
    ==>
    ```mlir
    %w = linalg.generic .. ins(%b : tensor<32x64xbf16>) outs(%e : tensor<32x64xf32>) { arith.extf .. }
    %c = linalg.generic .. ins(%a, %w : tensor<64x32xf32>, tensor<32x64xf32>) ..
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TileOthersPass : Pass<"smx-tile-others", "::mlir::func::FuncOp"> {
  let summary = "loops over tiles for what no reduction took in, for the blocks of a GPU";
  let description = [{
    Whatever `linalg` op is still outside of all loops after `smx-tile` (a transpose, a cast of a
    result, a reduction that was not recognised) becomes a parallel loop over tiles of two of its
    dimensions, and an inner loop where it reduces. Of a sum of products each operand has one of the two; all other
    dimensions run one by one. Tiles have 64 x 64 elements; where memory runs
    along the same dimension in all operands and nothing is reduced, up to 512 along it and 8 of the
    one before; of short rows that may start anywhere (`alignment`) all of each, of long ones of 16 bits 1 x 4096. An op that reads results of such a
    loop, each of its tiles the same tile of all of them, is computed in that loop: the weights of a norm are read where its rows
    are. What it reads besides is there in tiles, unless the loop multiplies matrices. So is an op of single elements
    whose result such a loop reads, all of it, and others read, too: the sum of a residual is another result of the norm's loop.

    ```mlir
    %t = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
    ```
    ==>
    ```mlir
    %t = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 64) shared_outs(%o = %e) {
      %s = tensor.extract_slice %x[%j, %i] [%nj, %ni] [1, 1]
      %u = linalg.generic {#ji, #ij} ins(%s) ..
      scf.forall.in_parallel { tensor.parallel_insert_slice %u into %o[%i, %j] [%ni, %nj] [1, 1] }
    }
    ```
  }];
  let options = [
    Option<"alignment", "alignment", "int64_t", "16",
           "bytes that rows are known to start at multiples of; below 16 tiles have whole short rows, as one piece of memory, or are parts of single rows">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def RowsInLanesPass : Pass<"smx-rows-in-lanes"> {
  let summary = "lay score tiles and accumulators out with the rows in the fastest dimension";
  let description = [{
    A CPU layout for reductions with an accumulator: scores become `[.., stream, rows]` and the
    accumulator `[.., columns, rows]`. The rows of a tile then sit in vector lanes, so the
    running maximum, the running sum and the rescaling need no reduction across lanes, and keys
    and values are read as they lie, one broadcast element at a time. Operands of the products
    are widened to the type of the accumulator. Only maps change; the algebra does not.

    ```mlir
    %s = linalg.generic {#q_id, #k_jd, #s_ij} ins(%q, %k) ..    // tensor<64x128xf32>
    %u:3 = smx.update #a (%m, %l, %acc : .., tensor<64x32xf32>) with (%s, %v : ..) maps [#i, #i, #id, #ij, #jd]
    ```
    ==>
    ```mlir
    %s = linalg.generic {#q_di, #k_jd, #s_ji} ins(%q_transposed, %k) ..    // tensor<128x64xf32>
    %u:3 = smx.update #a (%m, %l, %acc : .., tensor<32x64xf32>) with (%s, %v : ..) maps [#i, #i, #di, #ji, #jd]
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandStatePass : Pass<"smx-expand-state"> {
  let summary = "write state ops as arithmetic on (m, l, acc)";
  let description = [{
    Replaces `smx.identity`, `smx.update`, `smx.merge` and `smx.finish` by what their algebra says,
    `smx.mask` by a select, and an `smx.paged` that nothing reads in place by a gather. Each step is one `linalg` op, named by its location.

    ```mlir
    %m1, %l1 = smx.update #smx.softmax<exp> (%m, %l : ..) with (%x : tensor<4x32xf32>) maps [..]
    ```
    ==>
    ```mlir
    %t = linalg.generic .. reduction .. ins(%x) outs(%minus_infinity)      // tile maximum
    %r:4 = linalg.generic .. ins(%m, %l, %t)        // m1, the guarded m1, a = exp(m - m1), l*a
    %s = linalg.generic .. reduction .. ins(%x, %r#1) outs(%zero)          // sum exp(x - m1), in f64
    %l1 = linalg.generic .. ins(%s) outs(%r#3)                             // l1 = l*a + s
    ```

    The difference `x - m1` may be contracted into the exponential, which is what keeps f32 within a few units in the last
    place. Of scores in half precision the weights are `exp2`, of which only as many bits are asked for as matter to the
    result (`result_bits`), and the sum is f32. Of f32 rows from 2048 on, and of any of
    which only a logarithm is asked, 22 bits are asked for, until parts of a row have references of their own
    (`smx-gpu-partial-states`); 19 are, if the row was widened from 16 bits and all that is made of it is a number.
    Without an accumulator the first tile of a row, whose state is an `smx.identity`, has nothing to rescale:
    m1 = t, l1 = s.

    What a mask hides has the score -inf and the weight -0, which products leave out. A score that is -inf by itself has the weight +0:
    weights are marked by the condition of the mask, which their generic computes once more, or with `serial-sums`, where it is a
    region's, by scores of which those that are seen are kept above -inf.

    With an accumulator the weights are kept: one generic gives `p = exp(x - m1)` and `l1`, the
    next two rescale the accumulator and add the product of weights and values. In base 2 the second generic then also gives
    the factor of scores, `p = exp2(f x - m1)`: log2(e), or a power of two in rows whose m1 is beyond 2^28 either way, where anything else
    would round by more than weights are apart (-1e10 added to all scores of a row). With `slack`, `m1` is still `m` where
    the maximum is at most so many powers of two above it, and with `lead` one that moves again goes on beyond the maximum,
    where the type of values has room for such small weights (include/smx/IR/ReferenceSlack.h).
  }];
  let options = [
    Option<"slack", "slack", "double", "0",
           "powers of two that the reference of a state with an accumulator may be behind the maximum">,
    Option<"lead", "lead", "double", "0",
           "powers of two that it goes beyond the maximum when it moves again; with a slack">,
    Option<"serialSums", "serial-sums", "bool", "false",
           "few threads add up all terms of a tile: f32 moments have sums in f64">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // SMX_TILING_PASSES_TD
