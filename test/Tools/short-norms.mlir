// Rows of two elements that are nearly equal: what rounding their mean costs is what the check allows, and no more than that
// where rows are spread.
// RUN: softmax-run %s --entry=few --random=normal:3 --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=few --random=normal:4 --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=few --random=normal:6 --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=few --random=normal:3 --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=columns --random=normal:4 --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass

func.func @few(%x: tensor<33x2xf32>) -> tensor<33x2xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-3) : tensor<33x2xf32> -> tensor<33x2xf32>
  return %y : tensor<33x2xf32>
}

func.func @columns(%x: tensor<2x33xf32>) -> tensor<2x33xf32> {
  %y = smx.layer_norm %x axis(0) epsilon(1.0e-3) : tensor<2x33xf32> -> tensor<2x33xf32>
  return %y : tensor<2x33xf32>
}
