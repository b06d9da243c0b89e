// A row that is split already is not cut into parts as well: its halves end at different places of a part.
// RUN: softmax-opt %s --smx-online --smx-split=parts=2 --smx-tile="blocks parts=2 slots=8" --canonicalize --cse | FileCheck %s
// RUN: softmax-run %s --target=emulator --splits=2 --tile-stream=32 --repeat=0 | FileCheck %s --check-prefix=HALVES

// CHECK-LABEL: @halves
// CHECK-COUNT-1: scf.forall (
// CHECK: smx.merge
// CHECK-NOT: scf.forall (

// HALVES: against raised: pass
func.func @halves(%x: tensor<1x257xf32>) -> tensor<1xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<1x257xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}
