// Loops whose cut tiles come last are united for `smx-gpu-roles` to split them again, where that is worth it: products of few columns, or few tiles of keys.
// RUN: softmax-opt %s --smx-gpu-unite-loops=few-tiles --canonicalize --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-unite-loops='few-tiles narrow=32 rounds=9' --canonicalize --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-unite-loops='few-tiles narrow=32 rounds=8 open-groups=0' --canonicalize --split-input-file | FileCheck %s --check-prefix=TWO
// RUN: softmax-opt %s --smx-gpu-unite-loops='few-tiles widest=32' --canonicalize --split-input-file | FileCheck %s --check-prefix=TWO

#F = #smx_gpu.fragment<warps = 4>

// Tiles of rows have 1 to 16 tiles of keys, 8.5 on average.
// CHECK-LABEL: smx_gpu.kernel @triangle
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
// TWO-LABEL: smx_gpu.kernel @triangle
// TWO-COUNT-3: scf.for
smx_gpu.kernel @triangle(%k: memref<1024x64xbf16>, %v: memref<1024x64xbf16>, %y: memref<1024x64xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %hidden = arith.constant dense<0xFF800000> : tensor<64x64xf32, #F>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #F>
  %q = arith.constant dense<1.0> : tensor<64x64xbf16, #F>
  %c = smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 1>
  scf.for %tile = %c0 to %c16 step %c1 {
    %i = arith.muli %tile, %c64 : index
    %n = arith.addi %i, %c64 : index
    %whole = scf.for %j = %c0 to %i step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #F>) {
      smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<1024x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
      %b = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
      %s = smx_gpu.mma %q, %b, %zero transpose_b : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
      smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
      %p = math.exp2 %s : tensor<64x64xf32, #F>
      %p16 = arith.truncf %p : tensor<64x64xf32, #F> to tensor<64x64xbf16, #F>
      smx_gpu.put %v[%j, %c0] into %c dims [0, 1] copy(plain) : memref<1024x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
      %d = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
      %o = smx_gpu.mma %p16, %d, %acc : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
      smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
      scf.yield %o : tensor<64x64xf32, #F>
    }
    %cut = scf.for %j = %i to %n step %c64 iter_args(%acc = %whole) -> (tensor<64x64xf32, #F>) {
      smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<1024x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
      %b = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
      %s = smx_gpu.mma %q, %b, %zero transpose_b : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
      smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
      %row = smx_gpu.position 0 : tensor<64x64xindex, #F>
      %first = tensor.splat %i : tensor<64x64xindex, #F>
      %query = arith.addi %row, %first : tensor<64x64xindex, #F>
      %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
      %start = tensor.splat %j : tensor<64x64xindex, #F>
      %key = arith.addi %place, %start : tensor<64x64xindex, #F>
      %seen = arith.cmpi sle, %key, %query : tensor<64x64xindex, #F>
      %m = arith.select %seen, %s, %hidden : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
      %p = math.exp2 %m : tensor<64x64xf32, #F>
      %is = arith.cmpf oeq, %m, %hidden : tensor<64x64xf32, #F>
      %w = arith.select %is, %absent, %p : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
      %p16 = arith.truncf %w : tensor<64x64xf32, #F> to tensor<64x64xbf16, #F>
      smx_gpu.put %v[%j, %c0] into %c dims [0, 1] copy(plain) : memref<1024x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
      %d = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
      %o = smx_gpu.mma %p16, %d, %acc guarded : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
      smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
      scf.yield %o : tensor<64x64xf32, #F>
    }
    smx_gpu.store %cut, %y[%i, %c0] dims [0, 1] : tensor<64x64xf32, #F>, memref<1024x64xf32>
  }
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 4>

