// Where all rows of a group are there, or none, one question of numbers is asked for them.
// RUN: softmax-opt %s --smx-gpu-roles --canonicalize | FileCheck %s

#F = #smx_gpu.fragment<warps = 8>
!t = tensor<128x64xf32, #F>
!h = tensor<128x64xbf16, #F>
!places = tensor<128x64xindex, #F>
!m = memref<?x64xbf16>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!s = !smx_gpu.shared<64x64xbf16, swizzle = 128>

// 4032 rows, of which the last tile has 64.
// CHECK-LABEL: smx_gpu.kernel @known
// CHECK: smx_gpu.role @compute
// CHECK: %[[GROUP:.+]] = smx_gpu.group_id
// CHECK: %[[FIRST:.+]] = arith.muli %[[GROUP]], %c64
// CHECK: %[[LEFT:.+]] = affine.min
// CHECK: %[[THERE:.+]] = arith.cmpi slt, %[[FIRST]], %[[LEFT]] : index
// CHECK: %[[ALL:.+]] = tensor.splat %[[THERE]]
// CHECK: arith.select %[[ALL]],
// CHECK: smx_gpu.gather
// CHECK-NOT: arith.cmpi slt, {{.+}} : tensor
// CHECK: smx_gpu.return
smx_gpu.kernel @known(%x: !m, %k: !m, %v: !m, %table: memref<?xf32>, %y: memref<?x64xf32>, %n: index, %tile: index, %rows: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !t
  %none = arith.constant dense<0> : !places
  %i = arith.muli %tile, %c128 : index
  %left = affine.min affine_map<(d) -> (4032 - d, 128)>(%i)
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %row = smx_gpu.position 0 : !places
    %column = smx_gpu.position 1 : !places
    %limit = tensor.splat %left : !places
    %inside = arith.cmpi slt, %row, %limit : !places
    %distance = arith.subi %column, %row : !places
    %at = arith.select %inside, %distance, %none : tensor<128x64xi1, #F>, !places
    %term = smx_gpu.gather %table[%at] : memref<?xf32> -> !t
    %score = arith.addf %st, %term : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// 4040, of which a group has 8.
// CHECK-LABEL: smx_gpu.kernel @cut
// CHECK: smx_gpu.role @compute
// CHECK: arith.cmpi slt, {{.+}} : tensor<64x64xindex
// CHECK: smx_gpu.gather
// CHECK: smx_gpu.return
smx_gpu.kernel @cut(%x: !m, %k: !m, %v: !m, %table: memref<?xf32>, %y: memref<?x64xf32>, %n: index, %tile: index, %rows: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !t
  %none = arith.constant dense<0> : !places
  %i = arith.muli %tile, %c128 : index
  %left = affine.min affine_map<(d) -> (4040 - d, 128)>(%i)
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %row = smx_gpu.position 0 : !places
    %column = smx_gpu.position 1 : !places
    %limit = tensor.splat %left : !places
    %inside = arith.cmpi slt, %row, %limit : !places
    %distance = arith.subi %column, %row : !places
    %at = arith.select %inside, %distance, %none : tensor<128x64xi1, #F>, !places
    %term = smx_gpu.gather %table[%at] : memref<?xf32> -> !t
    %score = arith.addf %st, %term : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// CHECK-LABEL: smx_gpu.kernel @open
// CHECK: smx_gpu.role @compute
// CHECK: arith.cmpi slt, {{.+}} : tensor<64x64xindex
// CHECK: smx_gpu.gather
// CHECK: smx_gpu.return
smx_gpu.kernel @open(%x: !m, %k: !m, %v: !m, %table: memref<?xf32>, %y: memref<?x64xf32>, %n: index, %tile: index, %rows: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !t
  %none = arith.constant dense<0> : !places
  %i = arith.muli %tile, %c128 : index
  %left = arith.minsi %rows, %c128 : index
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %row = smx_gpu.position 0 : !places
    %column = smx_gpu.position 1 : !places
    %limit = tensor.splat %left : !places
    %inside = arith.cmpi slt, %row, %limit : !places
    %distance = arith.subi %column, %row : !places
    %at = arith.select %inside, %distance, %none : tensor<128x64xi1, #F>, !places
    %term = smx_gpu.gather %table[%at] : memref<?xf32> -> !t
    %score = arith.addf %st, %term : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}

// What is repeated in all rows of a block is in all of a group; in some of them, as many as are left.
// CHECK-LABEL: smx_gpu.kernel @repeated
// CHECK: smx_gpu.role @compute
// CHECK: %[[OF:.+]] = arith.muli %{{.+}}, %c64
// CHECK: smx_gpu.load %{{.+}}[%{{.+}}] valid(%c64, %{{.+}}) dims [-1, 0]
// CHECK: %[[LEFT:.+]] = arith.subi %c100, %[[OF]]
// CHECK: smx_gpu.load %{{.+}}[%{{.+}}] valid(%[[LEFT]], %{{.+}}) dims [-1, 0]
// CHECK: smx_gpu.return
smx_gpu.kernel @repeated(%x: !m, %k: !m, %v: !m, %bias: memref<?xf32>, %y: memref<?x64xf32>, %n: index, %i: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !t
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  %q = smx_gpu.load %x[%i, %c0] dims [0, 1] : !m -> !h
  %o = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> !t {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %kt = smx_gpu.get %ck : !c -> !s
    %st = smx_gpu.mma %q, %kt, %zero transpose_b : !h, !s -> !t
    smx_gpu.release %ck : !c
    %left = arith.subi %n, %j : index
    %all = smx_gpu.load %bias[%j] valid(%c128, %left) dims [-1, 0] : memref<?xf32> -> !t
    %some = smx_gpu.load %bias[%j] valid(%c100, %left) dims [-1, 0] : memref<?xf32> -> !t
    %once = arith.addf %st, %all : !t
    %score = arith.addf %once, %some : !t
    %p = arith.truncf %score : !t to !h
    smx_gpu.put %v[%j, %c0] into %cv dims [0, 1] copy(async) {aligned = 16 : i64} : !m, !c
    %vt = smx_gpu.get %cv : !c -> !s
    %a = smx_gpu.mma %p, %vt, %acc : !h, !s -> !t
    smx_gpu.release %cv : !c
    scf.yield %a : !t
  }
  smx_gpu.store %o, %y[%i, %c0] dims [0, 1] : !t, memref<?x64xf32>
  smx_gpu.return
}
