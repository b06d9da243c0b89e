// What six coefficients are too few for stays, an exact tanh, and one that others read. Without these reasons it does not.
// RUN: softmax-opt %s --smx-gpu-small-tanh=range=0.7 | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-small-tanh=range=0.7 --remarks-filter=smx-gpu-small-tanh 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-NOT: tanh is a polynomial

#L = #smx_gpu.fragment<warps = 4>
!s = tensor<64x64xf32, #L>
!p = tensor<64x8xf32, #L>

// CHECK-LABEL: @kept
smx_gpu.kernel @kept(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %four = arith.constant dense<400.0> : !s
  %ten = arith.constant dense<1000000.0> : !s
  %bound = arith.constant dense<100.0> : !p
  %none = arith.constant dense<0.0> : !s
  // CHECK: scf.for
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%m = %none) -> !s {
    %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    // CHECK: %[[T1:.+]] = math.tanh
    // CHECK: math.fma %[[T1]]
    %y1 = math.tanh %t fastmath<afn> : !s
    %e1 = math.fma %y1, %ten, %m : !s
    %w1 = math.exp2 %e1 : !s
    %s1 = smx_gpu.partial_reduce <add> %w1 : !s -> !p
    %large1 = arith.cmpf ugt, %s1, %bound : !p
    %moves1 = smx_gpu.any %large1 : tensor<64x8xi1, #L>
    %a1 = scf.if %moves1 -> !s {
      scf.yield %y1 : !s
    } else {
      scf.yield %w1 : !s
    }
    // CHECK: %[[T2:.+]] = math.tanh %{{.+}} :
    // CHECK: math.fma %[[T2]]
    %y2 = math.tanh %t : !s
    %e2 = math.fma %y2, %four, %a1 : !s
    %w2 = math.exp2 %e2 : !s
    %s2 = smx_gpu.partial_reduce <add> %w2 : !s -> !p
    %large2 = arith.cmpf ugt, %s2, %bound : !p
    %moves2 = smx_gpu.any %large2 : tensor<64x8xi1, #L>
    %a2 = scf.if %moves2 -> !s {
      scf.yield %y2 : !s
    } else {
      scf.yield %w2 : !s
    }
    // CHECK: %[[T3:.+]] = math.tanh
    // CHECK: math.fma %[[T3]]
    %u = arith.addf %t, %t : !s
    %y3 = math.tanh %u fastmath<afn> : !s
    %e3 = math.fma %y3, %four, %a2 : !s
    %w3 = math.exp2 %e3 : !s
    %s3 = smx_gpu.partial_reduce <add> %w3 : !s -> !p
    %large3 = arith.cmpf ugt, %s3, %bound : !p
    %moves3 = smx_gpu.any %large3 : tensor<64x8xi1, #L>
    %a3 = scf.if %moves3 -> !s {
      scf.yield %y3 : !s
    } else {
      scf.yield %w3 : !s
    }
    %sum = arith.addf %a3, %y3 : !s
    scf.yield %sum : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}

// CHECK-LABEL: @replaced
// CHECK-NOT: math.tanh
// CHECK: math.exp2
// CHECK: scf.if
// CHECK: math.tanh
// CHECK: smx_gpu.return
smx_gpu.kernel @replaced(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %four = arith.constant dense<400.0> : !s
  %bound = arith.constant dense<100.0> : !p
  %none = arith.constant dense<0.0> : !s
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%m = %none) -> !s {
    %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %y1 = math.tanh %t fastmath<afn> : !s
    // REMARK: kept.mlir:[[#@LINE+2]]:{{.+}}tanh is a polynomial
    // REMARK-NOT: tanh is a polynomial
    %e1 = math.fma %y1, %four, %m : !s
    %w1 = math.exp2 %e1 : !s
    %s1 = smx_gpu.partial_reduce <add> %w1 : !s -> !p
    %large1 = arith.cmpf ugt, %s1, %bound : !p
    %moves1 = smx_gpu.any %large1 : tensor<64x8xi1, #L>
    %a1 = scf.if %moves1 -> !s {
      scf.yield %y1 : !s
    } else {
      scf.yield %w1 : !s
    }
    scf.yield %a1 : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}
