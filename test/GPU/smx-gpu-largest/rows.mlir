// RUN: softmax-opt %s --smx-to-gpu=chip=sm_90a | FileCheck %s

// A long row is held as it was loaded. Of a tile that is wider than the row, what is beyond it is smaller than everything,
// and has no key.

// CHECK-LABEL: smx_gpu.kernel @long_kernel
// CHECK-NOT: scf.for
// CHECK: smx_gpu.hold %{{.+}} : tensor<1x4096xbf16
// CHECK: %[[X:.+]] = smx_gpu.hold %{{.+}} : tensor<1x4096xbf16
// CHECK: %{{.+}}, %[[C:.+]] = smx_gpu.largest %[[X]] ranks(2)
// Nobody puts a score and its place into a key to take them out of it.
// CHECK-NOT: arith.bitcast
// CHECK: arith.index_cast %[[C]]
// CHECK-NOT: arith.bitcast
// CHECK: smx_gpu.return
func.func @long(%x: tensor<64x4096xbf16>) -> (tensor<64x2xbf16>, tensor<64x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<64x4096xbf16> -> tensor<64x2xbf16>, tensor<64x2xi64>
  return %p, %i : tensor<64x2xbf16>, tensor<64x2xi64>
}

// CHECK-LABEL: smx_gpu.kernel @padded_kernel
// CHECK: %[[E:.+]] = arith.constant dense<1000> : tensor<{{.+}}xindex
// CHECK: %[[P:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : tensor<{{.+}}xi1, {{.+}}>, tensor<{{[0-9]+}}x1024xf32
// CHECK: %{{.+}}, %[[C:.+]] = smx_gpu.largest %[[P]] ranks(2)
// CHECK: arith.cmpi slt, %[[C]], %{{.+}} : tensor<{{[0-9]+}}x{{[0-9]+}}xindex
func.func @padded(%x: tensor<64x1000xf32>) -> (tensor<64x2xf32>, tensor<64x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<64x1000xf32> -> tensor<64x2xf32>, tensor<64x2xi64>
  return %p, %i : tensor<64x2xf32>, tensor<64x2xi64>
}

// Of a longer one, a loop over tiles of 16 KiB keeps the maxima of its threads, and these say what to read again.
// CHECK-LABEL: smx_gpu.kernel @longer_kernel
// CHECK-SAME: min_blocks(4)
// CHECK: %[[M:.+]]:3 = scf.for
// CHECK: smx_gpu.load {{.*}} -> tensor<1x8192xbf16
// CHECK: smx_gpu.partial_reduce <maximum>
// CHECK: scf.yield
// CHECK: smx_gpu.largest %[[M]]#2 of %{{.+}}[%{{.+}}, %{{.+}}] extent(65536) ranks(2)
func.func @longer(%x: tensor<64x65536xbf16>) -> (tensor<64x2xbf16>, tensor<64x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<64x65536xbf16> -> tensor<64x2xbf16>, tensor<64x2xi64>
  return %p, %i : tensor<64x2xbf16>, tensor<64x2xi64>
}

// A row of fewer lanes than a warp stays with its reductions: lanes of other rows are beside it.
// CHECK-LABEL: smx_gpu.kernel @short_kernel
// CHECK-NOT: smx_gpu.largest
// CHECK-COUNT-2: smx_gpu.reduce <maxnum> %{{.+}} dim 1 : tensor<{{[0-9]+}}x64xf64
func.func @short(%x: tensor<64x64xbf16>) -> (tensor<64x2xbf16>, tensor<64x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<64x64xbf16> -> tensor<64x2xbf16>, tensor<64x2xi64>
  return %p, %i : tensor<64x2xbf16>, tensor<64x2xi64>
}
