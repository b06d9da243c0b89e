// RUN: softmax-opt %s --smx-to-gpu -split-input-file -verify-diagnostics

// What has no kernel is an error at its place, not a wrong result.

// A head dim that no loop cuts must be known.
!t = tensor<2x64x?xbf16>
func.func @open_head_dim(%q: !t, %k: !t, %v: !t) -> !t {
  // expected-error @+1 {{expected tiles of bounded size, got a dimension that no loop cuts; a static size (of the head dim, say) would work}}
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}

// -----

func.func @reduces_all(%x: tensor<8x8xf32>, %s: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'linalg.generic' op reduces all of its dimensions, which has no loop over tiles for a GPU}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}
