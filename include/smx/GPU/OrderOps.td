//===- OrderOps.td - blocks that wait for others ------------*- tablegen -*-===//
#ifndef SMX_GPU_ORDEROPS_TD
#define SMX_GPU_ORDEROPS_TD

include "smx/GPU/PartOps.td"

class SmxGpu_OrderOp<string mnemonic> : SmxGpu_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let hasVerifier = 1;
}

def SmxGpu_AnnounceOp : SmxGpu_OrderOp<"announce"> {
  let summary = "every warp that is here adds 1 to a count in global memory";
  let description = [{
    Whoever awaits the count sees what the warps have stored before.

    P35: counts are i32, and there is one index for each of their dimensions.

    ```mlir
    smx_gpu.store %a, %states[%block, %c0, %c0] dims [1, 2] : tensor<192x64xf32, #L>, memref<132x192x64xf32>
    smx_gpu.announce %counts[%block] : memref<132xi32>
    ```
  }];
  let arguments = (ins AnyMemRef:$counts, Variadic<Index>:$place);
  let assemblyFormat = "$counts `[` $place `]` attr-dict `:` type($counts)";
}

def SmxGpu_AwaitOp : SmxGpu_OrderOp<"await"> {
  let summary = "waits until a count in global memory is at least so large";
  let description = [{
    For what other blocks have announced. Blocks start in the order of their numbers, and some of them may have to end before the last ones
    start; so a block waits for blocks with smaller numbers alone, and these for none that have larger ones.

    P35 as for `smx_gpu.announce`.
    P36: the count is positive.

    ```mlir
    smx_gpu.await %counts[%block] reaches 12 : memref<132xi32>
    %a = smx_gpu.load %states[%block, %c0, %c0] dims [1, 2] : memref<132x192x64xf32> -> tensor<192x64xf32, #L>
    ```
  }];
  let arguments = (ins AnyMemRef:$counts, Variadic<Index>:$place, I64Attr:$count);
  let assemblyFormat = "$counts `[` $place `]` `reaches` $count attr-dict `:` type($counts)";
}

def SmxGpu_PauseOp : SmxGpu_Op<"pause", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "every warp that is here goes on after so many cycles of its clock";
  let description = [{
    Blocks that all do the same ask for memory at the same time and leave it idle at the same time, unless some begin later. No result depends on it.

    ```mlir
    %begin = arith.muli %cluster, %c2000 : index
    smx_gpu.pause %begin
    ```
  }];
  let arguments = (ins Index:$cycles);
  let assemblyFormat = "$cycles attr-dict";
}

#endif // SMX_GPU_ORDEROPS_TD
