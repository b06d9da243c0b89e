// Queries, keys and values of one tensor, as projections of transformers give them: slices that drop the dimension between heads and
// elements, and keep a batch of one. What is put into one tensor goes the same way.
// RUN: softmax-run %s --entry=attention --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=attention --target=emulator --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=slice --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=slice --target=emulator --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=insert --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=insert --target=emulator --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=between --check=naive | FileCheck %s
// RUN: softmax-run %s --entry=between --target=emulator --check=naive | FileCheck %s
// CHECK: against naive: pass

func.func @attention(%x: tensor<1x16x3x8xf32>) -> tensor<1x16x8xf32> {
  %q = tensor.extract_slice %x[0, 0, 0, 0] [1, 16, 1, 8] [1, 1, 1, 1] : tensor<1x16x3x8xf32> to tensor<1x16x8xf32>
  %k = tensor.extract_slice %x[0, 0, 1, 0] [1, 16, 1, 8] [1, 1, 1, 1] : tensor<1x16x3x8xf32> to tensor<1x16x8xf32>
  %v = tensor.extract_slice %x[0, 0, 2, 0] [1, 16, 1, 8] [1, 1, 1, 1] : tensor<1x16x3x8xf32> to tensor<1x16x8xf32>
  %o = smx.attention %q, %k, %v scale(0.35) : tensor<1x16x8xf32>, tensor<1x16x8xf32>, tensor<1x16x8xf32> -> tensor<1x16x8xf32>
  return %o : tensor<1x16x8xf32>
}

func.func @slice(%a: tensor<3x6x3x5xf32>) -> tensor<1x6x2xf32> {
  %s = tensor.extract_slice %a[1, 0, 1, 1] [1, 6, 1, 2] [1, 1, 1, 1] : tensor<3x6x3x5xf32> to tensor<1x6x2xf32>
  %r = smx.softmax %s axis(1) : tensor<1x6x2xf32> -> tensor<1x6x2xf32>
  return %r : tensor<1x6x2xf32>
}

func.func @insert(%x: tensor<1x16x8xf32>, %y: tensor<1x16x3x8xf32>) -> tensor<1x16x3x8xf32> {
  %r = smx.softmax %x axis(2) : tensor<1x16x8xf32> -> tensor<1x16x8xf32>
  %s = tensor.insert_slice %r into %y[0, 0, 1, 0] [1, 16, 1, 8] [1, 1, 1, 1] : tensor<1x16x8xf32> into tensor<1x16x3x8xf32>
  return %s : tensor<1x16x3x8xf32>
}

// Of what another kernel has computed, and every second of it.
func.func @between(%a: tensor<8x1x40xf32>) -> tensor<2x1xf32> {
  %m = smx.softmax %a axis(0) : tensor<8x1x40xf32> -> tensor<8x1x40xf32>
  %s = tensor.extract_slice %m[4, 0, 3] [2, 1, 1] [2, 1, 1] : tensor<8x1x40xf32> to tensor<2x1xf32>
  %r = smx.softmax %s axis(0) : tensor<2x1xf32> -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}
