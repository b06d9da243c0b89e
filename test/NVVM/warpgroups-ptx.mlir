// Attention by roles, tensor copies and products of warpgroups, assembled: nothing serialised, spilled or on a stack.
// REQUIRES: ptxas, softmax-compile
// RUN: softmax-compile %S/../GPUHost/Inputs/roles.mlir --from=gpu --emit=ptx --chip=sm_90a -o %t && FileCheck %s < %t
// RUN: %assemble sm_90a %t

// CHECK: .param .align 64 .b8 attention_param_{{[0-9]+}}[128]
// CHECK: .reqntid 384
// CHECK: setmaxnreg.dec.sync.aligned.u32 24
// CHECK: mbarrier.arrive.expect_tx.shared.b64
// CHECK-COUNT-4: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK: setmaxnreg.inc.sync.aligned.u32 240
// Scores: 8 steps of 16 columns, the first one into new registers.
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, 0, 1, 1, 0;
// CHECK-COUNT-7: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, 1, 1, 1, 0;
// CHECK: wgmma.wait_group.sync.aligned 0
// In the loop: both products, then the wait for the first.
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, 1, 1, 1, 1;
// CHECK: bar.arrive
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: ex2.approx.ftz.f32
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-NOT: .local
