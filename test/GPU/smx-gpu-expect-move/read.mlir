// What a guess alone reads from shared memory is read where it is made, unless the tile is given back before.
// RUN: softmax-opt %s --smx-gpu-expect-move --canonicalize | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!tile = !smx_gpu.shared<64x64xf32, swizzle = 128>
!channel = !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 2>
!state = tensor<64xf32, #S>
!sums = tensor<64x8xf32, #L>
!scores = tensor<64x64xf32, #L>

// CHECK-LABEL: @behind
// CHECK: smx_gpu.get
// CHECK: %[[T:.+]] = smx_gpu.get %[[TERMS:.+]] :
// CHECK-NOT: smx_gpu.read
// CHECK: smx_gpu.release
// CHECK-NOT: smx_gpu.read
// CHECK: scf.if
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: smx_gpu.read %[[T]]
// CHECK: smx_gpu.any
// CHECK: smx_gpu.release %[[TERMS]]
smx_gpu.kernel @behind(%x: memref<?x64xf32>, %y: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %bounds = arith.constant dense<2048.0> : !sums
  %none = arith.constant dense<0.0> : !sums
  %lowest = arith.constant dense<-100.0> : !state
  %keys = smx_gpu.make_channel : !channel
  %terms = smx_gpu.make_channel : !channel
  %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest, %l = %none) -> (!state, !sums) {
    smx_gpu.put %x[%j, %c0] into %keys dims [0, 1] copy(plain) : memref<?x64xf32>, !channel
    smx_gpu.put %x[%j, %c0] into %terms dims [0, 1] copy(plain) : memref<?x64xf32>, !channel
    %k = smx_gpu.get %keys : !channel -> !tile
    %s = smx_gpu.read %k : !tile -> !scores
    %t = smx_gpu.get %terms : !channel -> !tile
    %term = smx_gpu.read %t : !tile -> !scores
    smx_gpu.release %keys : !channel
    %b = smx_gpu.broadcast %m : !state -> !scores
    %sum = arith.addf %term, %b : !scores
    %d = arith.addf %s, %sum : !scores
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
    smx_gpu.release %terms : !channel
    scf.yield %new#0, %new#1 : !state, !sums
  }
  smx_gpu.store %r#0, %y[%c0] dims [0] : !state, memref<?xf32>
  smx_gpu.return
}

// CHECK-LABEL: @released
// CHECK: smx_gpu.get
// CHECK: smx_gpu.get
// CHECK-NEXT: smx_gpu.read
// CHECK-NEXT: smx_gpu.release
// CHECK-NEXT: smx_gpu.release
// CHECK: scf.if
// CHECK: } else {
// CHECK-NOT: smx_gpu.read
// CHECK: smx_gpu.any
smx_gpu.kernel @released(%x: memref<?x64xf32>, %y: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %bounds = arith.constant dense<2048.0> : !sums
  %none = arith.constant dense<0.0> : !sums
  %lowest = arith.constant dense<-100.0> : !state
  %keys = smx_gpu.make_channel : !channel
  %terms = smx_gpu.make_channel : !channel
  %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest, %l = %none) -> (!state, !sums) {
    smx_gpu.put %x[%j, %c0] into %keys dims [0, 1] copy(plain) : memref<?x64xf32>, !channel
    smx_gpu.put %x[%j, %c0] into %terms dims [0, 1] copy(plain) : memref<?x64xf32>, !channel
    %k = smx_gpu.get %keys : !channel -> !tile
    %s = smx_gpu.read %k : !tile -> !scores
    %t = smx_gpu.get %terms : !channel -> !tile
    %term = smx_gpu.read %t : !tile -> !scores
    smx_gpu.release %keys : !channel
    smx_gpu.release %terms : !channel
    %b = smx_gpu.broadcast %m : !state -> !scores
    %sum = arith.addf %term, %b : !scores
    %d = arith.addf %s, %sum : !scores
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
