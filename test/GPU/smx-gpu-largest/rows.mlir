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
// The row has as many elements: none that is found is beyond it.
// CHECK-NOT: arith.cmpi slt, %[[C]]
// CHECK-NOT: arith.bitcast
// CHECK: smx_gpu.return
func.func @padded(%x: tensor<64x1000xf32>) -> (tensor<64x2xf32>, tensor<64x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<64x1000xf32> -> tensor<64x2xf32>, tensor<64x2xi64>
  return %p, %i : tensor<64x2xf32>, tensor<64x2xi64>
}

// Of a longer one, a loop over tiles of 16 KiB keeps the maxima of its threads, and these say what to read again.
// CHECK-LABEL: smx_gpu.kernel @longer_kernel
// CHECK-SAME: min_blocks(4)
// CHECK: %[[M:.+]]:6 = scf.for
// CHECK: smx_gpu.load {{.*}} -> tensor<1x8192xbf16
// CHECK: smx_gpu.partial_reduce <maximum>
// CHECK: scf.yield
// CHECK: smx_gpu.largest %[[M]]#2 of %{{.+}}[%{{.+}}, %{{.+}}] extent(65536) rounds(%[[M]]#4, %[[M]]#5 span 8192) ranks(2)
func.func @longer(%x: tensor<512x65536xbf16>) -> (tensor<512x2xbf16>, tensor<512x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<512x65536xbf16> -> tensor<512x2xbf16>, tensor<512x2xi64>
  return %p, %i : tensor<512x2xbf16>, tensor<512x2xi64>
}

// Lanes of other rows are beside those of a short row.
// CHECK-LABEL: smx_gpu.kernel @short_kernel
// CHECK-NOT: f64
// CHECK: smx_gpu.largest %{{.+}} ranks(2) : tensor<64x64xbf16, #smx_gpu.striped<rows = 64, columns = 2, vector = 8>>
// CHECK-NOT: arith.bitcast
func.func @short(%x: tensor<64x64xbf16>) -> (tensor<64x2xbf16>, tensor<64x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<64x64xbf16> -> tensor<64x2xbf16>, tensor<64x2xi64>
  return %p, %i : tensor<64x2xbf16>, tensor<64x2xi64>
}

// Few rows, of which blocks have a part each: the maxima of whole tiles and of the end of the row say what to read again, of what
// the part has of the row. Keys have places in the whole row.
// CHECK-LABEL: smx_gpu.kernel @shared_kernel
// CHECK: %[[BEGIN:.+]] = arith.muli %{{.+}}, %c8192 : index
// CHECK: %[[NEXT:.+]] = arith.addi %[[BEGIN]], %c8192
// CHECK: %[[END:.+]] = arith.minsi %[[NEXT]], %c128256
// CHECK: %[[WHOLE:.+]]:3 = scf.for %{{.+}} = %[[BEGIN]]
// CHECK-NOT: f64
// CHECK: smx_gpu.partial_reduce <maximum>
// CHECK: %[[ALL:.+]]:3 = scf.for %{{.+}} to %[[END]] step %{{.+}} iter_args({{.*}} = %[[WHOLE]]#2)
// CHECK-NOT: f64
// CHECK: smx_gpu.partial_reduce <maximum>
// CHECK: %[[VALID:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: %{{.+}}:2, %[[COLUMN:.+]]:2 = smx_gpu.largest %[[ALL]]#2 of %{{.+}}[%{{.+}}, %[[BEGIN]]] extent(8192) valid(%[[VALID]]) :
// CHECK: %[[FROM:.+]] = tensor.splat %[[BEGIN]]
// CHECK: %[[PLACE:.+]] = arith.addi %[[COLUMN]]#0, %[[FROM]]
// CHECK: arith.index_cast %[[PLACE]]
// CHECK-COUNT-2: smx_gpu.store {{.*}} : tensor<1xf64, {{.+}}>, memref<8x16xf64>
// The merge of 16 lists.
// CHECK-LABEL: smx_gpu.kernel @shared_kernel_1
// CHECK-COUNT-2: smx_gpu.reduce <maxnum> {{.*}}xf64,
func.func @shared(%x: tensor<8x128256xbf16>) -> (tensor<8x2xbf16>, tensor<8x2xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(2) : tensor<8x128256xbf16> -> tensor<8x2xbf16>, tensor<8x2xi64>
  return %p, %i : tensor<8x2xbf16>, tensor<8x2xi64>
}
