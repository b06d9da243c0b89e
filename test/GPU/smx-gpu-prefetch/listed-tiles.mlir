// Where tiles are listed, or lie in pages, the number of the next tile is read ahead with it.
// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s

// CHECK-LABEL: smx_gpu.kernel @f_kernel_3(
// CHECK: scf.for %[[N:.+]] = %{{.+}} to %[[END:.+]] step
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[N]]
// CHECK-NEXT: %[[IS:.+]] = arith.cmpi slt, %[[NEXT]], %[[END]]
// CHECK-NEXT: scf.if %[[IS]]
// CHECK-NEXT: %[[TILE:.+]] = memref.load %{{.+}}, %[[NEXT]]]
// CHECK: smx_gpu.put
!t = tensor<256x64xf16>
func.func @f(%q: !t, %k: !t, %v: !t, %m: tensor<2x2xi8>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.blocks<rows = 128, keys = 128>) reads(%m : tensor<2x2xi8>) : !t, !t, !t -> !t
  return %o : !t
}
