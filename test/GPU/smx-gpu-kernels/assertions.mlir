// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s

// An index that is read: the condition is one of the kernel, and says nothing of padding.
// CHECK-LABEL: smx_gpu.kernel @look_up_kernel
// CHECK: %[[IDS:.+]] = smx_gpu.load
// CHECK: arith.cmpi slt
// CHECK: smx_gpu.assert %{{.+}}, "index out of range"
// CHECK: smx_gpu.gather
func.func @look_up(%table: tensor<45xf32>, %ids: tensor<100xi64>) -> tensor<100xf32> {
  %n = arith.constant 45 : index
  %e = tensor.empty() : tensor<100xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<100xi64>) outs(%e : tensor<100xf32>) {
  ^bb0(%id: i64, %o: f32):
    %at = arith.index_cast %id : i64 to index
    %inside = arith.cmpi slt, %at, %n : index
    cf.assert %inside, "index out of range"
    %x = tensor.extract %table[%at] : tensor<45xf32>
    linalg.yield %x : f32
  } -> tensor<100xf32>
  return %y : tensor<100xf32>
}
