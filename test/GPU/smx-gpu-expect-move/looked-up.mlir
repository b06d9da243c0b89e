// Tiles of many keys for whose scores numbers are looked up keep their guesses.
// RUN: softmax-opt %s --smx-gpu-expect-move --canonicalize | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-expect-move=columns=128 --canonicalize | FileCheck %s --check-prefix=WIDER

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!state = tensor<64xf32, #S>
!sums = tensor<64x8xf32, #L>
!scores = tensor<64x128xf32, #L>
!places = tensor<64x128xindex, #L>

// CHECK-LABEL: @table
// CHECK: %{{.+}}:2 = scf.for
// WIDER-LABEL: @table
// WIDER: %{{.+}}:3 = scf.for
smx_gpu.kernel @table(%x: memref<?x128xf32>, %t: memref<?xf32>, %y: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bounds = arith.constant dense<2048.0> : !sums
  %none = arith.constant dense<0.0> : !sums
  %lowest = arith.constant dense<-100.0> : !state
  %places = smx_gpu.position 1 : !places
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %lowest, %l = %none) -> (!state, !sums) {
    %k = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x128xf32> -> !scores
    %term = smx_gpu.gather %t[%places] : memref<?xf32> -> !scores
    %s = arith.addf %k, %term : !scores
    %b = smx_gpu.broadcast %m : !state -> !scores
    %d = arith.subf %s, %b : !scores
    %p = math.exp2 %d : !scores
    %l0 = smx_gpu.partial_reduce <add> %p : !scores -> !sums
    %large = arith.cmpf ugt, %l0, %bounds : !sums
    %moves = smx_gpu.any %large : tensor<64x8xi1, #L>
    %new:2 = scf.if %moves -> (!state, !sums) {
      %top = smx_gpu.reduce <maxnum> %s dim 1 : !scores -> !state
      %far = arith.cmpf ogt, %top, %m : !state
      %m1 = arith.select %far, %top, %m : tensor<64xi1, #S>, !state
      scf.yield %m1, %l : !state, !sums
    } else {
      %l2 = arith.addf %l0, %l : !sums
      scf.yield %m, %l2 : !state, !sums
    }
    scf.yield %new#0, %new#1 : !state, !sums
  }
  smx_gpu.store %r#0, %y[%c0] dims [0] : !state, memref<?xf32>
  smx_gpu.return
}
