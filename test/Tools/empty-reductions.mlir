// A reduction over an empty axis gives what it starts from, beside open extents too.
// RUN: softmax-run %s --entry=open --dims=3x4x0,3x4 --target=emulator --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=open --dims=3x4x0,3x4 --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=static --target=emulator --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=static --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=product --target=emulator --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=product --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=collapsed --dims=40x7x0 --target=emulator --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=collapsed --dims=40x7x0 --check=naive | FileCheck %s
// CHECK: against naive: pass

func.func @open(%x: tensor<3x?x0xf32>, %o: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<3x?x0xf32>) outs(%o : tensor<3x?xf32>) dimensions = [2]
  return %0 : tensor<3x?xf32>
}

func.func @static(%x: tensor<3x5x0xf32>, %o: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<3x5x0xf32>) outs(%o : tensor<3x5xf32>) dimensions = [2]
  return %0 : tensor<3x5xf32>
}

func.func @product(%x: tensor<2x3x0xf32>, %y: tensor<2x0x4xf32>) -> tensor<2x3x4xf32> {
  %z = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x3x4xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %0 = linalg.batch_matmul ins(%x, %y : tensor<2x3x0xf32>, tensor<2x0x4xf32>) outs(%o : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @collapsed(%x: tensor<40x?x0xbf16>) -> tensor<40x?xbf16> {
  %v = tensor.collapse_shape %x [[0], [1, 2]] : tensor<40x?x0xbf16> into tensor<40x?xbf16>
  %0 = smx.log_softmax %v axis(1) : tensor<40x?xbf16> -> tensor<40x?xbf16>
  return %0 : tensor<40x?xbf16>
}
