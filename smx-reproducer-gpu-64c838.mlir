#map = affine_map<(d0) -> (-d0 + 4096, 192)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0)[s0] -> (d0 + s0)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
module {
  func.func @f(%arg0: tensor<2x16x4096x128xbf16>, %arg1: tensor<2x16x4096x128xbf16>, %arg2: tensor<2x16x4096x128xbf16>, %arg3: tensor<4096x4096xi1>) -> tensor<2x16x4096x128xbf16> {
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.0883999988 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x16x4096x128xbf16>
    %1 = scf.forall (%arg4, %arg5, %arg6) = (0, 0, 0) to (2, 16, 4096) step (1, 1, 192) shared_outs(%arg7 = %0) -> (tensor<2x16x4096x128xbf16>) {
      %2 = affine.min #map(%arg6)
      %3:3 = smx.identity #smx.softmax<exp2, masked_row = zero>(%2, %2, %2) -> tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<1x1x?x128xf32>
      %extracted_slice = tensor.extract_slice %arg0[%arg4, %arg5, %arg6, 0] [1, 1, %2, 128] [1, 1, 1, 1] : tensor<2x16x4096x128xbf16> to tensor<1x1x?x128xbf16>
      %4 = tensor.empty(%2) : tensor<1x1x?x64xf32>
      %5:3 = scf.for %arg8 = %c0 to %c4096 step %c64 iter_args(%arg9 = %3#0, %arg10 = %3#1, %arg11 = %3#2) -> (tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<1x1x?x128xf32>) {
        %extracted_slice_2 = tensor.extract_slice %arg1[%arg4, %arg5, %arg8, 0] [1, 1, 64, 128] [1, 1, 1, 1] : tensor<2x16x4096x128xbf16> to tensor<1x1x64x128xbf16>
        %7 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<1x1x?x64xf32>) -> tensor<1x1x?x64xf32>
        %8 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%extracted_slice, %extracted_slice_2 : tensor<1x1x?x128xbf16>, tensor<1x1x64x128xbf16>) outs(%7 : tensor<1x1x?x64xf32>) {
        ^bb0(%in: bf16, %in_4: bf16, %out: f32):
          %11 = arith.extf %in : bf16 to f32
          %12 = arith.extf %in_4 : bf16 to f32
          %13 = arith.mulf %11, %12 : f32
          %14 = arith.addf %13, %out : f32
          linalg.yield %14 : f32
        } -> tensor<1x1x?x64xf32>
        %9 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<1x1x?x64xf32>) outs(%4 : tensor<1x1x?x64xf32>) {
        ^bb0(%in: f32, %out: f32):
          %11 = linalg.index 2 : index
          %12 = affine.apply #map5(%arg6)[%11]
          %13 = linalg.index 3 : index
          %14 = affine.apply #map5(%arg8)[%13]
          %15 = arith.mulf %in, %cst : f32
          %extracted = tensor.extract %arg3[%12, %14] : tensor<4096x4096xi1>
          %16 = arith.select %extracted, %cst_1, %cst_0 : f32
          %17 = arith.addf %15, %16 : f32
          linalg.yield %17 : f32
        } -> tensor<1x1x?x64xf32>
        %extracted_slice_3 = tensor.extract_slice %arg2[%arg4, %arg5, %arg8, 0] [1, 1, 64, 128] [1, 1, 1, 1] : tensor<2x16x4096x128xbf16> to tensor<1x1x64x128xbf16>
        %10:3 = smx.update #smx.softmax<exp2, masked_row = zero>(%arg9, %arg10, %arg11 : tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<1x1x?x128xf32>) with(%9, %extracted_slice_3 : tensor<1x1x?x64xf32>, tensor<1x1x64x128xbf16>) maps [#map6, #map6, #map1, #map3, #map2]
        scf.yield %10#0, %10#1, %10#2 : tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<1x1x?x128xf32>
      }
      %6 = smx.finish #smx.softmax<exp2, masked_row = zero> "average"(%5#0, %5#1, %5#2 : tensor<1x1x?xf32>, tensor<1x1x?xf32>, tensor<1x1x?x128xf32>) maps [#map6, #map6, #map1, #map1] : tensor<1x1x?x128xbf16>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %6 into %arg7[%arg4, %arg5, %arg6, 0] [1, 1, %2, 128] [1, 1, 1, 1] : tensor<1x1x?x128xbf16> into tensor<2x16x4096x128xbf16>
      }
    } {mapping = [#gpu.block<linear_dim_0>, #gpu.block<linear_dim_1>, #gpu.block<linear_dim_2>]}
    return %1 : tensor<2x16x4096x128xbf16>
  }
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(smx-expand-state{slack=8.000000e+00}, canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}, func.func(smx-tile-others), canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}, smx-destination-arguments, smx-gpu-kernels{alignment=16 blocks=132 clusters=16 shared-limit=232448 warpgroups=true warps=0}, smx_gpu.kernel(smx-gpu-largest-of-stream,smx-gpu-largest,smx-gpu-ranks-in-lanes,smx-gpu-partial-states,smx-gpu-shared-rows{bytes=128 states=0},smx-gpu-recompute{elements=16},smx-gpu-partial-sums), canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}, smx_gpu.kernel(smx-gpu-unite-loops{few-tiles=true marks-late=true narrow=64 rounds=24 widest=128},smx-gpu-roles{depth=2 overlap=true split=true terms=true turns=true},smx-gpu-speculate,smx-gpu-fold-scores,smx-gpu-small-tanh{range=5.000000e-01},smx-gpu-early-reads{registers=200 reserve=8},smx-gpu-unite-loops{few-tiles=false marks-late=false narrow=64 rounds=24 widest=128},smx-gpu-prefetch{depth=2},smx-gpu-shared-operands{registers=192}), smx-bufferize, canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}, cse, smx-gpu-persistent-rows{clusters=7}, smx-gpu-next-tile{cut-columns=64 cut-rounds=8 rounds=32 tiles=4}, smx-gpu-multicast{cluster=1}, smx_gpu.kernel(smx-gpu-expect-move{columns=96 rounds=8}), canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}, smx-verify-stage{max-tile-bytes=16777216 stage=gpu})",
      disable_threading: true,
      verify_each: false
    }
  }
#-}
