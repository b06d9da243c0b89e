// The tile that the end of a tensor cuts shares the loop of whole ones: of them all is put, of it what there is.
// RUN: softmax-opt %s --smx-gpu-unite-loops --canonicalize --split-input-file | FileCheck %s

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>

// CHECK-LABEL: smx_gpu.kernel @attention
// CHECK-SAME: (%[[K:.+]]: memref<16x?xf32>, %[[V:.+]]: memref<?x16xf32>, %[[Y:.+]]: memref<64x16xf32>, %[[N:.+]]: index)
smx_gpu.kernel @attention(%k: memref<16x?xf32>, %v: memref<?x16xf32>, %y: memref<64x16xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  // CHECK-DAG: %[[HIDDEN:.+]] = arith.constant dense<0xFF800000>
  // CHECK-DAG: %[[ABSENT:.+]] = arith.constant dense<-0.000000e+00>
  %hidden = arith.constant dense<0xFF800000> : tensor<64x64xf32, #F>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #F>
  %lowest = arith.constant dense<0xFF800000> : tensor<64xf32, #S>
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #F>
  %q = arith.constant dense<1.0> : tensor<64x16xf32, #F>
  %ck = smx_gpu.make_channel : <16x64xf32, swizzle = 128, depth = 1>
  %cv = smx_gpu.make_channel : <64x16xf32, swizzle = 64, depth = 1>
  // CHECK: %[[MIDDLE:.+]] = affine.apply #{{.+}}()[%[[N]]]
  // CHECK: %[[REST:.+]] = affine.apply #{{.+}}()[%[[N]]]
  %middle = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 64)>()[%n]
  %rest = affine.apply affine_map<()[s0] -> (s0 mod 64)>()[%n]
  // CHECK: %[[END:.+]] = arith.maxsi %[[N]], %[[MIDDLE]]
  // CHECK: scf.for %[[J:.+]] = %c0 to %[[END]] step %c64
  %whole:2 = scf.for %j = %c0 to %middle step %c64 iter_args(%m = %lowest, %acc = %none) -> (tensor<64xf32, #S>, tensor<64x16xf32, #F>) {
    smx_gpu.put %k[%c0, %j] into %ck dims [0, 1] copy(plain) : memref<16x?xf32>, <16x64xf32, swizzle = 128, depth = 1>
    %b = smx_gpu.get %ck : <16x64xf32, swizzle = 128, depth = 1> -> <16x64xf32, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero : tensor<64x16xf32, #F>, <16x64xf32, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %ck : <16x64xf32, swizzle = 128, depth = 1>
    %max = smx_gpu.reduce <maxnum> %s dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %m1 = arith.maxnumf %m, %max : tensor<64xf32, #S>
    %r = smx_gpu.broadcast %m1 : tensor<64xf32, #S> -> tensor<64x64xf32, #F>
    %e = arith.subf %s, %r : tensor<64x64xf32, #F>
    %p = math.exp2 %e : tensor<64x64xf32, #F>
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(plain) : memref<?x16xf32>, <64x16xf32, swizzle = 64, depth = 1>
    %d = smx_gpu.get %cv : <64x16xf32, swizzle = 64, depth = 1> -> <64x16xf32, swizzle = 64>
    %o = smx_gpu.mma %p, %d, %acc : tensor<64x64xf32, #F>, <64x16xf32, swizzle = 64> -> tensor<64x16xf32, #F>
    smx_gpu.release %cv : <64x16xf32, swizzle = 64, depth = 1>
    scf.yield %m1, %o : tensor<64xf32, #S>, tensor<64x16xf32, #F>
  }
  // CHECK: %[[IS_CUT:.+]] = arith.cmpi sge, %[[J]], %[[MIDDLE]]
  // CHECK: %[[COLUMNS:.+]] = arith.select %[[IS_CUT]], %[[REST]], %c64
  // CHECK: smx_gpu.put %[[K]][%c0, %[[J]]] valid(%c16, %[[COLUMNS]])
  // CHECK: %[[S:.+]] = smx_gpu.mma
  // CHECK: %[[SCORES:.+]] = scf.if %[[IS_CUT]]
  // CHECK: %[[IN:.+]] = arith.cmpi slt
  // CHECK: arith.select %[[IN]], %[[S]], %[[HIDDEN]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[S]]
  // What looked at the scores as they were looks at the hidden ones, too.
  // CHECK: smx_gpu.reduce <maxnum> %[[SCORES]]
  // CHECK: %[[E:.+]] = arith.subf %[[SCORES]],
  // CHECK: %[[P:.+]] = math.exp2 %[[E]]
  // CHECK: %[[WEIGHTS:.+]] = scf.if %[[IS_CUT]]
  // CHECK: arith.select %{{.+}}, %[[P]], %[[ABSENT]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[P]]
  // CHECK: %[[ROWS:.+]] = arith.select %[[IS_CUT]], %[[REST]], %c64
  // CHECK: smx_gpu.put %[[V]][%[[J]], %c0] valid(%[[ROWS]], %c16)
  // CHECK: smx_gpu.mma %[[WEIGHTS]],
  // CHECK-NOT: scf.for
  %cut:2 = scf.for %j = %middle to %n step %c64 iter_args(%m = %whole#0, %acc = %whole#1) -> (tensor<64xf32, #S>, tensor<64x16xf32, #F>) {
    smx_gpu.put %k[%c0, %j] valid(%c16, %rest) into %ck dims [0, 1] copy(plain) : memref<16x?xf32>, <16x64xf32, swizzle = 128, depth = 1>
    %b = smx_gpu.get %ck : <16x64xf32, swizzle = 128, depth = 1> -> <16x64xf32, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero : tensor<64x16xf32, #F>, <16x64xf32, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %ck : <16x64xf32, swizzle = 128, depth = 1>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %extent = tensor.splat %rest : tensor<64x64xindex, #F>
    %in = arith.cmpi slt, %place, %extent : tensor<64x64xindex, #F>
    %h = arith.select %in, %s, %hidden : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %max = smx_gpu.reduce <maxnum> %h dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %m1 = arith.maxnumf %m, %max : tensor<64xf32, #S>
    %r = smx_gpu.broadcast %m1 : tensor<64xf32, #S> -> tensor<64x64xf32, #F>
    %e = arith.subf %s, %r : tensor<64x64xf32, #F>
    %p = math.exp2 %e : tensor<64x64xf32, #F>
    %w = arith.select %in, %p, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    smx_gpu.put %v[%j, %c0] valid(%rest, %c16) into %cv dims [0, 1] copy(plain) : memref<?x16xf32>, <64x16xf32, swizzle = 64, depth = 1>
    %d = smx_gpu.get %cv : <64x16xf32, swizzle = 64, depth = 1> -> <64x16xf32, swizzle = 64>
    %o = smx_gpu.mma %w, %d, %acc : tensor<64x64xf32, #F>, <64x16xf32, swizzle = 64> -> tensor<64x16xf32, #F>
    smx_gpu.release %cv : <64x16xf32, swizzle = 64, depth = 1>
    scf.yield %m1, %o : tensor<64xf32, #S>, tensor<64x16xf32, #F>
  }
  smx_gpu.store %cut#1, %y[%c0, %c0] dims [0, 1] : tensor<64x16xf32, #F>, memref<64x16xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 4>

