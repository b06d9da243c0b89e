// Loops of a window, from its last tile to its first: tiles that its end cuts, whole ones, and tiles that its begin cuts. One loop visits the whole ones
// first, then those in front of them, from [f, b), and then those behind: what is cut is behind one bound.
// RUN: softmax-opt %s --smx-gpu-unite-loops=few-tiles --canonicalize --mlir-print-local-scope | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-unite-loops --canonicalize --mlir-print-local-scope | FileCheck %s --check-prefix=BACKWARD

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>
!t = tensor<64x64xf32, #F>
!r = tensor<64xf32, #S>

// CHECK-LABEL: smx_gpu.kernel @window
// CHECK-SAME: %[[F:[^:]+]]: index, %[[B:[^:]+]]: index, %[[LAST:[^:]+]]: index, %[[N:[^:]+]]: index)
smx_gpu.kernel @window(%x: memref<64x4096xf32>, %y: memref<64xf32>, %f: index, %b: index, %last: index, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[ABSENT:.+]] = arith.constant dense<-0.000000e+00>
  %absent = arith.constant dense<-0.0> : !t
  %zero = arith.constant dense<0.0> : !r
  // CHECK: %[[FIRST:.+]] = affine.apply {{.+}}[%[[F]]]
  // CHECK: %[[BEGIN:.+]] = affine.apply {{.+}}[%[[B]]]
  // CHECK: %[[MIDDLE:.+]] = arith.maxsi
  %first = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%f]
  %begin = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%b]
  %down = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%last]
  %middle = arith.maxsi %down, %begin : index
  %end = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%n]
  // CHECK: %[[END:.+]] = arith.maxsi %{{.+}}, %[[MIDDLE]]
  // CHECK: %[[FRONT:.+]] = arith.subi %[[BEGIN]], %[[FIRST]]
  // CHECK: %[[FIRST_CUT:.+]] = arith.subi %[[MIDDLE]], %[[FRONT]]
  // CHECK: %[[BACK:.+]] = arith.subi %[[FIRST]], %[[FIRST_CUT]]
  // CHECK: scf.for %[[AT:.+]] = %[[FIRST]] to %[[END]] step %c64
  // CHECK: %[[IS_CUT:.+]] = arith.cmpi sge, %[[AT]], %[[FIRST_CUT]]
  // CHECK: %[[IS_BEHIND:.+]] = arith.cmpi sge, %[[AT]], %[[MIDDLE]]
  // CHECK: %[[SHIFT:.+]] = arith.select %[[IS_CUT]], %[[BACK]], %[[FRONT]]
  // CHECK: %[[SHIFTED:.+]] = arith.addi %[[AT]], %[[SHIFT]]
  // CHECK: %[[J:.+]] = arith.select %[[IS_BEHIND]], %[[AT]], %[[SHIFTED]]
  // CHECK: smx_gpu.load %{{.+}}[%c0, %[[J]]]
  // CHECK: scf.if %[[IS_CUT]]
  // CHECK: arith.select {{.+}} : index
  // CHECK: tensor.splat
  // CHECK: arith.select %{{.+}}, %{{.+}}, %[[ABSENT]]
  // CHECK-NOT: scf.for
  // CHECK: smx_gpu.return

  // Where rounds are not to be told apart, in the order of the loops.
  // BACKWARD: scf.for %[[AT:.+]] = %{{.+}} to
  // BACKWARD: %[[J:.+]] = arith.subi %{{.+}}, %[[AT]]
  // BACKWARD: %[[BEHIND:.+]] = arith.cmpi sge, %[[J]]
  // BACKWARD: %[[IN_FRONT:.+]] = arith.cmpi slt, %[[J]]
  // BACKWARD: %[[IS_CUT:.+]] = arith.ori %[[BEHIND]], %[[IN_FRONT]]
  // BACKWARD: scf.if %[[IS_CUT]]
  // BACKWARD-NOT: scf.for
  %cut = scf.for %at = %middle to %end step %c64 iter_args(%l = %zero) -> (!r) {
    %j = affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 64)>(%at, %middle, %end)
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x4096xf32> -> !t
    %row = smx_gpu.position 0 : tensor<64x64xindex, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %start = tensor.splat %j : tensor<64x64xindex, #F>
    %key = arith.addi %place, %start : tensor<64x64xindex, #F>
    %is = arith.cmpi sle, %key, %row : tensor<64x64xindex, #F>
    %h = arith.select %is, %t, %absent : tensor<64x64xi1, #F>, !t
    %s = smx_gpu.reduce <add> %h dim 1 : !t -> !r
    %l1 = arith.addf %l, %s : !r
    scf.yield %l1 : !r
  }
  %whole = scf.for %at = %begin to %middle step %c64 iter_args(%l = %cut) -> (!r) {
    %j = affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 64)>(%at, %begin, %middle)
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x4096xf32> -> !t
    %s = smx_gpu.reduce <add> %t dim 1 : !t -> !r
    %l1 = arith.addf %l, %s : !r
    scf.yield %l1 : !r
  }
  %in_front = scf.for %at = %first to %begin step %c64 iter_args(%l = %whole) -> (!r) {
    %j = affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 64)>(%at, %first, %begin)
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x4096xf32> -> !t
    %row = smx_gpu.position 0 : tensor<64x64xindex, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %start = tensor.splat %j : tensor<64x64xindex, #F>
    %key = arith.addi %place, %start : tensor<64x64xindex, #F>
    %is = arith.cmpi sle, %key, %row : tensor<64x64xindex, #F>
    %h = arith.select %is, %t, %absent : tensor<64x64xi1, #F>, !t
    %s = smx_gpu.reduce <add> %h dim 1 : !t -> !r
    %l1 = arith.addf %l, %s : !r
    scf.yield %l1 : !r
  } {smx.few_tiles}
  smx_gpu.store %in_front, %y[%c0] dims [0] : !r, memref<64xf32>
  smx_gpu.return
}
