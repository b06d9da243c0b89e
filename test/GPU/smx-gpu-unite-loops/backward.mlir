// Tiles that are visited from the last one on: those that a mask cuts come first. One loop visits all of them in this order.
// RUN: softmax-opt %s --smx-gpu-unite-loops --canonicalize --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-unite-loops=marks-late --canonicalize --split-input-file --mlir-print-local-scope | FileCheck %s --check-prefix=LATE

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>
!t = tensor<64x64xf32, #F>
!h = tensor<64x64xbf16, #F>
!r = tensor<64xf32, #S>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

// CHECK-LABEL: smx_gpu.kernel @two_loops
// CHECK-SAME: %[[K:.+]]: memref<?x64xbf16>, %{{.+}}: memref<?x64xbf16>, %{{.+}}: memref<64x64xf32>, %{{.+}}: index, %{{.+}}: index)
// LATE-LABEL: smx_gpu.kernel @two_loops
smx_gpu.kernel @two_loops(%k: memref<?x64xbf16>, %v: memref<?x64xbf16>, %y: memref<64x64xf32>, %seen: index, %first: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %hidden = arith.constant dense<0xFF800000> : !t
  %absent = arith.constant dense<-0.0> : !t
  %eighth = arith.constant dense<0.125> : !r
  %quarter = arith.constant dense<0.25> : !r
  %infinity = arith.constant dense<0x7F800000> : !r
  %none = arith.constant dense<0.0> : !r
  %zero = arith.constant dense<0.0> : !t
  %q = arith.constant dense<1.0> : !h
  %c = smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 1>
  // CHECK: %[[MIDDLE:.+]] = arith.maxsi
  %down = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 64)>()[%first]
  %middle = arith.maxsi %down, %c0 : index
  %n = affine.apply affine_map<()[s0] -> ((s0 ceildiv 64) * 64)>()[%seen]
  // CHECK: %[[END:.+]] = arith.maxsi %{{.+}}, %[[MIDDLE]]
  // CHECK: %[[LAST:.+]] = arith.subi %[[END]], %c64
  // CHECK: scf.for %[[AT:.+]] = %c0 to %[[END]] step %c64
  // CHECK: %[[J:.+]] = arith.subi %[[LAST]], %[[AT]]
  // CHECK: %[[IS_CUT:.+]] = arith.cmpi sge, %[[J]], %[[MIDDLE]]
  // CHECK: smx_gpu.put %[[K]][%[[J]], %c0]
  // CHECK: %[[S:.+]] = smx_gpu.mma {{.+}} transpose_b
  // CHECK: scf.if %[[IS_CUT]]
  // CHECK: arith.select
  // CHECK: %[[P:.+]] = math.exp2
  // CHECK: scf.if %[[IS_CUT]]
  // CHECK: arith.select %{{.+}}, %[[P]]
  // CHECK: scf.if %[[IS_CUT]]
  // CHECK-NEXT: smx_gpu.mma {{.+}} guarded :
  // CHECK-NOT: scf.for
  // CHECK: smx_gpu.return

  // What is hidden is 0: which of the zeros is hidden is asked at the guarded product alone.
  // LATE: scf.for
  // LATE: scf.if
  // LATE: %[[P:.+]] = math.exp2
  // LATE-NEXT: %[[P16:.+]] = arith.truncf %[[P]]
  // LATE: scf.if
  // LATE: %[[START:.+]] = tensor.splat
  // LATE: %[[KEY:.+]] = arith.addi %{{.+}}, %[[START]]
  // LATE: %[[SEEN:.+]] = arith.cmpi sle, %[[KEY]]
  // LATE: %[[MARKED:.+]] = arith.select %[[SEEN]], %[[P16]], %{{.+}} : tensor<64x64xi1
  // LATE: smx_gpu.mma %[[MARKED]], {{.+}} guarded :
  // LATE: smx_gpu.mma %[[P16]],
  %cut = scf.for %at = %middle to %n step %c64 iter_args(%acc = %zero) -> (!t) {
    %j = affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 64)>(%at, %middle, %n)
    smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %b = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero transpose_b : !h, <64x64xbf16, swizzle = 128> -> !t
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    %row = smx_gpu.position 0 : tensor<64x64xindex, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %start = tensor.splat %j : tensor<64x64xindex, #F>
    %key = arith.addi %place, %start : tensor<64x64xindex, #F>
    %is = arith.cmpi sle, %key, %row : tensor<64x64xindex, #F>
    %m = arith.select %is, %s, %hidden : tensor<64x64xi1, #F>, !t
    %most = smx_gpu.reduce <maxnum> %m dim 1 : !t -> !r
    %size = math.absf %most : !r
    %far = arith.cmpf oeq, %size, %infinity : !r
    %reference = arith.select %far, %none, %most : tensor<64xi1, #S>, !r
    %is_low = arith.cmpf olt, %reference, %none : !r
    %factor = arith.select %is_low, %quarter, %eighth : tensor<64xi1, #S>, !r
    %scale = smx_gpu.broadcast %factor : !r -> !t
    %negated = arith.negf %reference : !r
    %down1 = smx_gpu.broadcast %negated : !r -> !t
    %d = math.fma %m, %scale, %down1 : !t
    %p = math.exp2 %d : !t
    %gone = arith.cmpf oeq, %m, %hidden : !t
    %w = arith.select %gone, %absent, %p : tensor<64x64xi1, #F>, !t
    %p16 = arith.truncf %w : !t to !h
    smx_gpu.put %v[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %e = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %o = smx_gpu.mma %p16, %e, %acc guarded : !h, <64x64xbf16, swizzle = 128> -> !t
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    scf.yield %o : !t
  }
  %whole = scf.for %at = %c0 to %middle step %c64 iter_args(%acc = %cut) -> (!t) {
    %j = affine.apply affine_map<(d0, d1) -> (-d0 + d1 - 64)>(%at, %middle)
    smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %b = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero transpose_b : !h, <64x64xbf16, swizzle = 128> -> !t
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    %most = smx_gpu.reduce <maxnum> %s dim 1 : !t -> !r
    %size = math.absf %most : !r
    %far = arith.cmpf oeq, %size, %infinity : !r
    %reference = arith.select %far, %none, %most : tensor<64xi1, #S>, !r
    %is_low = arith.cmpf olt, %reference, %none : !r
    %factor = arith.select %is_low, %quarter, %eighth : tensor<64xi1, #S>, !r
    %scale = smx_gpu.broadcast %factor : !r -> !t
    %negated = arith.negf %reference : !r
    %down1 = smx_gpu.broadcast %negated : !r -> !t
    %d = math.fma %s, %scale, %down1 : !t
    %p = math.exp2 %d : !t
    %p16 = arith.truncf %p : !t to !h
    smx_gpu.put %v[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %e = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %o = smx_gpu.mma %p16, %e, %acc : !h, <64x64xbf16, swizzle = 128> -> !t
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    scf.yield %o : !t
  }
  smx_gpu.store %whole, %y[%c0, %c0] dims [0, 1] : !t, memref<64x64xf32>
  smx_gpu.return
}
