//===- QueueOps.td - numbers that blocks take in turn -------*- tablegen -*-===//
#ifndef SMX_GPU_QUEUEOPS_TD
#define SMX_GPU_QUEUEOPS_TD

include "smx/GPU/ChannelOps.td"
include "smx/GPU/OrderOps.td"

def SmxGpu_DrawOp : SmxGpu_Op<"draw", [
    MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the next number of a queue that all blocks draw from, for the role and for who gets from a channel";
  let description = [{
    How many were drawn in front of it, in all blocks: each number is drawn once, by a block that is ready for it. Which one is not known before. All
    warps of the role have the number, and it is put into the channel.

    P35 as for `smx_gpu.announce`.
    P37: the channel is of one i32, and is not dealt.

    ```mlir
    %n = smx_gpu.draw %counts[%c0] into %numbers : memref<1xi32>, !smx_gpu.channel<1x1xi32, swizzle = 0, depth = 2>
    ```
  }];
  let arguments = (ins AnyMemRef:$counts, Variadic<Index>:$place, SmxGpu_ChannelType:$channel);
  let results = (outs Index:$number);
  let assemblyFormat = "$counts `[` $place `]` `into` $channel attr-dict `:` type($counts) `,` type($channel)";
  let hasVerifier = 1;
}

def SmxGpu_NumberInOp : SmxGpu_Op<"number_in", [
    MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the number that was drawn into a tile";
  let description = [{
    P38: the tile is one i32 that was got from a channel.

    ```mlir
    %tile = smx_gpu.get %numbers : !smx_gpu.channel<1x1xi32, swizzle = 0, depth = 2> -> !smx_gpu.shared<1x1xi32, swizzle = 0>
    %n = smx_gpu.number_in %tile : !smx_gpu.shared<1x1xi32, swizzle = 0>
    smx_gpu.release %numbers : !smx_gpu.channel<1x1xi32, swizzle = 0, depth = 2>
    ```
  }];
  let arguments = (ins SmxGpu_SharedType:$tile);
  let results = (outs Index:$number);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

#endif // SMX_GPU_QUEUEOPS_TD