// Nobody knows how many tiles there are: one loop where a block has at most `open-groups` groups, two where it has more.
// CHECK-LABEL: smx_gpu.kernel @open
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
// TWO-LABEL: smx_gpu.kernel @open
// TWO-COUNT-2: scf.for
smx_gpu.kernel @open(%k: memref<1024x64xbf16>, %v: memref<1024x64xbf16>, %y: memref<1024x64xf32>, %tile: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %hidden = arith.constant dense<0xFF800000> : tensor<64x64xf32, #F>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #F>
  %q = arith.constant dense<1.0> : tensor<64x64xbf16, #F>
  %c = smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 1>
  %i = arith.muli %tile, %c64 : index
  %n = arith.addi %i, %c64 : index
  %whole = scf.for %j = %c0 to %i step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #F>) {
    smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<1024x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %b = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero transpose_b : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    %p = math.exp2 %s : tensor<64x64xf32, #F>
    %p16 = arith.truncf %p : tensor<64x64xf32, #F> to tensor<64x64xbf16, #F>
    smx_gpu.put %v[%j, %c0] into %c dims [0, 1] copy(plain) : memref<1024x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %d = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %o = smx_gpu.mma %p16, %d, %acc : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    scf.yield %o : tensor<64x64xf32, #F>
  }
  %cut = scf.for %j = %i to %n step %c64 iter_args(%acc = %whole) -> (tensor<64x64xf32, #F>) {
    smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<1024x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %b = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %s = smx_gpu.mma %q, %b, %zero transpose_b : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    %row = smx_gpu.position 0 : tensor<64x64xindex, #F>
    %first = tensor.splat %i : tensor<64x64xindex, #F>
    %query = arith.addi %row, %first : tensor<64x64xindex, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %start = tensor.splat %j : tensor<64x64xindex, #F>
    %key = arith.addi %place, %start : tensor<64x64xindex, #F>
    %seen = arith.cmpi sle, %key, %query : tensor<64x64xindex, #F>
    %m = arith.select %seen, %s, %hidden : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %p = math.exp2 %m : tensor<64x64xf32, #F>
    %is = arith.cmpf oeq, %m, %hidden : tensor<64x64xf32, #F>
    %w = arith.select %is, %absent, %p : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %p16 = arith.truncf %w : tensor<64x64xf32, #F> to tensor<64x64xbf16, #F>
    smx_gpu.put %v[%j, %c0] into %c dims [0, 1] copy(plain) : memref<1024x64xbf16>, <64x64xbf16, swizzle = 128, depth = 1>
    %d = smx_gpu.get %c : <64x64xbf16, swizzle = 128, depth = 1> -> <64x64xbf16, swizzle = 128>
    %o = smx_gpu.mma %p16, %d, %acc guarded : tensor<64x64xbf16, #F>, <64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #F>
    smx_gpu.release %c : <64x64xbf16, swizzle = 128, depth = 1>
    scf.yield %o : tensor<64x64xf32, #F>
  }
  smx_gpu.store %cut, %y[%i, %c0] dims [0, 1] : tensor<64x64xf32, #F>, memref<1024x64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>

// Cut tiles in front take the first round, in which nothing overlaps.
// CHECK-LABEL: smx_gpu.kernel @backward
// CHECK-COUNT-3: scf.for
// TWO-LABEL: smx_gpu.kernel @backward
// TWO-COUNT-3: scf.for
smx_gpu.kernel @backward(%x: memref<1024x1024xf32>, %y: memref<1024xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  scf.for %tile = %c0 to %c16 step %c1 {
    %i = arith.muli %tile, %c64 : index
    %n = arith.addi %i, %c64 : index
    %cut = scf.for %at = %i to %n step %c64 iter_args(%l = %zero) -> (tensor<64xf32, #S>) {
      %j = affine.apply affine_map<(d0, d1, d2) -> (-d0 + d1 + d2 - 64)>(%at, %i, %n)
      %t = smx_gpu.load %x[%i, %j] dims [0, 1] : memref<1024x1024xf32> -> tensor<64x64xf32, #F>
      %row = smx_gpu.position 0 : tensor<64x64xindex, #F>
      %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
      %seen = arith.cmpi sle, %place, %row : tensor<64x64xindex, #F>
      %h = arith.select %seen, %t, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
      %s = smx_gpu.reduce <add> %h dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
      %l1 = arith.addf %l, %s : tensor<64xf32, #S>
      scf.yield %l1 : tensor<64xf32, #S>
    }
    %whole = scf.for %at = %c0 to %i step %c64 iter_args(%l = %cut) -> (tensor<64xf32, #S>) {
      %j = affine.apply affine_map<(d0, d1) -> (-d0 + d1 - 64)>(%at, %i)
      %t = smx_gpu.load %x[%i, %j] dims [0, 1] : memref<1024x1024xf32> -> tensor<64x64xf32, #F>
      %s = smx_gpu.reduce <add> %t dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
      %l1 = arith.addf %l, %s : tensor<64xf32, #S>
      scf.yield %l1 : tensor<64xf32, #S>
    }
    smx_gpu.store %whole, %y[%i] dims [0] : tensor<64xf32, #S>, memref<1024xf32>
  }
  smx_gpu.return
}
