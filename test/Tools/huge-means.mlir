// The mean of a row may be so large that its square is infinite: only squares of differences have to be finite.
// RUN: softmax-run %s --target=cpu --repeat=0 | FileCheck %s
// RUN: softmax-run %s --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass
// CHECK: against raised: pass
// CHECK: against raised: pass

func.func @f(%one: tensor<3x1xf32>, %x: tensor<4x8xf32>, %y: tensor<9000x4xf32>) -> (tensor<3x1xf32>, tensor<4x8xf32>, tensor<9000x4xf32>) {
  %huge = arith.constant dense<2.0e+38> : tensor<3x1xf32>
  %alone = arith.addf %one, %huge : tensor<3x1xf32>
  %a = smx.layer_norm %alone axis(1) epsilon(1.0e-5) : tensor<3x1xf32> -> tensor<3x1xf32>
  %mean = arith.constant dense<1.0e+30> : tensor<4x8xf32>
  %off = arith.addf %x, %mean : tensor<4x8xf32>
  %zero = arith.subf %off, %off : tensor<4x8xf32>
  %same = arith.addf %zero, %mean : tensor<4x8xf32>
  %b = smx.layer_norm %same axis(1) epsilon(1.0e-5) : tensor<4x8xf32> -> tensor<4x8xf32>
  // A long column: its terms are added in f64 where few threads add them.
  %c = smx.layer_norm %y axis(0) epsilon(1.0e-5) : tensor<9000x4xf32> -> tensor<9000x4xf32>
  return %a, %b, %c : tensor<3x1xf32>, tensor<4x8xf32>, tensor<9000x4xf32>
}
