// Groups take turns where the weights of a tile take about as long as its products: not beside products of 256 columns.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' | FileCheck %s

!narrow = tensor<16x1024x128xbf16>
!wide = tensor<16x1024x256xbf16>

// CHECK-LABEL: smx_gpu.kernel @narrow_kernel
// CHECK: smx_gpu.turns
// CHECK: smx_gpu.take_turn
func.func @narrow(%q: !narrow, %k: !narrow, %v: !narrow) -> !narrow {
  %o = smx.attention %q, %k, %v scale(0.1) : !narrow, !narrow, !narrow -> !narrow
  return %o : !narrow
}

// CHECK-LABEL: smx_gpu.kernel @wide_kernel
// CHECK: smx_gpu.role @compute
// CHECK-NOT: take_turn
// CHECK: smx_gpu.mma_async
func.func @wide(%q: !wide, %k: !wide, %v: !wide) -> !wide {
  %o = smx.attention %q, %k, %v scale(0.1) : !wide, !wide, !wide -> !wide
  return %o : !wide
}
