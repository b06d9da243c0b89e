// The function that is run is compiled with what it calls, and nothing else of the module: another one may have no kernel.
// RUN: softmax-run %s --entry=rows --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=convolution --check=naive --repeat=0 | FileCheck %s
// CHECK: against naive: pass
// RUN: softmax-compile %s --entry=rows --emit=gpu --chip=sm_80 | FileCheck %s --check-prefix=ROWS --implicit-check-not=@convolution --implicit-check-not=@linked
// ROWS: func.func @rows
// RUN: not softmax-compile %s --entry=columns --emit=ptx 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: softmax-compile: no public function is called 'columns'; there is 'rows', 'convolution', 'linked'
// RUN: not softmax-run %s --entry=convolution --target=emulator --repeat=0 2>&1 | FileCheck %s --check-prefix=CONVOLUTION
// CONVOLUTION: entry.mlir:[[#@LINE + 21]]:8: {{.*}}as a convolution is, or read backwards, which has no kernel
// RUN: not softmax-run %s --entry=linked 2>&1 | FileCheck %s --check-prefix=LINKED
// LINKED: entry.mlir:[[#@LINE + 25]]:8: 'elsewhere' is called, and has no body in the module
// RUN: not softmax-run %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: the module has 3 public functions; name one of 'rows', 'convolution', 'linked' as the entry

func.func private @scaled(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %y = arith.addf %x, %x : tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}

func.func @rows(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %s = call @scaled(%x) : (tensor<4x40xf32>) -> tensor<4x40xf32>
  %y = smx.softmax %s axis(1) : tensor<4x40xf32> -> tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}

func.func @convolution(%x: tensor<2x8x40xf32>, %w: tensor<16x8x3xf32>) -> tensor<2x16x38xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x16x38xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x38xf32>) -> tensor<2x16x38xf32>
  %y = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<2x8x40xf32>, tensor<16x8x3xf32>) outs(%f : tensor<2x16x38xf32>) -> tensor<2x16x38xf32>
  return %y : tensor<2x16x38xf32>
}

func.func private @elsewhere(tensor<4x40xf32>) -> tensor<4x40xf32>
func.func @linked(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %y = call @elsewhere(%x) : (tensor<4x40xf32>) -> tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}
