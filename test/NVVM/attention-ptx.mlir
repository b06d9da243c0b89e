// Attention as a kernel of whole tiles, assembled: no spills, no stack, and nothing in it that is not meant to be.
// REQUIRES: ptxas, softmax-compile
// RUN: softmax-compile %s --from=gpu --emit=ptx --chip=sm_80 -o %t.80 && FileCheck %s --check-prefixes=CHECK,POLL < %t.80
// RUN: %assemble sm_80 %t.80
// RUN: softmax-compile %s --from=gpu --emit=ptx --chip=sm_90a -o %t.90 && FileCheck %s --check-prefixes=CHECK,SLEEP < %t.90
// RUN: %assemble sm_90a %t.90

#L = #smx_gpu.fragment<warps = 8>
#R = #smx_gpu.slice<1, #L>
!kv = !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
!stage = !smx_gpu.shared<64x128xbf16, swizzle = 128>
!global = memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>>
// One block of 128 queries. Keys and values go through rings, each a product ahead; 16 products an instruction pair.
// CHECK: .entry attention(
// CHECK: .reqntid 256
// CHECK: mbarrier.init.shared.b64
// Keys of the first round.
// CHECK-COUNT-4: cp.async.cg.shared.global
// CHECK: cp.async.mbarrier.arrive.noinc.shared.b64
// In the loop: values, then scores from keys stored with the reduced dimension contiguous.
// POLL: mbarrier.test_wait.parity.shared.b64
// SLEEP: mbarrier.try_wait.parity.shared.b64
// CHECK-COUNT-4: cp.async.cg.shared.global
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: {{div|rem}}.{{[us]}}
// CHECK: bar.warp.sync
// CHECK: { .reg .b64 state; mbarrier.arrive.shared.b64 state
// CHECK: ex2.approx.ftz.f32
// CHECK: cvt.rn.bf16x2.f32
// Weights are operands as they are; values are transposed on the way, unless one of them is not finite.
// CHECK: bar.red.or.pred
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: .local
smx_gpu.kernel @attention(%q: !global, %k: !global, %v: !global, %o: !global) warps(8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %b = gpu.block_id y
  %x = gpu.block_id x
  %i = arith.muli %x, %c128 : index
  %keys = memref.dim %k, %c1 : !global
  %K = smx_gpu.make_channel : !kv
  %V = smx_gpu.make_channel : !kv
  %scale = arith.constant dense<0.1275> : tensor<128x64xf32, #L>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #L>
  %m0 = arith.constant dense<0xFF800000> : tensor<128xf32, #R>
  %l0 = arith.constant dense<0.0> : tensor<128xf32, #R>
  %acc0 = arith.constant dense<0.0> : tensor<128x128xf32, #L>
  // Queries stay in registers.
  %qt = smx_gpu.load %q[%b, %i, %c0] dims [1, 2] {aligned = 16 : i64} : !global -> tensor<128x128xbf16, #L>
  %any = arith.cmpi sgt, %keys, %c0 : index
  scf.if %any {
    smx_gpu.put %k[%b, %c0, %c0] into %K dims [1, 2] copy(async) {aligned = 16 : i64} : !global, !kv
  }
  %m, %l, %acc = scf.for %j = %c0 to %keys step %c64 iter_args(%m1 = %m0, %l1 = %l0, %acc1 = %acc0)
      -> (tensor<128xf32, #R>, tensor<128xf32, #R>, tensor<128x128xf32, #L>) {
    smx_gpu.put %v[%b, %j, %c0] into %V dims [1, 2] copy(async) {aligned = 16 : i64} : !global, !kv
    %kt = smx_gpu.get %K : !kv -> !stage
    %s0 = smx_gpu.mma %qt, %kt, %zero transpose_b : tensor<128x128xbf16, #L>, !stage -> tensor<128x64xf32, #L>
    smx_gpu.release %K : !kv
    %next = arith.addi %j, %c64 : index
    %more = arith.cmpi slt, %next, %keys : index
    scf.if %more {
      smx_gpu.put %k[%b, %next, %c0] into %K dims [1, 2] copy(async) {aligned = 16 : i64} : !global, !kv
    }
    %s = arith.mulf %s0, %scale : tensor<128x64xf32, #L>
    %t = smx_gpu.reduce <maxnum> %s dim 1 : tensor<128x64xf32, #L> -> tensor<128xf32, #R>
    %m2 = arith.maximumf %m1, %t : tensor<128xf32, #R>
    %d = arith.subf %m1, %m2 : tensor<128xf32, #R>
    %a = math.exp2 %d fastmath<afn> : tensor<128xf32, #R>
    %mb = smx_gpu.broadcast %m2 : tensor<128xf32, #R> -> tensor<128x64xf32, #L>
    %sm = arith.subf %s, %mb : tensor<128x64xf32, #L>
    %p = math.exp2 %sm fastmath<afn> : tensor<128x64xf32, #L>
    %ps = smx_gpu.reduce <add> %p dim 1 : tensor<128x64xf32, #L> -> tensor<128xf32, #R>
    %la = arith.mulf %l1, %a : tensor<128xf32, #R>
    %l2 = arith.addf %la, %ps : tensor<128xf32, #R>
    %ab = smx_gpu.broadcast %a : tensor<128xf32, #R> -> tensor<128x128xf32, #L>
    %acca = arith.mulf %acc1, %ab : tensor<128x128xf32, #L>
    %p16 = arith.truncf %p : tensor<128x64xf32, #L> to tensor<128x64xbf16, #L>
    %vt = smx_gpu.get %V : !kv -> !stage
    %acc2 = smx_gpu.mma %p16, %vt, %acca guarded : tensor<128x64xbf16, #L>, !stage -> tensor<128x128xf32, #L>
    smx_gpu.release %V : !kv
    scf.yield %m2, %l2, %acc2 : tensor<128xf32, #R>, tensor<128xf32, #R>, tensor<128x128xf32, #L>
  }
  %one = arith.constant dense<1.0> : tensor<128xf32, #R>
  %inverse = arith.divf %one, %l : tensor<128xf32, #R>
  %lb = smx_gpu.broadcast %inverse : tensor<128xf32, #R> -> tensor<128x128xf32, #L>
  %on = arith.mulf %acc, %lb : tensor<128x128xf32, #L>
  %o16 = arith.truncf %on : tensor<128x128xf32, #L> to tensor<128x128xbf16, #L>
  smx_gpu.store %o16, %o[%b, %i, %c0] dims [1, 2] {aligned = 16 : i64} : tensor<128x128xbf16, #L>, !global
  smx_gpu.return
}
