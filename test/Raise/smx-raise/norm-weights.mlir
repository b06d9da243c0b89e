// RUN: softmax-opt %s --smx-raise | FileCheck %s

#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// As Flax writes it: the mean of squares less the square of the mean, kept from being negative, and the weight times the root.
// CHECK-LABEL: func.func @clamped(
// CHECK-SAME: %[[X:.*]]: tensor<4x40xf32>, %[[W:.*]]: tensor<40xf32>
// CHECK: %[[N:.*]] = smx.layer_norm %[[X]] axis(1) epsilon({{.*}}) : tensor<4x40xf32> -> tensor<4x40xf32>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}]{{.*}} ins(%[[N]], %[[W]] : tensor<4x40xf32>, tensor<40xf32>)
// CHECK: arith.mulf
func.func @clamped(%x: tensor<4x40xf32>, %w: tensor<40xf32>) -> tensor<4x40xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %er = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x40xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %ss = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x40xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#rows, #row, #row, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %ss, %w : tensor<4x40xf32>, tensor<4xf32>, tensor<4xf32>, tensor<40xf32>) outs(%e : tensor<4x40xf32>) {
  ^bb0(%a: f32, %sum: f32, %squares: f32, %weight: f32, %o: f32):
    %mean = arith.divf %sum, %n : f32
    %meanOfSquares = arith.divf %squares, %n : f32
    %squareOfMean = arith.mulf %mean, %mean : f32
    %d = arith.subf %meanOfSquares, %squareOfMean : f32
    %variance = arith.maximumf %zero, %d : f32
    %v = arith.addf %variance, %eps : f32
    %r = math.rsqrt %v : f32
    %f = arith.mulf %r, %weight : f32
    %c = arith.subf %a, %mean : f32
    %t = arith.mulf %c, %f : f32
    linalg.yield %t : f32
  } -> tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}

// The weight times the row, of bf16; the power of -1/2; the square of the magnitude.
// CHECK-LABEL: func.func @powers(
// CHECK-SAME: %[[X:.*]]: tensor<4x40xf32>, %[[W:.*]]: tensor<40xbf16>
// CHECK: %[[N:.*]] = smx.rms_norm %[[X]] axis(1)
// CHECK: linalg.generic {{.*}} ins(%[[N]], %[[W]] : tensor<4x40xf32>, tensor<40xbf16>)
// CHECK: arith.extf
// CHECK: arith.mulf
func.func @powers(%x: tensor<4x40xf32>, %w: tensor<40xbf16>) -> tensor<4x40xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %half = arith.constant -0.5 : f32
  %er = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %ss = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x40xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.absf %a : f32
    %q = arith.mulf %m, %m : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#rows, #row, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %ss, %w : tensor<4x40xf32>, tensor<4xf32>, tensor<40xbf16>) outs(%e : tensor<4x40xf32>) {
  ^bb0(%a: f32, %squares: f32, %narrow: bf16, %o: f32):
    %weight = arith.extf %narrow : bf16 to f32
    %mean = arith.divf %squares, %n : f32
    %v = arith.addf %mean, %eps : f32
    %r = math.powf %v, %half : f32
    %xw = arith.mulf %a, %weight : f32
    %t = arith.mulf %xw, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x40xf32>
  return %y : tensor<4x40xf32>
}

// The square of another row's mean is no part of the variance; a factor that is reduced is no weight.
// CHECK-LABEL: func.func @near(
// CHECK-NOT: smx.
func.func @near(%x: tensor<4x40xf32>, %other: tensor<4x40xf32>) -> (tensor<4x40xf32>, tensor<4x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %er = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x40xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %so = linalg.reduce { arith.addf } ins(%other : tensor<4x40xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %ss = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x40xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#rows, #row, #row, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %so, %ss : tensor<4x40xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4x40xf32>) {
  ^bb0(%a: f32, %sum: f32, %sumOfOther: f32, %squares: f32, %o: f32):
    %mean = arith.divf %sum, %n : f32
    %meanOfOther = arith.divf %sumOfOther, %n : f32
    %meanOfSquares = arith.divf %squares, %n : f32
    %squareOfMean = arith.mulf %meanOfOther, %meanOfOther : f32
    %d = arith.subf %meanOfSquares, %squareOfMean : f32
    %v = arith.addf %d, %eps : f32
    %r = math.rsqrt %v : f32
    %c = arith.subf %a, %mean : f32
    %t = arith.mulf %c, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x40xf32>
  %w = linalg.generic {indexing_maps = [#rows, #row, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%other, %s, %ss : tensor<4x40xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4x40xf32>) {
  ^bb0(%a: f32, %sum: f32, %squares: f32, %o: f32):
    %mean = arith.divf %squares, %n : f32
    %v = arith.addf %mean, %eps : f32
    %r = math.rsqrt %v : f32
    %f = arith.mulf %r, %sum : f32
    %t = arith.mulf %a, %f : f32
    linalg.yield %t : f32
  } -> tensor<4x40xf32>
  return %y, %w : tensor<4x40xf32>, tensor<4x40xf32>
}
