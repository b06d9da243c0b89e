// A softmax, its logarithm and the log-sum-exp of a row have the same state: it is made once, in one kernel, and --explain says with which op.
// RUN: softmax-compile %s --emit=online | FileCheck %s --check-prefix=ONLINE
// RUN: softmax-compile %s --target=cuda --chip=sm_90a --alignment=16 | FileCheck %s --check-prefix=PTX
// RUN: softmax-compile %s --target=cuda --chip=sm_90a --alignment=16 --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: softmax-run %s --repeat=0 | FileCheck %s --check-prefix=VALUES
// RUN: softmax-run %s --repeat=0 --target=emulator | FileCheck %s --check-prefix=VALUES

// ONLINE-COUNT-1: smx.update
// ONLINE-NOT: smx.update
// ONLINE: "logsumexp"
// PTX-COUNT-1: .entry
// PTX-NOT: .entry
// EXPLAIN: smx.softmax
// EXPLAIN: schedule {{.*}}warps
// EXPLAIN: smx.logsumexp
// EXPLAIN: schedule {{.*}}with {{.*}}shared-state.mlir:[[# @LINE + 6]]:
// VALUES: against raised: pass
// VALUES: against raised: pass
// VALUES: against raised: pass
func.func @rows(%x: tensor<64x300xf32>) -> (tensor<64x300xf32>, tensor<64xf32>, tensor<64x300xf32>) {
  // The first op is the one that the others go with.
  %p = smx.softmax %x axis(1) : tensor<64x300xf32> -> tensor<64x300xf32>
  %l = smx.logsumexp %x axis(1) : tensor<64x300xf32> -> tensor<64xf32>
  %g = smx.log_softmax %x axis(1) : tensor<64x300xf32> -> tensor<64x300xf32>
  return %p, %l, %g : tensor<64x300xf32>, tensor<64xf32>, tensor<64x300xf32>
}
