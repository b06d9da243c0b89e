// The table of a row softmax over M x N = 64 x 8192 in f32. Reads, in units of MN elements (2097152 bytes):
// naive 5MN + 2M, online 2MN, rows resident MN, two passes over tiles 2MN.

// RUN: softmax-opt %s -o /dev/null --smx-report | FileCheck %s --check-prefix=NAIVE
// RUN: softmax-opt %s -o /dev/null --smx-online --smx-report | FileCheck %s --check-prefix=ONLINE
// RUN: softmax-opt %s -o /dev/null --pass-pipeline='builtin.module(smx-online,func.func(smx-tile{rows=4 stream=8192}),canonicalize,cse,smx-report)' | FileCheck %s --check-prefix=RESIDENT
// RUN: softmax-opt %s -o /dev/null --pass-pipeline='builtin.module(smx-online,func.func(smx-tile{rows=4 stream=1024 resident-bytes=0 deferred-bytes=0}),canonicalize,cse,smx-report)' | FileCheck %s --check-prefix=TWOPASS

// NAIVE:      roofline of h200
// NAIVE-NEXT: function {{.*}} bytes read   bytes written
// NAIVE-NEXT: @linalg naive 10486272 6291968 0 2097152 524288 {{.*}} memory
// NAIVE-NEXT: @op naive 2097152 2097152 0 2097152 524288 {{.*}} memory

// ONLINE:     @op online 4194304 2097152 0

// RESIDENT:   @op tiled 2097152 2097152 0

// The second pass computes the exponentials once more, and quotients that are rounded once.
// TWOPASS:    @op tiled 4194304 2097152 0 3674112 1049088

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @linalg(%x: tensor<64x8192xf32>) -> tensor<64x8192xf32> {
  %minf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<64x8192xf32>
  %r = tensor.empty() : tensor<64xf32>
  %m0 = linalg.fill ins(%minf : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x8192xf32>) outs(%m0 : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  %d = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x8192xf32>, tensor<64xf32>) outs(%e : tensor<64x8192xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.subf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64x8192xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<64x8192xf32>) outs(%e : tensor<64x8192xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<64x8192xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<64x8192xf32>) outs(%l0 : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %l : tensor<64x8192xf32>, tensor<64xf32>) outs(%e : tensor<64x8192xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64x8192xf32>
  return %y : tensor<64x8192xf32>
}

func.func @op(%x: tensor<64x8192xf32>) -> tensor<64x8192xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x8192xf32> -> tensor<64x8192xf32>
  return %y : tensor<64x8192xf32>
}
