//===- PartOps.td - rows that warps hold in parts -----------*- tablegen -*-===//
#ifndef SMX_GPU_PARTOPS_TD
#define SMX_GPU_PARTOPS_TD

include "smx/GPU/RowOps.td"

def SmxGpu_PartsOp : SmxGpu_Op<"parts", [Pure]> {
  let summary = "what each warp or thread holds of one row, as a row of its own";
  let description = [{
    The threads and registers stay; row `w` of the result is what warp `w` holds, in the order of columns. A reduction along
    the rows of the result is one of each warp, which needs no other one. So it is for threads, whose reductions need no
    other lane; and of values that threads have one of each, the result is a row of those of each warp.

    P22: the operand is one row in a striped layout of whole warps; the result has a row for each of them, in the striped
    layout of 32 columns with the same vectors, or for each thread, in that of one column, and the same number and type of
    elements; or the result is such a row, and the operand its parts. Or the operand is a slice along dimension 1 of the
    striped layout of one column, a value for each thread of whole warps, and the result has a row for each warp, in the
    striped layout of 32 columns with vectors of 1.

    ```mlir
    %p = smx_gpu.parts %x : tensor<1x4096xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 4>>
        -> tensor<4x1024xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 4>>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$tile);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def SmxGpu_CollectOp : SmxGpu_Op<"collect", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "every warp gets the values of all warps, of all blocks of the cluster";
  let description = [{
    One exchange for all operands: through shared memory, and of a cluster through that of all its blocks. Column
    `rank * rows + row` of every row of a result is the value of that row in the block of that rank; columns beyond the
    last block hold the element of `fill` for the operand. `in_block`: of this block alone.

    P23: operands are slices along dimension 1 of a striped layout with a row for each warp, one value a row, or all of
    them of one with a single row of all threads, one value a block; each has a result of its element type with a column for
    every value, rounded up to a power of two or, of more than 32, to a multiple of 32, in the striped layout of vectors of 1
    that has as many columns, at most 32, and a row for every so many threads; `fill` has an element of that type for each.

    ```mlir
    %ms, %ls = smx_gpu.collect %m, %l fill [0xFF800000 : f32, 0.0 : f32]
        : tensor<4xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 4, columns = 32, vector = 4>>>,
          tensor<4xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 4, columns = 32, vector = 4>>>
        -> tensor<32x4xf32, #smx_gpu.striped<rows = 32, columns = 4, vector = 1>>,
           tensor<32x4xf32, #smx_gpu.striped<rows = 32, columns = 4, vector = 1>>
    ```
  }];
  let arguments = (ins Variadic<SmxGpu_Tile>:$values, ArrayAttr:$fill, UnitAttr:$in_block);
  let results = (outs Variadic<SmxGpu_Tile>:$collected);
  let extraClassDeclaration = [{
    /// The tile of so many values of that element type, in so many warps.
    static ::mlir::RankedTensorType typeOf(::mlir::Type element, int64_t values, int64_t warps);
    /// Blocks whose values are collected, and values of each of them.
    int64_t getBlocks();
    int64_t getValuesOfBlock() {
      return ::llvm::cast<::mlir::RankedTensorType>(getValues().front().getType()).getNumElements();
    }
  }];
  let assemblyFormat = "$values (`in_block` $in_block^)? `fill` $fill attr-dict `:` type($values) `->` type($collected)";
  let hasVerifier = 1;
}

def SmxGpu_AgreedOp : SmxGpu_Op<"agreed", [Pure]> {
  let summary = "the value that all rows have, as that of one row of all threads";
  let description = [{
    P24: the operand is a slice along dimension 1 of a striped layout of whole warps, whose rows have a number of threads
    that divides 32, one value a row; the result is that of a striped layout of as many threads, with one row or one for each
    warp, and has an element of the same type for each.

    ```mlir
    %m1 = smx_gpu.agreed %m : tensor<32xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 32, columns = 4, vector = 1>>>
        -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 4>>>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$values);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = "$values attr-dict `:` type($values) `->` type($result)";
  let hasVerifier = 1;
}

#endif // SMX_GPU_PARTOPS_TD
