// RUN: softmax-opt %s --smx-gpu-kernels --verify-diagnostics

// What one reduction leaves are the rows of the tiles: another one does not reduce them.
func.func @largest(%x: tensor<17x33xf32>) -> tensor<1xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1xf32>
  %r = scf.forall (%i) in (1) shared_outs(%o = %e) -> tensor<1xf32> {
    %columns = tensor.empty() : tensor<33xf32>
    %f = linalg.fill ins(%lowest : f32) outs(%columns : tensor<33xf32>) -> tensor<33xf32>
    %s = tensor.extract_slice %x[0, 0] [17, 33] [1, 1] : tensor<17x33xf32> to tensor<17x33xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>],
        iterator_types = ["reduction", "parallel"]} ins(%s : tensor<17x33xf32>) outs(%f : tensor<33xf32>) {
    ^bb0(%a: f32, %b: f32):
      %l = arith.maximumf %a, %b : f32
      linalg.yield %l : f32
    } -> tensor<33xf32>
    %one = tensor.empty() : tensor<1xf32>
    %g = linalg.fill ins(%lowest : f32) outs(%one : tensor<1xf32>) -> tensor<1xf32>
    // expected-error @+1 {{'linalg.generic' op reduces along the rows of its tile, which another reduction leaves; a loop over tiles of its own would work}}
    %t = linalg.generic {indexing_maps = [affine_map<(b, n) -> (n)>, affine_map<(b, n) -> (b)>],
        iterator_types = ["parallel", "reduction"]} ins(%m : tensor<33xf32>) outs(%g : tensor<1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %l = arith.maximumf %a, %b : f32
      linalg.yield %l : f32
    } -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[0] [1] [1] : tensor<1xf32> into tensor<1xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<1xf32>
}
