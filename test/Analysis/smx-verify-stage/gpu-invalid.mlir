// RUN: softmax-opt %s --smx-verify-stage=stage=gpu --split-input-file --verify-diagnostics

func.func @signature(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @above {{'func.func' op breaks the contract of stage 'gpu': its signature has a tensor}}
  // expected-note @above {{smx-bufferize turns tensors into memory}}
  return %x : tensor<4xf32>
}

// -----

func.func @state() {
  // expected-error @below {{'smx.identity' op breaks the contract of stage 'gpu': it is an smx op}}
  // expected-note @below {{smx-expand-state writes it as arithmetic}}
  %i:2 = "smx.identity"() <{algebra = #smx.softmax<exp>}> : () -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @host() {
  // expected-error @below {{'tensor.empty' op breaks the contract of stage 'gpu': it has a tensor outside of a kernel}}
  // expected-note @below {{smx-gpu-kernels turns loop nests over tiles into kernels; other tensor ops have no kernel yet}}
  %e = tensor.empty() : tensor<8xf32>
  return
}

// -----

func.func @linalg(%x: memref<8xf32>, %c: f32) {
  // expected-error @below {{'linalg.fill' op breaks the contract of stage 'gpu': it has no kernel}}
  // expected-note @below {{smx-gpu-kernels makes kernels of the loop nests that smx-tile builds}}
  linalg.fill ins(%c : f32) outs(%x : memref<8xf32>)
  return
}

// -----

func.func @branch(%x: memref<8xf32>, %c: f32, %b: i1) {
  scf.if %b {
    // expected-error @below {{'scf.forall' op breaks the contract of stage 'gpu': it has no kernel, as it stands in a loop or a branch}}
    // expected-note @below {{kernels are launched by the function itself: what is in the loop or branch may be a function of its own}}
    scf.forall (%i) in (8) {
      memref.store %c, %x[%i] : memref<8xf32>
    }
  }
  return
}
