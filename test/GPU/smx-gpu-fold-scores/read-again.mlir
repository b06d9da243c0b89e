// A term that is read from memory is read again where a branch needs the score.
// RUN: softmax-opt %s --smx-gpu-fold-scores --canonicalize --cse | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!s = tensor<64x64xf32, #L>
!row = tensor<64xf32, #S>

// CHECK-LABEL: @bias
smx_gpu.kernel @bias(%y: memref<?x64xf32>, %b: memref<?x64xbf16>, %z: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : !s
  %lowest = arith.constant dense<-1.0> : !row
  %base = arith.constant dense<1.5> : !s
  %q = smx_gpu.alloc : !tile
  %k = smx_gpu.alloc : !tile
  // CHECK: scf.for %[[J:.+]] = {{.+}} iter_args(%[[R:.+]] = %{{.+}}, %{{.+}} = %{{.+}})
  %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest, %w = %zeros) -> (!row, !s) {
    %a, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !tile -> !s
    // CHECK: %[[PRODUCT:.+]] = smx_gpu.wait
    %p = smx_gpu.wait %t, %a : !s
    // CHECK-DAG: %[[PLACES:.+]] = smx_gpu.position 1
    // CHECK-DAG: %[[READ:.+]] = smx_gpu.load %{{.+}}[%[[J]], %{{.+}}] dims [0, 1] : memref<?x64xbf16>
    // CHECK-DAG: %[[FOUND:.+]] = smx_gpu.gather %{{.+}}[%[[PLACES]]] :
    %narrow = smx_gpu.load %b[%j, %c0] dims [0, 1] : memref<?x64xbf16> -> tensor<64x64xbf16, #L>
    %places = smx_gpu.position 1 : tensor<64x64xindex, #L>
    %found = smx_gpu.gather %z[%places] : memref<?xf32> -> !s
    // CHECK-DAG: %[[BIAS:.+]] = arith.extf %[[READ]]
    // CHECK-DAG: %[[CURVE:.+]] = math.tanh %[[FOUND]]
    %bias = arith.extf %narrow : tensor<64x64xbf16, #L> to !s
    %curve = math.tanh %found : !s
    %two = arith.addf %p, %bias : !s
    %score = arith.addf %two, %curve : !s
    %reference = smx_gpu.broadcast %m : !row -> !s
    // CHECK-DAG: math.fma %[[BIAS]]
    // CHECK-DAG: math.fma %[[CURVE]]
    // CHECK: math.exp2
    %e = math.fma %score, %base, %reference : !s
    %weight = math.exp2 %e : !s
    %large = arith.cmpf ugt, %weight, %base : !s
    %moves = smx_gpu.any %large : tensor<64x64xi1, #L>
    // CHECK: scf.if
    // CHECK-DAG: %[[READ1:.+]] = smx_gpu.load %{{.+}}[%[[J]], %{{.+}}] dims [0, 1] again : memref<?x64xbf16>
    // CHECK-DAG: %[[FOUND1:.+]] = smx_gpu.gather %{{.+}}[%[[PLACES]]] again :
    // CHECK-DAG: %[[BIAS1:.+]] = arith.extf %[[READ1]]
    // CHECK-DAG: %[[CURVE1:.+]] = math.tanh %[[FOUND1]]
    // CHECK: %[[TWO:.+]] = arith.addf %[[PRODUCT]], %[[BIAS1]]
    // CHECK: %[[SCORE:.+]] = arith.addf %[[TWO]], %[[CURVE1]]
    // CHECK: smx_gpu.reduce <maxnum> %[[SCORE]]
    // CHECK: } else {
    %next = scf.if %moves -> !row {
      %largest = smx_gpu.reduce <maxnum> %score dim 1 : !s -> !row
      scf.yield %largest : !row
    } else {
      scf.yield %m : !row
    }
    scf.yield %next, %weight : !row, !s
  }
  smx_gpu.store %r#1, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}

// From a tile that a channel brought it is read again as well, and not kept: the tile is held first, or the assembler would see that both are one.
// CHECK-LABEL: @brought
smx_gpu.kernel @brought(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : !s
  %lowest = arith.constant dense<-1.0> : !row
  %base = arith.constant dense<1.5> : !s
  %q = smx_gpu.alloc : !tile
  %k = smx_gpu.alloc : !tile
  %terms = smx_gpu.make_channel : !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 2>
  // CHECK: scf.for
  %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest, %w = %zeros) -> (!row, !s) {
    smx_gpu.put %x[%j, %c0] into %terms dims [0, 1] copy(plain) : memref<?x64xf32>, !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 2>
    %a, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !tile -> !s
    // CHECK: %[[PRODUCT:.+]] = smx_gpu.wait
    %p = smx_gpu.wait %t, %a : !s
    // CHECK: %[[TILE:.+]] = smx_gpu.get
    // CHECK: %[[READ:.+]] = smx_gpu.read %[[TILE]]
    // CHECK: math.fma %[[READ]]
    %tile = smx_gpu.get %terms : !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 2> -> !smx_gpu.shared<64x64xf32, swizzle = 128>
    %bias = smx_gpu.read %tile : !smx_gpu.shared<64x64xf32, swizzle = 128> -> !s
    %score = arith.addf %p, %bias : !s
    %reference = smx_gpu.broadcast %m : !row -> !s
    %e = math.fma %score, %base, %reference : !s
    %weight = math.exp2 %e : !s
    %large = arith.cmpf ugt, %weight, %base : !s
    %moves = smx_gpu.any %large : tensor<64x64xi1, #L>
    // CHECK: scf.if
    // CHECK-NEXT: %[[HELD:.+]] = smx_gpu.hold %[[TILE]]
    // CHECK-NEXT: %[[READ1:.+]] = smx_gpu.read %[[HELD]]
    // CHECK-NEXT: %[[SCORE:.+]] = arith.addf %[[PRODUCT]], %[[READ1]]
    // CHECK: smx_gpu.reduce <maxnum> %[[SCORE]]
    // CHECK: smx_gpu.release
    %next = scf.if %moves -> !row {
      %largest = smx_gpu.reduce <maxnum> %score dim 1 : !s -> !row
      scf.yield %largest : !row
    } else {
      scf.yield %m : !row
    }
    smx_gpu.release %terms : !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 2>
    scf.yield %next, %weight : !row, !s
  }
  smx_gpu.store %r#1, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}
