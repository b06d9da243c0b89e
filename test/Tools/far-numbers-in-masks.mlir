// RUN: softmax-run %s --entry=first_key --check=naive --repeat=0
// RUN: softmax-run %s --entry=wraps --check=naive --repeat=0

// Keys are compared with numbers near the ends of i64 (those that float64 has, too) as 64-bit numbers are.

func.func @first_key(%x: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %first = arith.constant dense<[-9223372036854775808, -9223372036854774784, 17, 4294967303, 4611686018427387904,
                                 9223372036854774784]> : tensor<6xi64>
  %e = tensor.empty() : tensor<6x40xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %first : tensor<6x40xf32>, tensor<6xi64>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%v: f32, %bound: i64, %o: f32):
    %j = linalg.index 1 : index
    %key = arith.index_cast %j : index to i64
    %keeps = arith.cmpi sge, %key, %bound : i64
    %zero = arith.constant 0.0 : f32
    %kept = arith.select %keeps, %v, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<6x40xf32>
  return %s : tensor<6x40xf32>
}

// i - j + (2^63 - 1) is negative for j < i.
func.func @wraps(%x: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %most = arith.constant 9223372036854775807 : i64
  %c0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x40xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %query = arith.index_cast %i : index to i64
    %key = arith.index_cast %j : index to i64
    %apart = arith.subi %query, %key : i64
    %far = arith.addi %apart, %most : i64
    %keeps = arith.cmpi sge, %far, %c0 : i64
    %kept = arith.select %keeps, %v, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<6x40xf32>
  return %s : tensor<6x40xf32>
}
