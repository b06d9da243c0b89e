// RUN: softmax-opt %s --verify-roundtrip | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!kv = !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
!stage = !smx_gpu.shared<64x128xbf16, swizzle = 128>
!global = memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>>

// Scores of one tile of queries and all tiles of keys; the maximum goes round the loop.
// CHECK-LABEL: smx_gpu.kernel @scores
// CHECK-SAME: warps(4) {
smx_gpu.kernel @scores(%q: !global, %k: !global, %m: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = gpu.block_id x
  // CHECK: %[[K:.+]] = smx_gpu.make_channel : <64x128xbf16, swizzle = 128, depth = 2>
  %K = smx_gpu.make_channel : !kv
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #L>
  %low = arith.constant dense<0xFF800000> : tensor<128xf32, #R>
  // CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] dims [1, 2] {aligned = 16 : i64} : memref<{{.+}}> -> tensor<128x128xbf16, #smx_gpu.fragment<warps = 4>>
  %qt = smx_gpu.load %q[%c0, %x, %c0] dims [1, 2] {aligned = 16} : !global -> tensor<128x128xbf16, #L>
  %max = scf.for %j = %c0 to %n step %c64 iter_args(%old = %low) -> tensor<128xf32, #R> {
    // CHECK: smx_gpu.put %{{.+}}[%{{.+}}] valid(%{{.+}}, %{{.+}}) into %[[K]] dims [1, 2] copy(async) {aligned = 16 : i64}
    smx_gpu.put %k[%c0, %j, %c0] valid(%n, %c64) into %K dims [1, 2] copy(async) {aligned = 16} : !global, !kv
    // CHECK: %[[T:.+]] = smx_gpu.get %[[K]] : <64x128xbf16, swizzle = 128, depth = 2> -> <64x128xbf16, swizzle = 128>
    %kt = smx_gpu.get %K : !kv -> !stage
    // CHECK: smx_gpu.mma %{{.+}}, %[[T]], %{{.+}} transpose_b : tensor<128x128xbf16, {{.+}}>, <64x128xbf16, swizzle = 128> -> tensor<128x64xf32
    %s = smx_gpu.mma %qt, %kt, %zero transpose_b : tensor<128x128xbf16, #L>, !stage -> tensor<128x64xf32, #L>
    // CHECK: smx_gpu.release %[[K]]
    smx_gpu.release %K : !kv
    // CHECK: smx_gpu.reduce <maxnum> %{{.+}} dim 1 : tensor<128x64xf32, {{.+}}> -> tensor<128xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>
    %t = smx_gpu.reduce <maxnum> %s dim 1 : tensor<128x64xf32, #L> -> tensor<128xf32, #R>
    %new = arith.maxnumf %old, %t : tensor<128xf32, #R>
    scf.yield %new : tensor<128xf32, #R>
  }
  // CHECK: smx_gpu.store %{{.+}}, %{{.+}}[%{{.+}}] dims [0]
  smx_gpu.store %max, %m[%x] dims [0] : tensor<128xf32, #R>, memref<?xf32>
  smx_gpu.return
}

// CHECK-LABEL: func.func @host
func.func @host(%q: !global, %k: !global, %m: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  // CHECK: smx_gpu.launch @scores grid(%{{.+}}, %{{.+}}, %{{.+}}) (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : memref
  smx_gpu.launch @scores grid(%n, %c1, %c1) (%q, %k, %m, %n : !global, !global, memref<?xf32>, index)
  return
}

// Through shared memory, and exactly.
// CHECK-LABEL: smx_gpu.kernel @shared
// CHECK-SAME: warps(4) cluster(2) shared_limit(232448) min_blocks(2) attributes {smx.note} {
smx_gpu.kernel @shared(%x: memref<64x64xf32>) warps(4) cluster(2) shared_limit(232448) min_blocks(2) attributes {smx.note} {
  %c0 = arith.constant 0 : index
  // CHECK: %[[S:.+]] = smx_gpu.alloc : <64x64xf32, swizzle = 128>
  %s = smx_gpu.alloc : !smx_gpu.shared<64x64xf32, swizzle = 128>
  // CHECK: smx_gpu.copy %{{.+}}[%{{.+}}] to %[[S]] dims [1, 0]
  smx_gpu.copy %x[%c0, %c0] to %s dims [1, 0] : memref<64x64xf32>, !smx_gpu.shared<64x64xf32, swizzle = 128>
  // CHECK: smx_gpu.read %[[S]]
  %t = smx_gpu.read %s : !smx_gpu.shared<64x64xf32, swizzle = 128> -> tensor<64x64xf32, #L>
  // CHECK: smx_gpu.mma %{{.+}}, %[[S]], %{{.+}} guarded precision(tf32x3)
  %p = smx_gpu.mma %t, %s, %t guarded precision(tf32x3) : tensor<64x64xf32, #L>, !smx_gpu.shared<64x64xf32, swizzle = 128> -> tensor<64x64xf32, #L>
  // CHECK: smx_gpu.cluster_barrier
  smx_gpu.cluster_barrier
  // CHECK: smx_gpu.write %{{.+}}, %[[S]]
  smx_gpu.write %p, %s : tensor<64x64xf32, #L>, !smx_gpu.shared<64x64xf32, swizzle = 128>
  // CHECK: smx_gpu.barrier
  smx_gpu.barrier
  smx_gpu.return
}
