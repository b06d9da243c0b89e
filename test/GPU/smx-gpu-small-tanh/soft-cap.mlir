// tanh of small numbers is a polynomial; where one is not small, a branch computes it as it stands.
// RUN: softmax-opt %s --smx-gpu-small-tanh=range=0.7 --canonicalize | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-small-tanh=range=0.7 --remarks-filter=smx-gpu-small-tanh 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: softmax-opt %s --smx-gpu-small-tanh --remarks-filter=smx-gpu-small-tanh 2>&1 >/dev/null | FileCheck %s --check-prefix=HALF
// RUN: not softmax-opt %s --smx-gpu-small-tanh=range=0 2>&1 | FileCheck %s --check-prefix=RANGE
// HALF: coefficients=3
// RANGE: option 'range' must be above 0 and at most 1, got 0
// REMARK: tanh is a polynomial of small numbers: ", coefficients=4

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!s = tensor<64x64xf32, #L>
!p = tensor<64x8xf32, #L>
!row = tensor<64xf32, #S>

// The coefficients are those of tanh times 1/4, 1/4^3, .. and times 32, which four keep within 2^-11 up to 53/64: squares
// up to (4 * 53/64)^2, whose bits are compared.
// CHECK-LABEL: @cap
smx_gpu.kernel @cap(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK-DAG: %[[LIMIT:.+]] = arith.constant dense<1095321856> : tensor<64x8xi32
  // CHECK-DAG: %[[BOUND:.+]] = arith.constant dense<1.000000e+02> : tensor<64x8xf32
  // CHECK-DAG: %[[C0:.+]] = arith.constant dense<7.99876{{.*}}> : tensor<64x64xf32
  // CHECK-DAG: %[[C1:.+]] = arith.constant dense<-0.165326{{.*}}> : tensor<64x64xf32
  // CHECK-DAG: %[[C2:.+]] = arith.constant dense<0.00375823{{.*}}> : tensor<64x64xf32
  // CHECK-DAG: %[[C3:.+]] = arith.constant dense<-5.53706{{.*}}E-5> : tensor<64x64xf32
  %half = arith.constant dense<0.5> : !s
  %two = arith.constant dense<2.0> : !s
  %cap = arith.constant dense<32.0> : !s
  %lowest = arith.constant dense<-1.0> : !row
  %bound = arith.constant dense<100.0> : !p
  // CHECK: scf.for
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest) -> !row {
    // CHECK: %[[X:.+]] = smx_gpu.load
    %t = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    // CHECK: %[[R:.+]] = smx_gpu.broadcast
    %reference = smx_gpu.broadcast %m : !row -> !s
    %less = arith.divf %t, %two : !s
    %share = arith.mulf %less, %half : !s
    %y0 = math.tanh %share fastmath<afn> : !s
    // CHECK-NOT: math.tanh
    // CHECK: %[[Z:.+]] = arith.mulf %[[X]], %[[X]]
    // CHECK: %[[Q2:.+]] = math.fma %[[C3]], %[[Z]], %[[C2]] :
    // CHECK: %[[Q1:.+]] = math.fma %[[Q2]], %[[Z]], %[[C1]] :
    // CHECK: %[[Q0:.+]] = math.fma %[[Q1]], %[[Z]], %[[C0]] :
    // CHECK: %[[E:.+]] = math.fma %[[X]], %[[Q0]], %[[R]] :
    // CHECK: %[[W:.+]] = math.exp2 %[[E]]
    %e = math.fma %y0, %cap, %reference : !s
    %weight = math.exp2 %e fastmath<afn> : !s
    // CHECK: %[[L:.+]] = smx_gpu.partial_reduce <add> %[[W]]
    %sums = smx_gpu.partial_reduce <add> %weight : !s -> !p
    // CHECK-DAG: %[[LARGE:.+]] = arith.cmpf ugt, %[[L]], %[[BOUND]]
    // CHECK-DAG: %[[BITS:.+]] = arith.bitcast %[[Z]]
    // CHECK-DAG: %[[MOST:.+]] = smx_gpu.partial_reduce <maxsi> %[[BITS]]
    // CHECK-DAG: %[[FAR:.+]] = arith.cmpi sgt, %[[MOST]], %[[LIMIT]]
    // CHECK: %[[EITHER:.+]] = arith.ori %[[LARGE]], %[[FAR]]
    // CHECK: %[[OTHER:.+]] = arith.ori %[[EITHER]], %{{.+}}
    // CHECK: %[[MOVES:.+]] = smx_gpu.any %[[OTHER]]
    %large = arith.cmpf ugt, %sums, %bound : !p
    %below = arith.cmpf olt, %sums, %bound : !p
    %other = arith.ori %large, %below : tensor<64x8xi1, #L>
    %moves = smx_gpu.any %other : tensor<64x8xi1, #L>
    // CHECK: scf.if %[[MOVES]]
    // CHECK: %[[LESS:.+]] = arith.divf %[[X]]
    // CHECK: %[[SHARE:.+]] = arith.mulf %[[LESS]]
    // CHECK: math.tanh %[[SHARE]] fastmath<afn>
    // CHECK: else
    // CHECK-NOT: math.tanh
    // CHECK: smx_gpu.reduce <add> %[[L]]
    %next = scf.if %moves -> !row {
      %largest = smx_gpu.reduce <maxnum> %y0 dim 1 : !s -> !row
      scf.yield %largest : !row
    } else {
      %sum = smx_gpu.reduce <add> %sums dim 1 : !p -> !row
      scf.yield %sum : !row
    }
    scf.yield %next : !row
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0] : !row, memref<?x64xf32>
  smx_gpu.return
}
