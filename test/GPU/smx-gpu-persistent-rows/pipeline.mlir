// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' --remarks-filter=smx-gpu-persistent-rows -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-COUNT-2: clusters walk over rows
// REMARK-NOT: clusters walk over rows

// Rows that fill 16 blocks of 1024 threads and have two states: 7 clusters walk over them.
// CHECK-LABEL: smx_gpu.kernel @longest_kernel
// CHECK-SAME: warps(32) cluster(16)
// CHECK: smx_gpu.pause
// CHECK: scf.for
// CHECK-COUNT-2: smx_gpu.copy {{.*}} valid(
// CHECK: smx_gpu.return
// CHECK: func.func @longest
// CHECK: %[[MOST:.+]] = arith.constant 112 : index
// CHECK: %[[STARTED:.+]] = arith.minui %{{.+}}, %[[MOST]]
// CHECK: smx_gpu.launch @longest_kernel grid(%[[STARTED]],
func.func @longest(%x: tensor<64x1048576xf32>) -> tensor<64x1048576xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x1048576xf32> -> tensor<64x1048576xf32>
  return %y : tensor<64x1048576xf32>
}

// CHECK-LABEL: smx_gpu.kernel @logarithm_kernel
// CHECK-SAME: warps(32) cluster(16)
// CHECK: scf.for
// CHECK-COUNT-2: smx_gpu.copy {{.*}} valid(
// CHECK: smx_gpu.return
// CHECK: func.func @logarithm
// CHECK: %[[MOST:.+]] = arith.constant 112 : index
// CHECK: %[[STARTED:.+]] = arith.minui %{{.+}}, %[[MOST]]
// CHECK: smx_gpu.launch @logarithm_kernel grid(%[[STARTED]],
func.func @logarithm(%x: tensor<64x1048576xf32>) -> tensor<64x1048576xf32> {
  %y = smx.log_softmax %x axis(1) : tensor<64x1048576xf32> -> tensor<64x1048576xf32>
  return %y : tensor<64x1048576xf32>
}

// Others compute while a row arrives, or there is one state: a cluster for each row.
// CHECK-LABEL: smx_gpu.kernel @short_kernel
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
func.func @short(%x: tensor<64x262144xf32>) -> tensor<64x262144xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x262144xf32> -> tensor<64x262144xf32>
  return %y : tensor<64x262144xf32>
}

// CHECK-LABEL: smx_gpu.kernel @narrow_kernel
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
func.func @narrow(%x: tensor<64x1048576xbf16>) -> tensor<64x1048576xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x1048576xbf16> -> tensor<64x1048576xbf16>
  return %y : tensor<64x1048576xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @norm_kernel
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
func.func @norm(%x: tensor<64x1048576xf32>) -> tensor<64x1048576xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<64x1048576xf32> -> tensor<64x1048576xf32>
  return %y : tensor<64x1048576xf32>
}

// CHECK-LABEL: smx_gpu.kernel @odd_kernel
// CHECK-NOT: scf.for
// CHECK: smx_gpu.return
func.func @odd(%x: tensor<64x1000004xf32>) -> tensor<64x1000004xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x1000004xf32> -> tensor<64x1000004xf32>
  return %y : tensor<64x1000004xf32>
}
