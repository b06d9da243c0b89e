// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=4' | FileCheck %s --check-prefix=ANYWHERE
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_80 alignment=16' | FileCheck %s --check-prefix=ALONE

// Rows of more than 64 KiB that are summed once and written: a cluster has all of a row in registers, 8 accesses of each thread, of which three
// blocks or more are on a multiprocessor.

// CHECK-LABEL: smx_gpu.kernel @narrow_exponentials_kernel
// CHECK-SAME: warps(8) cluster(4) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.load {{.*}} -> tensor<1x16384xbf16, #smx_gpu.striped<rows = 1, columns = 256, vector = 8>>
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
// Where rows start anywhere, as few blocks as have up to 7 accesses for each of 384 threads.
// ANYWHERE-LABEL: smx_gpu.kernel @narrow_exponentials_kernel
// ANYWHERE-SAME: warps(11) cluster(4) shared_limit(232448) min_blocks(3)
// Without clusters two blocks have a part of it in shared memory.
// ALONE-LABEL: smx_gpu.kernel @narrow_exponentials_kernel
// ALONE-SAME: warps(16)
// ALONE-NOT: cluster(
// ALONE: smx_gpu.copy
// ALONE: smx_gpu.return
func.func @narrow_exponentials(%x: tensor<64x65536xbf16>) -> tensor<64x65536xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x65536xbf16> -> tensor<64x65536xbf16>
  return %y : tensor<64x65536xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @wide_exponentials_kernel
// CHECK-SAME: warps(16) cluster(4) shared_limit(232448) min_blocks(2)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.load {{.*}} -> tensor<1x16384xf32,
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @wide_exponentials(%x: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  %y = smx.log_softmax %x axis(1) : tensor<64x65536xf32> -> tensor<64x65536xf32>
  return %y : tensor<64x65536xf32>
}

// CHECK-LABEL: smx_gpu.kernel @sum_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.load {{.*}} -> tensor<1x16384xf16,
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @sum(%x: tensor<64x131072xf16>) -> tensor<64x131072xf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x131072xf16> -> tensor<64x131072xf16>
  return %y : tensor<64x131072xf16>
}

// As many warps as have 8 accesses each, and a third block where there is room for it.
// CHECK-LABEL: smx_gpu.kernel @ten_warps_kernel
// CHECK-SAME: warps(10) cluster(2) shared_limit(232448) min_blocks(3)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
// ANYWHERE-LABEL: smx_gpu.kernel @ten_warps_kernel
// ANYWHERE-SAME: warps(12) cluster(2) shared_limit(232448) min_blocks(3)
func.func @ten_warps(%x: tensor<64x40960xbf16>) -> tensor<64x40960xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x40960xbf16> -> tensor<64x40960xbf16>
  return %y : tensor<64x40960xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @ten_warps_of_sum_kernel
// CHECK-SAME: warps(10) cluster(2) shared_limit(232448) min_blocks(3)
func.func @ten_warps_of_sum(%x: tensor<64x40960xbf16>) -> tensor<64x40960xbf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x40960xbf16> -> tensor<64x40960xbf16>
  return %y : tensor<64x40960xbf16>
}

// Of 16-bit elements, too, where the row ends within the last access of some threads.
// CHECK-LABEL: smx_gpu.kernel @narrow_rest_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.load {{.*}} valid(
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @narrow_rest(%x: tensor<64x128256xbf16>) -> tensor<64x128256xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x128256xbf16> -> tensor<64x128256xbf16>
  return %y : tensor<64x128256xbf16>
}

// Where more of the last block would have no elements, fewer blocks have a part of the row in shared memory.
// CHECK-LABEL: smx_gpu.kernel @narrow_odd_kernel
// CHECK-SAME: warps(16) cluster(4) shared_limit(232448) min_blocks(2)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @narrow_odd(%x: tensor<64x151936xbf16>) -> tensor<64x151936xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x151936xbf16> -> tensor<64x151936xbf16>
  return %y : tensor<64x151936xbf16>
}

// Small blocks: of 384 threads two would leave a quarter of a multiprocessor's without a row.
// CHECK-LABEL: smx_gpu.kernel @six_warps_kernel
// CHECK-SAME: warps(6) cluster(16) shared_limit(232448) min_blocks(5)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @six_warps(%x: tensor<64x196608xbf16>) -> tensor<64x196608xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x196608xbf16> -> tensor<64x196608xbf16>
  return %y : tensor<64x196608xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @sixteen_blocks_kernel
