// Rounds that no group may leave out.
// RUN: softmax-opt %s --smx-gpu-idle-groups --split-input-file | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!h = tensor<64x64xbf16, #L>
!m = memref<330x64xbf16>

// Of 384 rows every group has some of each tile, as of 330: 74 are more than those of the first group.
// CHECK-LABEL: smx_gpu.kernel @busy
// CHECK: smx_gpu.role @compute
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
smx_gpu.kernel @busy(%x: !m, %y: !m, %n: index) warps(12) {
  %cq = smx_gpu.make_channel : !d
  %ck = smx_gpu.make_channel : !c
  %turns = smx_gpu.turns : !smx_gpu.turns<2>
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %x : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %rows = arith.constant 330 : index
      scf.for %first = %c0 to %rows step %c128 {
        smx_gpu.put %m[%first, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
        %second = arith.addi %first, %c64 : index
        smx_gpu.put %m[%second, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
        scf.for %j = %c0 to %end step %c64 {
          smx_gpu.put %m[%j, %c0] into %k dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
        }
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%to = %y : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c, %ts = %turns : !smx_gpu.turns<2>) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %rows = arith.constant 330 : index
      %zero = arith.constant dense<0.0> : !t
      %group = smx_gpu.group_id
      %shift = arith.muli %group, %c64 : index
      scf.for %first = %c0 to %rows step %c128 {
        %qt = smx_gpu.get %q : !d -> !q
        %o = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> !t {
          %kt = smx_gpu.get %k : !c -> !q
          smx_gpu.take_turn %ts : !smx_gpu.turns<2>
          %s, %token = smx_gpu.mma_async %qt, %kt, %acc transpose_b : !q, !q -> !t
          smx_gpu.pass_turn %ts : !smx_gpu.turns<2>
          %sum = smx_gpu.wait %token, %s : !t
          smx_gpu.release %k : !c
          scf.yield %sum : !t
        }
        smx_gpu.release %q : !d
        %left = arith.subi %rows, %first : index
        %tile = arith.minsi %left, %c128 : index
        %valid = arith.subi %tile, %shift : index
        %row = arith.addi %first, %shift : index
        %h = arith.truncf %o : !t to !h
        smx_gpu.store %h, %to[%row, %c0] valid(%valid, %c64) dims [0, 1] : !h, !m
      }
    }
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!h = tensor<64x64xbf16, #L>
!m = memref<320x64xbf16>

// What does not say which rows are valid is stored for all of them.
// CHECK-LABEL: smx_gpu.kernel @all_rows
// CHECK: smx_gpu.role @compute
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
smx_gpu.kernel @all_rows(%x: !m, %y: !m, %n: index) warps(12) {
  %cq = smx_gpu.make_channel : !d
  %ck = smx_gpu.make_channel : !c
  %turns = smx_gpu.turns : !smx_gpu.turns<2>
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %x : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %rows = arith.constant 320 : index
      scf.for %first = %c0 to %rows step %c128 {
        smx_gpu.put %m[%first, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
        %second = arith.addi %first, %c64 : index
        smx_gpu.put %m[%second, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
        scf.for %j = %c0 to %end step %c64 {
          smx_gpu.put %m[%j, %c0] into %k dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
        }
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%to = %y : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c, %ts = %turns : !smx_gpu.turns<2>) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %rows = arith.constant 320 : index
      %zero = arith.constant dense<0.0> : !t
      %group = smx_gpu.group_id
      %shift = arith.muli %group, %c64 : index
      scf.for %first = %c0 to %rows step %c128 {
        %qt = smx_gpu.get %q : !d -> !q
        %o = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> !t {
          %kt = smx_gpu.get %k : !c -> !q
          smx_gpu.take_turn %ts : !smx_gpu.turns<2>
          %s, %token = smx_gpu.mma_async %qt, %kt, %acc transpose_b : !q, !q -> !t
          smx_gpu.pass_turn %ts : !smx_gpu.turns<2>
          %sum = smx_gpu.wait %token, %s : !t
          smx_gpu.release %k : !c
          scf.yield %sum : !t
        }
        smx_gpu.release %q : !d
        %left = arith.subi %rows, %first : index
        %tile = arith.minsi %left, %c128 : index
        %valid = arith.subi %tile, %shift : index
        %row = arith.addi %first, %shift : index
        %h = arith.truncf %o : !t to !h
        smx_gpu.store %h, %to[%row, %c0] dims [0, 1] : !h, !m
      }
    }
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!h = tensor<64x64xbf16, #L>
!m = memref<320x64xbf16>

// A round that stores something itself.
// CHECK-LABEL: smx_gpu.kernel @stores
// CHECK: smx_gpu.role @compute
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
smx_gpu.kernel @stores(%x: !m, %y: !m, %n: index) warps(12) {
  %cq = smx_gpu.make_channel : !d
  %ck = smx_gpu.make_channel : !c
  %turns = smx_gpu.turns : !smx_gpu.turns<2>
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %x : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %rows = arith.constant 320 : index
      scf.for %first = %c0 to %rows step %c128 {
        smx_gpu.put %m[%first, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
        %second = arith.addi %first, %c64 : index
        smx_gpu.put %m[%second, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
        scf.for %j = %c0 to %end step %c64 {
          smx_gpu.put %m[%j, %c0] into %k dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
        }
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%to = %y : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c, %ts = %turns : !smx_gpu.turns<2>) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %rows = arith.constant 320 : index
      %zero = arith.constant dense<0.0> : !t
      %group = smx_gpu.group_id
      %shift = arith.muli %group, %c64 : index
      scf.for %first = %c0 to %rows step %c128 {
        %qt = smx_gpu.get %q : !d -> !q
        %o = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> !t {
          %kt = smx_gpu.get %k : !c -> !q
          smx_gpu.take_turn %ts : !smx_gpu.turns<2>
          %s, %token = smx_gpu.mma_async %qt, %kt, %acc transpose_b : !q, !q -> !t
          smx_gpu.pass_turn %ts : !smx_gpu.turns<2>
          %sum = smx_gpu.wait %token, %s : !t
          smx_gpu.release %k : !c
          %part = arith.truncf %sum : !t to !h
          smx_gpu.store %part, %to[%shift, %c0] valid(%c64, %c64) dims [0, 1] : !h, !m
          scf.yield %sum : !t
        }
        smx_gpu.release %q : !d
        %left = arith.subi %rows, %first : index
        %tile = arith.minsi %left, %c128 : index
        %valid = arith.subi %tile, %shift : index
        %row = arith.addi %first, %shift : index
        %h = arith.truncf %o : !t to !h
        smx_gpu.store %h, %to[%row, %c0] valid(%valid, %c64) dims [0, 1] : !h, !m
      }
    }
  }
  smx_gpu.return
}
