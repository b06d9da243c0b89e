// What a row op reads is reduced along another axis, or transposed behind arithmetic: it is computed before.
// RUN: softmax-run %s --entry=reduced --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=reduced --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=transposed --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass

func.func @reduced(%x: tensor<7x7xf32>) -> tensor<7xf32> {
  %lowest = arith.constant dense<0xFF800000> : tensor<7xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<7x7xf32>) outs(%lowest : tensor<7xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<7x7xf32>
  %b = linalg.broadcast ins(%m : tensor<7xf32>) outs(%e : tensor<7x7xf32>) dimensions = [1]
  %d = arith.subf %x, %b : tensor<7x7xf32>
  %r = smx.logsumexp %d axis(0) : tensor<7x7xf32> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @transposed(%x: tensor<2x65xf32>) -> tensor<65x2xf32> {
  %l = smx.logsumexp %x axis(0) : tensor<2x65xf32> -> tensor<65xf32>
  %e = tensor.empty() : tensor<2x65xf32>
  %b = linalg.broadcast ins(%l : tensor<65xf32>) outs(%e : tensor<2x65xf32>) dimensions = [0]
  %d = arith.subf %x, %b : tensor<2x65xf32>
  %t = tensor.empty() : tensor<65x2xf32>
  %p = linalg.transpose ins(%d : tensor<2x65xf32>) outs(%t : tensor<65x2xf32>) permutation = [1, 0]
  %n = smx.layer_norm %p axis(1) epsilon(1.0e-2) : tensor<65x2xf32> -> tensor<65x2xf32>
  return %n : tensor<65x2xf32>
}
