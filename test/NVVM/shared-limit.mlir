// A kernel that was made for a chip with more shared memory than that of the lowering: 131,072 bytes fit sm_90 and not sm_86.
// RUN: softmax-compile %s --from=gpu --emit=nvvm --target=cuda --chip=sm_90 | FileCheck %s
// RUN: not softmax-compile %s --from=gpu --emit=nvvm --target=cuda --chip=sm_86 2>&1 | FileCheck %s --check-prefix=SMALL
// CHECK: nvvm.kernel
// SMALL: 'smx_gpu.kernel' op needs 131072 bytes of shared memory, the limit is 101376; with tiles of at most 96 rows or keys (tile-rows, tile-stream), it fits

!tile = !smx_gpu.shared<128x256xbf16, swizzle = 128>
smx_gpu.kernel @wide(%x: memref<?x256xbf16>) warps(4) shared_limit(232448) {
  %a = smx_gpu.alloc : !tile
  %b = smx_gpu.alloc : !tile
  smx_gpu.return
}
func.func @f(%x: memref<?x256xbf16>) {
  %c1 = arith.constant 1 : index
  smx_gpu.launch @wide grid(%c1, %c1, %c1) (%x : memref<?x256xbf16>)
  return
}

