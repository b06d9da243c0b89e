// RUN: softmax-opt %s --smx-online --mlir-print-local-scope | FileCheck %s

// A sum over the row, and the result from a second look at it: the form that every schedule of rows takes.
// CHECK-LABEL: @softmax
// CHECK-SAME: %[[Y:.+]]: tensor<4x8xf32>, %[[G:.+]]: tensor<4x8xf32>
// CHECK: %[[I:.+]] = smx.identity #[[A:smx.gradient<softmax, scale = 5.000000e-01 : f64>]] -> tensor<4xf32>
// CHECK: %[[S:.+]] = smx.update #[[A]](%[[I]] : tensor<4xf32>) with(%[[Y]], %[[G]] : {{.*}})
// CHECK: smx.finish #[[A]] "gradient"(%[[S]] : tensor<4xf32>) with(%[[Y]], %[[G]] : {{.*}}) {{.*}} : tensor<4x8xf32>
func.func @softmax(%y: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = smx.softmax_backward %y, %g axis(1) scale(0.5) : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @log_softmax
// CHECK-SAME: %[[Y:.+]]: tensor<4x8xbf16>, %[[G:.+]]: tensor<4x8xbf16>
// CHECK: smx.update #[[A:smx.gradient<log_softmax, scale = 1.000000e\+00 : f64>]](%{{.+}} : tensor<8xf32>) with(%[[G]] : tensor<4x8xbf16>)
// CHECK: smx.finish #[[A]] "gradient"({{.*}}) with(%[[Y]], %[[G]] : {{.*}}) {{.*}} : tensor<4x8xbf16>
func.func @log_softmax(%y: tensor<4x8xbf16>, %g: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = smx.log_softmax_backward %y, %g axis(0) : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// With the log-sum-exp given nothing is reduced.
// CHECK-LABEL: @cross_entropy
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %[[T:.+]]: tensor<4xi64>, %[[L:.+]]: tensor<4xf32>, %[[G:.+]]: tensor<4xf32>
// CHECK-NOT: smx.update
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%[[X]], %[[T]], %[[L]], %[[G]] :
// Per row first: a target out of range makes the gradient of its row NaN.
// CHECK: %[[K:.+]] = arith.index_cast
// CHECK: %[[IN:.+]] = arith.cmpi ult, %[[K]]
// CHECK: %[[ROW:.+]] = arith.select %[[IN]]
// CHECK: %[[D:.+]] = arith.subf
// CHECK: math.exp %[[D]]
// CHECK: %[[HIT:.+]] = arith.cmpi eq, %{{.+}}, %{{.+}} : i32
// CHECK: %[[P:.+]] = arith.select %[[HIT]]
// CHECK: %[[V:.+]] = arith.mulf %[[ROW]], %[[P]]
// An ignored row is 0 whatever else is in it.
// CHECK: %[[IGNORED:.+]] = arith.cmpi eq, %{{.+}}, %{{.+}} : i64
// CHECK: arith.select %[[IGNORED]], %{{.+}}, %[[V]]
func.func @cross_entropy(%x: tensor<4x8xf32>, %t: tensor<4xi64>, %l: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4x8xf32> {
  %0 = smx.cross_entropy_backward %x, %t, %l, %g axis(1) ignore(-100) : tensor<4x8xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