// CHECK-SAME: warps(8) cluster(16) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @sixteen_blocks(%x: tensor<64x262144xf16>) -> tensor<64x262144xf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x262144xf16> -> tensor<64x262144xf16>
  return %y : tensor<64x262144xf16>
}

// Of f32, rows of more than 256 KiB.
// CHECK-LABEL: smx_gpu.kernel @six_wide_warps_kernel
// CHECK-SAME: warps(6) cluster(16) shared_limit(232448) min_blocks(5)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @six_wide_warps(%x: tensor<64x98304xf32>) -> tensor<64x98304xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x98304xf32> -> tensor<64x98304xf32>
  return %y : tensor<64x98304xf32>
}

// Of f32 there are registers for the masks of two accesses: of 10 240 in 4 blocks, 10 000 are the row's.
// CHECK-LABEL: smx_gpu.kernel @wide_rest_kernel
// CHECK-SAME: warps(10) cluster(4) shared_limit(232448) min_blocks(3)
// CHECK: smx_gpu.load {{.*}} valid({{.*}} -> tensor<1x10240xf32, #smx_gpu.striped<rows = 1, columns = 320, vector = 4>>
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @wide_rest(%x: tensor<64x40000xf32>) -> tensor<64x40000xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x40000xf32> -> tensor<64x40000xf32>
  return %y : tensor<64x40000xf32>
}

// 9236 of 10 240 leave four accesses of some threads without elements: a half in shared memory.
// CHECK-LABEL: smx_gpu.kernel @wide_odd_kernel
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @wide_odd(%x: tensor<64x36944xf32>) -> tensor<64x36944xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x36944xf32> -> tensor<64x36944xf32>
  return %y : tensor<64x36944xf32>
}

// So that 16 blocks hold 512 KiB. What is longer is in shared memory, too.
// CHECK-LABEL: smx_gpu.kernel @longest_kernel
// CHECK-SAME: warps(8) cluster(16) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @longest(%x: tensor<64x131072xf32>) -> tensor<64x131072xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x131072xf32> -> tensor<64x131072xf32>
  return %y : tensor<64x131072xf32>
}

// Of 16-bit elements small blocks have a part there, up to 1.5 MiB.
// CHECK-LABEL: smx_gpu.kernel @narrow_part_kernel
// CHECK-SAME: warps(8) cluster(16) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @narrow_part(%x: tensor<64x786432xbf16>) -> tensor<64x786432xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x786432xbf16> -> tensor<64x786432xbf16>
  return %y : tensor<64x786432xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @narrow_longer_kernel
// CHECK-SAME: warps(16) cluster(16) shared_limit(232448) min_blocks(2)
func.func @narrow_longer(%x: tensor<64x1048576xbf16>) -> tensor<64x1048576xbf16> {
  %y = smx.log_softmax %x axis(1) : tensor<64x1048576xbf16> -> tensor<64x1048576xbf16>
  return %y : tensor<64x1048576xbf16>
}

// Of f32 512 threads, with 16 accesses; 12 and 14 are spilled.
// CHECK-LABEL: smx_gpu.kernel @wide_part_kernel
// CHECK-SAME: warps(16) cluster(8) shared_limit(232448) min_blocks(2)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @wide_part(%x: tensor<64x262144xf32>) -> tensor<64x262144xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x262144xf32> -> tensor<64x262144xf32>
  return %y : tensor<64x262144xf32>
}

// CHECK-LABEL: smx_gpu.kernel @wide_of_twelve_accesses_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
func.func @wide_of_twelve_accesses(%x: tensor<64x196608xf32>) -> tensor<64x196608xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x196608xf32> -> tensor<64x196608xf32>
  return %y : tensor<64x196608xf32>
}

// CHECK-LABEL: smx_gpu.kernel @wide_other_part_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
func.func @wide_other_part(%x: tensor<64x229376xf32>) -> tensor<64x229376xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x229376xf32> -> tensor<64x229376xf32>
  return %y : tensor<64x229376xf32>
}

