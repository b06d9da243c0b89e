// Few queries: where more heads share keys than there are queries, heads are the rows of a tile.
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile=blocks --canonicalize --cse | FileCheck %s
// RUN: softmax-opt %s --split-input-file --smx-online --smx-tile="blocks rows=16" --canonicalize --cse | FileCheck %s --check-prefix=ASKED

// CHECK: #[[KV:.+]] = affine_map<(d0) -> (d0 floordiv 4)>
// CHECK-LABEL: @one_query
// CHECK: scf.forall (%[[H:.+]], %{{.+}}) = (0, 0) to (8, 1) step (4, 1)
// CHECK: %[[HEAD:.+]] = affine.apply #[[KV]](%[[H]])
// CHECK: tensor.extract_slice %{{.+}}[%[[H]], 0, 0] [4, 1, 64] {{.*}} to tensor<4x1x64xbf16>
// CHECK: tensor.extract_slice %{{.+}}[%[[HEAD]], %{{.+}}, 0] [1, 64, 64] {{.*}} to tensor<1x64x64xbf16>
// CHECK: smx.update {{.*}} with(%{{.+}}, %{{.+}} : tensor<4x1x64xf32>, tensor<1x64x64xbf16>)

// Rows that are asked for are queries.
// ASKED-LABEL: @one_query
// ASKED: scf.forall (%{{.+}}, %{{.+}}) in (8, 1)
func.func @one_query(%q: tensor<8x1x64xbf16>, %k: tensor<2x1024x64xbf16>, %v: tensor<2x1024x64xbf16>) -> tensor<8x1x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<8x1x64xbf16>, tensor<2x1024x64xbf16>, tensor<2x1024x64xbf16> -> tensor<8x1x64xbf16>
  return %o : tensor<8x1x64xbf16>
}

// -----

// CHECK-LABEL: @more_queries
// CHECK: scf.forall (%{{.+}}, %{{.+}}) = (0, 0) to (8, 16) step (1, 16)
// CHECK: tensor<1x16x64xbf16>
func.func @more_queries(%q: tensor<8x16x64xbf16>, %k: tensor<2x1024x64xbf16>, %v: tensor<2x1024x64xbf16>) -> tensor<8x16x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<8x16x64xbf16>, tensor<2x1024x64xbf16>, tensor<2x1024x64xbf16> -> tensor<8x16x64xbf16>
  return %o : tensor<8x16x64xbf16>
}

// -----

// A mask sees the query, whatever the row is; a score region the head.
// CHECK-LABEL: @masked
// CHECK: scf.forall (%[[H:.+]], %[[I:.+]]) = (0, 0) to (8, 3) step (4, 1)
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK: smx.mask %{{.+}} by #smx.band<bottom_right, right = 0> dims(1, 2) at(%[[I]], %{{.+}}) of
func.func @masked(%q: tensor<8x3x64xbf16>, %k: tensor<2x1024x64xbf16>, %v: tensor<2x1024x64xbf16>) -> tensor<8x3x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<bottom_right, right = 0>) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %n = arith.index_cast %h : index to i32
    %f = arith.sitofp %n : i32 to f32
    %t = arith.addf %s, %f : f32
    smx.yield %t : f32
  } : tensor<8x3x64xbf16>, tensor<2x1024x64xbf16>, tensor<2x1024x64xbf16> -> tensor<8x3x64xbf16>
  return %o : tensor<8x3x64xbf16>
}
