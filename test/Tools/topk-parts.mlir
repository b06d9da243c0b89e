// Few long rows, of which blocks have a part each: places are those in the whole row, and of equal scores the first ones.
// RUN: softmax-run %s --entry=largest --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=largest --target=emulator --chip=sm_90a --random=all_equal --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=largest --target=emulator --random=one_nan --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=largest --target=emulator --random=one_inf --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=largest --target=emulator --random=all_neg_inf --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=short_part --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=short_part --target=emulator --random=all_equal --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=open --dims=2x17000 --target=emulator --row-lengths=0 --repeat=0 | FileCheck %s
// CHECK: against raised: pass
// CHECK: against raised: pass

func.func @largest(%x: tensor<3x40000xbf16>) -> (tensor<3x5xf32>, tensor<3x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<3x40000xbf16> -> tensor<3x5xf32>, tensor<3x5xi64>
  return %p, %i : tensor<3x5xf32>, tensor<3x5xi64>
}

// The last part has four elements.
func.func @short_part(%x: tensor<2x65540xf32>) -> (tensor<2x8xf32>, tensor<2x8xi32>) {
  %p, %i = smx.topk_softmax %x axis(1) k(8) : tensor<2x65540xf32> -> tensor<2x8xf32>, tensor<2x8xi32>
  return %p, %i : tensor<2x8xf32>, tensor<2x8xi32>
}

func.func @open(%x: tensor<2x?xf16>) -> (tensor<2x3xf16>, tensor<2x3xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(3) : tensor<2x?xf16> -> tensor<2x3xf16>, tensor<2x3xi64>
  return %p, %i : tensor<2x3xf16>, tensor<2x3xi64>
}
