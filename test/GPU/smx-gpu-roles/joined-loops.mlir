// Beside three groups the role that fetches has 32 registers, which are those of one loop of copies: what the first of two
// visits from its last tile on, and then the second, is one interval.
// RUN: softmax-opt %s --split-input-file --smx-to-gpu='chip=sm_90a alignment=16' --mlir-print-local-scope | FileCheck %s

!t = tensor<2x8x4096x64xbf16>
!bias = tensor<2x4096xbf16>

// CHECK-LABEL: smx_gpu.kernel @three_groups
// CHECK: smx_gpu.role @load {{.*}}registers(32)
// CHECK: %[[END:.+]] = arith.minsi %{{.+}}, %c4128 : index
// CHECK-COUNT-3: smx_gpu.put
// CHECK: %[[LAST:.+]] = arith.maxsi %[[END]], %{{.+}} : index
// CHECK: scf.for %[[AT:.+]] = %c0 to %[[LAST]] step %c96 {
// CHECK-NEXT: %[[PLACE:.+]] = affine.apply affine_map<(d0, d1) -> (-d0 + d1 - 96)>(%[[AT]], %[[LAST]])
// CHECK-NEXT: smx_gpu.put %{{.+}}[%{{.+}}, %{{.+}}, %[[PLACE]], %c0]
// CHECK-NEXT: smx_gpu.put %{{.+}}[%{{.+}}, %{{.+}}, %[[PLACE]], %c0]
// CHECK-NEXT: {{^ *}}}
// CHECK-NOT: smx_gpu.put
// CHECK: smx_gpu.role @compute
func.func @three_groups(%q: !t, %k: !t, %v: !t, %bias: !bias) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : !bias
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// -----

!t = tensor<2x8x2048x64xbf16>
!bias = tensor<2x2048xbf16>

// Two groups leave it 56.
// CHECK-LABEL: smx_gpu.kernel @two_groups
// CHECK: smx_gpu.role @load {{.*}}registers(56)
// CHECK: scf.for {{.*}} step %c128 {
// CHECK: scf.for {{.*}} step %c128 {
// CHECK: smx_gpu.role @compute
func.func @two_groups(%q: !t, %k: !t, %v: !t, %bias: !bias) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : !bias
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
