//===- ChannelOps.td - tiles on their way through shared memory *- tablegen -*-===//
#ifndef SMX_GPU_CHANNELOPS_TD
#define SMX_GPU_CHANNELOPS_TD

include "smx/GPU/TileOps.td"

def SmxGpu_CopyKind : I32EnumAttr<"CopyKind", "who moves the bytes of a put", [
    I32EnumAttrCase<"Plain", 0, "plain">,
    I32EnumAttrCase<"Async", 1, "async">,
    I32EnumAttrCase<"Tensor", 2, "tensor">]> {
  let cppNamespace = "::mlir::smx::gpu";
  let genSpecializedAttr = 0;
}
def SmxGpu_CopyKindAttr : EnumAttr<SmxGpu_Dialect, SmxGpu_CopyKind, "copy_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def SmxGpu_MakeChannelOp : SmxGpu_Op<"make_channel", [HasParent<"KernelOp">]> {
  let summary = "a ring of shared tiles, empty";
  let description = [{
    C5: a channel is used by `put`, `get` and `release`, here or in the roles that it is passed to.
    C6: one place, a role or the kernel around the roles, puts; and one place gets and releases.

    ```mlir
    %c = smx_gpu.make_channel : !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
    ```
  }];
  let results = (outs Res<SmxGpu_ChannelType, "", [MemAlloc]>:$channel);
  let assemblyFormat = "attr-dict `:` type($channel)";
}

def SmxGpu_PutOp : SmxGpu_Op<"put", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the next tile of a channel starts on its way from global memory";
  let description = [{
    Waits until the oldest stage is empty, and returns before the bytes have arrived. `plain`: by loads
    and stores of the executing warps; `async`: by their asynchronous copies (16 bytes each);
    `tensor`: by the tensor copy engine, issued by one thread. Addresses as in `smx_gpu.load`; what is not
    valid is 0, and for `tensor` what lies outside of the memref along the tile's dimensions.

    `multicast`: all blocks of the cluster put the same tile, and each copies a part of its rows, to all of them. So
    a stage is empty when the readers of all blocks have released it, and full when all blocks have put. Every put
    into such a channel is of that kind, and the blocks meet after their last release (`smx_gpu.cluster_barrier`).

    P1 to P4 as for `smx_gpu.load`, the tile being a stage of the channel.
    P17 as for `smx_gpu.load`.
    C1: a copy by `async` moves 16 bytes at a time: rows start at multiples of 16 bytes (`aligned`), are a
    multiple of 16 bytes long, and run along a dimension of stride 1.
    C3: a copy by `tensor` is to a channel with a swizzle, of a multiple of 8 and at most 256 rows, along
    two dimensions of the memref, the second one of stride 1, and has no valid extents.
    C4: a `multicast` is a copy by `tensor` in a cluster of several blocks, each of which has a multiple of 8 rows.

    ```mlir
    smx_gpu.put %k[%b, %j, %c0] valid(%n, %c128) into %c dims [1, 2] copy(async) {aligned = 16}
        : memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>>, !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, Variadic<Index>:$valid,
                       SmxGpu_ChannelType:$channel, DenseI64ArrayAttr:$dims, SmxGpu_CopyKindAttr:$copy,
                       DefaultValuedAttr<I64Attr, "0">:$aligned, UnitAttr:$multicast);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`valid` `(` $valid^ `)`)? `into` $channel `dims` $dims
    `copy` `(` custom<CopyKind>($copy) `)` attr-dict `:` type($source) `,` type($channel)
  }];
  let hasVerifier = 1;
}

def SmxGpu_GetOp : SmxGpu_Op<"get", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the oldest tile that was put and not yet got, once its bytes are there";
  let description = [{
    The tile may be read until it is released.

    C2: the result is a stage of the channel.

    ```mlir
    %k = smx_gpu.get %c : !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2> -> !smx_gpu.shared<64x128xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins SmxGpu_ChannelType:$channel);
  let results = (outs SmxGpu_SharedType:$tile);
  let assemblyFormat = "$channel attr-dict `:` type($channel) `->` type($tile)";
  let hasVerifier = 1;
}

def SmxGpu_ReleaseOp : SmxGpu_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the oldest tile that was got may be overwritten";
  let description = [{
    ```mlir
    smx_gpu.release %c : !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
    ```
  }];
  let arguments = (ins SmxGpu_ChannelType:$channel);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def SmxGpu_TensorStoreOp : SmxGpu_Op<"tensor_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a register tile starts on its way to global memory, through shared memory, by the tensor copy engine";
  let description = [{
    Group `g` of the role leaves its tile of `n` rows in rows `g n` to `g n + n - 1` of the shared tile, and the engine takes it
    from there; what lies outside of the memref along the tile's dimensions is not written. A shared tile with fewer columns takes
    one span of the swizzle after the other. Waits until the engine has read
    what the warps have left in shared memory before, so that no store overwrites another one, and returns before memory is
    written: that has happened when the kernel ends.

    P1, P2, P4 and P17 as for `smx_gpu.load`.
    P31: the tile is a fragment of a 16-bit type; the shared tile has its element type, as many rows as the tiles of all groups
    of the role, its columns or a part that divides them, and a swizzle.
    P32: the op stands in a role, and the shared tile is an `alloc` that is used by such stores of this role and by nothing else.
    P33: the tile runs along two dimensions of the memref, the second one of stride 1.

    ```mlir
    %s = smx_gpu.alloc : !smx_gpu.shared<128x64xbf16, swizzle = 128>
    smx_gpu.warp_specialize {
      smx_gpu.role @compute warps(8) group(4) (%through = %s : !smx_gpu.shared<128x64xbf16, swizzle = 128>, %m = %y : memref<?x64xbf16>) {
        %c0 = arith.constant 0 : index
        %o = arith.constant dense<1.0> : tensor<64x64xbf16, #smx_gpu.fragment<warps = 4>>
        smx_gpu.tensor_store %o, %m[%c0, %c0] through %through dims [0, 1] {aligned = 16} : tensor<64x64xbf16, #smx_gpu.fragment<warps = 4>>,
            memref<?x64xbf16>, !smx_gpu.shared<128x64xbf16, swizzle = 128>
      }
    }
    ```
  }];
  let arguments = (ins SmxGpu_Tile:$tile, AnyMemRef:$destination, Variadic<Index>:$offsets, SmxGpu_SharedType:$shared,
                       DenseI64ArrayAttr:$dims, DefaultValuedAttr<I64Attr, "0">:$aligned);
  let assemblyFormat = [{
    $tile `,` $destination `[` $offsets `]` `through` $shared `dims` $dims attr-dict
    `:` type($tile) `,` type($destination) `,` type($shared)
  }];
  let hasVerifier = 1;
}

#endif // SMX_GPU_CHANNELOPS_TD
