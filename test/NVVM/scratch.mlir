// Ops that share an area of scratch are as far apart from group to group: only the warps of a group meet between them.
// RUN: softmax-opt %s --smx-gpu-to-nvvm --cse | FileCheck %s

#F = #smx_gpu.fragment<warps = 4>
#W = #smx_gpu.striped<rows = 4, columns = 32, vector = 1>

// The first needs 9216 bytes a group, the second 17408.
// CHECK-LABEL: llvm.func @two_sizes
// CHECK-NOT: 9216 : i32
// CHECK: %[[STRIDE:.+]] = llvm.mlir.constant(17408 : i32)
// CHECK-NOT: 9216 : i32
// CHECK: llvm.mul %{{.+}}, %[[STRIDE]]
// CHECK-NOT: 9216 : i32
// CHECK: llvm.return
smx_gpu.kernel @two_sizes(%x: memref<64x256xf32>, %y: memref<64x256xf32>) warps(8) {
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(8) group(4) (%a = %x : memref<64x256xf32>, %b = %y : memref<64x256xf32>) {
      %c0 = arith.constant 0 : index
      %s = smx_gpu.load %a[%c0, %c0] dims [0, 1] : memref<64x256xf32> -> tensor<64x32xf32, #F>
      %t = smx_gpu.convert %s : tensor<64x32xf32, #F> -> tensor<64x32xf32, #W>
      smx_gpu.store %t, %b[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #W>, memref<64x256xf32>
      %s2 = smx_gpu.load %a[%c0, %c0] dims [0, 1] : memref<64x256xf32> -> tensor<64x64xf32, #F>
      %t2 = smx_gpu.convert %s2 : tensor<64x64xf32, #F> -> tensor<64x64xf32, #W>
      smx_gpu.store %t2, %b[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #W>, memref<64x256xf32>
    }
  }
  smx_gpu.return
}

// What products exchange between lanes is not the number of the warp.
// CHECK-LABEL: llvm.func @exchange_before_roles
// CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.+]] = llvm.lshr %[[THREAD]]
// CHECK: %[[SAME:.+]] = nvvm.shfl.sync idx {{.*}}%[[WARP]]{{.*}}smx.is_warp
// CHECK: nvvm.shfl.sync idx
// CHECK: llvm.icmp "{{.+}}" %[[SAME]]
smx_gpu.kernel @exchange_before_roles(%x: memref<64x256xf32>, %y: memref<64x256xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<64x8xf32, #F>
  %sh = smx_gpu.alloc : !smx_gpu.shared<8x8xf32, swizzle = 0>
  smx_gpu.copy %x[%c0, %c0] to %sh dims [0, 1] : memref<64x256xf32>, !smx_gpu.shared<8x8xf32, swizzle = 0>
  %s = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<64x256xf32> -> tensor<64x8xf32, #F>
  %p = smx_gpu.mma %s, %sh, %z : tensor<64x8xf32, #F>, !smx_gpu.shared<8x8xf32, swizzle = 0> -> tensor<64x8xf32, #F>
  smx_gpu.store %p, %y[%c0, %c0] dims [0, 1] : tensor<64x8xf32, #F>, memref<64x256xf32>
  smx_gpu.warp_specialize {
    smx_gpu.role @a warps(2) group(2) (%b = %y : memref<64x256xf32>) {
    }
    smx_gpu.role @b warps(2) group(2) (%b = %y : memref<64x256xf32>) {
    }
  }
  smx_gpu.return
}
