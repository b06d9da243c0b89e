// Short rows that may start anywhere: as many to a block as fill it when they are moved as one piece.
// RUN: softmax-opt %s --smx-online --smx-tile='blocks alignment=2' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile='blocks alignment=16' --remarks-filter=smx-tile 2>&1 >/dev/null | FileCheck %s --check-prefix=ALIGNED
// RUN: not softmax-opt %s --smx-tile='alignment=-1' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: option 'alignment' must be at least 0, got -1

// CHECK: remark{{.*}}rows=64
// ALIGNED: remark{{.*}}rows=16
func.func @written(%x: tensor<4096x65xbf16>) -> tensor<4096x65xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x65xbf16> -> tensor<4096x65xbf16>
  return %o : tensor<4096x65xbf16>
}
// Of what is only read, as many as lanes have.
// CHECK: remark{{.*}}rows=32
// ALIGNED: remark{{.*}}rows=4
func.func @read(%x: tensor<4096x257xbf16>) -> tensor<4096xbf16> {
  %o = smx.logsumexp %x axis(1) : tensor<4096x257xbf16> -> tensor<4096xbf16>
  return %o : tensor<4096xbf16>
}
// Of f32 half as many.
// CHECK: remark{{.*}}rows=32
// ALIGNED: remark{{.*}}rows=8
func.func @words(%x: tensor<4096x65xf32>) -> tensor<4096x65xf32> {
  %o = smx.softmax %x axis(1) : tensor<4096x65xf32> -> tensor<4096x65xf32>
  return %o : tensor<4096x65xf32>
}
// Longer ones are moved by words.
// CHECK: remark{{.*}}rows=4
// ALIGNED: remark{{.*}}rows=4
func.func @long_words(%x: tensor<4096x129xf32>) -> tensor<4096x129xf32> {
  %o = smx.softmax %x axis(1) : tensor<4096x129xf32> -> tensor<4096x129xf32>
  return %o : tensor<4096x129xf32>
}
