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

func.func @parity(%x: tensor<8x8xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %s = linalg.fill ins(%zero : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  // expected-error @+1 {{'linalg.generic' op reduces by something other than a sum, a product, an extremum or the place of one}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xi32>) outs(%s : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %1 = arith.xori %a, %b : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
