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

#endif // SMX_GPU_WALKPASSES_TD
