// A condition on what is read stops the kernel; without it, elements are found where they are.
// RUN: %python %S/Inputs/look-up.py %t.d
// RUN: softmax-opt %s --smx-to-gpu -o %t.mlir
// RUN: smx-gpu-host-run %t.mlir --entry=look_up --arg=npy:%t.d/table.npy --arg=npy:%t.d/inside.npy --arg=expect:%t.d/found.npy | FileCheck %s
// RUN: not smx-gpu-host-run %t.mlir --entry=look_up --arg=npy:%t.d/table.npy --arg=npy:%t.d/outside.npy --arg=expect:%t.d/found.npy 2>&1 | FileCheck %s --check-prefix=STOPS
// CHECK: expected: pass
// STOPS: 'smx_gpu.assert' stops the kernel: index out of range
func.func @look_up(%table: tensor<45x3xf32>, %ids: tensor<100xi64>) -> tensor<100xf32> {
  %n = arith.constant 45 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<100xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<100xi64>) outs(%e : tensor<100xf32>) {
  ^bb0(%id: i64, %o: f32):
    %at = arith.index_cast %id : i64 to index
    %inside = arith.cmpi ult, %at, %n : index
    cf.assert %inside, "index out of range"
    %x = tensor.extract %table[%at, %one] : tensor<45x3xf32>
    linalg.yield %x : f32
  } -> tensor<100xf32>
  return %y : tensor<100xf32>
}
