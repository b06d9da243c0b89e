// Weights that are rounded to bf16 take fewer coefficients, for a smaller part of the cap, if logits of up to 6 are in it.
// RUN: softmax-opt %s --smx-gpu-small-tanh --canonicalize --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-small-tanh --split-input-file --remarks-filter=smx-gpu-small-tanh 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: coefficients=2
// REMARK: coefficients=3
// REMARK: coefficients=3

#L = #smx_gpu.fragment<warps = 4>
!s = tensor<64x64xf32, #L>
!h = tensor<64x64xbf16, #L>
!p = tensor<64x8xf32, #L>

// 20 tanh(x / 20) for |x| <= 6.71875, as its square in f32.
// CHECK-LABEL: @cap_of_20
smx_gpu.kernel @cap_of_20(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK-DAG: %[[LIMIT:.+]] = arith.constant dense<1110741248> : tensor<64x8xi32
  // CHECK-DAG: %[[C0:.+]] = arith.constant dense<1.44{{.*}}> : tensor<64x64xf32
  // CHECK-DAG: %[[C1:.+]] = arith.constant dense<-0.0011{{.*}}> : tensor<64x64xf32
  %share = arith.constant dense<0.05> : !s
  %cap = arith.constant dense<28.853901> : !s
  %bound = arith.constant dense<100.0> : !p
  %none = arith.constant dense<0.0> : !s
  // CHECK: scf.for
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%m = %none) -> !s {
    %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    // CHECK: %[[Z:.+]] = arith.mulf
    // CHECK: %[[Q:.+]] = math.fma %[[C1]], %[[Z]], %[[C0]]
    // CHECK: math.fma %{{.+}}, %[[Q]],
    // CHECK: arith.cmpi sgt, %{{.+}}, %[[LIMIT]]
    %u = arith.mulf %t, %share : !s
    %v = math.tanh %u fastmath<afn> : !s
    %e = math.fma %v, %cap, %m : !s
    %w = math.exp2 %e : !s
    %s = smx_gpu.partial_reduce <add> %w : !s -> !p
    %narrow = arith.truncf %w : !s to !h
    %large = arith.cmpf ugt, %s, %bound : !p
    %moves = smx_gpu.any %large : tensor<64x8xi1, #L>
    %a = scf.if %moves -> !s {
      scf.yield %v : !s
    } else {
      %wide = arith.extf %narrow : !h to !s
      scf.yield %wide : !s
    }
    scf.yield %a : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
!s = tensor<64x64xf32, #L>
!h = tensor<64x64xbf16, #L>
!p = tensor<64x8xf32, #L>

// Two coefficients are right up to 3.9 of a cap of 10.
// CHECK-LABEL: @cap_of_10
smx_gpu.kernel @cap_of_10(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %share = arith.constant dense<0.1> : !s
  %cap = arith.constant dense<14.42695> : !s
  %bound = arith.constant dense<100.0> : !p
  %none = arith.constant dense<0.0> : !s
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%m = %none) -> !s {
    %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %u = arith.mulf %t, %share : !s
    %v = math.tanh %u fastmath<afn> : !s
    %e = math.fma %v, %cap, %m : !s
    %w = math.exp2 %e : !s
    %s = smx_gpu.partial_reduce <add> %w : !s -> !p
    %narrow = arith.truncf %w : !s to !h
    %large = arith.cmpf ugt, %s, %bound : !p
    %moves = smx_gpu.any %large : tensor<64x8xi1, #L>
    %a = scf.if %moves -> !s {
      scf.yield %v : !s
    } else {
      %wide = arith.extf %narrow : !h to !s
      scf.yield %wide : !s
    }
    scf.yield %a : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
!s = tensor<64x64xf32, #L>
!h = tensor<64x64xf16, #L>
!p = tensor<64x8xf32, #L>

// f16 keeps three.
// CHECK-LABEL: @in_f16
smx_gpu.kernel @in_f16(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %share = arith.constant dense<0.05> : !s
  %cap = arith.constant dense<28.853901> : !s
  %bound = arith.constant dense<100.0> : !p
  %none = arith.constant dense<0.0> : !s
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%m = %none) -> !s {
    %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %u = arith.mulf %t, %share : !s
    %v = math.tanh %u fastmath<afn> : !s
    %e = math.fma %v, %cap, %m : !s
    %w = math.exp2 %e : !s
    %s = smx_gpu.partial_reduce <add> %w : !s -> !p
    %narrow = arith.truncf %w : !s to !h
    %large = arith.cmpf ugt, %s, %bound : !p
    %moves = smx_gpu.any %large : tensor<64x8xi1, #L>
    %a = scf.if %moves -> !s {
      scf.yield %v : !s
    } else {
      %wide = arith.extf %narrow : !h to !s
      scf.yield %wide : !s
    }
    scf.yield %a : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}
