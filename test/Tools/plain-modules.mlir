// RUN: softmax-run %s --entry=init_and_sum --check=naive --repeat=0
// RUN: softmax-run %s --entry=init_and_sums --check=naive --repeat=0
// RUN: softmax-run %s --entry=init_reshaped --check=naive --repeat=0
// RUN: softmax-run %s --entry=into_the_input --check=naive --repeat=0
// RUN: softmax-run %s --entry=online_by_hand --check=naive --repeat=0
// RUN: softmax-run %s --entry=column --check=naive --repeat=0
// RUN: softmax-run %s --entry=first_column --check=naive --repeat=0
// RUN: echo "func.func @same(%%x: tensor<?x8xf32>) -> tensor<?x8xf32> { return %%x : tensor<?x8xf32> }" > %t.mlir
// RUN: softmax-run %t.mlir --dims=4x8 --check=naive --repeat=0

// What is no softmax gives what it says.

// The init of a sum is a result, too, and so are two sums from it, and another view of it.
func.func @init_and_sum(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %a, %z : tensor<4xf32>, tensor<4xf32>
}

func.func @init_and_sums(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %b = linalg.reduce { arith.addf } ins(%y : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %a, %b, %z : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @init_reshaped(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %v = tensor.expand_shape %z [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %a, %v : tensor<4xf32>, tensor<2x2xf32>
}

// The second result reads an input that the first one is computed from in place.
func.func @into_the_input(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : tensor<4x8xf32>) {
  ^bb0(%o: f32):
    %r = math.exp %o : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %y, %x : tensor<4x8xf32>, tensor<4x8xf32>
}

// The sum looks at the maximum so far: the order of the keys counts.
func.func @online_by_hand(%x: tensor<4x40xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %low = arith.constant dense<-1.0e+30> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x40xf32>) outs(%low, %zero : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32, %l: f32):
    %mm = arith.maximumf %m, %a : f32
    %d = arith.subf %a, %mm : f32
    %p = math.exp %d : f32
    %ll = arith.addf %l, %p : f32
    linalg.yield %mm, %ll : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @column(%x: tensor<6x1xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<6x1xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// All but the first column stays 1.
func.func @first_column(%x: tensor<4xf32>) -> tensor<4x8xf32> {
  %ones = arith.constant dense<1.0> : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%ones : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
