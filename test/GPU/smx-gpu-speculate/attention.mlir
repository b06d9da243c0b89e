// Weights come from the reference as it is; a warp that finds them too large looks for the maximum and repeats.
// RUN: softmax-opt %s --smx-gpu-speculate --canonicalize --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-speculate --split-input-file --remarks-filter=smx-gpu-speculate 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// A guard of another number than infinity is none.
// RUN: sed 's/dense<0x7F800000>/dense<5.0>/' %s | softmax-opt - --smx-gpu-speculate --split-input-file --remarks-filter=smx-gpu-speculate 2>&1 | FileCheck %s --check-prefix=FINITE
// FINITE: smx_gpu.kernel @attention
// FINITE-NOT: weights are computed
// REMARK-COUNT-1: weights are computed before it is known whether the reference moves
// REMARK-NOT: weights are computed

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>

// CHECK-LABEL: @attention
smx_gpu.kernel @attention(%k: memref<?x64xbf16>, %y: memref<?x64xf32>, %z: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // 8 columns are added up to each sum: 2^8 * 8.
  // CHECK-DAG: %[[BOUND:.+]] = arith.constant dense<2.048000e+03> : tensor<64x8xf32, #{{.+}}>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x8xf32, #L>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  %infinite = arith.constant dense<0x7F800000> : tensor<64xf32, #S>
  %lowest = arith.constant dense<0xFF800000> : tensor<64xf32, #S>
  %slack = arith.constant dense<8.0> : tensor<64xf32, #S>
  %ck = smx_gpu.make_channel : !channel
  %q = smx_gpu.alloc : !tile
  %weights = arith.constant dense<0.0> : tensor<64x64xbf16, #L>
  // CHECK: scf.for {{.+}} iter_args(%[[R:.+]] = %{{.+}}, %[[L:.+]] = %{{.+}}, %[[ACC:.+]] = %{{.+}}, %[[P:.+]] = %{{.+}})
  %r:4 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest, %l = %none, %acc = %zeros, %p = %weights)
      -> (tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xf32, #L>, tensor<64x64xbf16, #L>) {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !channel
    %kt = smx_gpu.get %ck : !channel -> !tile
    %s, %st = smx_gpu.mma_async %q, %kt, %zeros transpose_b zero : !tile, !tile -> tensor<64x64xf32, #L>
    %o, %ot = smx_gpu.mma_async %p, %kt, %acc : tensor<64x64xbf16, #L>, !tile -> tensor<64x64xf32, #L>
    // Both products are waited for before the weights: the operand of the second is needed no more.
    // CHECK: %[[SCORES:.+]] = smx_gpu.wait %{{.+}}, %{{.+}} pending 1
    // CHECK-NEXT: %[[SUM:.+]] = smx_gpu.wait
    // CHECK-NEXT: smx_gpu.release
    %s1 = smx_gpu.wait %st, %s pending 1 : tensor<64x64xf32, #L>
    // By the old reference, which is not guarded: what starts at -inf is too large.
    // CHECK: %[[MINUS:.+]] = arith.negf %[[R]]
    // CHECK: %[[B0:.+]] = smx_gpu.broadcast %[[MINUS]]
    // CHECK: %[[D0:.+]] = arith.addf %[[SCORES]], %[[B0]]
    // CHECK: %[[P0:.+]] = math.exp2 %[[D0]]
    // CHECK: %[[L0:.+]] = smx_gpu.partial_reduce <add> %[[P0]]
    // CHECK: %[[W0:.+]] = arith.truncf %[[P0]]
    // CHECK: %[[LARGE:.+]] = arith.cmpf ugt, %[[L0]], %[[BOUND]]
    // CHECK: %[[MOVES:.+]] = smx_gpu.any %[[LARGE]]
    // CHECK: %[[NEW:.+]]:4 = scf.if %[[MOVES]]
    // CHECK: smx_gpu.reduce <maxnum> %[[SCORES]]
    // CHECK: %[[R1:.+]] = arith.select
    // CHECK: %[[A:.+]] = math.exp2
    // CHECK: %[[P1:.+]] = math.exp2
    // CHECK: %[[L1:.+]] = arith.addf
    // CHECK: %[[W1:.+]] = arith.truncf %[[P1]]
    // CHECK: %[[O1:.+]] = smx_gpu.rescale %[[SUM]] by %[[A]]
    // CHECK: scf.yield %[[R1]], %[[L1]], %[[W1]], %[[O1]]
    // CHECK: } else {
    // CHECK: %[[L2:.+]] = arith.addf %[[L0]], %[[L]]
    // CHECK: scf.yield %[[R]], %[[L2]], %[[W0]], %[[SUM]]
    %t = smx_gpu.reduce <maxnum> %s1 dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #S>
    %bound = arith.addf %m, %slack : tensor<64xf32, #S>
    %far = arith.cmpf ogt, %t, %bound : tensor<64xf32, #S>
    %m1 = arith.select %far, %t, %m : tensor<64xi1, #S>, tensor<64xf32, #S>
    %size = math.absf %m1 : tensor<64xf32, #S>
    %is_infinite = arith.cmpf oeq, %size, %infinite : tensor<64xf32, #S>
    %g = arith.select %is_infinite, %zero, %m1 : tensor<64xi1, #S>, tensor<64xf32, #S>
    %step = arith.subf %m, %g : tensor<64xf32, #S>
    %a = math.exp2 %step : tensor<64xf32, #S>
    %minus = arith.negf %g : tensor<64xf32, #S>
    %b = smx_gpu.broadcast %minus : tensor<64xf32, #S> -> tensor<64x64xf32, #L>
    %d = arith.addf %s1, %b : tensor<64x64xf32, #L>
    %p1 = math.exp2 %d : tensor<64x64xf32, #L>
    %sums = smx_gpu.partial_reduce <add> %p1 : tensor<64x64xf32, #L> -> tensor<64x8xf32, #L>
    %factors = smx_gpu.broadcast %a : tensor<64xf32, #S> -> tensor<64x8xf32, #L>
    %scaled = arith.mulf %l, %factors : tensor<64x8xf32, #L>
    %l1 = arith.addf %sums, %scaled : tensor<64x8xf32, #L>
    %w = arith.truncf %p1 : tensor<64x64xf32, #L> to tensor<64x64xbf16, #L>
    %o1 = smx_gpu.wait %ot, %o : tensor<64x64xf32, #L>
    smx_gpu.release %ck : !channel
    // CHECK: scf.yield %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#3, %[[NEW]]#2
    %o2 = smx_gpu.rescale %o1 by %a : tensor<64x64xf32, #L>, tensor<64xf32, #S>
    scf.yield %m1, %l1, %o2, %w : tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xf32, #L>, tensor<64x64xbf16, #L>
  }
  smx_gpu.store %r#2, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #L>, memref<?x64xf32>
  smx_gpu.store %r#0, %z[%c0] dims [0] : tensor<64xf32, #S>, memref<?xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>

