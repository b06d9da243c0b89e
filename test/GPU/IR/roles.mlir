// RUN: softmax-opt %s --verify-roundtrip | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!kv = !smx_gpu.channel<128x64xbf16, swizzle = 128, depth = 2>
!stage = !smx_gpu.shared<128x64xbf16, swizzle = 128>
!global = memref<?x64xbf16, strided<[?, 1], offset: ?>>

// A product of one tile and the next product run while the first is waited for; two warpgroups take turns.
// CHECK-LABEL: smx_gpu.kernel @roles
smx_gpu.kernel @roles(%k: !global, %n: index) warps(12) cluster(2) shared_limit(232448) {
  %c = smx_gpu.make_channel : !kv
  %d = smx_gpu.make_channel : !kv
  // CHECK: %[[TURNS:.+]] = smx_gpu.turns : <2>
  %t = smx_gpu.turns : !smx_gpu.turns<2>
  // CHECK: smx_gpu.warp_specialize {
  smx_gpu.warp_specialize {
    // CHECK-NEXT: smx_gpu.role @load warps(4) registers(24) (%{{.+}} = %{{.+}} : !smx_gpu.channel<128x64xbf16, swizzle = 128, depth = 2>,
    smx_gpu.role @load warps(4) registers(24) (%ch = %c : !kv, %dh = %d : !kv, %kk = %k : !global, %e = %n : index) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      scf.for %i = %c0 to %e step %c128 {
        // CHECK: copy(tensor) {multicast}
        smx_gpu.put %kk[%i, %c0] into %ch dims [0, 1] copy(tensor) {multicast} : !global, !kv
        // CHECK: copy(tensor) :
        smx_gpu.put %kk[%i, %c0] into %dh dims [0, 1] copy(tensor) : !global, !kv
      }
    }
    // CHECK: smx_gpu.role @compute warps(8) group(4) registers(240) (
    smx_gpu.role @compute warps(8) group(4) registers(240) (%ch = %c : !kv, %dh = %d : !kv, %tt = %t : !smx_gpu.turns<2>, %e = %n : index) {
      %c0 = arith.constant 0 : index
      %c128 = arith.constant 128 : index
      %zero = arith.constant dense<0.0> : tensor<64x128xf32, #L>
      %none = arith.constant dense<0.0> : tensor<64x64xf32, #L>
      %a = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      %p = arith.constant dense<1.0> : tensor<64x128xbf16, #L>
      // What only one group stores is no matter of all of them.
      // CHECK: smx_gpu.group_id
      %g = smx_gpu.group_id
      scf.for %i = %c0 to %e step %c128 {
        %s = smx_gpu.get %ch : !kv -> !stage
        %v = smx_gpu.get %dh : !kv -> !stage
        // CHECK: smx_gpu.take_turn %{{.+}} : <2>
        smx_gpu.take_turn %tt : !smx_gpu.turns<2>
        // CHECK: %[[S:.+]], %[[T:.+]] = smx_gpu.mma_async %{{.+}}, %{{.+}}, %{{.+}} transpose_b zero :
        %r, %tok = smx_gpu.mma_async %a, %s, %zero transpose_b zero : tensor<64x64xbf16, #L>, !stage -> tensor<64x128xf32, #L>
        // CHECK: %[[O:.+]], %[[U:.+]] = smx_gpu.mma_async
        %o, %tok2 = smx_gpu.mma_async %p, %v, %none : tensor<64x128xbf16, #L>, !stage -> tensor<64x64xf32, #L>
        // CHECK: smx_gpu.pass_turn %{{.+}} : <2>
        smx_gpu.pass_turn %tt : !smx_gpu.turns<2>
        // CHECK: smx_gpu.wait %[[T]], %[[S]] pending 1 : tensor<64x128xf32, #smx_gpu.fragment<warps = 4>>
        %w = smx_gpu.wait %tok, %r pending 1 : tensor<64x128xf32, #L>
        // CHECK: smx_gpu.wait %[[U]], %[[O]] : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
        %x = smx_gpu.wait %tok2, %o : tensor<64x64xf32, #L>
        smx_gpu.release %ch : !kv
        smx_gpu.release %dh : !kv
        %first = arith.cmpi eq, %g, %c0 : index
        scf.if %first {
          %m = smx_gpu.reduce <maximum> %w dim 1 : tensor<64x128xf32, #L> -> tensor<64xf32, #R>
        }
      }
    }
  }
  smx_gpu.return
}

