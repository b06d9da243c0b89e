// Shared tiles between warps that only a barrier orders, and between groups.
// RUN: split-file %s %t
// RUN: smx-gpu-host-run %t/right.mlir --entry=k --arg=normal:64x64xf32 --arg=poison:64x64xf32 --check=copy | FileCheck %s
// RUN: sed '/BARRIER/d' %t/right.mlir | not smx-gpu-host-run - --entry=k --arg=normal:64x64xf32 --arg=poison:64x64xf32 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: sed '/AGAIN/d' %t/right.mlir | not smx-gpu-host-run - --entry=k --arg=normal:64x64xf32 --arg=poison:64x64xf32 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not smx-gpu-host-run %t/unwritten.mlir --entry=k --arg=poison:64x64xf32 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: smx-gpu-host-run %t/roles.mlir --entry=k --arg=normal:64x64xf32 --arg=poison:64x64xf32 --check=copy --runs=3 | FileCheck %s
// RUN: sed '/FIRST/d' %t/roles.mlir | not smx-gpu-host-run - --entry=k --arg=normal:64x64xf32 --arg=poison:64x64xf32 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: sed '/BETWEEN/d' %t/roles.mlir | not smx-gpu-host-run - --entry=k --arg=normal:64x64xf32 --arg=poison:64x64xf32 --runs=4 2>&1 | FileCheck %s --check-prefix=BETWEEN
// CHECK: copy: pass
// BARRIER: 'smx_gpu.read' reads element [1, 0] of the shared tile made at <stdin>:8:8 in another warp than the one that wrote it at <stdin>:10:3, without a barrier between the two
// AGAIN: 'smx_gpu.copy' writes element [0, 0] of the shared tile made at {{.*}} in another warp than the one that read it at {{.*}}, without a barrier between the two
// UNWRITTEN: 'smx_gpu.read' reads the shared tile made at {{.*}}, which nothing has been written to
// FIRST: 'smx_gpu.read' reads the shared tile made at {{.*}} in role @other, which the kernel writes at {{.*}}: nothing orders the two
// BETWEEN: the shared tile made at {{.*}} in role @{{.*}}, which role @{{.*}} at {{.*}}: nothing orders the two

//--- right.mlir
// The layouts share a row of warps, but not the columns.
#L = #smx_gpu.fragment<warps = 4>
#M = #smx_gpu.striped<rows = 4, columns = 32, vector = 2>
!shared = !smx_gpu.shared<64x64xf32, swizzle = 128>
!global = memref<64x64xf32>
smx_gpu.kernel @k(%x: !global, %y: !global) warps(4) {
  %c0 = arith.constant 0 : index
  %s = smx_gpu.alloc : !shared
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : !global -> tensor<64x64xf32, #L>
  smx_gpu.write %t, %s : tensor<64x64xf32, #L>, !shared
  %own = smx_gpu.read %s : !shared -> tensor<64x64xf32, #L>
  smx_gpu.barrier // BARRIER
  %u = smx_gpu.read %s : !shared -> tensor<64x64xf32, #M>
  smx_gpu.store %u, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #M>, !global
  smx_gpu.barrier // AGAIN
  smx_gpu.copy %x[%c0, %c0] to %s dims [0, 1] : !global, !shared
  %v = smx_gpu.read %s : !shared -> tensor<64x64xf32, #L>
  smx_gpu.store %v, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #L>, !global
  smx_gpu.return
}

//--- unwritten.mlir
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xf32, swizzle = 128>
smx_gpu.kernel @k(%y: memref<64x64xf32>) warps(4) {
  %s = smx_gpu.alloc : !shared
  %t = smx_gpu.read %s : !shared -> tensor<64x64xf32, #L>
  smx_gpu.return
}

//--- roles.mlir
// The kernel writes, one role reads, and another one writes when a channel says that it may.
#L = #smx_gpu.fragment<warps = 4>
#K = #smx_gpu.striped<rows = 8, columns = 32, vector = 2>
!shared = !smx_gpu.shared<64x64xf32, swizzle = 128>
!channel = !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 1>
!global = memref<64x64xf32>
smx_gpu.kernel @k(%x: !global, %y: !global) warps(8) {
  %c0 = arith.constant 0 : index
  %s = smx_gpu.alloc : !shared
  %c = smx_gpu.make_channel : !channel
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : !global -> tensor<64x64xf32, #K>
  smx_gpu.write %t, %s : tensor<64x64xf32, #K>, !shared
  smx_gpu.barrier // FIRST
  smx_gpu.warp_specialize {
    smx_gpu.role @writer warps(4) (%sr = %s : !shared, %cr = %c : !channel) {
      %got = smx_gpu.get %cr : !channel -> !shared // BETWEEN
      smx_gpu.release %cr : !channel // BETWEEN
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
      smx_gpu.write %zero, %sr : tensor<64x64xf32, #L>, !shared
    }
    smx_gpu.role @other warps(4) (%sr = %s : !shared, %cr = %c : !channel, %xr = %x : !global, %yr = %y : !global) {
      %z = arith.constant 0 : index
      %u = smx_gpu.read %sr : !shared -> tensor<64x64xf32, #L>
      smx_gpu.store %u, %yr[%z, %z] dims [0, 1] : tensor<64x64xf32, #L>, !global
      smx_gpu.put %xr[%z, %z] into %cr dims [0, 1] copy(plain) : !global, !channel // BETWEEN
    }
  }
  smx_gpu.return
}
