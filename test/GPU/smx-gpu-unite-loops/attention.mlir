// Full tiles and those that a mask cuts share one loop, which asks in each round whether its tile is cut.
// RUN: softmax-opt %s --smx-gpu-unite-loops --canonicalize | FileCheck %s

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>

// CHECK-LABEL: smx_gpu.kernel @weights
// CHECK-SAME: (%[[K:.+]]: memref<?x64xbf16>, %[[V:.+]]: memref<?x64xbf16>, %[[Y:.+]]: memref<64x64xf32>, %[[N:.+]]: index, %[[FIRST:.+]]: index)
smx_gpu.kernel @weights(%k: memref<?x64xbf16>, %v: memref<?x64xbf16>, %y: memref<64x64xf32>, %n: index, %first: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK-DAG: %[[HIDDEN:.+]] = arith.constant dense<0xFF800000>
  // CHECK-DAG: %[[ABSENT:.+]] = arith.constant dense<-0.000000e+00>
  %hidden = arith.constant dense<0xFF800000> : tensor<64x64xf32, #F>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #F>
  %q = arith.constant dense<1.0> : tensor<64x64xbf16, #F>
  %c = smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 1>
  // CHECK: %[[MIDDLE:.+]] = affine.apply #{{.+}}()[%[[FIRST]]]
  %middle = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 64)>()[%first]
  // CHECK: %[[END:.+]] = arith.maxsi %[[N]], %[[MIDDLE]]
  // CHECK: scf.for %[[J:.+]] = %c0 to %[[END]] step %c64
  // CHECK-SAME: iter_args(%[[ACC:.+]] = %{{.+}})
  %whole = scf.for %j = %c0 to %middle step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #F>) {
    smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %b = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero transpose_b : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    %p = math.exp2 %s : tensor<64x64xf32, #F>
    %p16 = arith.truncf %p : tensor<64x64xf32, #F> to tensor<64x64xbf16, #F>
    smx_gpu.put %v[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %d = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %o = smx_gpu.mma %p16, %d, %acc : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    scf.yield %o : tensor<64x64xf32, #F>
  }
  // CHECK: %[[IS_CUT:.+]] = arith.cmpi sge, %[[J]], %[[MIDDLE]]
  // CHECK: %[[LEFT:.+]] = affine.min
  // CHECK: smx_gpu.put %[[K]][%[[J]], %c0] valid(%[[LEFT]], %c64)
  // CHECK: %[[S:.+]] = smx_gpu.mma {{.+}} transpose_b
  // CHECK: %[[SCORES:.+]] = scf.if %[[IS_CUT]]
  // CHECK: %[[SEEN:.+]] = arith.cmpi sle
  // CHECK: arith.select %[[SEEN]], %[[S]], %[[HIDDEN]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[S]]
  // CHECK: %[[P:.+]] = math.exp2 %[[SCORES]]
  // Places are asked for again: the scores are no longer needed.
  // CHECK: %[[WEIGHTS:.+]] = scf.if %[[IS_CUT]]
  // CHECK: %[[AGAIN:.+]] = arith.cmpi sle
  // CHECK: arith.select %[[AGAIN]], %[[P]], %[[ABSENT]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[P]]
  // CHECK: %[[P16:.+]] = arith.truncf %[[WEIGHTS]]
  // CHECK: %[[D:.+]] = smx_gpu.get
  // CHECK: %[[O:.+]] = scf.if %[[IS_CUT]]
  // CHECK-NEXT: smx_gpu.mma %[[P16]], %[[D]], %[[ACC]] guarded :
  // CHECK: } else {
  // CHECK-NEXT: smx_gpu.mma %[[P16]], %[[D]], %[[ACC]] :
  // CHECK: scf.yield %[[O]]
  // CHECK-NOT: scf.for
  %cut = scf.for %j = %middle to %n step %c64 iter_args(%acc = %whole) -> (tensor<64x64xf32, #F>) {
    %left = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%j)[%n]
    smx_gpu.put %k[%j, %c0] valid(%left, %c64) into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %b = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero transpose_b : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    %row = smx_gpu.position 0 : tensor<64x64xindex, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %start = tensor.splat %j : tensor<64x64xindex, #F>
    %key = arith.addi %place, %start : tensor<64x64xindex, #F>
    %seen = arith.cmpi sle, %key, %row : tensor<64x64xindex, #F>
    %m = arith.select %seen, %s, %hidden : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %p = math.exp2 %m : tensor<64x64xf32, #F>
    %is = arith.cmpf oeq, %m, %hidden : tensor<64x64xf32, #F>
    %w = arith.select %is, %absent, %p : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %p16 = arith.truncf %w : tensor<64x64xf32, #F> to tensor<64x64xbf16, #F>
    smx_gpu.put %v[%j, %c0] valid(%left, %c64) into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %d = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %o = smx_gpu.mma %p16, %d, %acc guarded : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    scf.yield %o : tensor<64x64xf32, #F>
  }
  smx_gpu.store %cut, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #F>, memref<64x64xf32>
  smx_gpu.return
}
