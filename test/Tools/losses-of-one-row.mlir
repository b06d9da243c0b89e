// Quantities of one state are computed where the first of them is, unless one reads what comes of another.
// RUN: softmax-run %s --entry=apart --repeat=0 | FileCheck %s --check-prefix=APART
// RUN: softmax-run %s --entry=apart --target=emulator --repeat=0 | FileCheck %s --check-prefix=APART
// RUN: softmax-run %s --entry=in_turn --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=in_turn --target=emulator --repeat=0 | FileCheck %s
// APART-COUNT-3: against raised: pass
// CHECK-COUNT-2: against raised: pass

// RUN: softmax-compile %s --entry=apart --target=cuda --chip=sm_90a --emit=tiled | FileCheck %s --check-prefix=ONE
// RUN: softmax-compile %s --entry=in_turn --target=cuda --chip=sm_90a --emit=tiled | FileCheck %s --check-prefix=TWO
// ONE-COUNT-1: smx.update
// ONE-NOT: smx.update
// TWO-COUNT-2: smx.update
// TWO-NOT: smx.update

#row = affine_map<(i) -> (i)>

func.func @apart(%x: tensor<64x256xf32>, %t: tensor<64xi32>, %one: i32) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xi32>) {
  %a = smx.cross_entropy %x, %t axis(1) : tensor<64x256xf32>, tensor<64xi32> -> tensor<64xf32>
  %e = tensor.empty() : tensor<64xi32>
  %next = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%t : tensor<64xi32>) outs(%e : tensor<64xi32>) {
  ^bb0(%i: i32, %o: i32):
    %r = arith.addi %i, %one : i32
    linalg.yield %r : i32
  } -> tensor<64xi32>
  %b = smx.cross_entropy %x, %next axis(1) : tensor<64x256xf32>, tensor<64xi32> -> tensor<64xf32>
  return %a, %b, %next : tensor<64xf32>, tensor<64xf32>, tensor<64xi32>
}

func.func @in_turn(%x: tensor<64x256xf32>, %t: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = smx.cross_entropy %x, %t axis(1) : tensor<64x256xf32>, tensor<64xi32> -> tensor<64xf32>
  %e = tensor.empty() : tensor<64xi32>
  %next = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]} ins(%t, %a : tensor<64xi32>, tensor<64xf32>) outs(%e : tensor<64xi32>) {
  ^bb0(%i: i32, %l: f32, %o: i32):
    %loss = arith.fptosi %l : f32 to i32
    %r = arith.addi %i, %loss : i32
    linalg.yield %r : i32
  } -> tensor<64xi32>
  %b = smx.cross_entropy %x, %next axis(1) : tensor<64x256xf32>, tensor<64xi32> -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}
