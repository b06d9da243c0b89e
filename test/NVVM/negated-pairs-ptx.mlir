// Halves that are compared by pairs are negated by pairs, too.
// REQUIRES: ptxas, softmax-compile
// RUN: softmax-compile %s --target=cuda --emit=ptx --chip=sm_80 --alignment=16 -o %t.80 && FileCheck %s < %t.80
// RUN: %assemble sm_80 %t.80
// RUN: softmax-compile %s --target=cuda --emit=ptx --chip=sm_90a --alignment=16 -o %t.90 && FileCheck %s < %t.90
// RUN: %assemble sm_90a %t.90

// CHECK-LABEL: .entry f_kernel(
// CHECK: neg.bf16x2{{[[:space:]]+}}[[A:%r[0-9]+]],
// CHECK-NEXT: neg.bf16x2{{[[:space:]]+}}[[B:%r[0-9]+]],
// CHECK-NEXT: max.bf16x2{{[[:space:]]+}}[[M:%r[0-9]+]], [[A]], [[B]];
// CHECK-NEXT: neg.bf16x2{{[[:space:]]+}}[[C:%r[0-9]+]],
// CHECK-NEXT: neg.bf16x2{{[[:space:]]+}}[[D:%r[0-9]+]],
// CHECK-NEXT: max.bf16x2{{[[:space:]]+}}[[N:%r[0-9]+]], [[C]], [[D]];
// CHECK-NEXT: max.bf16x2{{[[:space:]]+}}%{{.*}}, [[M]], [[N]];
func.func @f(%x: tensor<64x4096xbf16>) -> tensor<64xbf16> {
  %y = smx.logsumexp %x axis(1) scale(-0.75) : tensor<64x4096xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}
