// Rounds that keep their arithmetic: another mask, no guard, another order, a read beside.
// RUN: softmax-opt %s --smx-gpu-hidden-tiles --cse --split-input-file | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!b = tensor<64x64xi1, #L>
!h = tensor<64x64xbf16, #L>
!i = tensor<64x64xindex, #L>
!r = tensor<64xindex, #R>
!m = memref<?x64xbf16>

// What all groups see alike is left as it is.
// CHECK-LABEL: smx_gpu.kernel @alike
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
smx_gpu.kernel @alike(%x: !m, %n: index, %first: index) warps(12) {
  %cq = smx_gpu.make_channel : !d
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %x : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      smx_gpu.put %m[%c0, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      smx_gpu.put %m[%c64, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      scf.for %j = %c0 to %end step %c64 {
        smx_gpu.put %m[%j, %c0] into %k dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
        smx_gpu.put %m[%j, %c0] into %v dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%end = %n : index, %begin = %first : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : !t
      %hidden = arith.constant dense<0xFF800000> : !t
      %window = arith.constant dense<100> : !i
      %group = smx_gpu.group_id
      %row0 = arith.muli %group, %c64 : index
      %qt = smx_gpu.get %q : !d -> !q
      %o = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> !t {
        %kt = smx_gpu.get %k : !c -> !q
        %s = smx_gpu.mma %qt, %kt, %zero transpose_b : !q, !q -> !t
        smx_gpu.release %k : !c
        %row = smx_gpu.position 0 : !r
        %rows0 = tensor.splat %begin : !r
        %rows1 = arith.addi %row, %rows0 : !r
        %rows = smx_gpu.broadcast %rows1 : !r -> !i
        %column = smx_gpu.position 1 : !i
        %columns0 = tensor.splat %j : !i
        %columns = arith.addi %column, %columns0 : !i
        %mask = arith.cmpi sle, %columns, %rows : !i
        %seen = arith.select %mask, %s, %hidden : !b, !t
        %scaled = arith.addf %acc, %acc : !t
        %p = arith.truncf %seen : !t to !h
        %vt = smx_gpu.get %v : !c -> !q
        %sum = smx_gpu.mma %p, %vt, %scaled guarded : !h, !q -> !t
        smx_gpu.release %v : !c
        scf.yield %sum : !t
      }
      smx_gpu.release %q : !d
    }
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!b = tensor<64x64xi1, #L>
!h = tensor<64x64xbf16, #L>
!i = tensor<64x64xindex, #L>
!r = tensor<64xindex, #R>
!m = memref<?x64xbf16>

// Scores that are used beside the mask may tell of hidden places.
// CHECK-LABEL: smx_gpu.kernel @not_hidden
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
smx_gpu.kernel @not_hidden(%x: !m, %n: index, %first: index) warps(12) {
  %cq = smx_gpu.make_channel : !d
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %x : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      smx_gpu.put %m[%c0, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      smx_gpu.put %m[%c64, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      scf.for %j = %c0 to %end step %c64 {
        smx_gpu.put %m[%j, %c0] into %k dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
        smx_gpu.put %m[%j, %c0] into %v dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%end = %n : index, %begin = %first : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : !t
      %hidden = arith.constant dense<0xFF800000> : !t
      %window = arith.constant dense<100> : !i
      %group = smx_gpu.group_id
      %row0 = arith.muli %group, %c64 : index
      %qt = smx_gpu.get %q : !d -> !q
      %o = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> !t {
        %kt = smx_gpu.get %k : !c -> !q
        %s = smx_gpu.mma %qt, %kt, %zero transpose_b : !q, !q -> !t
        smx_gpu.release %k : !c
        %row = smx_gpu.position 0 : !r
        %rows0 = tensor.splat %row0 : !r
        %rows1 = arith.addi %row, %rows0 : !r
        %rows = smx_gpu.broadcast %rows1 : !r -> !i
        %column = smx_gpu.position 1 : !i
        %columns0 = tensor.splat %j : !i
        %columns = arith.addi %column, %columns0 : !i
        %mask = arith.cmpi sle, %columns, %rows : !i
        %seen = arith.select %mask, %s, %hidden : !b, !t
        %scaled = arith.addf %acc, %acc : !t
        %p = arith.truncf %s : !t to !h
        %vt = smx_gpu.get %v : !c -> !q
        %sum = smx_gpu.mma %p, %vt, %scaled guarded : !h, !q -> !t
        smx_gpu.release %v : !c
        scf.yield %sum : !t
      }
      smx_gpu.release %q : !d
    }
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!b = tensor<64x64xi1, #L>
!h = tensor<64x64xbf16, #L>
!i = tensor<64x64xindex, #L>
!r = tensor<64xindex, #R>
!m = memref<?x64xbf16>

// A product without a guard says nothing of hidden places.
// CHECK-LABEL: smx_gpu.kernel @not_guarded
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
smx_gpu.kernel @not_guarded(%x: !m, %n: index, %first: index) warps(12) {
  %cq = smx_gpu.make_channel : !d
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %x : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      smx_gpu.put %m[%c0, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      smx_gpu.put %m[%c64, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      scf.for %j = %c0 to %end step %c64 {
        smx_gpu.put %m[%j, %c0] into %k dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
        smx_gpu.put %m[%j, %c0] into %v dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%end = %n : index, %begin = %first : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : !t
      %hidden = arith.constant dense<0xFF800000> : !t
      %window = arith.constant dense<100> : !i
      %group = smx_gpu.group_id
      %row0 = arith.muli %group, %c64 : index
      %qt = smx_gpu.get %q : !d -> !q
      %o = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> !t {
        %kt = smx_gpu.get %k : !c -> !q
        %s = smx_gpu.mma %qt, %kt, %zero transpose_b : !q, !q -> !t
        smx_gpu.release %k : !c
        %row = smx_gpu.position 0 : !r
        %rows0 = tensor.splat %row0 : !r
        %rows1 = arith.addi %row, %rows0 : !r
        %rows = smx_gpu.broadcast %rows1 : !r -> !i
        %column = smx_gpu.position 1 : !i
        %columns0 = tensor.splat %j : !i
        %columns = arith.addi %column, %columns0 : !i
        %mask = arith.cmpi sle, %columns, %rows : !i
        %seen = arith.select %mask, %s, %hidden : !b, !t
        %scaled = arith.addf %acc, %acc : !t
        %p = arith.truncf %seen : !t to !h
        %vt = smx_gpu.get %v : !c -> !q
        %sum = smx_gpu.mma %p, %vt, %scaled : !h, !q -> !t
        smx_gpu.release %v : !c
        scf.yield %sum : !t
      }
      smx_gpu.release %q : !d
    }
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!b = tensor<64x64xi1, #L>
!h = tensor<64x64xbf16, #L>
!i = tensor<64x64xindex, #L>
!r = tensor<64xindex, #R>
!m = memref<?x64xbf16>

// Of places that are compared otherwise nothing is known.
// CHECK-LABEL: smx_gpu.kernel @not_ordered
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
smx_gpu.kernel @not_ordered(%x: !m, %n: index, %first: index) warps(12) {
  %cq = smx_gpu.make_channel : !d
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %x : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      smx_gpu.put %m[%c0, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      smx_gpu.put %m[%c64, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      scf.for %j = %c0 to %end step %c64 {
        smx_gpu.put %m[%j, %c0] into %k dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
        smx_gpu.put %m[%j, %c0] into %v dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%end = %n : index, %begin = %first : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : !t
      %hidden = arith.constant dense<0xFF800000> : !t
      %window = arith.constant dense<100> : !i
      %group = smx_gpu.group_id
      %row0 = arith.muli %group, %c64 : index
      %qt = smx_gpu.get %q : !d -> !q
      %o = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> !t {
        %kt = smx_gpu.get %k : !c -> !q
        %s = smx_gpu.mma %qt, %kt, %zero transpose_b : !q, !q -> !t
        smx_gpu.release %k : !c
        %row = smx_gpu.position 0 : !r
        %rows0 = tensor.splat %row0 : !r
        %rows1 = arith.addi %row, %rows0 : !r
        %rows = smx_gpu.broadcast %rows1 : !r -> !i
        %column = smx_gpu.position 1 : !i
        %columns0 = tensor.splat %j : !i
        %columns = arith.addi %column, %columns0 : !i
        %mask = arith.cmpi ne, %columns, %rows : !i
        %seen = arith.select %mask, %s, %hidden : !b, !t
        %scaled = arith.addf %acc, %acc : !t
        %p = arith.truncf %seen : !t to !h
        %vt = smx_gpu.get %v : !c -> !q
        %sum = smx_gpu.mma %p, %vt, %scaled guarded : !h, !q -> !t
        smx_gpu.release %v : !c
        scf.yield %sum : !t
      }
      smx_gpu.release %q : !d
    }
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!b = tensor<64x64xi1, #L>
!h = tensor<64x64xbf16, #L>
!i = tensor<64x64xindex, #L>
!r = tensor<64xindex, #R>
!m = memref<?x64xbf16>

// What is read beside keys and values would be kept across branches.
// CHECK-LABEL: smx_gpu.kernel @reads_more
// CHECK-NOT: scf.if
// CHECK: smx_gpu.return
smx_gpu.kernel @reads_more(%x: !m, %n: index, %first: index) warps(12) {
  %cq = smx_gpu.make_channel : !d
  %ck = smx_gpu.make_channel : !c
  %cv = smx_gpu.make_channel : !c
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %x : !m, %end = %n : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      smx_gpu.put %m[%c0, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      smx_gpu.put %m[%c64, %c0] into %q dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !d
      scf.for %j = %c0 to %end step %c64 {
        smx_gpu.put %m[%j, %c0] into %k dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
        smx_gpu.put %m[%j, %c0] into %v dims [0, 1] copy(tensor) {aligned = 16 : i64} : !m, !c
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%y = %x : !m, %end = %n : index, %begin = %first : index, %q = %cq : !d, %k = %ck : !c, %v = %cv : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : !t
      %hidden = arith.constant dense<0xFF800000> : !t
      %window = arith.constant dense<100> : !i
      %group = smx_gpu.group_id
      %row0 = arith.muli %group, %c64 : index
      %qt = smx_gpu.get %q : !d -> !q
      %o = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> !t {
        %kt = smx_gpu.get %k : !c -> !q
        %s = smx_gpu.mma %qt, %kt, %zero transpose_b : !q, !q -> !t
        smx_gpu.release %k : !c
        %row = smx_gpu.position 0 : !r
        %rows0 = tensor.splat %row0 : !r
        %rows1 = arith.addi %row, %rows0 : !r
        %rows = smx_gpu.broadcast %rows1 : !r -> !i
        %column = smx_gpu.position 1 : !i
        %columns0 = tensor.splat %j : !i
        %columns = arith.addi %column, %columns0 : !i
        %mask = arith.cmpi sle, %columns, %rows : !i
        %seen = arith.select %mask, %s, %hidden : !b, !t
        %bias = smx_gpu.load %y[%j, %c0] dims [0, 1] : !m -> !h
        %more = arith.extf %bias : !h to !t
        %scaled = arith.addf %acc, %more : !t
        %p = arith.truncf %seen : !t to !h
        %vt = smx_gpu.get %v : !c -> !q
        %sum = smx_gpu.mma %p, %vt, %scaled guarded : !h, !q -> !t
        smx_gpu.release %v : !c
        scf.yield %sum : !t
      }
      smx_gpu.release %q : !d
    }
  }
  smx_gpu.return
}
