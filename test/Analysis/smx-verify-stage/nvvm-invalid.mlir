// RUN: softmax-opt %s --smx-verify-stage=stage=nvvm --split-input-file --verify-diagnostics

// expected-error @below {{'smx_gpu.kernel' op breaks the contract of stage 'nvvm': it is in no gpu.module}}
// expected-note @below {{smx-gpu-to-nvvm puts the code of kernels into one}}
smx_gpu.kernel @kernel(%n: index) warps(1) {
  smx_gpu.return
}

// -----

gpu.module @kernels {
  llvm.func @kernel() {
    // expected-error @below {{'arith.constant' op breaks the contract of stage 'nvvm': it is not code of one thread}}
    // expected-note @below {{smx-gpu-to-nvvm replaces ops on tiles}}
    %c = arith.constant 0 : i32
    llvm.return
  }
}
