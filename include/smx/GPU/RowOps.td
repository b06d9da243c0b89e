//===- RowOps.td - values of the rows of tiles --------------*- tablegen -*-===//
#ifndef SMX_GPU_ROWOPS_TD
#define SMX_GPU_ROWOPS_TD

include "smx/GPU/ChannelOps.td"

def SmxGpu_Combiner : I32EnumAttr<"Combiner", "how two values of a row become one", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
    I32EnumAttrCase<"Maximum", 2, "maximum">, I32EnumAttrCase<"MaxNum", 3, "maxnum">,
    I32EnumAttrCase<"Minimum", 4, "minimum">, I32EnumAttrCase<"MinNum", 5, "minnum">,
    I32EnumAttrCase<"MaxSI", 6, "maxsi">, I32EnumAttrCase<"MinSI", 7, "minsi">]> {
  let cppNamespace = "::mlir::smx::gpu";
  let genSpecializedAttr = 0;
}
def SmxGpu_CombinerAttr : EnumAttr<SmxGpu_Dialect, SmxGpu_Combiner, "combiner"> {
  let assemblyFormat = "`<` $value `>`";
}

def SmxGpu_ReduceOp : SmxGpu_Op<"reduce", [Pure]> {
  let summary = "a row reduction across registers, lanes and warps";
  let description = [{
    Every thread that held a part of a row gets the row's value, so the result has the slice of the
    layout. The order of combination is fixed by the layout: results are the same in every run.

    P6: the tile is two-dimensional with a layout, and the result is its slice along `dim`; `maxsi` and
    `minsi` are of integer or index elements, all other maxima and minima of floating-point ones.

    ```mlir
    %m = smx_gpu.reduce <maxnum> %s dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #smx_gpu.slice<1, #L>>
    ```
  }];
  let arguments = (ins SmxGpu_CombinerAttr:$kind, SmxGpu_Tile:$tile, I64Attr:$dim);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = "$kind $tile `dim` $dim attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def SmxGpu_LargestOp : SmxGpu_Op<"largest", [AttrSizedOperandSegments, SameVariadicResultSize, MemoryEffects<[MemRead]>]> {
  let summary = "the largest elements of each row, falling, and their columns";
  let description = [{
    As many as there are values in the result, in the type of the elements. Of equal elements the one of the lowest column comes
    first, 0 and -0 are equal, and NaN counts as larger than any number. Every thread that held a part of a row gets them.

    With `ranks` there is a tile of values and one of columns instead: in its column r the largest but r, from the last rank on
    the smallest of them again. What is computed from them is then computed by as many lanes at once.

    Of a row in memory that was streamed, the tile has the maxima: in column c that of the elements c, c + n, c + 2n, .. of `extent` ones,
    where n are the columns of the tile. The largest elements of the row are found then, and those threads that have a maximum among
    the largest ones read theirs again; who has columns behind the extent does not read these. With `valid` only so many elements, one
    at least, are there; where these are fewer than results, the last ones have columns that are not below `valid`.

    With `rounds` each thread also says in which `span` of columns, from where on, its maximum is, and what is not below any number of
    its own elsewhere: who has nothing else among the largest reads that span only.

    P27: the tile is two-dimensional and striped, whole warps or an equal part of one hold each row, the elements are f32, f16 or bf16, and there are
    at least as many columns as results; values have the slice of the layout along dimension 1, and so have columns, of
    index elements. With ranks, both have the layout of the tile with vectors of one element, as many rows, and a column at least for each. The tile of a
    row in memory has one row; there is an offset for each dimension of the memory, along the last of which the elements lie, of the type of
    those of the tile; each thread has a vector of the tile, and the extent is not less than its columns. `aligned` says what bytes a vector
    of the row lies at multiples of; `valid` is for a row in memory, and a multiple of as many.
    Rounds are of a row in memory: an i32 of each thread, a multiple of the span, and an element; the span is a multiple of the
    columns of the tile.

    ```mlir
    %v, %c = smx_gpu.largest %x : tensor<4x64xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 2>>
        -> tensor<4xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 4, columns = 32, vector = 2>>>
        at tensor<4xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 4, columns = 32, vector = 2>>>
    %v5, %c5 = smx_gpu.largest %x ranks(5) : tensor<4x64xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 2>>
        -> tensor<4x32xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 1>>
        at tensor<4x32xindex, #smx_gpu.striped<rows = 4, columns = 32, vector = 1>>
    %v1, %c1 = smx_gpu.largest %m of %r[%i, %j] extent(4096)
        : tensor<1x256xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 2>>, memref<?x4096xf32>
        -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 2>>>
        at tensor<1xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 2>>>
    %starts = arith.constant dense<0> : tensor<128xi32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 128, columns = 1, vector = 2>>>
    %seconds = arith.constant dense<1.0> : tensor<128xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 128, columns = 1, vector = 2>>>
    %v2, %c2 = smx_gpu.largest %m of %r[%i, %j] extent(4096) rounds(%starts, %seconds span 1024)
        : tensor<1x256xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 2>>, memref<?x4096xf32>
        rounds tensor<128xi32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 128, columns = 1, vector = 2>>>,
               tensor<128xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 128, columns = 1, vector = 2>>>
        -> tensor<1xf32, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 2>>>
        at tensor<1xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 2>>>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$tile, Optional<AnyMemRef>:$memory, Variadic<Index>:$offsets, Optional<Index>:$valid,
                       Optional<SmxGpu_Tile>:$starts, Optional<SmxGpu_Tile>:$seconds,
                       DefaultValuedAttr<I64Attr, "0">:$extent, DefaultValuedAttr<I64Attr, "0">:$aligned,
                       DefaultValuedAttr<I64Attr, "0">:$span, OptionalAttr<I64Attr>:$ranks);
  let results = (outs Variadic<SmxGpu_Tile>:$values, Variadic<SmxGpu_Tile>:$columns);
  let assemblyFormat = [{
    $tile (`of` $memory^ `[` $offsets `]` `extent` `(` $extent `)`)? (`valid` `(` $valid^ `)`)?
    (`rounds` `(` $starts^ `,` $seconds `span` $span `)`)? (`ranks` `(` $ranks^ `)`)? attr-dict
    `:` type($tile) (`,` type($memory)^)? (`rounds` type($starts)^ `,` type($seconds))? `->` type($values) `at` type($columns)
  }];
  let extraClassDeclaration = [{
    /// How many of a row are found.
    int64_t getCount() { return getRanks().value_or(getValues().size()); }
    /// The type of one element of each row.
    ::mlir::RankedTensorType getSliceType();
  }];
  let hasVerifier = 1;
}

def SmxGpu_PartialReduceOp : SmxGpu_Op<"partial_reduce", [Pure]> {
  let summary = "columns of a tile, combined with those that the same thread holds";
  let description = [{
    Column `c` of the result combines the columns `c`, `c + n`, `c + 2n`, .. of the tile, where `n` are the columns of
    the result. Nothing is exchanged between lanes: what a loop sums up this way is reduced once, after the loop.

    P25: both tiles have one element type, one layout and the same rows; the columns of the result are a multiple of
    what a row of threads holds at a time (8 of a fragment, the columns times the vector of stripes), and divide those
    of the tile; the combiner is one that `smx_gpu.reduce` has for the elements.

    ```mlir
    %l1 = smx_gpu.partial_reduce <add> %p : tensor<64x128xf32, #L> -> tensor<64x8xf32, #L>
    ```
  }];
  let arguments = (ins SmxGpu_CombinerAttr:$kind, SmxGpu_Tile:$tile);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = "$kind $tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def SmxGpu_AnyOp : SmxGpu_Op<"any", [Pure]> {
  let summary = "whether some element is true, asked by each warp of its own elements";
  let description = [{
    The answer may differ between warps, and for warps without such an element it may be either: what depends on it has to be
    right both ways where all elements are false. A branch on it is taken by whole warps, and holds nothing that
    groups or blocks execute together (K14).

    P26: the elements are i1.

    ```mlir
    %i = smx_gpu.position 1 : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    %n = arith.constant dense<8> : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    %c = arith.cmpi sge, %i, %n : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    %beyond = smx_gpu.any %c : tensor<64x64xi1, #smx_gpu.fragment<warps = 4>>
    %j = scf.if %beyond -> (tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>) {
      %rest = arith.remui %i, %n : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
      scf.yield %rest : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    } else {
      scf.yield %i : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    }
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$elements);
  let results = (outs I1:$isAny);
  let assemblyFormat = "$elements attr-dict `:` type($elements)";
  let hasVerifier = 1;
}

def SmxGpu_AnyOfWarpsOp : SmxGpu_Op<"any_of_warps", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "whether something is true in some warp of the group";
  let description = [{
    All warps of a group have the answer, and wait for each other. So a branch on it may hold what they execute together (K14),
    also where the question depends on `smx_gpu.any`.

    ```mlir
    %expected = arith.cmpi sgt, %left, %c0 : index
    %rises = smx_gpu.any_of_warps %expected
    ```
  }];
  let arguments = (ins I1:$isTrue);
  let results = (outs I1:$isAny);
  let assemblyFormat = "$isTrue attr-dict";
}

