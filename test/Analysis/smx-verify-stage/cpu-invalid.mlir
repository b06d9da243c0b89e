// RUN: softmax-opt %s --smx-verify-stage=stage=cpu --split-input-file --verify-diagnostics

func.func @specification(%x: tensor<8x128xf32>) {
  // expected-error @above {{'func.func' op breaks the contract of stage 'cpu': its signature has a tensor}}
  // expected-note @above {{smx-bufferize turns tensors into memory}}
  return
}

// -----

func.func @state() {
  // expected-error @below {{'smx.identity' op breaks the contract of stage 'cpu': it is an smx op}}
  // expected-note @below {{smx-expand-state writes it as arithmetic}}
  %i:2 = "smx.identity"() <{algebra = #smx.softmax<exp>}> : () -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @tensor() {
  // expected-error @below {{'tensor.empty' op breaks the contract of stage 'cpu': it has a value of tensor type}}
  // expected-note @below {{smx-bufferize turns tensors into memory}}
  %e = tensor.empty() : tensor<8xf32>
  return
}

// -----

func.func @linalg(%x: memref<8xf32>, %c: f32) {
  // expected-error @below {{'linalg.fill' op breaks the contract of stage 'cpu': it is linalg on memory}}
  // expected-note @below {{smx-cpu-vectorize makes loops of vector ops of it}}
  linalg.fill ins(%c : f32) outs(%x : memref<8xf32>)
  return
}
