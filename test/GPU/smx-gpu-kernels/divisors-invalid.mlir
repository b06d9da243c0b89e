// RUN: softmax-opt %s --smx-gpu-kernels --verify-diagnostics

func.func @negative(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %y = scf.forall (%b) in (1) shared_outs(%out = %e) -> (tensor<64xf32>) {
    %t = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%t : tensor<64xf32>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      // expected-error @+2 {{division by non-positive value is not supported}}
      // expected-error @+1 {{'affine.apply' op expected divisors above 0}}
      %p = affine.apply affine_map<(d0) -> (d0 floordiv -2 + 63)>(%i)
      %v = tensor.extract %x[%p] : tensor<64xf32>
      linalg.yield %v : f32
    } -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %out[0] [64] [1] : tensor<64xf32> into tensor<64xf32>
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return %y : tensor<64xf32>
}
