//===- TileOps.td - tiles in registers and shared memory ----*- tablegen -*-===//
#ifndef SMX_GPU_TILEOPS_TD
#define SMX_GPU_TILEOPS_TD

include "smx/GPU/KernelOps.td"

def SmxGpu_Tile : StaticShapeTensorOf<[AnyFloat, AnySignlessInteger, Index]>;

def SmxGpu_Precision : I32EnumAttr<"Precision", "how operands wider than 16 bits are multiplied", [
    I32EnumAttrCase<"Exact", 0, "exact">,
    I32EnumAttrCase<"TF32x3", 1, "tf32x3">]> {
  let cppNamespace = "::mlir::smx::gpu";
  let genSpecializedAttr = 0;
}
def SmxGpu_PrecisionAttr : EnumAttr<SmxGpu_Dialect, SmxGpu_Precision, "precision"> {
  let assemblyFormat = "`<` $value `>`";
}

// Of a load and a store.
defvar memoryDeclarations = [{
  /// Where the tile is.
  ::mlir::MemRefType getMemoryType();
  /// Valid columns of adjacent rows.
  int64_t getAdjacentColumns();
}];

def SmxGpu_LoadOp : SmxGpu_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "a tile of global memory, in registers";
  let description = [{
    Dimension `d` of the tile runs along dimension `dims[d]` of the memref, from `offsets`; where
    `dims[d]` is -1 the tile repeats along `d`. With `valid`, only the first `valid[d]` places along
    each dimension are read, and the others are 0. `aligned` promises that all rows start at multiples
    of so many bytes. What is read `again` is not kept in registers from the first time on.

    What is `lasting` stays in the L2 cache while others leave, results above all: a hint.

    With `slid(%s)` row `r` of the tile lies `s[r]` columns further back: its column `c` is place `c - s[r]` from `offsets` on. What is
    before the first column of the memref is 0, as is what is not `valid`, of which there are that many places from `offsets` on, or none if
    it is negative.

    Rows that are `adjacent` are moved as one piece of memory, in accesses of 16 bytes and through shared memory, if a call's rows do follow one
    another without gaps. All threads meet there. Of such loads that follow each other all are asked for at the first one. Where columns are
    `unordered` in them, the valid ones of a row may stand in any order within it: so do whole words of shared memory, whichever element a row
    starts with.

    P1: there is one offset per dimension of the memref, and `dims` has one entry per tile dimension.
    P2: entries of `dims` are -1 or different dimensions of the memref.
    P3: `valid` is empty or has one entry per tile dimension.
    P4: element types agree.
    P17: `aligned` is 0 or a power of two, and a multiple of the bytes of an element.
    P34: what is read `again` is not `lasting`: such an access passes all caches of a multiprocessor.
    P39: a tile that is `slid` is striped, with one row for each of its threads, and has `valid`; its columns run along a dimension of stride
    1; and the slide has an index for each row, in the tile's layout. A slide is from 0 to one less than the layout's vectors have elements;
    `aligned` is about where the tile starts with it.
    P41: what is `adjacent` is a striped tile of a kernel's own body, whose rows run along a dimension of the memref, and columns along one of
    stride 1; the number of `valid` columns, if there is one, is a constant from 1 to the tile's; and it is not `slid`,
    `lasting`, or read `again`. Only what is `adjacent` is `unordered`.

    ```mlir
    %t = smx_gpu.load %x[%i, %j] valid(%m, %n) dims [0, 1] : memref<?x?xf32, strided<[?, 1], offset: ?>>
        -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
    %r = smx_gpu.load %x[%i, %c0] dims [-1, 1] lasting {aligned = 16} : memref<?x?xf32, strided<[?, 1], offset: ?>>
        -> tensor<1x512xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 4>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, Variadic<Index>:$valid, Optional<SmxGpu_Tile>:$slide,
                       DenseI64ArrayAttr:$dims, DefaultValuedAttr<I64Attr, "0">:$aligned,
                       UnitAttr:$again, UnitAttr:$lasting, UnitAttr:$adjacent, UnitAttr:$unordered);
  let results = (outs SmxGpu_Tile:$tile);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`valid` `(` $valid^ `)`)? (`slid` `(` $slide^ `:` type($slide) `)`)? `dims` $dims
    (`again` $again^)? (`lasting` $lasting^)? (`adjacent` $adjacent^)? (`unordered` $unordered^)? attr-dict `:` type($source) `->` type($tile)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = memoryDeclarations;
}

def SmxGpu_StoreOp : SmxGpu_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "a register tile, written to global memory";
  let description = [{
    As `smx_gpu.load`; places outside `valid` are not written. Of threads that hold the same element,
    one writes it. Where `dims[d]` is -1 only one place along `d` may be valid.

    P1 to P4, P17, P39 and P41 as for `smx_gpu.load`.

    ```mlir
    smx_gpu.store %t, %y[%i, %j] dims [0, 1] : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>,
        memref<?x?xf32, strided<[?, 1], offset: ?>>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$tile, AnyMemRef:$destination, Variadic<Index>:$offsets,
                       Variadic<Index>:$valid, Optional<SmxGpu_Tile>:$slide, DenseI64ArrayAttr:$dims,
                       DefaultValuedAttr<I64Attr, "0">:$aligned, UnitAttr:$adjacent);
  let assemblyFormat = [{
    $tile `,` $destination `[` $offsets `]` (`valid` `(` $valid^ `)`)? (`slid` `(` $slide^ `:` type($slide) `)`)?
    `dims` $dims (`adjacent` $adjacent^)? attr-dict
    `:` type($tile) `,` type($destination)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = memoryDeclarations;
}

def SmxGpu_PositionOp : SmxGpu_Op<"position", [Pure]> {
  let summary = "the place of each element along a dimension of its tile";
  let description = [{
    P5: the tile has that dimension, and index elements.

    ```mlir
    %j = smx_gpu.position 1 : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs SmxGpu_Tile:$tile);
  let assemblyFormat = "$dim attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def SmxGpu_SlideOp : SmxGpu_Op<"slide", [Pure]> {
  let summary = "how many elements each row of memory lies behind where an access may start";
  let description = [{
    Of the rows of a tile at `offsets`. Accesses start at multiples of as many bytes as the tile's vectors have: a tile that is slid by so many
    columns has its vectors where memory has them, wherever its rows start.

    P1 and P2 as for `smx_gpu.load`, of a tile of two dimensions.
    P40: the columns run along a dimension of stride 1; the result has index elements and is what is left of the rows of a striped tile.

    ```mlir
    %s = smx_gpu.slide %x[%i, %c0] dims [-1, 1] : memref<?x50257xbf16, strided<[?, 1], offset: ?>>
        -> tensor<1xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 1, columns = 128, vector = 8>>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, DenseI64ArrayAttr:$dims);
  let results = (outs SmxGpu_Tile:$rows);
  let assemblyFormat = "$source `[` $offsets `]` `dims` $dims attr-dict `:` type($source) `->` type($rows)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements between places where accesses may start.
    int64_t getUnit();
  }];
}

def SmxGpu_GatherOp : SmxGpu_Op<"gather", [MemoryEffects<[MemRead]>]> {
  let summary = "an element of global memory for each place of a tile";
  let description = [{
    Element `p` of the result is `source[indices[0][p], indices[1][p], ..]`. All indices must be in range.
    What an address has to do with its neighbours is not known: `smx_gpu.load` is faster where it fits.
    `again` as for `smx_gpu.load`.

    P19: there is one index per dimension of the memref, of index elements in the shape and layout of the result.
    P4 as for `smx_gpu.load`.

    ```mlir
    %ri = smx_gpu.position 0 : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    %ci = smx_gpu.position 1 : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    %t = smx_gpu.gather %x[%ri, %ci] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<SmxGpu_Tile>:$indices, UnitAttr:$again);
  let results = (outs SmxGpu_Tile:$tile);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def SmxGpu_AssertOp : SmxGpu_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "stops the kernel with a text where an element is false";
  let description = [{
    As `assert` in CUDA C: the launch fails with an error of the driver, and the text goes to the standard
    error of the process. What the executing thread does afterwards in the IR is not done.

    P20: the elements are i1.

    ```mlir
    %i = smx_gpu.position 1 : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    %n = arith.constant dense<64> : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    %inside = arith.cmpi slt, %i, %n : tensor<64x64xindex, #smx_gpu.fragment<warps = 4>>
    smx_gpu.assert %inside, "index out of range" : tensor<64x64xi1, #smx_gpu.fragment<warps = 4>>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$holds, StrAttr:$message);
  let assemblyFormat = "$holds `,` $message attr-dict `:` type($holds)";
  let hasVerifier = 1;
}

def SmxGpu_HoldOp : SmxGpu_Op<"hold", [AllTypesMatch<["tile", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the same tile; what was computed from it so far is not used again";
  let description = [{
    Costs nothing. What is computed from the result is computed anew, so that meanwhile registers hold
    the tile alone. Stays where it is among barriers and accesses to memory. A tile whose registers do not
    fill words of 32 bits is left as it is. Of a shared tile, what was read so far is not used again.

    ptxas unites equal instructions on both sides all the same: of a tile held `apart` bf16 and f16 are widened by others.

    ```mlir
    %x1 = smx_gpu.hold %x : tensor<1x8192xbf16, #smx_gpu.striped<rows = 1, columns = 128, vector = 8>>
    %y1 = smx_gpu.hold %y apart : tensor<1x8192xbf16, #smx_gpu.striped<rows = 1, columns = 128, vector = 8>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[SmxGpu_Tile, SmxGpu_SharedType]>:$tile, UnitAttr:$apart);
  let results = (outs AnyTypeOf<[SmxGpu_Tile, SmxGpu_SharedType]>:$result);
  let assemblyFormat = "$tile (`apart` $apart^)? attr-dict `:` type($result)";
}

def SmxGpu_ConvertOp : SmxGpu_Op<"convert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the same tile in another layout";
  let description = [{
    Goes through shared memory, with a barrier on both sides.

    P8: shape and element type stay.

    ```mlir
    %b = smx_gpu.convert %a : tensor<64x64xf32, #L> -> tensor<64x64xf32, #M>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$source);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def SmxGpu_AllocOp : SmxGpu_Op<"alloc", [HasParent<"KernelOp">]> {
  let summary = "a tile of shared memory, for the whole kernel";
  let description = [{
    ```mlir
    %s = smx_gpu.alloc : !smx_gpu.shared<64x128xbf16, swizzle = 128>
    ```
  }];
  let results = (outs Res<SmxGpu_SharedType, "", [MemAlloc]>:$shared);
  let assemblyFormat = "attr-dict `:` type($shared)";
}

def SmxGpu_CopyOp : SmxGpu_Op<"copy", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a tile of global memory, copied to shared memory by all warps; complete and seen by all when it ends";
  let description = [{
    Addresses as in `smx_gpu.load`, with `transposed` giving the memref dimension of each tile dimension.
    Threads copy in their order, row by row, `aligned` (at most 16) bytes at a time: of a single row without swizzle that 16 divides, warp `w` of `n` copies
    the places of 16 bytes `32 (w + n k)` to `32 (w + n k) + 31`. Where the threads that read or write the tile have just these places, nobody meets: each
    thread waits, at its first access, for what it has copied itself. `lasting` as for `smx_gpu.load`.

    P1 to P4 and P17 as for `smx_gpu.load`.

    ```mlir
    smx_gpu.copy %q[%i, %c0] to %s dims [0, 1] : memref<?x128xbf16, strided<[?, 1], offset: ?>>, !smx_gpu.shared<64x128xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, Variadic<Index>:$valid,
                       SmxGpu_SharedType:$shared, DenseI64ArrayAttr:$dims,
                       DefaultValuedAttr<I64Attr, "0">:$aligned, UnitAttr:$lasting);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`valid` `(` $valid^ `)`)? `to` $shared `dims` $dims
    (`lasting` $lasting^)? attr-dict `:` type($source) `,` type($shared)
  }];
  let hasVerifier = 1;
}

def SmxGpu_ReadOp : SmxGpu_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "a shared tile, in registers";
  let description = [{
    P9: shape and element type agree.

    ```mlir
    %t = smx_gpu.read %s : !smx_gpu.shared<64x128xbf16, swizzle = 128> -> tensor<64x128xbf16, #L>
    ```
  }];
  let arguments = (ins SmxGpu_SharedType:$shared);
  let results = (outs SmxGpu_Tile:$tile);
  let assemblyFormat = "$shared attr-dict `:` type($shared) `->` type($tile)";
  let hasVerifier = 1;
}

def SmxGpu_WriteOp : SmxGpu_Op<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "a register tile, written to shared memory";
  let description = [{
    Seen by other warps after a barrier.

    P9 as for `smx_gpu.read`.

    ```mlir
    smx_gpu.write %t, %s : tensor<64x128xbf16, #L>, !smx_gpu.shared<64x128xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$tile, SmxGpu_SharedType:$shared);
  let assemblyFormat = "$tile `,` $shared attr-dict `:` type($tile) `,` type($shared)";
  let hasVerifier = 1;
}

def SmxGpu_AOperand : AnyTypeOf<[SmxGpu_Tile, SmxGpu_SharedType]>;

class SmxGpu_ProductOp<string mnemonic, list<Trait> traits> : SmxGpu_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def SmxGpu_MmaOp : SmxGpu_ProductOp<"mma", [AllTypesMatch<["acc", "result"]>, MemoryEffects<[MemRead]>]> {
  let summary = "acc + a b, or acc + a b^T";
  let description = [{
    `a` is a register tile in the layout of the accumulator, or a shared tile; `b` is a shared tile,
    `K x N`, or `N x K` with `transpose_b`. 16-bit operands go through the matrix unit with an f32
    accumulator; wider ones are multiplied exactly (fused multiply-add) or as three TF32 products.
    With `guarded`, where `a` is -0 the term is 0, whatever `b` holds: weights of hidden places hide
    a NaN or an infinity of the value. A weight of +0 was too small for its type, and hides nothing.
    Whether `b` holds one is asked first, but with `terms`, where it is known: such a product goes term by term,
    and each warp makes it for its own rows, whether others do or not.

    P10: the shapes are those of a product.
    P11: the accumulator has a fragment layout, and a register operand `a` has the same.
    P12: `a` and `b` have one floating-point element type; the accumulator is f32, or f64 for f64 operands;
    only f32 is multiplied as `tf32x3`.
    P13: the reduced dimension is a multiple of 16 for 16-bit types and of 8 otherwise.
    P28: with `terms`, the product is guarded and of a 16-bit type.

    ```mlir
    %s = smx_gpu.mma %q, %k, %zero transpose_b : tensor<64x128xbf16, #L>, !smx_gpu.shared<32x128xbf16, swizzle = 128>
        -> tensor<64x32xf32, #L>
    ```
  }];
  let arguments = (ins SmxGpu_AOperand:$a, SmxGpu_SharedType:$b, SmxGpu_Tile:$acc, UnitAttr:$transpose_b, UnitAttr:$guarded,
                       UnitAttr:$terms,
                       DefaultValuedAttr<SmxGpu_PrecisionAttr, "::mlir::smx::gpu::Precision::Exact">:$precision);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`transpose_b` $transpose_b^)? (`guarded` $guarded^)? (`terms` $terms^)? (`precision` `(` custom<Precision>($precision)^ `)`)? attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let extraClassDeclaration = [{
    int64_t getReducedExtent();
  }];
}

def SmxGpu_MmaAsyncOp : SmxGpu_ProductOp<"mma_async", [AllTypesMatch<["acc", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a matrix product of a warpgroup that runs on its own";
  let description = [{
    As `smx_gpu.mma`, on operands in swizzled shared memory (or `a` in registers), executed by the matrix
    unit while the warps go on. The result can be read after `smx_gpu.wait` on the token.
    With `zero`, the product starts from zero and `acc` is not read.
    With `unless`, nothing is multiplied where the condition is true, which all threads of the group agree on: the
    result is `acc`.

    P10 to P13 as for `smx_gpu.mma`.
    P14: in the block of the product, the result is used once: by the `smx_gpu.wait` that the token is used
    by, or as `acc` of another `mma_async`, which is then the one to wait for.
    P18: operands are of a 16-bit type, shared ones with a swizzle, and the fragment has 4 warps.
    P29: a product that starts from zero has no `unless`.

    ```mlir
    %s, %t = smx_gpu.mma_async %q, %k, %acc transpose_b zero : !smx_gpu.shared<64x128xbf16, swizzle = 128>,
        !smx_gpu.shared<128x128xbf16, swizzle = 128> -> tensor<64x128xf32, #L>
    %r = smx_gpu.wait %t, %s : tensor<64x128xf32, #L>
    ```
  }];
  let arguments = (ins SmxGpu_AOperand:$a, SmxGpu_SharedType:$b, SmxGpu_Tile:$acc, UnitAttr:$transpose_b,
                       UnitAttr:$zero, Optional<I1>:$unless);
  let results = (outs SmxGpu_Tile:$result, SmxGpu_TokenType:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`transpose_b` $transpose_b^)? (`zero` $zero^)? (`unless` $unless^)? attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
}

def SmxGpu_NotFiniteOp : SmxGpu_Op<"not_finite", [MemoryEffects<[MemRead]>]> {
  let summary = "whether an element of a shared tile is a NaN or an infinity, asked by a group together";
  let description = [{
    All threads of the group get the same answer (K14). Weights that are 0 hide no such element by
    themselves: a product with this tile has to be `guarded`.

    P30: the elements are of a floating-point type of 16 bits.

    ```mlir
    %any = smx_gpu.not_finite %v : !smx_gpu.shared<128x64xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins SmxGpu_SharedType:$tile);
  let results = (outs I1:$isAny);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def SmxGpu_WaitOp : SmxGpu_Op<"wait", [AllTypesMatch<["tile", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the accumulator of a product, once the product is done";
  let description = [{
    Products finish in the order in which they were issued; at most `pending` later ones may still run.

    P15: the token comes from the product that made the tile, and is waited for once; `pending` is at most
    the number of products that are issued between that product and the wait.

    ```mlir
    %s, %t = smx_gpu.mma_async %q, %k, %zero transpose_b zero : !smx_gpu.shared<64x128xbf16, swizzle = 128>,
        !smx_gpu.shared<128x128xbf16, swizzle = 128> -> tensor<64x128xf32, #L>
    %o, %u = smx_gpu.mma_async %p, %v, %acc : tensor<64x128xbf16, #L>, !smx_gpu.shared<128x64xbf16, swizzle = 128>
        -> tensor<64x64xf32, #L>
    %scores = smx_gpu.wait %t, %s pending 1 : tensor<64x128xf32, #L>
    %sum = smx_gpu.wait %u, %o : tensor<64x64xf32, #L>
    ```
  }];
  let arguments = (ins SmxGpu_TokenType:$token, SmxGpu_Tile:$tile, DefaultValuedAttr<I64Attr, "0">:$pending);
  let results = (outs SmxGpu_Tile:$result);
  let assemblyFormat = "$token `,` $tile (`pending` $pending^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // SMX_GPU_TILEOPS_TD