// What is made of the scores as they were is hidden elsewhere than the scores are.
// CHECK-LABEL: @hidden_elsewhere
// CHECK-COUNT-2: scf.for
smx_gpu.kernel @hidden_elsewhere(%x: memref<64x?xf32>, %y: memref<64x64xf32>, %n: index, %limit: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #F>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %middle = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 64)>()[%n]
  %a = scf.for %j = %c0 to %middle step %c64 iter_args(%l = %zero) -> (tensor<64x64xf32, #F>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %l1 = arith.addf %l, %t : tensor<64x64xf32, #F>
    %u = math.exp2 %t : tensor<64x64xf32, #F>
    %l2 = arith.addf %l1, %u : tensor<64x64xf32, #F>
    scf.yield %l2 : tensor<64x64xf32, #F>
  }
  %b = scf.for %j = %middle to %n step %c64 iter_args(%l = %a) -> (tensor<64x64xf32, #F>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %end = tensor.splat %n : tensor<64x64xindex, #F>
    %seen = arith.cmpi slt, %place, %end : tensor<64x64xindex, #F>
    %h = arith.select %seen, %t, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %l1 = arith.addf %l, %h : tensor<64x64xf32, #F>
    %u = math.exp2 %t : tensor<64x64xf32, #F>
    %other = tensor.splat %limit : tensor<64x64xindex, #F>
    %also = arith.cmpi slt, %place, %other : tensor<64x64xindex, #F>
    %w = arith.select %also, %u, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %l2 = arith.addf %l1, %w : tensor<64x64xf32, #F>
    scf.yield %l2 : tensor<64x64xf32, #F>
  }
  smx_gpu.store %b, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #F>, memref<64x64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>

// Rounds of products of 16-bit elements and few columns are short.
// CHECK-LABEL: smx_gpu.kernel @short_rounds
// CHECK-COUNT-2: scf.for
smx_gpu.kernel @short_rounds(%k: memref<16x?xbf16>, %v: memref<?x16xbf16>, %y: memref<64x16xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %hidden = arith.constant dense<0xFF800000> : tensor<64x64xf32, #F>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #F>
  %lowest = arith.constant dense<0xFF800000> : tensor<64xf32, #S>
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #F>
  %q = arith.constant dense<1.0> : tensor<64x16xbf16, #F>
  %ck = smx_gpu.make_channel : <16x64xbf16, swizzle = 128, depth = 1>
  %cv = smx_gpu.make_channel : <64x16xbf16, swizzle = 32, depth = 1>
  %middle = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 64)>()[%n]
  %rest = affine.apply affine_map<()[s0] -> (s0 mod 64)>()[%n]
  %whole:2 = scf.for %j = %c0 to %middle step %c64 iter_args(%m = %lowest, %acc = %none) -> (tensor<64xf32, #S>, tensor<64x16xf32, #F>) {
    smx_gpu.put %k[%c0, %j] into %ck dims [0, 1] copy(plain) : memref<16x?xbf16>, <16x64xbf16, swizzle = 128, depth = 1>
    %b = smx_gpu.get %ck : <16x64xbf16, swizzle = 128, depth = 1> -> <16x64xbf16, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero : tensor<64x16xbf16, #F>, <16x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %ck : <16x64xbf16, swizzle = 128, depth = 1>
    %max = smx_gpu.reduce <maxnum> %s dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %m1 = arith.maxnumf %m, %max : tensor<64xf32, #S>
    %r = smx_gpu.broadcast %m1 : tensor<64xf32, #S> -> tensor<64x64xf32, #F>
    %e = arith.subf %s, %r : tensor<64x64xf32, #F>
    %p = math.exp2 %e : tensor<64x64xf32, #F>
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(plain) : memref<?x16xbf16>, <64x16xbf16, swizzle = 32, depth = 1>
    %d = smx_gpu.get %cv : <64x16xbf16, swizzle = 32, depth = 1> -> <64x16xbf16, swizzle = 32>
    %np = arith.truncf %p : tensor<64x64xf32, #F> to tensor<64x64xbf16, #F>
    %o = smx_gpu.mma %np, %d, %acc : tensor<64x64xbf16, #F>, <64x16xbf16, swizzle = 32> -> tensor<64x16xf32, #F>
    smx_gpu.release %cv : <64x16xbf16, swizzle = 32, depth = 1>
    scf.yield %m1, %o : tensor<64xf32, #S>, tensor<64x16xf32, #F>
  }
  %cut:2 = scf.for %j = %middle to %n step %c64 iter_args(%m = %whole#0, %acc = %whole#1) -> (tensor<64xf32, #S>, tensor<64x16xf32, #F>) {
    smx_gpu.put %k[%c0, %j] valid(%c16, %rest) into %ck dims [0, 1] copy(plain) : memref<16x?xbf16>, <16x64xbf16, swizzle = 128, depth = 1>
    %b = smx_gpu.get %ck : <16x64xbf16, swizzle = 128, depth = 1> -> <16x64xbf16, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero : tensor<64x16xbf16, #F>, <16x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %ck : <16x64xbf16, swizzle = 128, depth = 1>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %extent = tensor.splat %rest : tensor<64x64xindex, #F>
    %in = arith.cmpi slt, %place, %extent : tensor<64x64xindex, #F>
    %h = arith.select %in, %s, %hidden : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %max = smx_gpu.reduce <maxnum> %h dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %m1 = arith.maxnumf %m, %max : tensor<64xf32, #S>
    %r = smx_gpu.broadcast %m1 : tensor<64xf32, #S> -> tensor<64x64xf32, #F>
    %e = arith.subf %s, %r : tensor<64x64xf32, #F>
    %p = math.exp2 %e : tensor<64x64xf32, #F>
    %w = arith.select %in, %p, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    smx_gpu.put %v[%j, %c0] valid(%rest, %c16) into %cv dims [0, 1] copy(plain) : memref<?x16xbf16>, <64x16xbf16, swizzle = 32, depth = 1>
    %d = smx_gpu.get %cv : <64x16xbf16, swizzle = 32, depth = 1> -> <64x16xbf16, swizzle = 32>
    %nw = arith.truncf %w : tensor<64x64xf32, #F> to tensor<64x64xbf16, #F>
    %o = smx_gpu.mma %nw, %d, %acc : tensor<64x64xbf16, #F>, <64x16xbf16, swizzle = 32> -> tensor<64x16xf32, #F>
    smx_gpu.release %cv : <64x16xbf16, swizzle = 32, depth = 1>
    scf.yield %m1, %o : tensor<64xf32, #S>, tensor<64x16xf32, #F>
  }
  smx_gpu.store %cut#1, %y[%c0, %c0] dims [0, 1] : tensor<64x16xf32, #F>, memref<64x16xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 4>

// Two masks on one value, each with another constant.
// CHECK-LABEL: @two_masks
// CHECK-COUNT-2: scf.for
smx_gpu.kernel @two_masks(%x: memref<64x?xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #F>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %lowest = arith.constant dense<0xFF800000> : tensor<64x64xf32, #F>
  %middle = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 64)>()[%n]
  %a:2 = scf.for %j = %c0 to %middle step %c64 iter_args(%s = %zero, %m = %lowest) -> (tensor<64x64xf32, #F>, tensor<64x64xf32, #F>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %s1 = arith.addf %s, %t : tensor<64x64xf32, #F>
    %m1 = arith.maxnumf %m, %t : tensor<64x64xf32, #F>
    scf.yield %s1, %m1 : tensor<64x64xf32, #F>, tensor<64x64xf32, #F>
  }
  %b:2 = scf.for %j = %middle to %n step %c64 iter_args(%s = %a#0, %m = %a#1) -> (tensor<64x64xf32, #F>, tensor<64x64xf32, #F>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %end = tensor.splat %n : tensor<64x64xindex, #F>
    %seen = arith.cmpi slt, %place, %end : tensor<64x64xindex, #F>
    %h = arith.select %seen, %t, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %s1 = arith.addf %s, %h : tensor<64x64xf32, #F>
    %k = arith.select %seen, %t, %lowest : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %m1 = arith.maxnumf %m, %k : tensor<64x64xf32, #F>
    scf.yield %s1, %m1 : tensor<64x64xf32, #F>, tensor<64x64xf32, #F>
  }
  smx_gpu.store %b#0, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #F>, memref<64x64xf32>
  smx_gpu.store %b#1, %z[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #F>, memref<64x64xf32>
  smx_gpu.return
}
