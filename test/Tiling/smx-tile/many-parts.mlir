// One query of few heads: where a stream would have 32 parts or more, tiles of keys are twice as long and blocks half as many.
// RUN: softmax-opt %s --smx-online --smx-tile="blocks parts=0 slots=64" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: softmax-opt %s --smx-online --smx-tile="blocks parts=0 slots=62" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,FEW
// A tile that the caller decides about has as many parts as ever.
// RUN: softmax-opt %s --smx-online --smx-tile="blocks parts=0 slots=64 stream=32" --canonicalize --cse | FileCheck %s --check-prefix=GIVEN

// CHECK-LABEL: @long
// MANY: scf.forall ({{.*}}) in (2, 1, 16)
// FEW: scf.forall ({{.*}}) in (2, 1, 31)
// MANY: scf.for {{.*}} step %c64
// FEW: scf.for {{.*}} step %c32
// GIVEN-LABEL: @long
// GIVEN: scf.forall ({{.*}}) in (2, 1, 32)
// GIVEN: scf.for {{.*}} step %c32
func.func @long(%q: tensor<2x1x128xbf16>, %k: tensor<2x31744x128xbf16>, %v: tensor<2x31744x128xbf16>) -> tensor<2x1x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x128xbf16>, tensor<2x31744x128xbf16>, tensor<2x31744x128xbf16> -> tensor<2x1x128xbf16>
  return %o : tensor<2x1x128xbf16>
}

// Parts would have less than four of the longer tiles.
// CHECK-LABEL: @short
// CHECK: scf.for {{.*}} step %c32
func.func @short(%q: tensor<2x1x128xbf16>, %k: tensor<2x2048x128xbf16>, %v: tensor<2x2048x128xbf16>) -> tensor<2x1x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x128xbf16>, tensor<2x2048x128xbf16>, tensor<2x2048x128xbf16> -> tensor<2x1x128xbf16>
  return %o : tensor<2x1x128xbf16>
}

// Keys are left beside the longer tiles.
// CHECK-LABEL: @left_over
// CHECK: scf.for {{.*}} step %c32
func.func @left_over(%q: tensor<2x1x128xbf16>, %k: tensor<2x31760x128xbf16>, %v: tensor<2x31760x128xbf16>) -> tensor<2x1x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x128xbf16>, tensor<2x31760x128xbf16>, tensor<2x31760x128xbf16> -> tensor<2x1x128xbf16>
  return %o : tensor<2x1x128xbf16>
}
