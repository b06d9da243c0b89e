// Few of short rows: inputs are read in wide accesses, although results have rows that start anywhere; and results that are
// written in accesses as wide have to have rows for those.
// RUN: softmax-run %s --entry=largest --dims=100x64 --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=largest --dims=100x64 --target=emulator --repeat=0 --alignment=2 | FileCheck %s
// RUN: softmax-run %s --entry=largest --dims=100x64 --target=emulator --chip=sm_90a --random=all_equal --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=cut --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=cut --target=emulator --chip=sm_90a --random=all_equal --alignment=4 --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=narrowed --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=open --dims=7x100 --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass
func.func @largest(%x: tensor<?x64xbf16>) -> (tensor<?x5xbf16>, tensor<?x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<?x64xbf16> -> tensor<?x5xbf16>, tensor<?x5xi64>
  return %p, %i : tensor<?x5xbf16>, tensor<?x5xi64>
}

func.func @cut(%x: tensor<100x160xf32>) -> (tensor<100x8xf32>, tensor<100x8xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(8) : tensor<100x160xf32> -> tensor<100x8xf32>, tensor<100x8xi64>
  return %p, %i : tensor<100x8xf32>, tensor<100x8xi64>
}

func.func @narrowed(%x: tensor<7x100xf32>) -> tensor<7x100xbf16> {
  %y = smx.softmax %x axis(1) : tensor<7x100xf32> -> tensor<7x100xbf16>
  return %y : tensor<7x100xbf16>
}

func.func @open(%x: tensor<?x?xf32>) -> tensor<?x?xbf16> {
  %y = smx.softmax %x axis(1) : tensor<?x?xf32> -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
