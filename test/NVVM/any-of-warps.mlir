// Warps of a group agree at its barrier, and a vote says that none parts.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s

// CHECK-LABEL: llvm.func @groups(
// CHECK: arith.cmpi sgt
// CHECK: %[[GROUP:.+]] = llvm.lshr
// CHECK-NEXT: %[[FIRST:.+]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT: %[[BARRIER:.+]] = llvm.add %[[GROUP]], %[[FIRST]]
// CHECK: %[[THREADS:.+]] = llvm.mlir.constant(128 : i32)
// CHECK: %[[SOME:.+]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.count"(%[[BARRIER]], %[[THREADS]], %{{.+}}) : (i32, i32, i1) -> i1
// CHECK: nvvm.vote.sync any %{{.+}}, %[[SOME]] -> i1
smx_gpu.kernel @groups(%y: memref<64xf32>, %n: i32) warps(8) {
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(8) group(4) (%m = %n : i32, %out = %y : memref<64xf32>) {
      %c0 = arith.constant 0 : i32
      %is = arith.cmpi sgt, %m, %c0 : i32
      %any = smx_gpu.any_of_warps %is
      scf.if %any {
        %i = arith.constant 0 : index
        %x = arith.constant dense<1.0> : tensor<64xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>
        smx_gpu.store %x, %out[%i] dims [0] : tensor<64xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>, memref<64xf32>
      }
    }
  }
  smx_gpu.return
}

// Of one group all threads meet.
// CHECK-LABEL: llvm.func @one_group(
// CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[THREADS:.+]] = llvm.mlir.constant(128 : i32)
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.count"(%[[ZERO]], %[[THREADS]], %{{.+}})
smx_gpu.kernel @one_group(%y: memref<64xf32>, %n: i32) warps(4) {
  %c0 = arith.constant 0 : i32
  %is = arith.cmpi sgt, %n, %c0 : i32
  %any = smx_gpu.any_of_warps %is
  scf.if %any {
    %i = arith.constant 0 : index
    %x = arith.constant dense<1.0> : tensor<64xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>
    smx_gpu.store %x, %y[%i] dims [0] : tensor<64xf32, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>, memref<64xf32>
  }
  smx_gpu.return
}
