// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 resident-bytes=512' --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,RESIDENT
// RUN: softmax-opt %s --smx-online --smx-tile='rows=4 resident-bytes=511 stream=64' --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,STREAMED

// A row of 128 f32 elements takes 512 bytes: where that may stay, one tile is the whole row, and it is read once.

// CHECK-LABEL: @softmax
// RESIDENT-SAME: %[[X:.+]]: tensor<8x128xf32>
// RESIDENT: scf.forall
// RESIDENT-NOT: scf.for %
// RESIDENT: %[[T:.+]] = tensor.extract_slice %[[X]]{{.*}} [4, 128] [1, 1]
// RESIDENT: %[[S:.+]]:2 = smx.update {{.*}} with(%[[T]] :
// RESIDENT: %[[Y:.+]] = smx.finish {{.*}}(%[[S]]#0, %[[S]]#1 : {{.*}}) with(%[[T]] :
// RESIDENT: tensor.parallel_insert_slice %[[Y]]
// STREAMED-COUNT-2: scf.for %
func.func @softmax(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// The bytes are those of the f32 tile, whatever the elements are.
// CHECK-LABEL: @softmax_bf16
// RESIDENT-NOT: scf.for %
// STREAMED-COUNT-2: scf.for %
func.func @softmax_bf16(%x: tensor<8x128xbf16>) -> tensor<8x128xbf16> {
  %y = smx.softmax %x axis(1) : tensor<8x128xbf16> -> tensor<8x128xbf16>
  return %y : tensor<8x128xbf16>
}
