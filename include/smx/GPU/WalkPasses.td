//===- WalkPasses.td - walks of blocks over tiles ----------*- tablegen -*-===//
#ifndef SMX_GPU_WALKPASSES_TD
#define SMX_GPU_WALKPASSES_TD

include "mlir/Pass/PassBase.td"

def SplitLastWavePass : Pass<"smx-gpu-split-last-wave", "::mlir::ModuleOp"> {
  let summary = "the tiles of a walk's last wave are cut along the keys, and merged";
  let description = [{
    Where `blocks` blocks walk over T tiles of rows, the last T mod `blocks` of them take as long as `blocks` would, and most blocks have
    nothing to do meanwhile. Cut into p parts along the keys, these r tiles are r p items of the same walk: item i is tile i if i < T' = T - r, else
    part (i - T') mod p of tile T' + (i - T') / p. A part leaves its state, reference m, sum l and weighted sum a, in scratch memory, and a second
    launch merges the states of a tile:

        m = max m_j;   l = sum 2^(m_j - m) l_j;   a = sum 2^(m_j - m) a_j

    and finishes them as the walk does its whole tiles. Of fewer than `blocks` tiles all are cut.

    For a walk whose tiles all have the same loop over keys, of a static number of rounds, R, and a few keys behind it at most: those of attention
    without a mask. p is the one that makes

        ceil(r p / blocks) (ceil(R / p) + 5) + 3 + merge

    rounds the least: 5 more for each part's start and end, 3 for the second launch, and the states of r p tiles that memory moves twice at 2600
    bytes a clock of the whole chip, where a round takes rows * keys * columns / 1024 clocks (figures of an H200). If that does not save 1.5 % of all
    rounds of the walk, nothing is done; a remark says so. `parts` replaces the choice.

    ```mlir
    smx_gpu.kernel @f(%n: index, ..) {
      scf.for %t = %block to %n step %blocks {
        %m, %l, %a = scf.for %j = %c0 to %c4096 step %c64 ..
        .. finish and store
      }
    }
    smx_gpu.launch @f grid(%c132) (%c140, ..)
    ```
    ==>
    ```mlir
    smx_gpu.kernel @f(%n: index, .., %ms, %ls, %as) {
      scf.for %i = %block to %n step %blocks {
        %is_whole = arith.cmpi ult, %i, %c132
        %t = .. // the tile, and of a cut one the first and the last key
        %m, %l, %a = scf.for %j = %first to %end step %c64 ..
        scf.if %is_whole { finish and store } else {
          smx_gpu.store %m, %ms[%cut, %part, %c0]
          smx_gpu.store %l, %ls[%cut, %part, %c0]
          smx_gpu.store %a, %as[%cut, %part, %c0, %c0]
        }
      }
    }
    smx_gpu.launch @f grid(%c132) (%c220, .., %ms, %ls, %as)
    smx_gpu.launch @f_merge grid(%c192) (.., %ms, %ls, %as)
    ```
  }];
  let options = [
    Option<"blocks", "blocks", "int64_t", "0", "blocks that walk; 0 = nothing is cut">,
    Option<"parts", "parts", "int64_t", "0", "parts of a tile of the last wave; 0 = the cost decides">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ShareLastWavePass : Pass<"smx-gpu-share-last-wave", "::mlir::ModuleOp"> {
  let summary = "the tiles of a walk's last wave are shared by all blocks, along the keys";
  let description = [{
    Where B blocks walk over tiles of rows, the last ones, fewer than B, take as long as B would. Here these r tiles of R rounds lie in a row, and
    block b has the rounds from b r R / B on to (b + 1) r R / B (with something added to each tile for its beginning and end): at most the last
    ones of one tile, then the first ones of the next. What it has of the first tile is stored in scratch memory, and announced; then the block
    that begins a tile awaits those that have the others of its rounds, and merges their states:

        m = max m_j;   l = sum 2^(m_j - m) l_j;   a = sum 2^(m_j - m) a_j

    Blocks count from the last one on, as they wait for those with smaller numbers, which start before them. A launch in front makes the counts 0.

    Beside `smx-gpu-split-last-wave` no second launch merges, and of the tiles that two or three blocks share half of the states are not stored. It goes first,
    for walks whose tiles all have the same loop over keys, of at least 32 rounds that read nothing for scores (these were slower), and at most 2.5 blocks to a
    tile, if it saves 1 % of all rounds; a remark says so.

    ```mlir
    smx_gpu.kernel @f(%n: index, ..) {
      scf.for %t = %block to %n step %blocks {
        %m, %l, %a = scf.for %j = %c0 to %c4096 step %c64 ..
        .. finish and store
      }
    }
    smx_gpu.launch @f grid(%c132) (%c220, ..)
    ```
    ==>
    ```mlir
    smx_gpu.kernel @f(%n: index, .., %ms, %ls, %as, %counts) {
      %end = .. // 132 whole tiles, and one or two pieces
      scf.for %i = %block to %end step %blocks {
        %t, %first, %last, %others = ..
        %m, %l, %a = scf.for %j = %first to %last step %c64 ..
        scf.if %begins {
          scf.for %b = %next to %others {
            smx_gpu.await %counts[%b] reaches 12
            .. load and merge
          }
          .. finish and store
        } else {
          smx_gpu.store %m, %ms[%me, %c0] // .. and %l, and %a
          smx_gpu.announce %counts[%me]
        }
      }
    }
    smx_gpu.launch @f_clear grid(%c1) (%counts)
    smx_gpu.launch @f grid(%c132) (%c220, .., %ms, %ls, %as, %counts)
    ```
  }];
  let options = [
    Option<"blocks", "blocks", "int64_t", "0", "blocks that walk; 0 = nothing is shared">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def RestScoresPass : Pass<"smx-gpu-rest-scores", "::mlir::smx::gpu::KernelOp"> {
  let summary = "the scores of keys that are left over are multiplied beside the last sum of the rounds";
  let description = [{
    Rounds of 80 keys leave 16 of 4096, which of a tile in parts (`smx-gpu-share-last-wave`) only the last part has: in a branch, whose scores wait for the sum of
    the last round, and behind which the rows are given back whose place those of the next tile take. Here both sides of the branch get the sum. The one
    with scores has both products at once, as in a round: the weights of the rest are computed under the sum, and the rows go back as soon as the scores are there.
    Scores that read numbers stay: these would come in front of both products.

    ```mlir
    %a, %ta = smx_gpu.mma_async %p, %v, %acc
    %sum = smx_gpu.wait %ta, %a
    %all = scf.if %is_last {
      %k = smx_gpu.get %rest_of_keys
      %s = smx_gpu.mma %q, %k, %zero transpose_b
      .. weights of %s, by which %sum is scaled
    } else {
      scf.yield %sum
    }
    smx_gpu.release %queries
    ```
    ==>
    ```mlir
    %all = scf.if %is_last {
      %k = smx_gpu.get %rest_of_keys
      %t, %tt = smx_gpu.mma_async %q, %k, %zero transpose_b zero
      %a, %ta = smx_gpu.mma_async %p, %v, %acc
      %s = smx_gpu.wait %tt, %t pending 1
      smx_gpu.release %queries
      .. weights of %s
      %sum = smx_gpu.wait %ta, %a
    } else {
      smx_gpu.release %queries
      %a, %ta = smx_gpu.mma_async %p, %v, %acc
      %sum = smx_gpu.wait %ta, %a
      scf.yield %sum
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def KeysFirstPass : Pass<"smx-gpu-keys-first", "::mlir::smx::gpu::KernelOp"> {
  let summary = "the first keys of a tile of rows are fetched before the rows";
  let description = [{
    Rows of the next tile take the place of those of this one, which each group gives back when it has its last scores. Keys have places already. Fetched behind
    the rows, they would come when the last group has given its rows back, and no group could begin the next tile before.

    ```mlir
    scf.for %t = %first to %n step %blocks {
      smx_gpu.put %q[%t, %c0] into %cq
      scf.for %j = %c0 to %c4096 step %c64 {
        smx_gpu.put %k[%j, %c0] into %ck
        smx_gpu.put %v[%j, %c0] into %cv
      }
    }
    ```
    ==>
    ```mlir
    scf.for %t = %first to %n step %blocks {
      scf.for %j = %c0 to %c4096 step %c64 {
        smx_gpu.put %k[%j, %c0] into %ck
        %is_first = arith.cmpi eq, %j, %c0
        scf.if %is_first {
          smx_gpu.put %q[%t, %c0] into %cq
        }
        smx_gpu.put %v[%j, %c0] into %cv
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def MulticastPass : Pass<"smx-gpu-multicast", "::mlir::ModuleOp"> {
  let summary = "blocks whose rows meet the same keys fetch these together";
  let description = [{
    Neighbouring blocks of attention without a mask read the same keys and values, at the same time. As a cluster each of
    them fetches a part of a tile and the tensor copy engine writes it to the shared memory of all: half of the bytes
    leave the second-level cache. A stage is free when all blocks have released it, so they go in step. On an H200 that
    costs 1 to 5 % at any head dim and length, whose tiles are large enough not to wait for that cache: so the
    pipeline leaves `cluster` at 1.

    Done where it follows from the kernel and its launches that the blocks of a cluster put the same tiles in the same
    order: heads have a multiple of `cluster` tiles of rows, and no loop around the copies ends with the rows.

    ```mlir
    smx_gpu.kernel @f(..) warps(12) {
      smx_gpu.role @load warps(4) {
        smx_gpu.put %x[%i, %c0] into %cq copy(tensor)
        scf.for %j = %c0 to %n step %c128 { smx_gpu.put %k[%j, %c0] into %ck copy(tensor) }
      }
    }
    ```
    ==>
    ```mlir
    smx_gpu.kernel @f(..) warps(12) cluster(2) {
      smx_gpu.role @load warps(4) {
        smx_gpu.put %x[%i, %c0] into %cq copy(tensor)
        scf.for %j = %c0 to %n step %c128 { smx_gpu.put %k[%j, %c0] into %ck copy(tensor) {multicast} }
      }
      smx_gpu.cluster_barrier
    }
    ```
  }];
  let options = [
    Option<"cluster", "cluster", "int64_t", "1", "blocks that fetch together; 1 = each for itself">
  ];
}

def DrawTilesPass : Pass<"smx-gpu-draw-tiles", "::mlir::ModuleOp"> {
  let summary = "blocks that walk draw the next tile when they have fetched one, where some would end later than others";
  let description = [{
    Where a mask is read from memory (documents, lengths of keys), tiles have as many rounds as data say. If block b walks over tiles b,
    b + blocks, b + 2 blocks, .., the last block ends 1.3 to 1.4 times as late as all would if they shared the rounds evenly. Under a mask that
    is known, such as chunks, the same is found by counting rounds. So the role that fetches draws the number of the next tile from a count in
    global memory, and hands it to the other role in a channel. The first tile of a block is that of its number. Which block computes a
    tile changes nothing in it.

    ```mlir
    smx_gpu.role @load warps(4) (%x = %q, %c = %rows, ..) {
      scf.for %t = %block to %tiles step %blocks { .. }
    }
    smx_gpu.role @compute warps(8) group(4) (%c = %rows, ..) {
      scf.for %t = %block to %tiles step %blocks { .. }
    }
    ```
    ==>
    ```mlir
    %numbers = smx_gpu.make_channel : !smx_gpu.channel<1x1xi32, swizzle = 0, depth = 2>
    smx_gpu.role @load warps(4) (%x = %q, %c = %rows, .., %count = %counts, %n = %numbers) {
      scf.while (%t = %block) : (index) -> index {
        %is_tile = arith.cmpi slt, %t, %tiles
        scf.condition(%is_tile) %t
      } do {
      ^bb0(%t: index):
        ..
        %drawn = smx_gpu.draw %count[%c0] into %n
        %next = arith.addi %blocks, %drawn
        scf.yield %next
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%c = %rows, .., %n = %numbers) {
      scf.while (%t = %block) : (index) -> index { .. } do {
      ^bb0(%t: index):
        ..
        %tile = smx_gpu.get %n
        %drawn = smx_gpu.number_in %tile
        smx_gpu.release %n
        %next = arith.addi %blocks, %drawn
        scf.yield %next
      }
    }
    smx_gpu.launch @f_clear grid(%c1) (%counts)
    smx_gpu.launch @f grid(%c132) (.., %counts)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // SMX_GPU_WALKPASSES_TD
