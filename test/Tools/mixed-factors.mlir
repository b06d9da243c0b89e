// A product of a wide and a narrow factor is as exact as the wide one.
// RUN: softmax-run %s --entry=right --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=right --target=emulator --chip=sm_90a --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=left --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=scores --target=emulator --check=naive --repeat=0 | FileCheck %s
// CHECK: against naive: pass

func.func @right(%a: tensor<20x40xf32>, %b: tensor<40x24xbf16>) -> tensor<20x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<20x24xf32>) -> tensor<20x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<20x40xf32>, tensor<40x24xbf16>) outs(%f : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %c : tensor<20x24xf32>
}

func.func @left(%a: tensor<20x40xf8E4M3FN>, %b: tensor<40x24xf16>) -> tensor<20x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<20x24xf32>) -> tensor<20x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<20x40xf8E4M3FN>, tensor<40x24xf16>) outs(%f : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %c : tensor<20x24xf32>
}

// In front of a softmax, too.
func.func @scores(%a: tensor<20x40xf32>, %b: tensor<40x24xbf16>) -> tensor<20x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<20x24xf32>) -> tensor<20x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<20x40xf32>, tensor<40x24xbf16>) outs(%f : tensor<20x24xf32>) -> tensor<20x24xf32>
  %p = smx.softmax %c axis(1) : tensor<20x24xf32> -> tensor<20x24xf32>
  return %p : tensor<20x24xf32>
}
