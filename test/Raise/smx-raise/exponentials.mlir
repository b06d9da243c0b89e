// RUN: softmax-opt %s --smx-raise | FileCheck %s
#xy = affine_map<(d0, d1) -> (d0, d1)>
#x = affine_map<(d0, d1) -> (d0)>

// 2^(log2(e) * (x - max)) is e^(x - max).
// CHECK-LABEL: @exp2_after
func.func @exp2_after(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: smx.softmax %{{.+}} axis(1) : tensor
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %log2e = arith.constant dense<1.44269502> : tensor<6x9xf32>
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf32>
  %c = arith.mulf %d, %log2e : tensor<6x9xf32>
  %p = math.exp2 %c : tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// c*x - c*max(x) with c = 0.5 * log2(e), as a fused multiply-add wants it.
// CHECK-LABEL: @scaled_before
func.func @scaled_before(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: smx.softmax %{{.+}} axis(1) scale({{0.49999.*|5.0.*}}) : tensor
  %m0 = arith.constant dense<0xFF800000> : tensor<6xf32>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %c = arith.constant 0.72134752044448170367 : f32
  %full = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf32>) outs(%m0 : tensor<6xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#xy, #x, #xy], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<6x9xf32>, tensor<6xf32>) outs(%full : tensor<6x9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %ca = arith.mulf %a, %c : f32
    %cb = arith.mulf %c, %b : f32
    %d = arith.subf %ca, %cb : f32
    %r = math.exp2 %d : f32
    linalg.yield %r : f32
  } -> tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%full : tensor<6x9xf32>) dimensions = [1]
  %y = arith.divf %p, %lb : tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// CHECK-LABEL: @temperature
// CHECK-SAME: %[[X:.+]]: tensor<6x9xf32>
func.func @temperature(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: smx.softmax %[[X]] axis(1) scale(2.500000e-01) : tensor
  %t = arith.constant dense<4.0> : tensor<6x9xf32>
  %s = arith.divf %x, %t : tensor<6x9xf32>
  %e = tensor.empty() : tensor<6x9xf32>
  %y = linalg.softmax dimension(1) ins(%s : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}
