// A loop over tiles that only copies, as what it computed is what it read, has rows like any other.
// RUN: softmax-run %s --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s --check-prefix=KERNEL
// CHECK: against raised: pass: worst error 0 absolute
// KERNEL: warps(8)
// KERNEL: smx_gpu.load {{.+}} tensor<64x64xf32, #smx_gpu.striped<rows = 16, columns = 16, vector = 1>>

#id = affine_map<(b, i, j) -> (b, i, j)>
func.func @larger(%x: tensor<3x80x70xf32>) -> tensor<3x80x70xf32> {
  %e = tensor.empty() : tensor<3x80x70xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %x : tensor<3x80x70xf32>, tensor<3x80x70xf32>) outs(%e : tensor<3x80x70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<3x80x70xf32>
  return %r : tensor<3x80x70xf32>
}