// The sum of two products is accumulated in place; the last one is waited for.
// CHECK-LABEL: smx_gpu.kernel @chain
smx_gpu.kernel @chain() warps(4) {
  %a = smx_gpu.alloc : !smx_gpu.shared<64x64xbf16, swizzle = 128>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  // CHECK: %[[A:.+]], %{{.+}} = smx_gpu.mma_async
  %s, %t = smx_gpu.mma_async %a, %a, %zero zero : !smx_gpu.shared<64x64xbf16, swizzle = 128>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
  // CHECK: %[[B:.+]], %[[T:.+]] = smx_gpu.mma_async %{{.+}}, %{{.+}}, %[[A]]
  %u, %v = smx_gpu.mma_async %a, %a, %s : !smx_gpu.shared<64x64xbf16, swizzle = 128>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
  // CHECK: smx_gpu.wait %[[T]], %[[B]]
  %r = smx_gpu.wait %v, %u : tensor<64x64xf32, #L>
  smx_gpu.return
}

// A loop gives all of its rounds to another one, by group (K14).
// CHECK-LABEL: smx_gpu.kernel @shared_rounds
!ch2 = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @shared_rounds(%k: memref<64x64xbf16>, %n: index) warps(12) {
  %c = smx_gpu.make_channel : !ch2
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !ch2, %end = %n : index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %end step %c1 {
        smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(tensor) : memref<64x64xbf16>, !ch2
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%ch = %c : !ch2, %end = %n : index) {
      %g = smx_gpu.group_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %first = arith.cmpi eq, %g, %c0 : index
      %middle = arith.select %first, %end, %c0 : index
      scf.for %i = %c0 to %middle step %c1 {
        %s = smx_gpu.get %ch : !ch2 -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
        smx_gpu.release %ch : !ch2
      }
      scf.for %i = %middle to %end step %c1 {
        %s = smx_gpu.get %ch : !ch2 -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
        smx_gpu.release %ch : !ch2
      }
    }
  }
  smx_gpu.return
}

// Groups may part where both sides of a branch have the same rounds, and warps of a group agree on one of them (K14).
// CHECK-LABEL: smx_gpu.kernel @same_rounds
smx_gpu.kernel @same_rounds(%k: memref<64x64xbf16>, %n: index) warps(12) {
  %c = smx_gpu.make_channel : !ch2
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !ch2, %end = %n : index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %end step %c1 {
        smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(tensor) : memref<64x64xbf16>, !ch2
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%ch = %c : !ch2, %end = %n : index) {
      %g = smx_gpu.group_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %first = arith.cmpi eq, %g, %c0 : index
      %false = arith.constant dense<false> : tensor<64x64xi1, #L>
      %any = smx_gpu.any %false : tensor<64x64xi1, #L>
      %some = arith.andi %first, %any : i1
      // CHECK: %[[ALL:.+]] = smx_gpu.any_of_warps %{{.+}}
      %all = smx_gpu.any_of_warps %some
      // CHECK: scf.if %[[ALL]]
      scf.if %all {
        scf.for %i = %c0 to %end step %c1 {
          %s = smx_gpu.get %ch : !ch2 -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
          smx_gpu.release %ch : !ch2
        }
      } else {
        scf.for %i = %c0 to %end step %c1 {
          %s = smx_gpu.get %ch : !ch2 -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
          smx_gpu.release %ch : !ch2
        }
      }
    }
  }
  smx_gpu.return
}
