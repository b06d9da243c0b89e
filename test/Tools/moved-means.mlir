// The mean of long rows of equal elements is off by what its sum is rounded by, and so is each element, which is 0
// exactly: by that times what divides and what is multiplied behind it. It is allowed, wherever rows come from and go.
// RUN: softmax-run %s --entry=argument --random=all_equal --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=between --random=all_equal,normal --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=between --random=all_equal,normal --target=emulator --repeat=0 --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=between --random=normal --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=between --random=all_equal,normal --repeat=0 | FileCheck %s
// CHECK: against {{.*}}: pass

// A mean without the last element of a row is off by more than that, and so is one without its last 16 bits.
// RUN: rm -rf %t && softmax-run %s --entry=lost --random=all_equal --output=%t/lost --check=none --repeat=0
// RUN: not softmax-run %s --entry=argument --random=all_equal --expected=%t/lost/output0.npy --repeat=0 | FileCheck %s --check-prefix=LOST
// RUN: softmax-run %s --entry=narrow --random=all_equal --output=%t/narrow --check=none --repeat=0
// RUN: not softmax-run %s --entry=argument --random=all_equal --expected=%t/narrow/output0.npy --repeat=0 | FileCheck %s --check-prefix=LOST
// LOST: fail

!rows = tensor<4x20000xf32>
func.func @argument(%x: !rows) -> !rows {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : !rows -> !rows
  return %y : !rows
}

func.func @between(%x: tensor<8x20000xf32>, %w: tensor<20000xf32>) -> !rows {
  %some = tensor.extract_slice %x[2, 0] [4, 20000] [1, 1] : tensor<8x20000xf32> to !rows
  %y = smx.layer_norm %some axis(1) epsilon(1.0e-5) : !rows -> !rows
  %e = tensor.empty() : !rows
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y, %w : !rows, tensor<20000xf32>) outs(%e : !rows) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> !rows
  return %r : !rows
}

// (x - (1 - 1/20000) x) / sqrt(epsilon), where all elements are x.
func.func @lost(%x: !rows) -> !rows {
  %part = arith.constant dense<1.5811388e-2> : !rows
  %y = arith.mulf %x, %part : !rows
  return %y : !rows
}

// (x - bf16(x)) / sqrt(epsilon).
func.func @narrow(%x: !rows) -> !rows {
  %divisor = arith.constant dense<316.227766> : !rows
  %n = arith.truncf %x : !rows to tensor<4x20000xbf16>
  %w = arith.extf %n : tensor<4x20000xbf16> to !rows
  %d = arith.subf %x, %w : !rows
  %y = arith.mulf %d, %divisor : !rows
  return %y : !rows
}
