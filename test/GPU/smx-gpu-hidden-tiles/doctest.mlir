// Groups of a role leave out the tiles that they do not see, but for get and release, and look at values only of tiles that are cut for them.
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

// The first of the columns and the last of the rows tell whether anything is seen, the last and the first whether everything is.
// CHECK-LABEL: smx_gpu.kernel @causal
// CHECK: smx_gpu.role @compute
// CHECK-DAG: %[[TRUE:.+]] = arith.constant true
// CHECK-DAG: %[[ROW0:.+]] = arith.muli
// CHECK: scf.for %[[J:.+]] = {{.+}} iter_args(%[[ACC:.+]] = %{{.+}})
// CHECK: %[[LAST_COLUMN:.+]] = arith.addi %[[J]], %c63
// CHECK: %[[LAST_ROW:.+]] = arith.addi %[[ROW0]], %c63
// CHECK: %[[SEES:.+]] = arith.cmpi sle, %[[J]], %[[LAST_ROW]] : index
// CHECK: %[[ALL:.+]] = arith.cmpi sle, %[[LAST_COLUMN]], %[[ROW0]] : index
// CHECK: %[[CUT:.+]] = arith.xori %[[ALL]], %[[TRUE]]
// CHECK-NEXT: smx_gpu.get
// CHECK-NEXT: %[[S:.+]] = scf.if %[[SEES]]
// CHECK-NEXT: smx_gpu.mma
// CHECK: smx_gpu.release
// CHECK-NEXT: %[[P:.+]]:2 = scf.if %[[SEES]]
// CHECK: arith.select %{{.+}}, %[[S]]
// CHECK: } else {
// CHECK: scf.yield %[[ACC]], %{{.+}} :
// CHECK: %[[V:.+]] = smx_gpu.get
// CHECK-NEXT: %[[SUM:.+]] = scf.if %[[SEES]]
// CHECK-NEXT: %[[ODD:.+]] = scf.if %[[CUT]]
// CHECK-NEXT: smx_gpu.not_finite %[[V]]
// CHECK: scf.if %[[ODD]]
// CHECK-NEXT: smx_gpu.mma %[[P]]#1, %[[V]], %[[P]]#0 guarded terms
// CHECK: } else {
// CHECK-NEXT: smx_gpu.mma %[[P]]#1, %[[V]], %[[P]]#0 :
// The accumulator keeps its registers.
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[P]]#0
// CHECK: smx_gpu.release
// CHECK-NEXT: scf.yield %[[SUM]]
smx_gpu.kernel @causal(%x: !m, %n: index, %first: index) warps(12) {
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

// A band hides a tile to a group at either end, and both ends tell.
// CHECK-LABEL: smx_gpu.kernel @band
// CHECK: smx_gpu.role @compute
// CHECK: %[[ROW0:.+]] = arith.muli
// CHECK: scf.for %[[J:.+]] = {{.+}} iter_args
// CHECK: %[[LAST_COLUMN:.+]] = arith.addi %[[J]], %c63
// CHECK: %[[LAST_ROW:.+]] = arith.addi %[[ROW0]], %c63
// CHECK: %[[SOME_BEFORE:.+]] = arith.cmpi sle, %[[J]], %[[LAST_ROW]] : index
// CHECK: %[[ALL_BEFORE:.+]] = arith.cmpi sle, %[[LAST_COLUMN]], %[[ROW0]] : index
// CHECK: %[[NEAREST:.+]] = arith.subi %[[ROW0]], %[[LAST_COLUMN]] : index
// CHECK: %[[FARTHEST:.+]] = arith.subi %[[LAST_ROW]], %[[J]] : index
// CHECK: %[[SOME_NEAR:.+]] = arith.cmpi slt, %[[NEAREST]], %c100 : index
// CHECK: %[[ALL_NEAR:.+]] = arith.cmpi slt, %[[FARTHEST]], %c100 : index
// CHECK: %[[SEES:.+]] = arith.andi %[[SOME_BEFORE]], %[[SOME_NEAR]] : i1
// CHECK: %[[ALL:.+]] = arith.andi %[[ALL_BEFORE]], %[[ALL_NEAR]] : i1
// CHECK: %[[CUT:.+]] = arith.xori %[[ALL]]
// CHECK: scf.if %[[SEES]]
// CHECK: scf.if %[[CUT]]
// CHECK-NEXT: smx_gpu.not_finite
smx_gpu.kernel @band(%x: !m, %n: index, %first: index) warps(12) {
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
        %end_of_row = arith.cmpi sle, %columns, %rows : !i
        %far = arith.subi %rows, %columns : !i
        %near = arith.cmpi slt, %far, %window : !i
        %mask = arith.andi %end_of_row, %near : !b
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

