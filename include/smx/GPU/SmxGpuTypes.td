//===- SmxGpuTypes.td - layouts, shared tiles, channels -----*- tablegen -*-===//
#ifndef SMX_GPU_SMXGPUTYPES_TD
#define SMX_GPU_SMXGPUTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "smx/GPU/SmxGpuDialect.td"
include "smx/GPU/SmxGpuInterfaces.td"

class SmxGpu_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<SmxGpu_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def SmxGpu_FragmentAttr : SmxGpu_Attr<"Fragment", "fragment",
    [DeclareAttrInterfaceMethods<SmxGpu_LayoutAttrInterface>,
     DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let summary = "accumulator of a matrix product, rows over the warps";
  let description = [{
    Blocks of 16 rows go to the warps in turn. In a block, lane `l` holds rows `l/4` and `l/4 + 8`, and of
    every 8 columns the two at `2*(l%4)`. It is the accumulator of `mma.sync.m16n8` and of `wgmma`
    (`warps = 4`), and for 16-bit types their A operand.

    L1: two dimensions, rows a multiple of 16*warps and columns of 8.

    ```mlir
    tensor<128x64xf32, #smx_gpu.fragment<warps = 4>>
    ```
  }];
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` `warps` `=` $warps `>`";
  let genVerifyDecl = 1;
}

def SmxGpu_StripedAttr : SmxGpu_Attr<"Striped", "striped",
    [DeclareAttrInterfaceMethods<SmxGpu_LayoutAttrInterface>,
     DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let summary = "a grid of threads, each taking short vectors of a row";
  let description = [{
    `rows` x `columns` threads, columns fastest. A thread takes `vector` neighbouring columns at a time
    and every `rows`-th row, so that a warp reads a contiguous piece of memory.

    L2: two dimensions, rows a multiple of `rows` and columns of `columns * vector`.

    ```mlir
    tensor<1x4096xbf16, #smx_gpu.striped<rows = 1, columns = 128, vector = 8>>
    ```
  }];
  let parameters = (ins "int64_t":$rowThreads, "int64_t":$columnThreads, "int64_t":$vector);
  let assemblyFormat = "`<` `rows` `=` $rowThreads `,` `columns` `=` $columnThreads `,` `vector` `=` $vector `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whole warps hold a row, or an equal part of one does.
    bool fitsWarps() const {
      return getColumnThreads() % ::smx::gpu::warpThreads == 0 ||
             ::smx::gpu::warpThreads % getColumnThreads() == 0;
    }
  }];
}

def SmxGpu_SliceAttr : SmxGpu_Attr<"Slice", "slice",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let summary = "one value per row (or column) of a tile, held by every thread that holds a part of it";
  let description = [{
    What is left of a tile when dimension `dim` is reduced: every thread that held an element of the row
    holds the row's value. A broadcast back along `dim` therefore moves nothing.

    L3: `dim` is 0 or 1, and there is one dimension, of an extent that tiles of the layout can have.

    ```mlir
    tensor<128xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>
    ```
  }];
  let parameters = (ins "int64_t":$dim, "::mlir::smx::gpu::LayoutAttrInterface":$parent);
  let assemblyFormat = "`<` $dim `,` $parent `>`";
  let genVerifyDecl = 1;
}

class SmxGpu_Type<string name, string mnemonic_> : TypeDef<SmxGpu_Dialect, name> {
  let mnemonic = mnemonic_;
}

class SmxGpu_TileInMemory<string name, string mnemonic_> : SmxGpu_Type<name, mnemonic_> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SmxGpu_SharedType : SmxGpu_TileInMemory<"Shared", "shared"> {
  let summary = "a tile in shared memory";
  let description = [{
    Row-major rows, cut into panels of `swizzle` bytes of columns in which 16-byte chunks are permuted
    (0: not cut). See `smx::gpu::sharedOffset`.

    T1: two static dimensions of a type of 1, 2, 4 or 8 bytes.
    T2: `swizzle` is 0, 32, 64 or 128, and a row is a whole number of such spans.

    ```mlir
    !smx_gpu.shared<64x128xbf16, swizzle = 128>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$swizzle);
  let extraClassDeclaration = [{
    /// Bytes of the tile.
    int64_t getBytes() const;
  }];
}

def SmxGpu_ChannelType : SmxGpu_TileInMemory<"Channel", "channel"> {
  let summary = "a ring of shared tiles with a full and an empty barrier each";
  let description = [{
    Every group of the role that gets from it gets all tiles. Of a channel that is `dealt`, the groups get
    the tiles in turn: the first tile is for group 0.

    T1 and T2 as for `!smx_gpu.shared`.
    T3: the depth is at least 1.

    ```mlir
    !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
    !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2, dealt>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$swizzle,
                        "int64_t":$depth, "bool":$dealt);
  let builders = [TypeBuilder<(ins "ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType, "int64_t":$swizzle,
                                   "int64_t":$depth), [{
    return $_get($_ctxt, shape, elementType, swizzle, depth, /*dealt=*/false);
  }]>];
  let extraClassDeclaration = [{
    /// The type of one stage.
    SharedType getStageType() const {
      return SharedType::get(getContext(), getShape(), getElementType(), getSwizzle());
    }
  }];
}

def SmxGpu_TokenType : SmxGpu_Type<"Token", "token"> {
  let summary = "a group of asynchronous matrix products that has been issued";
  let description = [{
    `smx_gpu.mma_async` gives one, and `smx_gpu.wait` takes it: its operands are not written, and its result is not read, before.

    ```mlir
    !smx_gpu.token
    ```
  }];
}

def SmxGpu_TurnsType : SmxGpu_Type<"Turns", "turns"> {
  let summary = "an order in which warpgroups take turns";
  let description = [{
    T4: 2 to 7 groups, which have a pair of the 16 named barriers each.

    ```mlir
    !smx_gpu.turns<2>
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

#endif // SMX_GPU_SMXGPUTYPES_TD
