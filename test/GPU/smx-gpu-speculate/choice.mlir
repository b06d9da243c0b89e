// Of a factor that is chosen for each row by the reference, weights by the old reference take the second number; they are no answer
// for rows that take the first.
// RUN: softmax-opt %s --smx-gpu-speculate --canonicalize | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>

// CHECK-LABEL: @choice
smx_gpu.kernel @choice(%k: memref<?x64xbf16>, %y: memref<?x64xf32>, %z: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x8xf32, #L>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  %infinite = arith.constant dense<0x7F800000> : tensor<64xf32, #S>
  %lowest = arith.constant dense<0xFF800000> : tensor<64xf32, #S>
  // CHECK-DAG: %[[SECOND:.+]] = arith.constant dense<7.500000e-01> : tensor<64x64xf32, #{{.+}}>
  // CHECK-DAG: %[[LIMIT:.+]] = arith.constant dense<4.096000e+03> : tensor<64x8xf32, #{{.+}}>
  // CHECK-DAG: %[[NONE:.+]] = arith.constant dense<0.000000e+00> : tensor<64xf32, #{{.+}}>
  %limit = arith.constant dense<4096.0> : tensor<64xf32, #S>
  %lower = arith.constant dense<-4096.0> : tensor<64xf32, #S>
  %first = arith.constant dense<1.0> : tensor<64xf32, #S>
  %second = arith.constant dense<0.75> : tensor<64xf32, #S>
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
    %s1 = smx_gpu.wait %st, %s pending 1 : tensor<64x64xf32, #L>
    // CHECK: %[[D0:.+]] = math.fma %{{.+}}, %[[SECOND]],
    // CHECK: %[[P0:.+]] = math.exp2 %[[D0]]
    // CHECK: %[[L0:.+]] = smx_gpu.partial_reduce <add> %[[P0]]
    // CHECK: %[[LARGE:.+]] = arith.cmpf ugt, %[[L0]]
    // CHECK: %[[RS:.+]] = smx_gpu.broadcast %[[R]]
    // CHECK: %[[SIZE:.+]] = math.absf %[[RS]]
    // CHECK: %[[BEYOND:.+]] = arith.cmpf ogt, %[[SIZE]], %[[LIMIT]]
    // CHECK: %[[EITHER:.+]] = arith.ori %[[LARGE]], %[[BEYOND]]
    // CHECK: %[[MOVES:.+]] = smx_gpu.any %[[EITHER]]
    // CHECK: scf.if %[[MOVES]]
    // CHECK: %[[G:.+]] = arith.select %{{.+}}, %[[NONE]],
    // CHECK: %[[IS_ABOVE:.+]] = arith.cmpf ogt, %[[G]], %{{.+}}
    // CHECK: %[[IS_BELOW:.+]] = arith.cmpf ogt, %{{.+}}, %[[G]]
    // CHECK: %[[IS_FAR:.+]] = arith.ori %[[IS_ABOVE]], %[[IS_BELOW]]
    // CHECK: %[[CHOSEN:.+]] = arith.select %[[IS_FAR]], %{{.+}}, %{{.+}}
    // CHECK: %[[FACTORS:.+]] = smx_gpu.broadcast %[[CHOSEN]]
    // CHECK: math.fma %{{.+}}, %[[FACTORS]],
    // CHECK: } else {
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
    %is_above = arith.cmpf ogt, %g, %limit : tensor<64xf32, #S>
    %is_below = arith.cmpf ogt, %lower, %g : tensor<64xf32, #S>
    %is_far = arith.ori %is_above, %is_below : tensor<64xi1, #S>
    %factor = arith.select %is_far, %first, %second : tensor<64xi1, #S>, tensor<64xf32, #S>
    %f = smx_gpu.broadcast %factor : tensor<64xf32, #S> -> tensor<64x64xf32, #L>
    %d = math.fma %s1, %f, %b : tensor<64x64xf32, #L>
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
