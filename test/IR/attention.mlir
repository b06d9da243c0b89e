// RUN: softmax-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @no_heads
func.func @no_heads(%q: tensor<7x16xf64>, %k: tensor<9x16xf64>, %v: tensor<9x5xf64>) -> tensor<7x5xf64> {
  // CHECK: smx.attention %{{.+}}, %{{.+}}, %{{.+}} scale(2.500000e-01) :
  %o = smx.attention %q, %k, %v scale(0.25) : tensor<7x16xf64>, tensor<9x16xf64>, tensor<9x5xf64> -> tensor<7x5xf64>
  return %o : tensor<7x5xf64>
}

// CHECK-LABEL: @grouped_heads_dynamic
func.func @grouped_heads_dynamic(%q: tensor<?x6x?x16xf16>, %k: tensor<?x2x?x16xf16>, %v: tensor<?x2x?x4xf16>) -> tensor<?x6x?x4xf32> {
  // CHECK: smx.attention {{.*}} mask(#smx.band<top_left, left = 3, right = 0>) : {{.*}} -> tensor<?x6x?x4xf32>
  %o = smx.attention %q, %k, %v scale(1.0) mask(#smx.band<top_left, left = 3, right = 0>)
     : tensor<?x6x?x16xf16>, tensor<?x2x?x16xf16>, tensor<?x2x?x4xf16> -> tensor<?x6x?x4xf32>
  return %o : tensor<?x6x?x4xf32>
}

// CHECK-LABEL: @log_sum_exp_result
func.func @log_sum_exp_result(%q: tensor<2x7x16xbf16>, %k: tensor<2x9x16xbf16>, %v: tensor<2x9x4xbf16>)
    -> (tensor<2x7x4xbf16>, tensor<2x7xf32>) {
  // CHECK: %{{.+}}, %{{.+}} = smx.attention {{.*}} -> tensor<2x7x4xbf16>, tensor<2x7xf32>
  %o, %lse = smx.attention %q, %k, %v scale(1.0)
     : tensor<2x7x16xbf16>, tensor<2x9x16xbf16>, tensor<2x9x4xbf16> -> tensor<2x7x4xbf16>, tensor<2x7xf32>
  return %o, %lse : tensor<2x7x4xbf16>, tensor<2x7xf32>
}

// CHECK-LABEL: @regions_capture
// CHECK-SAME: %[[BIAS:[^:]+]]: tensor<7x9xf32>
func.func @regions_capture(%q: tensor<2x7x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>,
                           %bias: tensor<7x9xf32>, %seen: tensor<9xi1>) -> tensor<2x7x4xf32> {
  // CHECK: smx.attention {{.*}} score {
  // CHECK-NEXT: ^bb0(%[[S:.+]]: f32, %[[H:.+]]: index, %[[I:.+]]: index, %[[J:.+]]: index):
  // CHECK-NEXT: %[[B:.+]] = tensor.extract %[[BIAS]][%[[I]], %[[J]]]
  // CHECK-NEXT: %[[T:.+]] = arith.addf %[[S]], %[[B]]
  // CHECK-NEXT: smx.yield %[[T]] : f32
  // CHECK-NEXT: } visible {
  // CHECK: smx.yield %{{.+}} : i1
  %o = smx.attention %q, %k, %v scale(1.0) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %b = tensor.extract %bias[%i, %j] : tensor<7x9xf32>
    %t = arith.addf %s, %b : f32
    smx.yield %t : f32
  } visible {
  ^bb0(%h: index, %i: index, %j: index):
    %b = tensor.extract %seen[%j] : tensor<9xi1>
    smx.yield %b : i1
  } : tensor<2x7x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return %o : tensor<2x7x4xf32>
}

// CHECK-LABEL: @mask_tile
func.func @mask_tile(%s: tensor<4x?x8xf32>, %i: index, %j: index, %m: index, %n: index) -> tensor<4x?x8xf32> {
  // CHECK: smx.mask %{{.+}} by #smx.prefix<bottom_right, length = 5> dims(2, 0) at(%{{.+}}, %{{.+}}) of(%{{.+}}, %{{.+}}) : tensor<4x?x8xf32>
  %0 = smx.mask %s by #smx.prefix<bottom_right, length = 5> dims(2, 0) at(%i, %j) of(%m, %n) : tensor<4x?x8xf32>
  return %0 : tensor<4x?x8xf32>
}
