// RUN: softmax-opt %s --smx-destination-arguments --verify-diagnostics --split-input-file

// expected-error @below {{expected a function of one block, got 2; structured control flow (scf) would work}}
func.func @two_blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^end
^end:
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{expected ranked tensor results, got 'f32'}}
func.func @scalar(%x: tensor<8xf32>, %s: f32) -> (tensor<8xf32>, f32) {
  return %x, %s : tensor<8xf32>, f32
}

// -----

// expected-error @below {{expected ranked tensor results, got 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}
