// RUN: softmax-opt %s --smx-to-naive | FileCheck %s --check-prefixes=CHECK,NAIVE
// RUN: softmax-opt %s --smx-to-online | FileCheck %s --check-prefixes=CHECK,ONLINE
// RUN: softmax-opt %s --smx-to-tiled | FileCheck %s --check-prefixes=CHECK,TILED
// RUN: softmax-opt %s --smx-to-cpu | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: softmax-opt %s --smx-to-llvm | FileCheck %s --check-prefixes=LLVM

// The textbook's three passes at every stage of the road.

// CHECK-LABEL: func.func @softmax(
// NAIVE-SAME: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
// NAIVE-NEXT: %[[Y:.+]] = smx.softmax %{{.+}} axis(1) :
// NAIVE-NEXT: return %[[Y]]

// ONLINE: smx.identity
// ONLINE: smx.update
// ONLINE: smx.finish {{.*}} "softmax"
// ONLINE-NOT: linalg

// TILED: scf.forall
// TILED: smx.update {{.*}} tensor<2x1000xf32>
// TILED-NOT: linalg

// CPU-SAME: memref<64x1000xf32, strided<[?, 1], offset: ?>>, %{{.+}}: memref<64x1000xf32, strided<[?, 1], offset: ?>>) {
// CPU-NOT: smx.
// CPU-NOT: linalg
// CPU-NOT: tensor
// CPU: vector<

// LLVM: llvm.func internal @own.softmax(
// LLVM-NOT: {{(smx|linalg|scf|memref|vector|arith|func|math|cf|affine)\.[a-z]}}
func.func @softmax(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x1000xf32>
  %r = tensor.empty() : tensor<64xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<64x1000xf32>) outs(%m0 : tensor<64xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<64xf32>) outs(%e : tensor<64x1000xf32>) dimensions = [1]
  %d = linalg.sub ins(%x, %mb : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>) -> tensor<64x1000xf32>
  %p = linalg.exp ins(%d : tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>) -> tensor<64x1000xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<64x1000xf32>) outs(%l0 : tensor<64xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<64xf32>) outs(%e : tensor<64x1000xf32>) dimensions = [1]
  %y = linalg.div ins(%p, %lb : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>) -> tensor<64x1000xf32>
  return %y : tensor<64x1000xf32>
}
