// Tensors that are made of scalars are computed by loops, which have kernels.
// RUN: softmax-opt %s --smx-raise | FileCheck %s
// RUN: softmax-run %s --entry=cache --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=elements --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=generated --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=inserted --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// GOOD: against naive: pass

// The length of a cache that has just grown.
// CHECK-LABEL: @cache
// CHECK: %[[LENGTH:.+]] = linalg.fill ins(%{{.+}} : index) outs(%{{.+}} : tensor<1xindex>)
// CHECK: smx.attention {{.+}} reads(%[[LENGTH]] : tensor<1xindex>)
!q = tensor<1x4x1x16xf32>
!k = tensor<1x4x32x16xf32>
func.func @cache(%q: !q, %k: !k, %new: !q, %at: i32) -> (!q, !k) {
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : i32
  %in = arith.andi %at, %c31 : i32
  %place = arith.index_cast %in : i32 to index
  %all = tensor.insert_slice %new into %k[0, 0, %place, 0] [1, 4, 1, 16] [1, 1, 1, 1] : !q into !k
  %n = arith.addi %place, %c1 : index
  %length = tensor.from_elements %n : tensor<1xindex>
  %o = smx.attention %q, %all, %all scale(0.25) mask(#smx.key_lengths) reads(%length : tensor<1xindex>) : !q, !k, !k -> !q
  return %o, %all : !q, !k
}

// CHECK-LABEL: @elements
// CHECK-SAME: %{{.+}}: tensor<3x2xf32>, %[[A:.+]]: f32, %[[B:.+]]: f32
// CHECK: linalg.generic
// CHECK: arith.select %{{.+}}, %[[A]], %[[B]]
func.func @elements(%x: tensor<3x2xf32>, %a: f32, %b: f32) -> tensor<3x2xf32> {
  %t = tensor.from_elements %a, %b, %b, %a, %a, %b : tensor<3x2xf32>
  %y = arith.addf %x, %t : tensor<3x2xf32>
  %r = smx.softmax %y axis(1) : tensor<3x2xf32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// CHECK-LABEL: @generated
// CHECK-NOT: tensor.generate
// CHECK: linalg.index 1
func.func @generated(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %t = tensor.generate {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %n = arith.index_cast %s : index to i32
    %f = arith.sitofp %n : i32 to f32
    tensor.yield %f : f32
  } : tensor<4x9xf32>
  %y = arith.subf %x, %t : tensor<4x9xf32>
  %r = smx.softmax %y axis(1) : tensor<4x9xf32> -> tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

// CHECK-LABEL: @inserted
// CHECK: %[[ONE:.+]] = linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : tensor<1x1xf32>)
// CHECK: tensor.insert_slice %[[ONE]] into %{{.+}}[2, 0] [1, 1] [1, 1]
func.func @inserted(%x: tensor<4x9xf32>, %v: f32) -> tensor<4x9xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %y = tensor.insert %v into %x[%c2, %c0] : tensor<4x9xf32>
  %r = smx.softmax %y axis(1) : tensor<4x9xf32> -> tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

// A loop stores its elements one by one.
// CHECK-LABEL: @stored
// CHECK: scf.for
// CHECK: tensor.insert
func.func @stored(%v: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8xf32>
  %l = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %e) -> tensor<8xf32> {
    %u = tensor.insert %v into %t[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %l : tensor<8xf32>
}
