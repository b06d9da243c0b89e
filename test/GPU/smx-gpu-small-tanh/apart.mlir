// Factors behind tanh may be apart from that of the exponent, and scores hidden in between: exponents are hidden then.
// RUN: softmax-opt %s --smx-gpu-small-tanh=range=0.7 --canonicalize | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-small-tanh=range=0.7 --remarks-filter=smx-gpu-small-tanh 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: apart.mlir:[[#@LINE+32]]:{{.+}}tanh is a polynomial
// REMARK-NOT: tanh is a polynomial

#L = #smx_gpu.fragment<warps = 4>
!s = tensor<64x64xf32, #L>
!p = tensor<64x8xf32, #L>

// CHECK-LABEL: @hidden
// CHECK-DAG: %[[FAR:.+]] = arith.constant dense<0xFF800000>
// CHECK: scf.for {{.+}} iter_args(%[[REST:[^ ]+]] =
// CHECK-NOT: math.tanh
// CHECK: %[[E:.+]] = math.fma %{{.+}}, %{{.+}}, %[[REST]] :
// CHECK-NEXT: %[[HIDDEN:.+]] = arith.select %[[SEEN:.+]], %[[E]], %[[FAR]]
// CHECK-NEXT: math.exp2 %[[HIDDEN]]
// CHECK: scf.if
// CHECK: %[[T:.+]] = math.tanh
// CHECK-NEXT: %[[CAPPED:.+]] = arith.mulf %[[T]],
// CHECK-NEXT: arith.select %[[SEEN]], %[[CAPPED]], %[[FAR]]
smx_gpu.kernel @hidden(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %cap = arith.constant dense<20.0> : !s
  %log2e = arith.constant dense<1.44269504> : !s
  %far = arith.constant dense<0xFF800000> : !s
  %bound = arith.constant dense<100.0> : !p
  %none = arith.constant dense<0.0> : !s
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%m = %none) -> !s {
    %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %seen = arith.cmpf olt, %t, %m : !s
    %y1 = math.tanh %t fastmath<afn> : !s
    %z1 = arith.mulf %y1, %cap : !s
    %h1 = arith.select %seen, %z1, %far : tensor<64x64xi1, #L>, !s
    %e1 = math.fma %h1, %log2e, %m : !s
    %w1 = math.exp2 %e1 : !s
    %s1 = smx_gpu.partial_reduce <add> %w1 : !s -> !p
    %large1 = arith.cmpf ugt, %s1, %bound : !p
    %moves1 = smx_gpu.any %large1 : tensor<64x8xi1, #L>
    %a1 = scf.if %moves1 -> !s {
      scf.yield %h1 : !s
    } else {
      scf.yield %w1 : !s
    }
    scf.yield %a1 : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}

// What is hidden as another number, or by a factor below 0, stays.
// CHECK-LABEL: @kept
// CHECK: %[[T1:.+]] = math.tanh
// CHECK: arith.select %{{.+}}, %[[T1]],
// CHECK: %[[T2:.+]] = math.tanh
// CHECK: arith.select %{{.+}}, %[[T2]],
smx_gpu.kernel @kept(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %below = arith.constant dense<-20.0> : !s
  %above = arith.constant dense<20.0> : !s
  %far = arith.constant dense<0xFF800000> : !s
  %bound = arith.constant dense<100.0> : !p
  %none = arith.constant dense<0.0> : !s
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%m = %none) -> !s {
    %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %seen = arith.cmpf olt, %t, %m : !s
    %y1 = math.tanh %t fastmath<afn> : !s
    %h1 = arith.select %seen, %y1, %none : tensor<64x64xi1, #L>, !s
    %e1 = math.fma %h1, %above, %m : !s
    %w1 = math.exp2 %e1 : !s
    %s1 = smx_gpu.partial_reduce <add> %w1 : !s -> !p
    %large1 = arith.cmpf ugt, %s1, %bound : !p
    %moves1 = smx_gpu.any %large1 : tensor<64x8xi1, #L>
    %a1 = scf.if %moves1 -> !s {
      scf.yield %h1 : !s
    } else {
      scf.yield %w1 : !s
    }
    %y2 = math.tanh %a1 fastmath<afn> : !s
    %h2 = arith.select %seen, %y2, %far : tensor<64x64xi1, #L>, !s
    %e2 = math.fma %h2, %below, %a1 : !s
    %w2 = math.exp2 %e2 : !s
    %s2 = smx_gpu.partial_reduce <add> %w2 : !s -> !p
    %large2 = arith.cmpf ugt, %s2, %bound : !p
    %moves2 = smx_gpu.any %large2 : tensor<64x8xi1, #L>
    %a2 = scf.if %moves2 -> !s {
      scf.yield %h2 : !s
    } else {
      scf.yield %w2 : !s
    }
    scf.yield %a2 : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}
