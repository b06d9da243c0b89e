// Elements that a byte or an index has, in rows as short as a few bytes.
// RUN: softmax-run %s --entry=compared --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=compared --vector-bits=128 --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=places --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=compared --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass: all elements are equal

func.func @compared(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %c: tensor<2xf64>, %d: tensor<2xf64>) -> (tensor<3x4xi1>, tensor<2xi1>) {
  %y = arith.cmpf ogt, %a, %b : tensor<3x4xf32>
  %z = arith.cmpf ogt, %c, %d : tensor<2xf64>
  return %y, %z : tensor<3x4xi1>, tensor<2xi1>
}

func.func @places(%x: tensor<8xindex>, %y: tensor<5x16xindex>) -> (tensor<8xindex>, tensor<5x16xindex>) {
  return %x, %y : tensor<8xindex>, tensor<5x16xindex>
}
