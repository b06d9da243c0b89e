// Scores of 1e10, either way: a row is the average of its largest ones, not 0 or NaN.
// RUN: softmax-run %s --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --target=emulator --chip=sm_90a --check=naive --repeat=0 | FileCheck %s
// CHECK-COUNT-3: against naive: pass

func.func @f(%q: tensor<9x8xf32>, %k: tensor<21x8xf32>, %v: tensor<21x8xf32>) -> (tensor<9x8xf32>, tensor<9xf32>, tensor<9x8xf32>) {
  %up, %lse = smx.attention %q, %k, %v scale(0.5) score {
  ^bb0(%s: f32, %i: index, %j: index):
    %five = arith.constant 5 : index
    %large = arith.constant 1.0e10 : f32
    %less = arith.constant 0.9e10 : f32
    %isFirst = arith.cmpi ult, %j, %five : index
    %t = arith.select %isFirst, %large, %less : f32
    smx.yield %t : f32
  } : tensor<9x8xf32>, tensor<21x8xf32>, tensor<21x8xf32> -> tensor<9x8xf32>, tensor<9xf32>
  %down = smx.attention %q, %k, %v scale(0.5) score {
  ^bb0(%s: f32, %i: index, %j: index):
    %five = arith.constant 5 : index
    %large = arith.constant -1.0e10 : f32
    %less = arith.constant -1.1e10 : f32
    %isFirst = arith.cmpi ult, %j, %five : index
    %t = arith.select %isFirst, %large, %less : f32
    smx.yield %t : f32
  } : tensor<9x8xf32>, tensor<21x8xf32>, tensor<21x8xf32> -> tensor<9x8xf32>
  return %up, %lse, %down : tensor<9x8xf32>, tensor<9xf32>, tensor<9x8xf32>
}