// Without a slack, the reference is the maximum of every tile.
// CHECK-LABEL: @exact
// CHECK-NOT: smx_gpu.any
smx_gpu.kernel @exact(%k: memref<?x64xbf16>, %y: memref<?x64xf32>, %z: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x8xf32, #L>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  %infinite = arith.constant dense<0x7F800000> : tensor<64xf32, #S>
  %lowest = arith.constant dense<0xFF800000> : tensor<64xf32, #S>
  %ck = smx_gpu.make_channel : !channel
  %q = smx_gpu.alloc : !tile
  %weights = arith.constant dense<0.0> : tensor<64x64xbf16, #L>
  %r:4 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest, %l = %none, %acc = %zeros, %p = %weights)
      -> (tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xf32, #L>, tensor<64x64xbf16, #L>) {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !channel
    %kt = smx_gpu.get %ck : !channel -> !tile
    %s, %st = smx_gpu.mma_async %q, %kt, %zeros transpose_b zero : !tile, !tile -> tensor<64x64xf32, #L>
    %o, %ot = smx_gpu.mma_async %p, %kt, %acc : tensor<64x64xbf16, #L>, !tile -> tensor<64x64xf32, #L>
    %s1 = smx_gpu.wait %st, %s pending 1 : tensor<64x64xf32, #L>
    %t = smx_gpu.reduce <maxnum> %s1 dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #S>
    %far = arith.cmpf ogt, %t, %m : tensor<64xf32, #S>
    %m1 = arith.select %far, %t, %m : tensor<64xi1, #S>, tensor<64xf32, #S>
    %size = math.absf %m1 : tensor<64xf32, #S>
    %is_infinite = arith.cmpf oeq, %size, %infinite : tensor<64xf32, #S>
    %g = arith.select %is_infinite, %zero, %m1 : tensor<64xi1, #S>, tensor<64xf32, #S>
    %step = arith.subf %m, %g : tensor<64xf32, #S>
    %a = math.exp2 %step : tensor<64xf32, #S>
    %minus = arith.negf %g : tensor<64xf32, #S>
    %b = smx_gpu.broadcast %minus : tensor<64xf32, #S> -> tensor<64x64xf32, #L>
    %d = arith.addf %s1, %b : tensor<64x64xf32, #L>
    %p1 = math.exp2 %d : tensor<64x64xf32, #L>
    %sums = smx_gpu.partial_reduce <add> %p1 : tensor<64x64xf32, #L> -> tensor<64x8xf32, #L>
    %factors = smx_gpu.broadcast %a : tensor<64xf32, #S> -> tensor<64x8xf32, #L>
    %scaled = arith.mulf %l, %factors : tensor<64x8xf32, #L>
    %l1 = arith.addf %sums, %scaled : tensor<64x8xf32, #L>
    %w = arith.truncf %p1 : tensor<64x64xf32, #L> to tensor<64x64xbf16, #L>
    %o1 = smx_gpu.wait %ot, %o : tensor<64x64xf32, #L>
    smx_gpu.release %ck : !channel
    %o2 = smx_gpu.rescale %o1 by %a : tensor<64x64xf32, #L>, tensor<64xf32, #S>
    scf.yield %m1, %l1, %o2, %w : tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xf32, #L>, tensor<64x64xbf16, #L>
  }
  smx_gpu.store %r#2, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #L>, memref<?x64xf32>
  smx_gpu.store %r#0, %z[%c0] dims [0] : tensor<64xf32, #S>, memref<?xf32>
  smx_gpu.return
}
