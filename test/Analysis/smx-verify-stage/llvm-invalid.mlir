// RUN: softmax-opt %s --smx-verify-stage=stage=llvm --split-input-file --verify-diagnostics

llvm.func @arith(%x: f32) -> f32 {
  // expected-error @below {{'arith.addf' op breaks the contract of stage 'llvm': it is not in the llvm or the omp dialect}}
  // expected-note @below {{convert-to-llvm and the conversions before it replace it}}
  %y = arith.addf %x, %x : f32
  llvm.return %y : f32
}

// -----

llvm.func @cast(%x: i64) -> i64 {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op breaks the contract of stage 'llvm'}}
  // expected-note @below {{reconcile-unrealized-casts removes it when its source and its users were converted}}
  %y = builtin.unrealized_conversion_cast %x : i64 to index
  %z = builtin.unrealized_conversion_cast %y : index to i64
  llvm.return %z : i64
}
