// Accesses outside of a buffer, less aligned ones than promised, and loops that never end.
// RUN: split-file %s %t
// RUN: not smx-gpu-host-run %t/bounds.mlir --entry=k --arg=normal:100x64xf32 --arg=poison:100x64xf32 --grid=2 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: sed 's/dims \[0, 1\]/valid(%%left, %%c64) &/' %t/bounds.mlir | smx-gpu-host-run - --entry=k --arg=normal:100x64xf32 --arg=poison:100x64xf32 --grid=2 --check=copy | FileCheck %s
// RUN: not smx-gpu-host-run %t/aligned.mlir --entry=k --arg=normal:64x65xf32 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: not smx-gpu-host-run %t/stall.mlir --entry=k --stall-ms=50 2>&1 | FileCheck %s --check-prefix=STALL
// RUN: not smx-gpu-host-run %t/stalled-role.mlir --entry=k --stall-ms=50 --arg=normal:64x64xf32 2>&1 | FileCheck %s --check-prefix=ROLE
// RUN: not smx-gpu-host-run %t/bounds.mlir --entry=k --arg=normal:100x64xbf16 --arg=poison:100x64xf32 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not smx-gpu-host-run %t/bounds.mlir --entry=k --arg=normal:100x63xf32 --arg=poison:100x64xf32 2>&1 | FileCheck %s --check-prefix=SIZE
// CHECK: copy: pass
// BOUNDS: error: @k block (1, 0, 0): {{.*}}bounds.mlir:10:8: 'smx_gpu.load' reads index 127 of dimension 0, whose extent is 100
// ALIGNED: 'smx_gpu.load' promises rows at multiples of 16 bytes, but row 1 of the tile starts at byte 260
// STALL: 'scf.while' goes on, but no tile was touched for {{.*}} ms (the limit is 50 ms)
// ROLE: {{nothing has happened|goes on}}
// ROLE: role @other waits at {{.*}} ('smx_gpu.get') for tile 0 of the channel made at {{.*}}, into which were put 0 by role @spins
// TYPE: 'smx_gpu.kernel' takes elements of f32 as argument 0, which is given those of bf16
// SIZE: 'smx_gpu.kernel' takes 64 as number 1 of the sizes of argument 0, got 63

//--- bounds.mlir
#L = #smx_gpu.fragment<warps = 4>
!global = memref<?x64xf32>
smx_gpu.kernel @k(%x: !global, %y: !global) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : !global
  %b = gpu.block_id x
  %i = arith.muli %b, %c64 : index
  %left = arith.subi %n, %i : index
  %t = smx_gpu.load %x[%i, %c0] dims [0, 1] : !global -> tensor<64x64xf32, #L>
  smx_gpu.store %t, %y[%i, %c0] dims [0, 1] : tensor<64x64xf32, #L>, !global
  smx_gpu.return
}

//--- aligned.mlir
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @k(%x: memref<64x65xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : memref<64x65xf32> -> tensor<64x64xf32, #L>
  smx_gpu.return
}

//--- stall.mlir
smx_gpu.kernel @k() warps(4) {
  %c0 = arith.constant 0 : index
  %n = scf.while (%i = %c0) : (index) -> index {
    %true = arith.constant true
    scf.condition(%true) %i : index
  } do {
  ^bb0(%i: index):
    scf.yield %i : index
  }
  smx_gpu.return
}

//--- stalled-role.mlir
!channel = !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 1>
smx_gpu.kernel @k(%x: memref<64x64xf32>) warps(8) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @spins warps(4) (%cr = %c : !channel, %xr = %x : memref<64x64xf32>) {
      %c0 = arith.constant 0 : index
      %n = scf.while (%i = %c0) : (index) -> index {
        %true = arith.constant true
        scf.condition(%true) %i : index
      } do {
      ^bb0(%i: index):
        scf.yield %i : index
      }
      smx_gpu.put %xr[%c0, %c0] into %cr dims [0, 1] copy(plain) : memref<64x64xf32>, !channel
    }
    smx_gpu.role @other warps(4) (%cr = %c : !channel) {
      %s = smx_gpu.get %cr : !channel -> !smx_gpu.shared<64x64xf32, swizzle = 128>
      smx_gpu.release %cr : !channel
    }
  }
  smx_gpu.return
}
