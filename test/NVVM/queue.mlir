// One thread of the role draws and fills the stage; the others read it when they have met, and who gets reads it as a tile.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90 | FileCheck %s
!numbers = !smx_gpu.channel<1x1xi32, swizzle = 0, depth = 2>

// CHECK-LABEL: llvm.func @walk(
// CHECK: nvvm.mbarrier.init %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32
// CHECK: %[[ALL:.+]] = llvm.mlir.constant(128 : i32)
// CHECK-NEXT: nvvm.mbarrier.init %{{.+}}, %[[ALL]]
// CHECK: scf.while
// CHECK: scf.if
// CHECK: %[[OLD:.+]] = llvm.atomicrmw add %{{.+}}, %{{.+}} syncscope("device") monotonic : !llvm.ptr<1>, i32
// CHECK: mbarrier.try_wait
// CHECK: llvm.store %[[OLD]], %[[STAGE:.+]] : i32, !llvm.ptr<3>
// CHECK: mbarrier.arrive
// CHECK: nvvm.barrier
// CHECK: llvm.load %[[STAGE]] : !llvm.ptr<3> -> i32
// CHECK: scf.while
// CHECK: mbarrier.try_wait
// CHECK: llvm.load %{{.+}} : !llvm.ptr<3> -> i32
// CHECK: mbarrier.arrive
smx_gpu.kernel @walk(%counts: memref<1xi32>, %x: memref<64xi32>) warps(8) {
  %numbers = smx_gpu.make_channel : !numbers
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%c = %counts : memref<1xi32>, %n = %numbers : !numbers) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %end = scf.while (%t = %c0) : (index) -> index {
        %more = arith.cmpi slt, %t, %c64 : index
        scf.condition(%more) %t : index
      } do {
      ^bb0(%t: index):
        %drawn = smx_gpu.draw %c[%c0] into %n : memref<1xi32>, !numbers
        scf.yield %drawn : index
      }
    }
    smx_gpu.role @compute warps(4) (%n = %numbers : !numbers) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %end = scf.while (%t = %c0) : (index) -> index {
        %more = arith.cmpi slt, %t, %c64 : index
        scf.condition(%more) %t : index
      } do {
      ^bb0(%t: index):
        %tile = smx_gpu.get %n : !numbers -> !smx_gpu.shared<1x1xi32, swizzle = 0>
        %drawn = smx_gpu.number_in %tile : !smx_gpu.shared<1x1xi32, swizzle = 0>
        smx_gpu.release %n : !numbers
        scf.yield %drawn : index
      }
    }
  }  smx_gpu.return
}
