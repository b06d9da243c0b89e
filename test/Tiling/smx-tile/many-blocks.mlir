// One query: where there are several blocks for each that runs at once, tiles of keys are twice as long.
// RUN: softmax-opt %s --smx-online --smx-tile="blocks slots=8" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: softmax-opt %s --smx-online --smx-tile="blocks slots=9" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,FEW
// How many run at once is not known.
// RUN: softmax-opt %s --smx-online --smx-tile=blocks --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,FEW

// 24 heads.
// CHECK-LABEL: @heads
// CHECK: scf.for
// MANY: tensor<1x64x128xbf16>
// FEW: tensor<1x32x128xbf16>
func.func @heads(%q: tensor<24x1x128xbf16>, %k: tensor<24x1024x128xbf16>, %v: tensor<24x1024x128xbf16>) -> tensor<24x1x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<24x1x128xbf16>, tensor<24x1024x128xbf16>, tensor<24x1024x128xbf16> -> tensor<24x1x128xbf16>
  return %o : tensor<24x1x128xbf16>
}

// Blocks are groups of heads.
// CHECK-LABEL: @groups
// CHECK: scf.for
// MANY: tensor<1x32x128xbf16>
// FEW: tensor<1x32x128xbf16>
func.func @groups(%q: tensor<24x1x128xbf16>, %k: tensor<6x1024x128xbf16>, %v: tensor<6x1024x128xbf16>) -> tensor<24x1x128xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<24x1x128xbf16>, tensor<6x1024x128xbf16>, tensor<6x1024x128xbf16> -> tensor<24x1x128xbf16>
  return %o : tensor<24x1x128xbf16>
}

// Keys and values of 8 bits are widened by one warp, whose registers a longer tile would not fit.
// CHECK-LABEL: @widened
// CHECK: scf.for {{.*}} step %c32
!c = tensor<24x1024x128xf8E4M3FN>
!w = tensor<24x1024x128xbf16>
#all = affine_map<(b, j, d) -> (b, j, d)>
func.func @widened(%q: tensor<24x1x128xbf16>, %k: !c, %v: !c) -> tensor<24x1x128xbf16> {
  %empty = tensor.empty() : !w
  %wk = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : !c) outs(%empty : !w) {
  ^bb0(%code: f8E4M3FN, %unused: bf16):
    %x = arith.extf %code : f8E4M3FN to bf16
    linalg.yield %x : bf16
  } -> !w
  %wv = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v : !c) outs(%empty : !w) {
  ^bb0(%code: f8E4M3FN, %unused: bf16):
    %x = arith.extf %code : f8E4M3FN to bf16
    linalg.yield %x : bf16
  } -> !w
  %o = smx.attention %q, %wk, %wv scale(0.125) : tensor<24x1x128xbf16>, !w, !w -> tensor<24x1x128xbf16>
  return %o : tensor<24x1x128xbf16>
}
