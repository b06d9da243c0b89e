// RUN: softmax-opt %s --smx-raise | FileCheck %s

// `where(all(x == -inf), 0, softmax(x))` is a softmax whose masked rows are 0.
// CHECK-LABEL: @all_hidden
// CHECK-SAME: %[[X:.+]]: tensor<6x9xf32>
func.func @all_hidden(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: %[[Y:.+]] = smx.softmax %[[X]] axis(1) {masked_row = #smx.masked_row<zero>} : tensor<6x9xf32> -> tensor<6x9xf32>
  // CHECK-NEXT: return %[[Y]]
  %neginf = arith.constant dense<0xFF800000> : tensor<6x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %true = arith.constant dense<true> : tensor<6xi1>
  %e = tensor.empty() : tensor<6x9xf32>
  %ei = tensor.empty() : tensor<6x9xi1>
  %s = linalg.softmax dimension(1) ins(%x : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %h = arith.cmpf oeq, %x, %neginf : tensor<6x9xf32>
  %all = linalg.reduce { arith.andi } ins(%h : tensor<6x9xi1>) outs(%true : tensor<6xi1>) dimensions = [1]
  %ab = linalg.broadcast ins(%all : tensor<6xi1>) outs(%ei : tensor<6x9xi1>) dimensions = [1]
  %y = arith.select %ab, %zero, %s : tensor<6x9xi1>, tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// The same, as not any(not hidden).
// CHECK-LABEL: @none_visible
func.func @none_visible(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: smx.softmax {{.*}} {masked_row = #smx.masked_row<zero>}
  // CHECK-NEXT: return
  %neginf = arith.constant dense<0xFF800000> : tensor<6x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %false = arith.constant dense<false> : tensor<6xi1>
  %e = tensor.empty() : tensor<6x9xf32>
  %ei = tensor.empty() : tensor<6x9xi1>
  %s = linalg.softmax dimension(1) ins(%x : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %seen = arith.cmpf une, %x, %neginf : tensor<6x9xf32>
  %any = linalg.reduce { arith.ori } ins(%seen : tensor<6x9xi1>) outs(%false : tensor<6xi1>) dimensions = [1]
  %ab = linalg.broadcast ins(%any : tensor<6xi1>) outs(%ei : tensor<6x9xi1>) dimensions = [1]
  %y = arith.select %ab, %s, %zero : tensor<6x9xi1>, tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// Of another tensor: the guard stays.
// CHECK-LABEL: @other_row
func.func @other_row(%x: tensor<6x9xf32>, %z: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor
  // CHECK: arith.select
  %neginf = arith.constant dense<0xFF800000> : tensor<6x9xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %true = arith.constant dense<true> : tensor<6xi1>
  %e = tensor.empty() : tensor<6x9xf32>
  %ei = tensor.empty() : tensor<6x9xi1>
  %s = linalg.softmax dimension(1) ins(%x : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %h = arith.cmpf oeq, %z, %neginf : tensor<6x9xf32>
  %all = linalg.reduce { arith.andi } ins(%h : tensor<6x9xi1>) outs(%true : tensor<6xi1>) dimensions = [1]
  %ab = linalg.broadcast ins(%all : tensor<6xi1>) outs(%ei : tensor<6x9xi1>) dimensions = [1]
  %y = arith.select %ab, %zero, %s : tensor<6x9xi1>, tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// torch.onnx puts 0 in the place of NaN: what no key is visible to.
// CHECK-LABEL: @not_a_number
func.func @not_a_number(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK-NEXT: smx.softmax {{.*}} {masked_row = #smx.masked_row<zero>}
  // CHECK-NEXT: return
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %e = tensor.empty() : tensor<6x9xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %isNaN = arith.cmpf une, %s, %s : tensor<6x9xf32>
  %y = arith.select %isNaN, %zero, %s : tensor<6x9xi1>, tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// NaN among the scores is another thing: the guard stays.
// CHECK-LABEL: @score_not_a_number
func.func @score_not_a_number(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor
  // CHECK: arith.select
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %e = tensor.empty() : tensor<6x9xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %isNaN = arith.cmpf une, %x, %x : tensor<6x9xf32>
  %y = arith.select %isNaN, %zero, %s : tensor<6x9xi1>, tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// The other way around: only NaN would be left.
// CHECK-LABEL: @numbers_dropped
func.func @numbers_dropped(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor
  // CHECK: arith.select
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %e = tensor.empty() : tensor<6x9xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %isNaN = arith.cmpf une, %s, %s : tensor<6x9xf32>
  %y = arith.select %isNaN, %s, %zero : tensor<6x9xi1>, tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// The function of ONNX's Attention asks for the maximum of the mask that is added.
// CHECK-LABEL: @maximum_of_mask
func.func @maximum_of_mask(%x: tensor<6x9xf32>, %mask: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK: smx.softmax {{.*}} {masked_row = #smx.masked_row<zero>}
  // CHECK-NEXT: return
  %neginf = arith.constant dense<0xFF800000> : tensor<6xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %e = tensor.empty() : tensor<6x9xf32>
  %ei = tensor.empty() : tensor<6x9xi1>
  %masked = arith.addf %x, %mask : tensor<6x9xf32>
  %s = linalg.softmax dimension(1) ins(%masked : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%mask : tensor<6x9xf32>) outs(%neginf : tensor<6xf32>) dimensions = [1]
  %h = arith.cmpf oeq, %m, %neginf : tensor<6xf32>
  %hb = linalg.broadcast ins(%h : tensor<6xi1>) outs(%ei : tensor<6x9xi1>) dimensions = [1]
  %y = arith.select %hb, %zero, %s : tensor<6x9xi1>, tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}

// A mask that is subtracted hides nothing where it is -inf.
// CHECK-LABEL: @maximum_of_subtracted
func.func @maximum_of_subtracted(%x: tensor<6x9xf32>, %mask: tensor<6x9xf32>) -> tensor<6x9xf32> {
  // CHECK: smx.softmax %{{.+}} axis(1) : tensor
  // CHECK: arith.select
  %neginf = arith.constant dense<0xFF800000> : tensor<6xf32>
  %zero = arith.constant dense<0.0> : tensor<6x9xf32>
  %e = tensor.empty() : tensor<6x9xf32>
  %ei = tensor.empty() : tensor<6x9xi1>
  %masked = arith.subf %x, %mask : tensor<6x9xf32>
  %s = linalg.softmax dimension(1) ins(%masked : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%mask : tensor<6x9xf32>) outs(%neginf : tensor<6xf32>) dimensions = [1]
  %h = arith.cmpf oeq, %m, %neginf : tensor<6xf32>
  %hb = linalg.broadcast ins(%h : tensor<6xi1>) outs(%ei : tensor<6x9xi1>) dimensions = [1]
  %y = arith.select %hb, %zero, %s : tensor<6x9xi1>, tensor<6x9xf32>
  return %y : tensor<6x9xf32>
}
