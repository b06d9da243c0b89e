// Weights are computed from the terms of a score; the score itself where a branch needs it.
// RUN: softmax-opt %s --smx-gpu-fold-scores --canonicalize --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-fold-scores --split-input-file --remarks-filter=smx-gpu-fold-scores 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: weights are computed from the terms of a score: ", terms=2
// REMARK: weights are computed from the terms of a score: ", terms=3
// REMARK: weights are computed from the terms of a score: ", terms=2
// REMARK-NOT: weights are computed

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!s = tensor<64x64xf32, #L>
!row = tensor<64xf32, #S>

// A product times its scale, and a bias that grows with the distance: what waits for no product comes first.
// CHECK-LABEL: @slope
smx_gpu.kernel @slope(%y: memref<?x64xf32>, %z: memref<?xf32>, %slope: f32, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : !s
  %lowest = arith.constant dense<-1.0> : !row
  // CHECK-DAG: %[[SCALE:.+]] = arith.constant dense<2.500000e-01> : tensor<64x64xf32
  // CHECK-DAG: %[[OF_PRODUCT:.+]] = arith.constant dense<3.750000e-01> : tensor<64x64xf32
  // CHECK-DAG: %[[BASE:.+]] = arith.constant 1.500000e+00 : f32
  %scale = arith.constant dense<0.25> : !s
  %base = arith.constant dense<1.5> : !s
  %q = smx_gpu.alloc : !tile
  %k = smx_gpu.alloc : !tile
  // CHECK: scf.for {{.+}} iter_args(%[[R:.+]] = %{{.+}}, %{{.+}} = %{{.+}})
  %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest, %w = %zeros) -> (!row, !s) {
    %a, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !tile -> !s
    // CHECK: %[[PRODUCT:.+]] = smx_gpu.wait
    %p = smx_gpu.wait %t, %a : !s
    %column = smx_gpu.position 1 : tensor<64x64xindex, #L>
    %js = tensor.splat %j : tensor<64x64xindex, #L>
    %away = arith.addi %column, %js : tensor<64x64xindex, #L>
    %i32 = arith.index_cast %away : tensor<64x64xindex, #L> to tensor<64x64xi32, #L>
    // CHECK: %[[DISTANCE:.+]] = arith.sitofp
    %x = arith.sitofp %i32 : tensor<64x64xi32, #L> to !s
    %slopes = tensor.splat %slope : !s
    %bias = arith.mulf %slopes, %x : !s
    %scaled = arith.mulf %p, %scale : !s
    %score = arith.addf %scaled, %bias : !s
    // CHECK-NOT: arith.addf
    // CHECK: %[[REFERENCE:.+]] = smx_gpu.broadcast
    %reference = smx_gpu.broadcast %m : !row -> !s
    // CHECK: %[[FACTOR:.+]] = arith.mulf %{{.+}}, %[[BASE]] : f32
    // CHECK: %[[FACTORS:.+]] = tensor.splat %[[FACTOR]]
    // CHECK: %[[E0:.+]] = math.fma %[[DISTANCE]], %[[FACTORS]], %[[REFERENCE]] fastmath<reassoc>
    // CHECK: %[[E:.+]] = math.fma %[[PRODUCT]], %[[OF_PRODUCT]], %[[E0]] :
    // CHECK: math.exp2 %[[E]]
    %e = math.fma %score, %base, %reference : !s
    %weight = math.exp2 %e : !s
    %large = arith.cmpf ugt, %weight, %base : !s
    %moves = smx_gpu.any %large : tensor<64x64xi1, #L>
    // CHECK: scf.if
    // CHECK-DAG: %[[BIAS:.+]] = arith.mulf %{{.+}}, %[[DISTANCE]]
    // CHECK-DAG: %[[SCALED:.+]] = arith.mulf %[[PRODUCT]], %[[SCALE]]
    // CHECK: %[[SCORE:.+]] = arith.addf %[[SCALED]], %[[BIAS]]
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

// -----

#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!s = tensor<64x64xf32, #L>

// Differences, negations and fused multiply-adds have terms too, from the last one to the product:
// -(2 (a + 3 b) - c) 0.5 = c / 2 - 3 b - a.
// CHECK-LABEL: @signs
smx_gpu.kernel @signs(%y: memref<?x64xf32>, %b: memref<?x64xf32>, %c: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : !s
  // CHECK-DAG: %[[MINUS1:.+]] = arith.constant dense<-1.000000e+00> : tensor<64x64xf32
  // CHECK-DAG: %[[MINUS3:.+]] = arith.constant dense<-3.000000e+00> : tensor<64x64xf32
  // CHECK-DAG: %[[HALF:.+]] = arith.constant dense<5.000000e-01> : tensor<64x64xf32
  %half = arith.constant dense<0.5> : !s
  %two = arith.constant dense<2.0> : !s
  %three = arith.constant dense<3.0> : !s
  %q = smx_gpu.alloc : !tile
  %k = smx_gpu.alloc : !tile
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%w = %zeros) -> !s {
    // CHECK: %[[B:.+]] = smx_gpu.load
    // CHECK: %[[C:.+]] = smx_gpu.load
    // CHECK: %[[A:.+]] = smx_gpu.wait
    %bt = smx_gpu.load %b[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %ct = smx_gpu.load %c[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %product, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !tile -> !s
    %at = smx_gpu.wait %t, %product : !s
    %inner = math.fma %three, %bt, %at : !s
    %twice = arith.mulf %inner, %two : !s
    %difference = arith.subf %twice, %ct : !s
    %score = arith.negf %difference : !s
    // CHECK: %[[E0:.+]] = math.fma %[[C]], %[[HALF]], %{{.+}} :
    // CHECK: %[[E1:.+]] = math.fma %[[B]], %[[MINUS3]], %[[E0]] :
    // CHECK: %[[E2:.+]] = math.fma %[[A]], %[[MINUS1]], %[[E1]] :
    // CHECK: math.exp2 %[[E2]]
    %e = math.fma %score, %half, %w : !s
    %weight = math.exp2 %e : !s
    scf.yield %weight : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!s = tensor<64x64xf32, #L>

// A difference beside the product is one term: it may be small where what it is made of is not.
// CHECK-LABEL: @difference
smx_gpu.kernel @difference(%y: memref<?x64xf32>, %b: memref<?x64xf32>, %c: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : !s
  %half = arith.constant dense<0.5> : !s
  %q = smx_gpu.alloc : !tile
  %k = smx_gpu.alloc : !tile
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%w = %zeros) -> !s {
    %bt = smx_gpu.load %b[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %ct = smx_gpu.load %c[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    %product, %t = smx_gpu.mma_async %q, %k, %zeros transpose_b zero : !tile, !tile -> !s
    // CHECK: %[[PRODUCT:.+]] = smx_gpu.wait
    %at = smx_gpu.wait %t, %product : !s
    // CHECK: %[[BIAS:.+]] = arith.subf
    %bias = arith.subf %bt, %ct : !s
    %score = arith.addf %at, %bias : !s
    // CHECK: %[[E0:.+]] = math.fma %[[BIAS]], %{{.+}}, %{{.+}} :
    // CHECK: math.fma %[[PRODUCT]], %{{.+}}, %[[E0]] :
    %e = math.fma %score, %half, %w : !s
    %weight = math.exp2 %e : !s
    scf.yield %weight : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!s = tensor<64x64xf32, #L>
!row = tensor<64xf32, #S>

// Scores that every round needs are computed once, and factors that differ between elements stay.
// CHECK-LABEL: @kept
smx_gpu.kernel @kept(%y: memref<?x64xf32>, %a: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : !s
  %half = arith.constant dense<0.5> : !s
  %r = scf.for %j = %c0 to %n step %c64 iter_args(%w = %zeros) -> !s {
    // CHECK: %[[A:.+]] = smx_gpu.load
    %at = smx_gpu.load %a[%j, %c0] dims [0, 1] : memref<?x64xf32> -> !s
    // CHECK: %[[SCORE:.+]] = arith.addf %[[A]], %{{.+}}
    %score = arith.addf %at, %half : !s
    %m = smx_gpu.reduce <maxnum> %score dim 1 : !s -> !row
    %reference = smx_gpu.broadcast %m : !row -> !s
    // CHECK: math.fma %[[SCORE]], %{{.+}}, %{{.+}} :
    %e = math.fma %score, %half, %reference : !s
    %first = math.exp2 %e : !s
    // CHECK: %[[SQUARE:.+]] = arith.mulf %[[A]], %[[A]]
    // CHECK: math.fma %[[SQUARE]], %{{.+}}, %{{.+}} :
    %square = arith.mulf %at, %at : !s
    %f = math.fma %square, %half, %reference : !s
    %second = math.exp2 %f : !s
    %sum = arith.addf %first, %second : !s
    scf.yield %sum : !s
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : !s, memref<?x64xf32>
  smx_gpu.return
}
