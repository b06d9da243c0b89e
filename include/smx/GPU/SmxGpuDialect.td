//===- SmxGpuDialect.td - schedules on whole tiles ----------*- tablegen -*-===//
#ifndef SMX_GPU_SMXGPUDIALECT_TD
#define SMX_GPU_SMXGPUDIALECT_TD

include "mlir/IR/DialectBase.td"

def SmxGpu_Dialect : Dialect {
  let name = "smx_gpu";
  let cppNamespace = "::mlir::smx::gpu";
  let summary = "GPU kernels on whole tiles, with the schedule in the IR";
  let description = [{
    A value is a whole tile; how it is spread over threads is an attribute of its type.

    * A *register tile* is a ranked tensor whose encoding is a layout (`#smx_gpu.fragment`,
      `#smx_gpu.striped`, or a `#smx_gpu.slice` of one). Elementwise code on tiles is plain `arith` and
      `math`: those ops demand equal types, so a layout mismatch is an error of the type system.
    * A *shared tile* (`!smx_gpu.shared`) lies in shared memory, with a swizzle.
    * A *channel* (`!smx_gpu.channel`) is a ring of shared tiles with full and empty barriers. Only
      `put`, `get` and `release` touch it, so phases and arrival counts are derived, never written.
    * A matrix product that runs on its own (`mma_async`) gives a token; only `wait` turns it and the
      accumulator into a value that can be read.

    Everything outside a `warp_specialize` is executed by all warps of the kernel, in step. A role is
    executed by the warps that it asks for, and sees only what is passed to it.

    ### Words

    Ops, passes and remarks use these words in one sense only.

    Tiles and who computes them:

    * *rows* are what there is a state for (queries of attention, rows of a softmax); the *stream* is what a state goes
      along (*keys*, the elements of a row); *columns* are those of an accumulator (the head dim of values).
    * A *round* is one iteration of the loop over tiles of the stream.
    * A tile of scores is *whole* if the mask lets all of its rows see all of its keys, *cut* if it hides some (their places are
      *hidden*), and *skipped* if it hides all.
    * Blocks that *walk* compute several tiles of rows each, one after the other. Tiles that all blocks compute at the same time
      are a *wave*; the *last wave* has fewer tiles than there are blocks. Tiles are *dealt* if blocks, or groups, get the next
      one in turn, as cards are, instead of a run of neighbours.
    * A *role* is what some warps of a block do: one fetches, one computes. Warps of a role that have rows of their own are a
      *group* (a warpgroup, mostly); groups that take *turns* issue their matrix products one after the other.

    Softmax:

    * The *reference* of a row is the m of its state: *weights* are `exp(score - m)`, whatever m is. It *moves* when it is
      replaced, and sum and accumulator are *rescaled* by `exp(old - new)`.
    * It may be behind the maximum of the scores by the *slack*, and in front of it by the *lead* (powers of two): then it seldom
      moves. See `smx/IR/ReferenceSlack.h`.
    * Weights that are computed by the reference before it is known whether it moves are *guessed* (`smx-gpu-speculate`).
    * A *guarded* product takes a weight of -0 for "hidden": its term is 0 even if the value is a NaN or an infinity. Made *by
      terms*, it is the sum of products that are added one by one, without the matrix unit.

    ### Design decisions

    *Why are register tiles tensors with an encoding, and not a type of their own?* Because `arith`,
    `math` and `scf` then work on them as they are, with their folders and canonicalisations.

    *Why does one layout serve `mma.sync` and `wgmma`?* Their accumulators have the same fragment, and for
    16-bit types the A operand of the next product holds the same elements in the same order. A weight
    tile therefore feeds the second product of attention without a shuffle.

    *Why are channels not values that are threaded through loops?* The count of uses is state of the
    executing role. It becomes a loop-carried number when the channel is lowered; writing it in the IR
    would let it be written wrongly.

    *Rejected:* `nvgpu.warpgroup.*`: one op emits fence, products, commit and wait, so that nothing runs beside a
    product; its left operand is in shared memory only, and its accumulator an opaque type without arithmetic.
    `gpu.dynamic_shared_memory`: it lowers to an internal symbol of static size, which a launch can not enlarge.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif // SMX_GPU_SMXGPUDIALECT_TD
