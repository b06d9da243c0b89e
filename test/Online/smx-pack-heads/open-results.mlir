// Results that leave open what the query has, and that know what it leaves open.
// RUN: softmax-opt %s --smx-pack-heads | FileCheck %s
// RUN: softmax-run %s --entry=open --target=emulator --repeat=0 | FileCheck %s --check-prefix=RESULT
// RUN: softmax-run %s --entry=known --target=emulator --repeat=0 --dims=2x4x3x8,2x2x5x8,2x2x5x8 | FileCheck %s --check-prefix=RESULT
// RESULT: against raised: pass

// CHECK-LABEL: @open
// CHECK: smx.attention {{.*}} -> tensor<?x2x6x?xf32>, tensor<2x2x6xf32>
// CHECK: tensor.cast %{{.+}} : tensor<2x4x3x8xf32> to tensor<?x?x3x?xf32>
// CHECK: tensor.cast %{{.+}} : tensor<2x4x3xf32> to tensor<2x?x?xf32>
func.func @open(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> (tensor<?x?x3x?xf32>, tensor<2x?x?xf32>) {
  %o, %l = smx.attention %q, %k, %v scale(0.5) : tensor<2x4x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32> -> tensor<?x?x3x?xf32>, tensor<2x?x?xf32>
  return %o, %l : tensor<?x?x3x?xf32>, tensor<2x?x?xf32>
}

// CHECK-LABEL: @known
// CHECK: tensor.cast %{{.+}} : tensor<?x4x3x8xf32> to tensor<2x4x3x8xf32>
func.func @known(%q: tensor<?x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %o = smx.attention %q, %k, %v scale(0.5) : tensor<?x4x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x8xf32> -> tensor<2x4x3x8xf32>
  return %o : tensor<2x4x3x8xf32>
}
