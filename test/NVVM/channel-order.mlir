// A channel that is used before the next one is made is ready by then.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s
// CHECK: mbarrier.init
// CHECK: mbarrier.init
// CHECK-NOT: mbarrier.test_wait
// CHECK: nvvm.barrier0
// CHECK: mbarrier.test_wait
// CHECK: mbarrier.init
// CHECK: mbarrier.init
// CHECK-NOT: mbarrier.test_wait
// CHECK: nvvm.barrier0
// CHECK: mbarrier.test_wait
#L = #smx_gpu.striped<rows = 8, columns = 8, vector = 1>
smx_gpu.kernel @k(%x: memref<64x256xf32>, %y: memref<64x256xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.make_channel : !smx_gpu.channel<8x8xf32, swizzle = 0, depth = 1>
  smx_gpu.put %x[%c0, %c0] into %a dims [0, 1] copy(plain) : memref<64x256xf32>, !smx_gpu.channel<8x8xf32, swizzle = 0, depth = 1>
  %b = smx_gpu.make_channel : !smx_gpu.channel<8x8xf32, swizzle = 0, depth = 1>
  smx_gpu.put %x[%c0, %c0] into %b dims [0, 1] copy(plain) : memref<64x256xf32>, !smx_gpu.channel<8x8xf32, swizzle = 0, depth = 1>
  %ta = smx_gpu.get %a : !smx_gpu.channel<8x8xf32, swizzle = 0, depth = 1> -> !smx_gpu.shared<8x8xf32, swizzle = 0>
  %ra = smx_gpu.read %ta : !smx_gpu.shared<8x8xf32, swizzle = 0> -> tensor<8x8xf32, #L>
  smx_gpu.release %a : !smx_gpu.channel<8x8xf32, swizzle = 0, depth = 1>
  %tb = smx_gpu.get %b : !smx_gpu.channel<8x8xf32, swizzle = 0, depth = 1> -> !smx_gpu.shared<8x8xf32, swizzle = 0>
  %rb = smx_gpu.read %tb : !smx_gpu.shared<8x8xf32, swizzle = 0> -> tensor<8x8xf32, #L>
  smx_gpu.release %b : !smx_gpu.channel<8x8xf32, swizzle = 0, depth = 1>
  %s = arith.addf %ra, %rb : tensor<8x8xf32, #L>
  smx_gpu.store %s, %y[%c0, %c0] dims [0, 1] : tensor<8x8xf32, #L>, memref<64x256xf32>
  smx_gpu.return
}