// CHECK-LABEL: smx_gpu.kernel @longest_rest_kernel
// CHECK-SAME: warps(12) cluster(8)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @longest_rest(%x: tensor<64x98300xf32>) -> tensor<64x98300xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x98300xf32> -> tensor<64x98300xf32>
  return %y : tensor<64x98300xf32>
}

// CHECK-LABEL: smx_gpu.kernel @longer_rest_kernel
// CHECK-SAME: warps(8) cluster(4)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @longer_rest(%x: tensor<64x98308xf32>) -> tensor<64x98308xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x98308xf32> -> tensor<64x98308xf32>
  return %y : tensor<64x98308xf32>
}

// CHECK-LABEL: smx_gpu.kernel @longer_kernel
// CHECK-SAME: warps(16) cluster(8)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @longer(%x: tensor<64x524288xbf16>) -> tensor<64x524288xbf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x524288xbf16> -> tensor<64x524288xbf16>
  return %y : tensor<64x524288xbf16>
}

// 64 KiB have two blocks anyway.
// CHECK-LABEL: smx_gpu.kernel @shorter_kernel
// CHECK-NOT: cluster(
// CHECK: smx_gpu.return
func.func @shorter(%x: tensor<64x16384xf32>) -> tensor<64x16384xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x16384xf32> -> tensor<64x16384xf32>
  return %y : tensor<64x16384xf32>
}

// A quotient of f32 is one of f64, and two sums widen their elements: beside 8 accesses both would be spilled.
// CHECK-LABEL: smx_gpu.kernel @wide_quotient_kernel
// CHECK-SAME: warps(8) cluster(2)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @wide_quotient(%x: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x65536xf32> -> tensor<64x65536xf32>
  return %y : tensor<64x65536xf32>
}

// CHECK-LABEL: smx_gpu.kernel @two_sums_kernel
// CHECK-SAME: warps(8) cluster(4) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @two_sums(%x: tensor<64x65536xbf16>) -> tensor<64x65536xbf16> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<64x65536xbf16> -> tensor<64x65536xbf16>
  return %y : tensor<64x65536xbf16>
}

// A wider result takes more registers: 32 elements of a thread have as many as 32 of f32, in vectors that are whole accesses of
// the result.
// CHECK-LABEL: smx_gpu.kernel @widened_kernel
// CHECK-SAME: warps(5) cluster(8) shared_limit(232448) min_blocks(6)
// CHECK: smx_gpu.load {{.*}} -> tensor<1x5120xbf16, #smx_gpu.striped<rows = 1, columns = 160, vector = 4>>
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @widened(%x: tensor<64x40960xbf16>) -> tensor<64x40960xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x40960xbf16> -> tensor<64x40960xf32>
  return %y : tensor<64x40960xf32>
}

// On chips without clusters: exponentials of f32 that fill 7 or 8 accesses of 1024 threads are in registers of one block. 30000 would leave a rest to some
// of them.
// ALONE-LABEL: smx_gpu.kernel @all_registers_kernel
// ALONE-SAME: warps(32)
// ALONE-NOT: smx_gpu.copy
// ALONE: smx_gpu.return
func.func @all_registers(%x: tensor<64x32768xf32>) -> tensor<64x32768xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x32768xf32> -> tensor<64x32768xf32>
  return %y : tensor<64x32768xf32>
}

// ALONE-LABEL: smx_gpu.kernel @most_registers_kernel
// ALONE-SAME: warps(32)
func.func @most_registers(%x: tensor<64x28672xf32>) -> tensor<64x28672xf32> {
  %y = smx.log_softmax %x axis(1) : tensor<64x28672xf32> -> tensor<64x28672xf32>
  return %y : tensor<64x28672xf32>
}

// ALONE-LABEL: smx_gpu.kernel @some_registers_kernel
// ALONE-SAME: warps(16)
func.func @some_registers(%x: tensor<64x24576xf32>) -> tensor<64x24576xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x24576xf32> -> tensor<64x24576xf32>
  return %y : tensor<64x24576xf32>
}

// ALONE-LABEL: smx_gpu.kernel @registers_and_a_rest_kernel
// ALONE-SAME: warps(16)
func.func @registers_and_a_rest(%x: tensor<64x30000xf32>) -> tensor<64x30000xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x30000xf32> -> tensor<64x30000xf32>
  return %y : tensor<64x30000xf32>
}
