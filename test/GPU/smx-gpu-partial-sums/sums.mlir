// Row sums that loops carry become sums of each thread, and are reduced over lanes once.
// RUN: softmax-opt %s --smx-gpu-partial-sums --canonicalize --split-input-file | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>

// The sums of one loop go on in the next.
// CHECK-LABEL: @two_loops
// CHECK-SAME: (%[[X:.+]]: memref<?x128xf32>, %[[F:.+]]: memref<?xf32>, %[[Y:.+]]: memref<?xf32>, %[[N:.+]]: index, %[[M:.+]]: index)
smx_gpu.kernel @two_loops(%x: memref<?x128xf32>, %f: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK-DAG: %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : tensor<64x8xf32, #{{.+}}>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  // CHECK: %[[FIRST:.+]] = scf.for %{{.+}} iter_args(%[[L0:.+]] = %[[ZEROS]]) -> (tensor<64x8xf32, #{{.+}}>)
  %a = scf.for %i = %c0 to %n step %c64 iter_args(%l = %zero) -> (tensor<64xf32, #S>) {
    // CHECK: %[[P:.+]] = smx_gpu.load %[[X]]
    %p = smx_gpu.load %x[%i, %c0] dims [0, 1] : memref<?x128xf32> -> tensor<64x128xf32, #L>
    // CHECK: %[[V:.+]] = smx_gpu.load %[[F]]
    %v = smx_gpu.load %f[%i] dims [0] : memref<?xf32> -> tensor<64xf32, #S>
    // CHECK-DAG: %[[B:.+]] = smx_gpu.broadcast %[[V]]
    // CHECK-DAG: %[[SCALED:.+]] = arith.mulf %[[L0]], %[[B]]
    // CHECK-DAG: %[[SUMS:.+]] = smx_gpu.partial_reduce <add> %[[P]] : tensor<64x128xf32, #{{.+}}> -> tensor<64x8xf32, #{{.+}}>
    // CHECK: %[[L1:.+]] = arith.addf %[[SUMS]], %[[SCALED]]
    // CHECK: scf.yield %[[L1]]
    %s = smx_gpu.reduce <add> %p dim 1 : tensor<64x128xf32, #L> -> tensor<64xf32, #S>
    %scaled = arith.mulf %l, %v : tensor<64xf32, #S>
    %l1 = arith.addf %s, %scaled : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  // Not scaled, of another width, the other way round.
  // CHECK-NOT: smx_gpu.reduce
  // CHECK: %[[SECOND:.+]] = scf.for %{{.+}} iter_args(%[[L2:.+]] = %[[FIRST]])
  %b = scf.for %i = %n to %m step %c64 iter_args(%l = %a) -> (tensor<64xf32, #S>) {
    // CHECK: smx_gpu.partial_reduce <add> %{{.+}} : tensor<64x64xf32, #{{.+}}> -> tensor<64x8xf32, #{{.+}}>
    %p = smx_gpu.load %x[%i, %c0] dims [0, 1] : memref<?x128xf32> -> tensor<64x64xf32, #L>
    %s = smx_gpu.reduce <add> %p dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #S>
    %l1 = arith.addf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  // CHECK: %[[ROWS:.+]] = smx_gpu.reduce <add> %[[SECOND]] dim 1
  // CHECK: smx_gpu.store %[[ROWS]]
  smx_gpu.store %b, %y[%c0] dims [0] : tensor<64xf32, #S>, memref<?xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>

// Sums from before the loop are those of the first column.
// CHECK-LABEL: @from_before
smx_gpu.kernel @from_before(%x: memref<?x128xf32>, %y: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[BEFORE:.+]] = smx_gpu.load
  %before = smx_gpu.load %y[%c0] dims [0] : memref<?xf32> -> tensor<64xf32, #S>
  // CHECK: %[[COLUMN:.+]] = smx_gpu.position 1 : tensor<64x8xindex, #{{.+}}>
  // CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[COLUMN]]
  // CHECK: %[[SPREAD:.+]] = smx_gpu.broadcast %[[BEFORE]]
  // CHECK: %[[START:.+]] = arith.select %[[IS_FIRST]], %[[SPREAD]]
  // CHECK: scf.for {{.+}} iter_args(%{{.+}} = %[[START]])
  %a = scf.for %i = %c0 to %n step %c64 iter_args(%l = %before) -> (tensor<64xf32, #S>) {
    %p = smx_gpu.load %x[%i, %c0] dims [0, 1] : memref<?x128xf32> -> tensor<64x128xf32, #L>
    %s = smx_gpu.reduce <add> %p dim 1 : tensor<64x128xf32, #L> -> tensor<64xf32, #S>
    %l1 = arith.addf %s, %l : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  smx_gpu.store %a, %y[%c0] dims [0] : tensor<64xf32, #S>, memref<?xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>

// What the loop looks at, it needs whole; a maximum is no sum.
// CHECK-LABEL: @needed_in_the_loop
// CHECK-NOT: partial_reduce
smx_gpu.kernel @needed_in_the_loop(%x: memref<?x128xf32>, %y: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  %a:2 = scf.for %i = %c0 to %n step %c64 iter_args(%l = %zero, %m = %zero) -> (tensor<64xf32, #S>, tensor<64xf32, #S>) {
    %p = smx_gpu.load %x[%i, %c0] dims [0, 1] : memref<?x128xf32> -> tensor<64x128xf32, #L>
    %s = smx_gpu.reduce <add> %p dim 1 : tensor<64x128xf32, #L> -> tensor<64xf32, #S>
    %l1 = arith.addf %s, %l : tensor<64xf32, #S>
    smx_gpu.store %l1, %y[%i] dims [0] : tensor<64xf32, #S>, memref<?xf32>
    %t = smx_gpu.reduce <maxnum> %p dim 1 : tensor<64x128xf32, #L> -> tensor<64xf32, #S>
    %m1 = arith.addf %t, %m : tensor<64xf32, #S>
    scf.yield %l1, %m1 : tensor<64xf32, #S>, tensor<64xf32, #S>
  }
  smx_gpu.store %a#0, %y[%c0] dims [0] : tensor<64xf32, #S>, memref<?xf32>
  smx_gpu.store %a#1, %y[%c64] dims [0] : tensor<64xf32, #S>, memref<?xf32>
  smx_gpu.return
}
