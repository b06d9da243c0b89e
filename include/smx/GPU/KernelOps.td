//===- KernelOps.td - kernels, roles, turns, clusters -------*- tablegen -*-===//
#ifndef SMX_GPU_KERNELOPS_TD
#define SMX_GPU_KERNELOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "smx/GPU/SmxGpuTypes.td"

/// K11.
def SmxGpu_InKernel : NativeOpTrait<"InKernel"> {
  let cppNamespace = "::mlir::smx::gpu";
}

class SmxGpu_Op<string mnemonic, list<Trait> traits = []>
    : Op<SmxGpu_Dialect, mnemonic, traits # [SmxGpu_InKernel]>;

/// Ops that order themselves against all accesses to shared memory.
class SmxGpu_SharedMemoryOp<string mnemonic, list<Trait> traits = []>
    : SmxGpu_Op<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>]>;

def SmxGpu_KernelOp : Op<SmxGpu_Dialect, "kernel", [
    IsolatedFromAbove, FunctionOpInterface, AutomaticAllocationScope]> {
  let summary = "a kernel: what one block of threads does";
  let description = [{
    `warps` warps execute the body; `cluster` blocks share their shared memory (1: none). Arguments are
    memrefs in global memory with a unit stride in the fastest dimension, index values and scalars.
    The block's position in the grid is `gpu.block_id`. `min_blocks` (K8: 1 to 32) blocks are to run on a
    multiprocessor at the same time, so that a thread has at most 65536 / (32 `warps` `min_blocks`) registers.

    K1: there is at least one warp and at most 32.
    K2: a cluster has 1, 2, 4, 8 or 16 blocks.
    K3: all shared tiles and channels together fit the chip's shared memory, `shared_limit` bytes.
    K4: arguments are memrefs with strides in global memory, index, integer or float values, and nothing
    is returned.
    K5: of every channel that is used, the ops that put and the ops that get are both there.
    K10: the body ends with `smx_gpu.return` and holds no code of a single thread: of the `gpu` dialect,
    only `gpu.block_id` and `gpu.grid_dim`.
    K11: all other ops of the dialect but `smx_gpu.launch` stand in a kernel.
    L4: every tensor in the body has a layout, and the threads of the layout are those that compute the
    tile: all of the kernel, or of a group of the role.

    ```mlir
    smx_gpu.kernel @copy(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) warps(4) {
      %i = gpu.block_id x
      %j = gpu.block_id y
      %t = smx_gpu.load %x[%i, %j] dims [0, 1] : memref<?x?xf32, strided<[?, 1], offset: ?>>
          -> tensor<1x512xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 4>>
      smx_gpu.store %t, %y[%i, %j] dims [0, 1] : tensor<1x512xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 4>>,
          memref<?x?xf32, strided<[?, 1], offset: ?>>
      smx_gpu.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       I64Attr:$warps, DefaultValuedAttr<I64Attr, "1">:$cluster,
                       DefaultValuedAttr<I64Attr, "101376">:$shared_limit,
                       DefaultValuedAttr<I64Attr, "1">:$min_blocks);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Bytes of shared memory that the tiles and channels of the kernel take, with their alignment.
    int64_t getSharedBytes();
    /// One more argument, the last one. Launches are to give it.
    ::mlir::Value appendArgument(::mlir::Type type);
  }];
}

def SmxGpu_ReturnOp : SmxGpu_Op<"return", [Pure, Terminator, ParentOneOf<["KernelOp", "RoleOp"]>]> {
  let summary = "the end of a kernel or a role";
  let description = [{
    ```mlir
    smx_gpu.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def SmxGpu_LaunchOp : Op<SmxGpu_Dialect, "launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the host starts a kernel on a grid of blocks";
  let description = [{
    A grid with an extent of 0 launches nothing.

    K6: the kernel exists and takes these arguments, and the launch is not in a kernel itself.

    ```mlir
    smx_gpu.launch @copy grid(%n, %m, %c1) (%x, %y : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32, strided<[?, 1], offset: ?>>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$grid_x, Index:$grid_y, Index:$grid_z,
                       Variadic<AnyType>:$arguments);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid_x `,` $grid_y `,` $grid_z `)` (`(` $arguments^ `:` type($arguments) `)`)? attr-dict
  }];
}

def SmxGpu_WarpSpecializeOp : SmxGpu_Op<"warp_specialize", [
    NoRegionArguments, SingleBlock, NoTerminator, RecursiveMemoryEffects, HasParent<"KernelOp">]> {
  let summary = "different warps do different things";
  let description = [{
    Holds one `smx_gpu.role` per role. The warps of the kernel are given to the roles in order.

    K7: the body holds roles only, of different names, and their warps are the warps of the kernel.
    K8: register requests are multiples of 8 from 24 to 240, of whole warpgroups, and together fit the
    register file as often as `min_blocks` says.

    ```mlir
    smx_gpu.warp_specialize {
      smx_gpu.role @load warps(4) registers(24) (%c = %chan : !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>,
                                                 %m = %k : memref<?x128xbf16>) {
        %c0 = arith.constant 0 : index
        smx_gpu.put %m[%c0, %c0] into %c dims [0, 1] copy(tensor)
            : memref<?x128xbf16>, !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
      }
      smx_gpu.role @compute warps(8) group(4) registers(240) (%c = %chan : !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>) {
        %s = smx_gpu.get %c : !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2> -> !smx_gpu.shared<64x128xbf16, swizzle = 128>
        smx_gpu.release %c : !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
      }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def SmxGpu_RoleOp : SmxGpu_Op<"role", [
    IsolatedFromAbove, SingleBlockImplicitTerminator<"ReturnOp">, HasParent<"WarpSpecializeOp">,
    RecursiveMemoryEffects]> {
  let summary = "what the warps of one role do";
  let description = [{
    The region sees its arguments and nothing else. `warps` warps execute it in step as groups of
    `group` warps (a warpgroup is 4); `smx_gpu.group_id` says which group a value is computed for.
    `registers` (0: no request) is what a thread of the role wants.

    K9: there is one operand per block argument, of the same type; `group` divides `warps`.

    ```mlir
    smx_gpu.role @compute warps(8) group(4) registers(240) (%t = %turns : !smx_gpu.turns<2>) {
      smx_gpu.take_turn %t : !smx_gpu.turns<2>
      smx_gpu.pass_turn %t : !smx_gpu.turns<2>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$warps, I64Attr:$group, DefaultValuedAttr<I64Attr, "0">:$registers,
                       Variadic<AnyType>:$captures);
  let extraClassDeclaration = [{
    /// The argument, a new one, for `value` of the kernel.
    ::mlir::Value capture(::mlir::Value value);
  }];
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def SmxGpu_GroupIdOp : SmxGpu_Op<"group_id", [
    Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "which group of the role this is, from 0";
  let description = [{
    K12: it stands in a role.

    ```mlir
    %g = smx_gpu.group_id
    ```
  }];
  let results = (outs Index:$id);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def SmxGpu_TurnsOp : SmxGpu_Op<"turns", [HasParent<"KernelOp">]> {
  let summary = "groups of a role take turns, the first one first";
  let description = [{
    A pair of named barriers per group. It orders the matrix products of two warpgroups so that one
    multiplies while the other computes exponentials.

    ```mlir
    %t = smx_gpu.turns : !smx_gpu.turns<2>
    ```
  }];
  let results = (outs Res<SmxGpu_TurnsType, "", [MemAlloc]>:$turns);
  let assemblyFormat = "attr-dict `:` type($turns)";
}

def SmxGpu_TakeTurnOp : SmxGpu_SharedMemoryOp<"take_turn"> {
  let summary = "wait until it is this group's turn";
  let description = [{
    K13: it stands in a role, with as many groups as there are turns.

    ```mlir
    smx_gpu.take_turn %t : !smx_gpu.turns<2>
    ```
  }];
  let arguments = (ins SmxGpu_TurnsType:$turns);
  let assemblyFormat = "$turns attr-dict `:` type($turns)";
  let hasVerifier = 1;
}

def SmxGpu_PassTurnOp : SmxGpu_SharedMemoryOp<"pass_turn"> {
  let summary = "it is the next group's turn";
  let description = [{
    K13 as for `smx_gpu.take_turn`.

    ```mlir
    smx_gpu.pass_turn %t : !smx_gpu.turns<2>
    ```
  }];
  let arguments = (ins SmxGpu_TurnsType:$turns);
  let assemblyFormat = "$turns attr-dict `:` type($turns)";
  let hasVerifier = 1;
}

def SmxGpu_BarrierOp : SmxGpu_SharedMemoryOp<"barrier"> {
  let summary = "all warps of the role (or kernel) meet, and see each other's shared memory";
  let description = [{
    K14: whether and how often an op that all warps of a role execute together is reached (barriers,
    copies to shared memory, accesses to channels) does not depend on `smx_gpu.group_id`; nor whether these,
    products, conversions, turns and reductions across warps are reached on `smx_gpu.any`, which is answered by each warp, in
    kernels without roles neither; `smx_gpu.any_of_warps` makes one answer of theirs. A loop that gets and
    releases may give all of its rounds to one behind it that does the same with the channels, by group: from `%begin` to
    `arith.select %c, %end, %begin`, and from there to `%end`. And a branch may be another one for each group where its sides are loops over the
    same rounds that do the same with the channels.

    ```mlir
    smx_gpu.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def SmxGpu_ClusterBarrierOp : SmxGpu_SharedMemoryOp<"cluster_barrier"> {
  let summary = "all blocks of the cluster meet";
  let description = [{
    ```mlir
    smx_gpu.cluster_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasCanonicalizeMethod = 1;
}

def SmxGpu_ClusterRankOp : SmxGpu_Op<"cluster_rank", [Pure]> {
  let summary = "the block's number in its cluster";
  let description = [{
    ```mlir
    %r = smx_gpu.cluster_rank
    ```
  }];
  let results = (outs Index:$rank);
  let assemblyFormat = "attr-dict";
  let hasFolder = 1;
}

#endif // SMX_GPU_KERNELOPS_TD
