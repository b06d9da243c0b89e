// What front ends write around a softmax or an attention, on every road, against the module as it is written.
// RUN: softmax-run %s --entry=column --check=naive --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=column --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=slice --check=naive --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=slice --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=sum --check=naive --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=padded --check=naive --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=collapsed --dims=3x4x64 --check=naive --repeat=0 --target=emulator | FileCheck %s
// RUN: softmax-run %s --entry=collapsed_and_cast --dims=3x4x5 --check=naive --repeat=0 --target=emulator | FileCheck %s
// CHECK: against naive: pass

// A column of a matrix is no row of memory.
func.func @column(%x: tensor<6x64xf32>) -> tensor<6xf32> {
  %s = tensor.extract_slice %x[0, 5] [6, 1] [1, 1] : tensor<6x64xf32> to tensor<6xf32>
  %r = smx.softmax %s axis(0) : tensor<6xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @slice(%x: tensor<2x4x8xf32>) -> tensor<1x4xf32> {
  %c1 = arith.constant 1 : index
  %s = tensor.extract_slice %x[%c1, 0, 3] [1, 4, 1] [1, 1, 1] : tensor<2x4x8xf32> to tensor<1x4xf32>
  %r = smx.softmax %s axis(1) : tensor<1x4xf32> -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}

// A named op, fused with what reads it.
func.func @sum(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %s = linalg.add ins(%a, %b : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = smx.softmax %s axis(1) : tensor<8x16xf32> -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

func.func @padded(%x: tensor<8x16xf32>) -> tensor<8x20xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.pad %x low[0, 0] high[0, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x16xf32> to tensor<8x20xf32>
  %r = smx.softmax %s axis(1) : tensor<8x20xf32> -> tensor<8x20xf32>
  return %r : tensor<8x20xf32>
}

// Two extents that are not known become one.
func.func @collapsed(%x: tensor<?x?x64xf32>) -> tensor<?x64xf32> {
  %r = smx.softmax %x axis(2) : tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  %y = tensor.collapse_shape %r [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

func.func @collapsed_and_cast(%x: tensor<3x?x5xf32>) -> tensor<?x?xf32> {
  %r = smx.softmax %x axis(2) : tensor<3x?x5xf32> -> tensor<3x?x5xf32>
  %y = tensor.collapse_shape %r [[0, 1], [2]] : tensor<3x?x5xf32> into tensor<?x5xf32>
  %z = tensor.cast %y : tensor<?x5xf32> to tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
