// The merge of parts: a short stream whose rows have columns of their own is one tile, up to 64 KiB. What is asked for is
// about keys.
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile="blocks parts=96 stream=16" --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @one_tile
// CHECK: tensor<1x16x128xbf16>
// CHECK: scf.forall.in_parallel
// CHECK: scf.forall
// CHECK-NOT: scf.for %
// CHECK: smx.update #smx.parts{{.*}} with({{.*}}tensor<1x1x96xf32>, tensor<1x1x96xf32>, tensor<1x1x96x128xf32>)
// CHECK-NOT: smx.update
func.func @one_tile(%q: tensor<2x1x128xbf16>, %k: tensor<2x4608x128xbf16>, %v: tensor<2x4608x128xbf16>) -> tensor<2x1x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x128xbf16>, tensor<2x4608x128xbf16>, tensor<2x4608x128xbf16> -> tensor<2x1x128xbf16>
  return %o : tensor<2x1x128xbf16>
}

// -----

// 96 KiB are several.
// CHECK-LABEL: @several_tiles
// CHECK: scf.forall.in_parallel
// CHECK: scf.forall
// CHECK: scf.for %
// CHECK: smx.update #smx.parts
func.func @several_tiles(%q: tensor<2x1x256xbf16>, %k: tensor<2x4608x256xbf16>, %v: tensor<2x4608x256xbf16>) -> tensor<2x1x256xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x256xbf16>, tensor<2x4608x256xbf16>, tensor<2x4608x256xbf16> -> tensor<2x1x256xbf16>
  return %o : tensor<2x1x256xbf16>
}

// -----

// Of parts whose number is open, a lane keeps 8 registers of each state through the loop: of f32 256 columns have those,
// of f64 128, and 400 are five times 80.
// CHECK-LABEL: @open_parts
// CHECK: scf.forall.in_parallel
// CHECK: scf.forall {{.*}} to (2, 512, 1) step (1, 256, 1)
// CHECK: scf.for %
// CHECK: smx.update #smx.parts{{.*}}tensor<1x1x256xf32>
func.func @open_parts(%q: tensor<2x1x512xbf16>, %k: tensor<2x?x512xbf16>, %v: tensor<2x?x512xbf16>) -> tensor<2x1x512xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x512xbf16>, tensor<2x?x512xbf16>, tensor<2x?x512xbf16> -> tensor<2x1x512xbf16>
  return %o : tensor<2x1x512xbf16>
}

// -----

// CHECK-LABEL: @open_parts_f64
// CHECK: scf.forall.in_parallel
// CHECK: scf.forall {{.*}} to (2, 400, 1) step (1, 80, 1)
// CHECK: scf.for %
// CHECK: smx.update #smx.parts{{.*}}tensor<1x1x80xf64>
func.func @open_parts_f64(%q: tensor<2x1x400xf64>, %k: tensor<2x?x400xf64>, %v: tensor<2x?x400xf64>) -> tensor<2x1x400xf64> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x1x400xf64>, tensor<2x?x400xf64>, tensor<2x?x400xf64> -> tensor<2x1x400xf64>
  return %o : tensor<2x1x400xf64>
}

// -----

// Lists of keys: of an open number of parts 16 KiB, of three keys and two numbers each, are read at a time.
// CHECK-LABEL: @open_parts_of_keys
// CHECK: smx.update #smx.topk<
// CHECK: scf.for %{{.+}} to %{{.+}} step %c512
// CHECK: smx.update #smx.parts<#smx.topk<{{.*}}tensor<1x512xf64>
func.func @open_parts_of_keys(%x: tensor<2x?xbf16>) -> (tensor<2x3xbf16>, tensor<2x3xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(3) : tensor<2x?xbf16> -> tensor<2x3xbf16>, tensor<2x3xi64>
  return %p, %i : tensor<2x3xbf16>, tensor<2x3xi64>
}
