// Where only the last part of a tile has keys that are left over, their scores are multiplied beside the last sum of its rounds.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter=smx-gpu-rest-scores 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: RestScores{{.*}}the scores of the keys that are left over are multiplied beside the last sum of the rounds
// REMARK: RestScores
// REMARK-NOT: RestScores

// 4096 keys are 51 rounds of 80, and 16.
// CHECK-LABEL: smx_gpu.kernel @shared_kernel(
// CHECK: role @compute
// CHECK: %[[Q:.+]] = smx_gpu.get %[[ROWS:.+]] : <64x128xbf16
// CHECK: %[[LAST:.+]] = arith.cmpi eq, %{{.+}}, %c4080
// CHECK-NEXT: scf.if %[[LAST]]
// CHECK-NEXT: %[[K:.+]] = smx_gpu.get %[[KEYS:.+]] : <16x128xbf16
// CHECK-NEXT: %[[S:.+]], %[[TS:.+]] = smx_gpu.mma_async %[[Q]], %[[K]], %{{.+}} transpose_b zero
// CHECK-NEXT: %[[V:.+]] = smx_gpu.get %[[VALUES:.+]] : <80x128xbf16
// CHECK-NEXT: %[[A:.+]], %[[TA:.+]] = smx_gpu.mma_async %{{.+}}, %[[V]]
// CHECK-NEXT: smx_gpu.wait %[[TS]], %[[S]] pending 1
// CHECK-DAG: smx_gpu.release %[[ROWS]]
// CHECK-DAG: smx_gpu.release %[[KEYS]]
// CHECK: math.exp2
// CHECK: %[[SUM:.+]] = smx_gpu.wait %[[TA]], %[[A]]
// CHECK-NEXT: smx_gpu.release %[[VALUES]]
// CHECK-NEXT: arith.mulf %[[SUM]]
// CHECK: smx_gpu.mma %
// CHECK: } else {
// CHECK-NEXT: smx_gpu.release %[[ROWS]]
// CHECK-NEXT: smx_gpu.get %[[VALUES]]
// CHECK-NEXT: %[[A:.+]], %[[TA:.+]] = smx_gpu.mma_async
// CHECK-NEXT: %[[SUM:.+]] = smx_gpu.wait %[[TA]], %[[A]]
// CHECK-NEXT: smx_gpu.release %[[VALUES]]
// CHECK-NEXT: scf.yield {{.+}}, %[[SUM]] :
!t = tensor<4x16x4096x128xbf16>
func.func @shared(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Parts that a launch merges have them as well.
// CHECK-LABEL: smx_gpu.kernel @merged_kernel(
// CHECK: role @compute
// CHECK: smx_gpu.get {{.+}} <48x128xbf16
// CHECK-NEXT: smx_gpu.mma_async
// CHECK-NEXT: smx_gpu.get {{.+}} <80x128xbf16
// CHECK-NEXT: smx_gpu.mma_async
!t = tensor<1x10x2688x128xbf16>
func.func @merged(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Whole tiles alone.
// CHECK-LABEL: smx_gpu.kernel @whole_kernel(
// CHECK: role @compute
// CHECK: smx_gpu.wait
// CHECK: smx_gpu.get {{.+}} <48x128xbf16
// CHECK-NEXT: smx_gpu.mma %
!t = tensor<8x16x2048x128xbf16>
func.func @whole(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Parts of tiles with a bias for each key, which is read in front of the product.
// CHECK-LABEL: smx_gpu.kernel @key_bias_kernel(
// CHECK: role @compute
// CHECK: smx_gpu.get {{.+}} <48x128xbf16
// CHECK: smx_gpu.mma %
!t = tensor<1x10x2688x128xbf16>
func.func @key_bias(%q: !t, %k: !t, %v: !t, %bias: tensor<1x2688xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<1x2688xbf16>
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
