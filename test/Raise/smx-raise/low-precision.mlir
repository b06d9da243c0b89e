// RUN: softmax-opt %s --smx-raise | FileCheck %s

// Conversions around a softmax, which computes in f32 anyway, become its types.
// CHECK-LABEL: @around
// CHECK-SAME: %[[X:.+]]: tensor<6x9xbf16>
func.func @around(%x: tensor<6x9xbf16>) -> tensor<6x9xbf16> {
  // CHECK-NEXT: %[[Y:.+]] = smx.softmax %[[X]] axis(1) : tensor<6x9xbf16> -> tensor<6x9xbf16>
  // CHECK-NEXT: return %[[Y]]
  %w = arith.extf %x : tensor<6x9xbf16> to tensor<6x9xf32>
  %e = tensor.empty() : tensor<6x9xf32>
  %s = linalg.softmax dimension(1) ins(%w : tensor<6x9xf32>) outs(%e : tensor<6x9xf32>) -> tensor<6x9xf32>
  %en = tensor.empty() : tensor<6x9xbf16>
  %y = linalg.map ins(%s : tensor<6x9xf32>) outs(%en : tensor<6x9xbf16>)
    (%a: f32, %o: bf16) {
      %n = arith.truncf %a : f32 to bf16
      linalg.yield %n : bf16
    }
  return %y : tensor<6x9xbf16>
}

// Exponentials rounded to f16, but summed in f32.
// CHECK-LABEL: @inside
func.func @inside(%x: tensor<6x9xf16>) -> tensor<6x9xf16> {
  // CHECK-NEXT: smx.softmax %{{.+}} axis(1) : tensor<6x9xf16> -> tensor<6x9xf16>
  // CHECK-NEXT: return
  %m0 = arith.constant dense<-6.550400e+04> : tensor<6xf16>
  %l0 = arith.constant dense<0.0> : tensor<6xf32>
  %full = tensor.empty() : tensor<6x9xf16>
  %wide = tensor.empty() : tensor<6x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<6x9xf16>) outs(%m0 : tensor<6xf16>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<6xf16>) outs(%full : tensor<6x9xf16>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<6x9xf16>
  %p = math.exp %d : tensor<6x9xf16>
  %pw = arith.extf %p : tensor<6x9xf16> to tensor<6x9xf32>
  %l = linalg.reduce { arith.addf } ins(%pw : tensor<6x9xf32>) outs(%l0 : tensor<6xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<6xf32>) outs(%wide : tensor<6x9xf32>) dimensions = [1]
  %lh = arith.truncf %lb : tensor<6x9xf32> to tensor<6x9xf16>
  %en = tensor.empty() : tensor<6x9xf16>
  %y = linalg.div ins(%p, %lh : tensor<6x9xf16>, tensor<6x9xf16>) outs(%en : tensor<6x9xf16>) -> tensor<6x9xf16>
  return %y : tensor<6x9xf16>
}

// Narrow scores of a double-precision softmax stay wide.
// CHECK-LABEL: @double_precision
func.func @double_precision(%x: tensor<6x9xf32>) -> tensor<6x9xf64> {
  // CHECK: %[[W:.+]] = arith.extf
  // CHECK: smx.softmax %[[W]] axis(1) : tensor<6x9xf64> -> tensor<6x9xf64>
  %w = arith.extf %x : tensor<6x9xf32> to tensor<6x9xf64>
  %e = tensor.empty() : tensor<6x9xf64>
  %s = linalg.softmax dimension(1) ins(%w : tensor<6x9xf64>) outs(%e : tensor<6x9xf64>) -> tensor<6x9xf64>
  return %s : tensor<6x9xf64>
}