def SmxGpu_BroadcastOp : SmxGpu_Op<"broadcast", [Pure]> {
  let summary = "one value per row, repeated along the row";
  let description = [{
    P7: the operand is the slice of the result's layout along one dimension. Of a striped one along dimension 1, vectors may differ: a
    thread holds the same rows.

    ```mlir
    %b = smx_gpu.broadcast %m : tensor<64xf32, #smx_gpu.slice<1, #L>> -> tensor<64x64xf32, #L>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$values);
  let results = (outs SmxGpu_Tile:$tile);
  let assemblyFormat = "$values attr-dict `:` type($values) `->` type($tile)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def SmxGpu_RescaleOp : SmxGpu_Op<"rescale", [Pure, AllTypesMatch<["tile", "result"]>]> {
  let summary = "each row times its factor, which is mostly 1";
  let description = [{
    The product of the tile and the broadcast factors. A warp whose factors are all 1 leaves its rows alone.

    P21: there is one factor to a row: they are the slice of the tile's layout along dimension 1.

    ```mlir
    %o1 = smx_gpu.rescale %o by %f : tensor<64x64xf32, #L>, tensor<64xf32, #smx_gpu.slice<1, #L>>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$tile, SmxGpu_Tile:$factors);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = "$tile `by` $factors attr-dict `:` type($tile) `,` type($factors)";
  let hasVerifier = 1;
}

def SmxGpu_ClusterReduceOp : SmxGpu_Op<"cluster_reduce", [
    AllTypesMatch<["values", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a reduction of per-row values over the blocks of a cluster";
  let description = [{
    Through distributed shared memory; every block gets the result, combined in the order of ranks.

    P16: the values have a slice layout.

    ```mlir
    %m1 = smx_gpu.cluster_reduce <maxnum> %m : tensor<64xf32, #smx_gpu.slice<1, #L>>
    ```
  }];
  let arguments = (ins SmxGpu_CombinerAttr:$kind, SmxGpu_Tile:$values);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = "$kind $values attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // SMX_GPU_ROWOPS_TD
