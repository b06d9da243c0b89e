// Groups without rows of the last tile do no more than what keeps channels and turns going.
// RUN: softmax-opt %s --smx-gpu-idle-groups --cse --split-input-file | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
!q = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!d = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1, dealt>
!t = tensor<64x64xf32, #L>
!h = tensor<64x64xbf16, #L>
!m = memref<320x64xbf16>

// Two tiles of 128 rows, and 64 rows that are those of the first group.
// CHECK-LABEL: smx_gpu.kernel @ragged
// CHECK: smx_gpu.role @compute
// CHECK: %[[GROUP:.+]] = smx_gpu.group_id
// CHECK: %[[SHIFT:.+]] = arith.muli %[[GROUP]], %c64
// CHECK: scf.for %[[FIRST:.+]] = %c0 to %{{.+}} step %c128
// CHECK: %[[LEFT:.+]] = arith.subi %{{.+}}, %[[FIRST]]
// CHECK-NEXT: %[[TILE:.+]] = arith.minsi %[[LEFT]], %c128
// CHECK-NEXT: %[[VALID:.+]] = arith.subi %[[TILE]], %[[SHIFT]]
// CHECK: %[[HAS_ROWS:.+]] = arith.cmpi sgt, %[[VALID]], %c0
// CHECK-NEXT: %[[MIDDLE:.+]] = arith.select %[[HAS_ROWS]], %[[END:.+]], %c0
// CHECK-NEXT: %[[O:.+]] = scf.for %{{.+}} = %c0 to %[[MIDDLE]] step %c64
// CHECK: smx_gpu.mma
// CHECK: }
// CHECK-NEXT: scf.for %{{.+}} = %[[MIDDLE]] to %[[END]] step %c64 {
// CHECK-NEXT: smx_gpu.get %[[K:.+]] :
// CHECK-NEXT: smx_gpu.take_turn
// CHECK-NEXT: smx_gpu.pass_turn
// CHECK-NEXT: smx_gpu.release %[[K]] :
// CHECK-NEXT: }
// CHECK: smx_gpu.store %{{.+}}, %{{.+}} valid(%[[VALID]], %c64)
smx_gpu.kernel @ragged(%x: !m, %y: !m, %n: index) warps(12) {
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
        smx_gpu.store %h, %to[%row, %c0] valid(%valid, %c64) dims [0, 1] : !h, !m
      }
    }
  }
  smx_gpu.return
}
