// Groups take turns where the weights of a tile take about as long as its products: not beside products of 256 columns, nor where rounds read numbers
// for scores beside sums of more than 64.
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

// A sum of 64 columns: groups keep their turn until both products are done.
// CHECK-LABEL: smx_gpu.kernel @narrow_sum_kernel
// CHECK: smx_gpu.role @compute
// CHECK: scf.for {{.+}} iter_args
// CHECK: smx_gpu.take_turn
// CHECK-COUNT-2: smx_gpu.mma_async
// CHECK-NOT: smx_gpu.pass_turn
// CHECK: smx_gpu.wait %{{.+}} pending 1
// CHECK: smx_gpu.release
// CHECK: smx_gpu.wait
// CHECK-NEXT: smx_gpu.pass_turn
// CHECK-NEXT: smx_gpu.release
// CHECK: math.exp2
!n = tensor<2x8x1024x64xbf16>
func.func @narrow_sum(%q: !n, %k: !n, %v: !n) -> !n {
  %o = smx.attention %q, %k, %v scale(0.125) : !n, !n, !n -> !n
  return %o : !n
}

// Of 128, and a bias for each key that rounds read: no turns.
// CHECK-LABEL: smx_gpu.kernel @looked_up_kernel
// CHECK: smx_gpu.role @compute
// CHECK-NOT: _turn
// CHECK: smx_gpu.load {{.+}} dims [-1, 1]
// CHECK-NOT: _turn
// CHECK: smx_gpu.return
!w = tensor<2x8x1024x128xbf16>
!r = tensor<2x1024xbf16>
func.func @looked_up(%q: !w, %k: !w, %v: !w, %bias: !r) -> !w {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : !r
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !w, !w, !w -> !w
  return %o : !w
}

// So with a table in which rounds look numbers up.
// CHECK-LABEL: smx_gpu.kernel @table_kernel
// CHECK: smx_gpu.role @compute
// CHECK-NOT: _turn
// CHECK: smx_gpu.gather
// CHECK-NOT: _turn
// CHECK: smx_gpu.return
!d = tensor<8x2048xf32>
func.func @table(%q: !w, %k: !w, %v: !w, %table: !d) -> !w {
  %last = arith.constant 1023 : index
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ahead = arith.subi %j, %i : index
    %place = arith.addi %ahead, %last : index
    %x = tensor.extract %table[%h, %place] : !d
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !w, !w, !w -> !w
  return %o : !w
}
