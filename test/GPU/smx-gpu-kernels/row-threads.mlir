// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=16' | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90 alignment=2' | FileCheck %s --check-prefix=CUT
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_80 alignment=16' | FileCheck %s --check-prefix=ALONE

#map = affine_map<(i, j) -> (i, j)>

// Threads of a block and blocks of a multiprocessor, where rows of some kinds want others than 8 accesses of 1024 threads.

// Sums of two rows of 16-bit elements, without exponentials: one access of each operand a thread, 32 registers of 2048 threads.
// CHECK-LABEL: smx_gpu.kernel @gradient_kernel
// CHECK-SAME: warps(16) shared_limit(232448) min_blocks(4)
// CHECK-COUNT-2: smx_gpu.load {{.*}} -> tensor<1x4096xbf16, #smx_gpu.striped<rows = 1, columns = 512, vector = 8>>
// CHECK-NOT: smx_gpu.load
// CHECK: smx_gpu.return
// Rows that start anywhere have three or four accesses of each in a thread.
// CUT-LABEL: smx_gpu.kernel @gradient_kernel
// CUT-SAME: warps(6) shared_limit(232448) min_blocks(8)
func.func @gradient(%x: tensor<64x4096xbf16>, %g: tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x4096xbf16>, tensor<64x4096xbf16> -> tensor<64x4096xbf16>
  return %y : tensor<64x4096xbf16>
}

// Exponentials would have more threads wait for each other than memory does.
// CHECK-LABEL: smx_gpu.kernel @gradient_of_logarithm_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @gradient_of_logarithm(%x: tensor<64x4096xf16>, %g: tensor<64x4096xf16>) -> tensor<64x4096xf16> {
  %y = smx.log_softmax_backward %x, %g axis(1) : tensor<64x4096xf16>, tensor<64x4096xf16> -> tensor<64x4096xf16>
  return %y : tensor<64x4096xf16>
}

// CHECK-LABEL: smx_gpu.kernel @three_quarters_kernel
// CHECK-SAME: warps(12) shared_limit(232448) min_blocks(5)
func.func @three_quarters(%x: tensor<64x3072xbf16>, %g: tensor<64x3072xbf16>) -> tensor<64x3072xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x3072xbf16>, tensor<64x3072xbf16> -> tensor<64x3072xbf16>
  return %y : tensor<64x3072xbf16>
}

// So it is for any number of warps.
// CHECK-LABEL: smx_gpu.kernel @nine_warps_kernel
// CHECK-SAME: warps(9) shared_limit(232448) min_blocks(7)
func.func @nine_warps(%x: tensor<64x2304xbf16>, %g: tensor<64x2304xbf16>) -> tensor<64x2304xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x2304xbf16>, tensor<64x2304xbf16> -> tensor<64x2304xbf16>
  return %y : tensor<64x2304xbf16>
}

// Two accesses of each take more registers than 2048 threads have.
// CHECK-LABEL: smx_gpu.kernel @longer_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @longer(%x: tensor<64x8192xbf16>, %g: tensor<64x8192xbf16>) -> tensor<64x8192xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x8192xbf16>, tensor<64x8192xbf16> -> tensor<64x8192xbf16>
  return %y : tensor<64x8192xbf16>
}

// Of f32 the same elements are two accesses of each.
// CHECK-LABEL: smx_gpu.kernel @wide_gradient_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @wide_gradient(%x: tensor<64x4096xf32>, %g: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x4096xf32>, tensor<64x4096xf32> -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}

// 64 to 128 KiB of two rows: eight blocks hold them, with two accesses of each operand a thread.
// CHECK-LABEL: smx_gpu.kernel @long_gradient_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy
// CHECK-COUNT-2: smx_gpu.load {{.*}} -> tensor<1x4096xbf16,
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
// Without clusters there are two blocks of 512 threads.
// ALONE-LABEL: smx_gpu.kernel @long_gradient_kernel
// ALONE-SAME: warps(16)
// ALONE-SAME: min_blocks(2)
func.func @long_gradient(%x: tensor<64x32768xbf16>, %g: tensor<64x32768xbf16>) -> tensor<64x32768xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x32768xbf16>, tensor<64x32768xbf16> -> tensor<64x32768xbf16>
  return %y : tensor<64x32768xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @four_warps_of_gradient_kernel
// CHECK-SAME: warps(4) cluster(8) shared_limit(232448) min_blocks(8)
func.func @four_warps_of_gradient(%x: tensor<64x16384xf16>, %g: tensor<64x16384xf16>) -> tensor<64x16384xf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x16384xf16>, tensor<64x16384xf16> -> tensor<64x16384xf16>
  return %y : tensor<64x16384xf16>
}

// With exponentials, or where these are no whole accesses, four blocks do, in registers alone.
// CHECK-LABEL: smx_gpu.kernel @four_blocks_of_gradient_kernel
// CHECK-SAME: warps(6) cluster(4) shared_limit(232448) min_blocks(5)
func.func @four_blocks_of_gradient(%x: tensor<64x18432xbf16>, %g: tensor<64x18432xbf16>) -> tensor<64x18432xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x18432xbf16>, tensor<64x18432xbf16> -> tensor<64x18432xbf16>
  return %y : tensor<64x18432xbf16>
}

// With exponentials 4 accesses of each, in as few blocks as have 96 KiB of rows on a multiprocessor.
// CHECK-LABEL: smx_gpu.kernel @long_gradient_of_logarithm_kernel
// CHECK-SAME: warps(12) cluster(2) shared_limit(232448) min_blocks(3)
func.func @long_gradient_of_logarithm(%x: tensor<64x24576xf16>, %g: tensor<64x24576xf16>) -> tensor<64x24576xf16> {
  %y = smx.log_softmax_backward %x, %g axis(1) : tensor<64x24576xf16>, tensor<64x24576xf16> -> tensor<64x24576xf16>
  return %y : tensor<64x24576xf16>
}

// 256 KiB of them are those of eight blocks, 512 KiB of sixteen; of longer ones a half is in shared memory.
// CHECK-LABEL: smx_gpu.kernel @gradient_of_eight_blocks_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @gradient_of_eight_blocks(%x: tensor<64x65536xbf16>, %g: tensor<64x65536xbf16>) -> tensor<64x65536xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x65536xbf16>, tensor<64x65536xbf16> -> tensor<64x65536xbf16>
  return %y : tensor<64x65536xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @gradient_of_sixteen_blocks_kernel
// CHECK-SAME: warps(8) cluster(16) shared_limit(232448) min_blocks(5)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @gradient_of_sixteen_blocks(%x: tensor<64x131072xf16>, %g: tensor<64x131072xf16>) -> tensor<64x131072xf16> {
  %y = smx.log_softmax_backward %x, %g axis(1) : tensor<64x131072xf16>, tensor<64x131072xf16> -> tensor<64x131072xf16>
  return %y : tensor<64x131072xf16>
}

// Where no number of warps has whole accesses, a part is in shared memory: the masks of two rows take registers.
// CHECK-LABEL: smx_gpu.kernel @gradient_with_a_rest_kernel
// CHECK-SAME: warps(16) cluster(2) shared_limit(232448) min_blocks(2)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @gradient_with_a_rest(%x: tensor<64x51200xbf16>, %g: tensor<64x51200xbf16>) -> tensor<64x51200xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x51200xbf16>, tensor<64x51200xbf16> -> tensor<64x51200xbf16>
  return %y : tensor<64x51200xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @longest_gradient_kernel
// CHECK-SAME: warps(16) cluster(8) shared_limit(232448) min_blocks(2)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @longest_gradient(%x: tensor<64x262144xbf16>, %g: tensor<64x262144xbf16>) -> tensor<64x262144xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x262144xbf16>, tensor<64x262144xbf16> -> tensor<64x262144xbf16>
  return %y : tensor<64x262144xbf16>
}

// 4 accesses of each row for 7 warps: 8 would not all have as many. Of 3.25 accesses there is no such number of warps, and
// one block.
// CHECK-LABEL: smx_gpu.kernel @seven_warps_of_cluster_kernel
// CHECK-SAME: warps(7) cluster(8) shared_limit(232448) min_blocks(4)
func.func @seven_warps_of_cluster(%x: tensor<64x28672xbf16>, %g: tensor<64x28672xbf16>) -> tensor<64x28672xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x28672xbf16>, tensor<64x28672xbf16> -> tensor<64x28672xbf16>
  return %y : tensor<64x28672xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @no_warps_of_cluster_kernel
// CHECK-SAME: warps(26) shared_limit(232448) {
func.func @no_warps_of_cluster(%x: tensor<64x26624xbf16>, %g: tensor<64x26624xbf16>) -> tensor<64x26624xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x26624xbf16>, tensor<64x26624xbf16> -> tensor<64x26624xbf16>
  return %y : tensor<64x26624xbf16>
}

// Half of a part of 96 KiB is in the registers of one block.
// CHECK-LABEL: smx_gpu.kernel @half_shared_kernel
// CHECK-SAME: warps(16) cluster(2) shared_limit(232448) min_blocks(2)
func.func @half_shared(%x: tensor<64x49152xbf16>, %r: tensor<64x49152xbf16>) -> tensor<64x49152xbf16> {
  %e = tensor.empty() : tensor<64x49152xbf16>
  %s = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<64x49152xbf16>, tensor<64x49152xbf16>) outs(%e : tensor<64x49152xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16):
    %sum = arith.addf %a, %b : bf16
    linalg.yield %sum : bf16
  } -> tensor<64x49152xbf16>
  %y = smx.layer_norm %s axis(1) epsilon(1.0e-05) : tensor<64x49152xbf16> -> tensor<64x49152xbf16>
  return %y : tensor<64x49152xbf16>
}

// A narrow row that is summed twice, in small blocks that it fills: the rest is in shared memory.
// CHECK-LABEL: smx_gpu.kernel @twice_summed_by_eight_kernel
// CHECK-SAME: warps(8) cluster(8) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @twice_summed_by_eight(%x: tensor<64x131072xbf16>) -> tensor<64x131072xbf16> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<64x131072xbf16> -> tensor<64x131072xbf16>
  return %y : tensor<64x131072xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @twice_summed_by_five_warps_kernel
// CHECK-SAME: warps(5) cluster(4) shared_limit(232448) min_blocks(6)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @twice_summed_by_five_warps(%x: tensor<64x40960xf16>) -> tensor<64x40960xf16> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<64x40960xf16> -> tensor<64x40960xf16>
  return %y : tensor<64x40960xf16>
}

// Where the row ends within them, it is all in registers, in as few blocks as have 96 KiB of rows on a multiprocessor.
// CHECK-LABEL: smx_gpu.kernel @twice_summed_ragged_kernel
// CHECK-SAME: warps(10) cluster(2) shared_limit(232448) min_blocks(3)
func.func @twice_summed_ragged(%x: tensor<64x40000xbf16>) -> tensor<64x40000xbf16> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<64x40000xbf16> -> tensor<64x40000xbf16>
  return %y : tensor<64x40000xbf16>
}

// Exponentials of f32: 2 accesses a thread, where blocks of those have nearly all threads of a multiprocessor.
// CHECK-LABEL: smx_gpu.kernel @exponentials_kernel
// CHECK-SAME: warps(16) shared_limit(232448) min_blocks(4)
// CUT-LABEL: smx_gpu.kernel @exponentials_kernel
// CUT-SAME: warps(5) shared_limit(232448) min_blocks(6)
func.func @exponentials(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x4096xf32> -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}

// Longer ones have 4 accesses a thread, and more blocks than of 8.
// CHECK-LABEL: smx_gpu.kernel @twice_as_many_exponentials_kernel
// CHECK-SAME: warps(16) shared_limit(232448) min_blocks(3)
func.func @twice_as_many_exponentials(%x: tensor<64x8192xf32>) -> tensor<64x8192xf32> {
  %y = smx.log_softmax %x axis(1) : tensor<64x8192xf32> -> tensor<64x8192xf32>
  return %y : tensor<64x8192xf32>
}

// CHECK-LABEL: smx_gpu.kernel @half_as_many_more_exponentials_kernel
// CHECK-SAME: warps(12) shared_limit(232448) min_blocks(4)
func.func @half_as_many_more_exponentials(%x: tensor<64x6144xf32>) -> tensor<64x6144xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x6144xf32> -> tensor<64x6144xf32>
  return %y : tensor<64x6144xf32>
}

// So it is for any number of warps.
// CHECK-LABEL: smx_gpu.kernel @a_few_more_exponentials_kernel
// CHECK-SAME: warps(10) shared_limit(232448) min_blocks(4)
func.func @a_few_more_exponentials(%x: tensor<64x5120xf32>) -> tensor<64x5120xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x5120xf32> -> tensor<64x5120xf32>
  return %y : tensor<64x5120xf32>
}

// CHECK-LABEL: smx_gpu.kernel @seven_warps_of_exponentials_kernel
// CHECK-SAME: warps(7) shared_limit(232448) min_blocks(5)
func.func @seven_warps_of_exponentials(%x: tensor<64x3584xf32>) -> tensor<64x3584xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x3584xf32> -> tensor<64x3584xf32>
  return %y : tensor<64x3584xf32>
}

// CHECK-LABEL: smx_gpu.kernel @ten_warps_of_two_accesses_kernel
// CHECK-SAME: warps(10) shared_limit(232448) min_blocks(6)
func.func @ten_warps_of_two_accesses(%x: tensor<64x2560xf32>) -> tensor<64x2560xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x2560xf32> -> tensor<64x2560xf32>
  return %y : tensor<64x2560xf32>
}

// A row that does not fill its warps has 8 accesses of 1024 threads.
// CHECK-LABEL: smx_gpu.kernel @ragged_exponentials_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @ragged_exponentials(%x: tensor<64x5124xf32>) -> tensor<64x5124xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x5124xf32> -> tensor<64x5124xf32>
  return %y : tensor<64x5124xf32>
}

// Of longer rows there would be room for one block.
// CHECK-LABEL: smx_gpu.kernel @too_many_exponentials_kernel
// CHECK-SAME: warps(16) shared_limit(232448) min_blocks(2)
func.func @too_many_exponentials(%x: tensor<64x16384xf32>) -> tensor<64x16384xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x16384xf32> -> tensor<64x16384xf32>
  return %y : tensor<64x16384xf32>
}

// Without exponentials 8 accesses a thread keep memory busy.
// CHECK-LABEL: smx_gpu.kernel @no_exponentials_kernel
// CHECK-SAME: warps(4) shared_limit(232448) min_blocks(8)
func.func @no_exponentials(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<64x4096xf32> -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}

// As many threads as all have the same number of whole accesses of a row: 2 of 192 threads, not 1.5 of 256.
// CHECK-LABEL: smx_gpu.kernel @three_quarters_of_logarithm_kernel
// CHECK-SAME: warps(6) shared_limit(232448) min_blocks(5)
// CUT-LABEL: smx_gpu.kernel @three_quarters_of_logarithm_kernel
// CUT-SAME: warps(5) shared_limit(232448) min_blocks(9)
func.func @three_quarters_of_logarithm(%x: tensor<64x3072xbf16>, %g: tensor<64x3072xbf16>) -> tensor<64x3072xbf16> {
  %y = smx.log_softmax_backward %x, %g axis(1) : tensor<64x3072xbf16>, tensor<64x3072xbf16> -> tensor<64x3072xbf16>
  return %y : tensor<64x3072xbf16>
}

// 4 of 160, not 7 of 96, of which the last one is masked.
// CHECK-LABEL: smx_gpu.kernel @whole_accesses_kernel
// CHECK-SAME: warps(5) shared_limit(232448) min_blocks(6)
// CHECK-NOT: valid(
// CHECK: smx_gpu.return
func.func @whole_accesses(%x: tensor<64x5120xbf16>) -> tensor<64x5120xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x5120xbf16> -> tensor<64x5120xbf16>
  return %y : tensor<64x5120xbf16>
}

// 641 accesses of a row leave a rest to any number of threads.
// CHECK-LABEL: smx_gpu.kernel @rest_of_accesses_kernel
// CHECK-SAME: warps(3) shared_limit(232448) min_blocks(10)
func.func @rest_of_accesses(%x: tensor<64x5128xbf16>) -> tensor<64x5128xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x5128xbf16> -> tensor<64x5128xbf16>
  return %y : tensor<64x5128xbf16>
}

// The few largest of a row in registers: 48 of them are enough.
// CHECK-LABEL: smx_gpu.kernel @largest_kernel
// CHECK-SAME: warps(2) shared_limit(232448) min_blocks(20)
// CUT-LABEL: smx_gpu.kernel @largest_kernel
// CUT-SAME: warps(2) shared_limit(232448) min_blocks(16)
func.func @largest(%x: tensor<64x4096xbf16>) -> (tensor<64x8xbf16>, tensor<64x8xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(8) : tensor<64x4096xbf16> -> tensor<64x8xbf16>, tensor<64x8xi64>
  return %p, %i : tensor<64x8xbf16>, tensor<64x8xi64>
}

// Not of more ranks, and not of three warps.
// CHECK-LABEL: smx_gpu.kernel @more_largest_kernel
// CHECK-SAME: warps(2) shared_limit(232448) min_blocks(16)
func.func @more_largest(%x: tensor<64x4096xbf16>) -> (tensor<64x9xbf16>, tensor<64x9xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(9) : tensor<64x4096xbf16> -> tensor<64x9xbf16>, tensor<64x9xi64>
  return %p, %i : tensor<64x9xbf16>, tensor<64x9xi64>
}

// CHECK-LABEL: smx_gpu.kernel @largest_of_three_warps_kernel
// CHECK-SAME: warps(3) shared_limit(232448) min_blocks(10)
func.func @largest_of_three_warps(%x: tensor<64x6144xbf16>) -> (tensor<64x5xbf16>, tensor<64x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<64x6144xbf16> -> tensor<64x5xbf16>, tensor<64x5xi64>
  return %p, %i : tensor<64x5xbf16>, tensor<64x5xi64>
}

// Of up to four tiles what follows the loop is the larger part, and six blocks hide it.
// CHECK-LABEL: smx_gpu.kernel @largest_of_four_tiles_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(6)
// CUT-LABEL: smx_gpu.kernel @largest_of_four_tiles_kernel
// CUT-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @largest_of_four_tiles(%x: tensor<64x32768xbf16>) -> (tensor<64x64xbf16>, tensor<64x64xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(64) : tensor<64x32768xbf16> -> tensor<64x64xbf16>, tensor<64x64xi64>
  return %p, %i : tensor<64x64xbf16>, tensor<64x64xi64>
}

// CHECK-LABEL: smx_gpu.kernel @largest_of_five_tiles_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @largest_of_five_tiles(%x: tensor<64x40960xbf16>) -> (tensor<64x5xbf16>, tensor<64x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<64x40960xbf16> -> tensor<64x5xbf16>, tensor<64x5xi64>
  return %p, %i : tensor<64x5xbf16>, tensor<64x5xi64>
}

// The last tile is shorter: its masks take registers.
// CHECK-LABEL: smx_gpu.kernel @largest_of_cut_tiles_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @largest_of_cut_tiles(%x: tensor<64x32000xbf16>) -> (tensor<64x5xbf16>, tensor<64x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<64x32000xbf16> -> tensor<64x5xbf16>, tensor<64x5xi64>
  return %p, %i : tensor<64x5xbf16>, tensor<64x5xi64>
}

// Keys of f32 take more.
// CHECK-LABEL: smx_gpu.kernel @largest_of_wide_kernel
// CHECK-SAME: warps(4) shared_limit(232448) min_blocks(8)
func.func @largest_of_wide(%x: tensor<64x4096xf32>) -> (tensor<64x5xf32>, tensor<64x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<64x4096xf32> -> tensor<64x5xf32>, tensor<64x5xi64>
  return %p, %i : tensor<64x5xf32>, tensor<64x5xi64>
}

// A row that is only read: as many blocks on a multiprocessor as hold most of such rows, of 8 accesses a thread.
// CHECK-LABEL: smx_gpu.kernel @read_kernel
// CHECK-SAME: warps(2) shared_limit(232448) min_blocks(18)
func.func @read(%x: tensor<64x4096xbf16>) -> tensor<64xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<64x4096xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @read_by_256_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @read_by_256(%x: tensor<64x16384xbf16>) -> tensor<64xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<64x16384xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

// Where 13 warps with 4 whole accesses would leave room for two blocks, 7 with up to 8 do for five.
// CHECK-LABEL: smx_gpu.kernel @not_thirteen_warps_kernel
// CHECK-SAME: warps(7) shared_limit(232448) min_blocks(5)
// CHECK: smx_gpu.return
func.func @not_thirteen_warps(%x: tensor<64x13312xbf16>) -> tensor<64xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<64x13312xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

// Maxima of scores in f64 are no keys, whose rows have 4 threads each: 16 columns (there are few) of 16 elements, 16 a thread.
// CHECK-LABEL: smx_gpu.kernel @scores_in_f64_kernel
// CHECK-SAME: warps(1)
func.func @scores_in_f64(%x: tensor<16x1024xf64>) -> tensor<1024xf64> {
  %y = smx.logsumexp %x axis(0) : tensor<16x1024xf64> -> tensor<1024xf64>
  return %y : tensor<1024xf64>
}

// 16-bit rows of 32 to 64 KiB that fill one or two blocks of up to 256 threads: four blocks on a multiprocessor. Summed twice, the rest is in shared memory.
// CHECK-LABEL: smx_gpu.kernel @two_sums_of_two_blocks_kernel
// CHECK-SAME: warps(8) cluster(2) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.copy
// CHECK: smx_gpu.return
// Not where rows start anywhere, nor on chips without clusters.
// CUT-LABEL: smx_gpu.kernel @two_sums_of_two_blocks_kernel
// CUT-NOT: cluster(
// CUT: smx_gpu.return
// ALONE-LABEL: smx_gpu.kernel @two_sums_of_two_blocks_kernel
// ALONE-NOT: cluster(
// ALONE: smx_gpu.return
func.func @two_sums_of_two_blocks(%x: tensor<64x32768xbf16>) -> tensor<64x32768xbf16> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<64x32768xbf16> -> tensor<64x32768xbf16>
  return %y : tensor<64x32768xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @squares_of_one_block_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @squares_of_one_block(%x: tensor<64x16384xf16>) -> tensor<64x16384xf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x16384xf16> -> tensor<64x16384xf16>
  return %y : tensor<64x16384xf16>
}

// CHECK-LABEL: smx_gpu.kernel @squares_of_six_warps_kernel
// CHECK-SAME: warps(6) cluster(2) shared_limit(232448) min_blocks(5)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @squares_of_six_warps(%x: tensor<64x24576xbf16>) -> tensor<64x24576xbf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x24576xbf16> -> tensor<64x24576xbf16>
  return %y : tensor<64x24576xbf16>
}

// CHECK-LABEL: smx_gpu.kernel @exponentials_of_two_blocks_kernel
// CHECK-SAME: warps(8) cluster(2) shared_limit(232448) min_blocks(4)
// CHECK-NOT: smx_gpu.copy
// CHECK: smx_gpu.return
func.func @exponentials_of_two_blocks(%x: tensor<64x32768xbf16>) -> tensor<64x32768xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x32768xbf16> -> tensor<64x32768xbf16>
  return %y : tensor<64x32768xbf16>
}

// A row that does not fill them is in as many as have 96 KiB of rows on a multiprocessor.
// CHECK-LABEL: smx_gpu.kernel @between_kernel
// CHECK-SAME: warps(7) cluster(2) shared_limit(232448) min_blocks(5)
func.func @between(%x: tensor<64x24832xbf16>) -> tensor<64x24832xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x24832xbf16> -> tensor<64x24832xbf16>
  return %y : tensor<64x24832xbf16>
}

// Two rows that start anywhere: four to six accesses of each in registers, in a cluster that ends within the last ones.
// CUT-LABEL: smx_gpu.kernel @cut_pairs_kernel
// CUT-SAME: warps(13) cluster(4) shared_limit(232448) min_blocks(2)
// CUT-NOT: smx_gpu.copy
// CUT-COUNT-2: smx_gpu.load {{.*}} slid({{.*}} -> tensor<1x16640xbf16,
// CUT: smx_gpu.return
func.func @cut_pairs(%x: tensor<64x65537xbf16>, %g: tensor<64x65537xbf16>) -> tensor<64x65537xbf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x65537xbf16>, tensor<64x65537xbf16> -> tensor<64x65537xbf16>
  return %y : tensor<64x65537xbf16>
}

// CUT-LABEL: smx_gpu.kernel @cut_pairs_of_one_block_kernel
// CUT-SAME: warps(6) shared_limit(232448) min_blocks(4)
// CUT: smx_gpu.return
func.func @cut_pairs_of_one_block(%x: tensor<64x9001xf16>, %g: tensor<64x9001xf16>) -> tensor<64x9001xf16> {
  %y = smx.softmax_backward %x, %g axis(1) : tensor<64x9001xf16>, tensor<64x9001xf16> -> tensor<64x9001xf16>
  return %y : tensor<64x9001xf16>
}

// One row that starts anywhere: 5 to 7 whole accesses in each of up to 384 threads, those that leave least over, and as many blocks as registers allow.
// CUT-LABEL: smx_gpu.kernel @slid_kernel
// CUT-SAME: warps(7) shared_limit(232448) min_blocks(5)
// CUT: smx_gpu.load {{.*}} slid({{.*}} -> tensor<1x12544xbf16, #smx_gpu.striped<rows = 1, columns = 224, vector = 8>>
// CUT: smx_gpu.return
func.func @slid(%x: tensor<64x12345xbf16>) -> tensor<64x12345xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x12345xbf16> -> tensor<64x12345xbf16>
  return %y : tensor<64x12345xbf16>
}

// What is only read is held, too, not streamed.
// CUT-LABEL: smx_gpu.kernel @slid_read_kernel
// CUT-SAME: warps(7) cluster(4) shared_limit(232448) min_blocks(5)
// CUT-NOT: scf.for
// CUT: smx_gpu.return
func.func @slid_read(%x: tensor<64x50257xbf16>) -> tensor<64xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<64x50257xbf16> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

// Norms have six accesses or more, with registers to spare.
// CUT-LABEL: smx_gpu.kernel @slid_norm_kernel
// CUT-SAME: warps(9) cluster(4) shared_limit(232448) min_blocks(4)
// CUT: smx_gpu.return
func.func @slid_norm(%x: tensor<64x50257xbf16>) -> tensor<64x50257xbf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x50257xbf16> -> tensor<64x50257xbf16>
  return %y : tensor<64x50257xbf16>
}

// 42 to 64 KiB are one block of 8 accesses a thread.
// CUT-LABEL: smx_gpu.kernel @slid_in_one_block_kernel
// CUT-SAME: warps(16) shared_limit(232448) min_blocks(2)
// CUT: smx_gpu.return
func.func @slid_in_one_block(%x: tensor<64x30011xbf16>) -> tensor<64x30011xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x30011xbf16> -> tensor<64x30011xbf16>
  return %y : tensor<64x30011xbf16>
}

// CUT-LABEL: smx_gpu.kernel @slid_pairs_kernel
// CUT-SAME: warps(5) cluster(2) shared_limit(232448) min_blocks(5)
// CUT: smx_gpu.return
func.func @slid_pairs(%x: tensor<64x12345xbf16>, %g: tensor<64x12345xbf16>) -> tensor<64x12345xbf16> {
  %y = smx.log_softmax_backward %x, %g axis(1) : tensor<64x12345xbf16>, tensor<64x12345xbf16> -> tensor<64x12345xbf16>
  return %y : tensor<64x12345xbf16>
}

// What becomes f32 takes the registers of f32, four elements at a time.
// CUT-LABEL: smx_gpu.kernel @slid_widened_kernel
// CUT-SAME: warps(7) cluster(2) shared_limit(232448) min_blocks(5)
// CUT: smx_gpu.load {{.*}} slid({{.*}} -> tensor<1x6272xbf16, #smx_gpu.striped<rows = 1, columns = 224, vector = 4>>
// CUT: smx_gpu.return
func.func @slid_widened(%x: tensor<64x12345xbf16>) -> tensor<64x12345xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x12345xbf16> -> tensor<64x12345xf32>
  return %y : tensor<64x12345xf32>
}

// A quotient of f64 leaves registers for 5 accesses, of one block or of two.
// CHECK-LABEL: smx_gpu.kernel @wide_norm_kernel
// CHECK-SAME: warps(13) cluster(2) shared_limit(232448) min_blocks(3)
// CHECK: smx_gpu.return
func.func @wide_norm(%x: tensor<64x16384xf32>) -> tensor<64x16384xf32> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x16384xf32> -> tensor<64x16384xf32>
  return %y : tensor<64x16384xf32>
}

// CHECK-LABEL: smx_gpu.kernel @shorter_wide_norm_kernel
// CHECK-SAME: warps(16) shared_limit(232448) min_blocks(2)
// CHECK: smx_gpu.return
func.func @shorter_wide_norm(%x: tensor<64x10000xf32>) -> tensor<64x10000xf32> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x10000xf32> -> tensor<64x10000xf32>
  return %y : tensor<64x10000xf32>
}

// Exponentials of f32 in rows that start anywhere, in small blocks that take turns; those of f64, if accesses are not whole.
// CUT-LABEL: smx_gpu.kernel @slid_wide_exponentials_kernel
// CUT-SAME: warps(6) cluster(8) shared_limit(232448) min_blocks(4)
// CUT: smx_gpu.return
func.func @slid_wide_exponentials(%x: tensor<64x65537xf32>) -> tensor<64x65537xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x65537xf32> -> tensor<64x65537xf32>
  return %y : tensor<64x65537xf32>
}

// CHECK-LABEL: smx_gpu.kernel @doubles_kernel
// CHECK-SAME: warps(8) cluster(4) shared_limit(232448) min_blocks(3)
// CHECK: smx_gpu.return
func.func @doubles(%x: tensor<64x20000xf64>) -> tensor<64x20000xf64> {
  %y = smx.softmax %x axis(1) : tensor<64x20000xf64> -> tensor<64x20000xf64>
  return %y : tensor<64x20000xf64>
}

// Weights come element by element beside rows that start anywhere: 4 accesses, or 6 where weights are wider and loads of them hide less.
// CUT-LABEL: smx_gpu.kernel @slid_weighted_kernel
// CUT-SAME: warps(10) cluster(2) shared_limit(232448) min_blocks(4)
// CUT: smx_gpu.return
func.func @slid_weighted(%x: tensor<64x20001xf16>, %w: tensor<20001xf16>) -> tensor<64x20001xf16> {
  %e = tensor.empty() : tensor<64x20001xf16>
  %n = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x20001xf16> -> tensor<64x20001xf32>
  %y = linalg.generic {indexing_maps = [#map, affine_map<(i, j) -> (j)>, #map], iterator_types = ["parallel", "parallel"]}
      ins(%n, %w : tensor<64x20001xf32>, tensor<20001xf16>) outs(%e : tensor<64x20001xf16>) {
  ^bb0(%a: f32, %b: f16, %o: f16):
    %c = arith.extf %b : f16 to f32
    %d = arith.mulf %a, %c : f32
    %r = arith.truncf %d : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x20001xf16>
  return %y : tensor<64x20001xf16>
}

// What becomes f32 of 16 bits, where masks hold exponentials back; norms in any case.
// CHECK-LABEL: smx_gpu.kernel @long_widened_kernel
// CHECK-SAME: warps(7) cluster(16) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.return
func.func @long_widened(%x: tensor<64x200064xbf16>) -> tensor<64x200064xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x200064xbf16> -> tensor<64x200064xf32>
  return %y : tensor<64x200064xf32>
}

// CHECK-LABEL: smx_gpu.kernel @whole_widened_kernel
// CHECK-SAME: warps(16) cluster(16)
// CHECK: smx_gpu.return
func.func @whole_widened(%x: tensor<64x262144xbf16>) -> tensor<64x262144xf32> {
  %y = smx.softmax %x axis(1) : tensor<64x262144xbf16> -> tensor<64x262144xf32>
  return %y : tensor<64x262144xf32>
}

// Results of another width take more registers.
// CHECK-LABEL: smx_gpu.kernel @widened_kernel
// CHECK: smx_gpu.return
func.func @widened(%x: tensor<64x32768xbf16>) -> tensor<64x32768xf32> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x32768xbf16> -> tensor<64x32768xf32>
  return %y : tensor<64x32768xf32>
}

// So do functions of its elements.
// CHECK-LABEL: smx_gpu.kernel @function_of_norm_kernel
// CHECK: smx_gpu.return
// CHECK-LABEL: smx_gpu.kernel @exponential_of_norm_kernel
// CHECK: smx_gpu.return
#both = affine_map<(i, j) -> (i, j)>
func.func @function_of_norm(%x: tensor<64x32768xbf16>) -> tensor<64x32768xbf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<64x32768xbf16> -> tensor<64x32768xbf16>
  %e = tensor.empty() : tensor<64x32768xbf16>
  %z = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<64x32768xbf16>) outs(%e : tensor<64x32768xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %w = arith.extf %a : bf16 to f32
    %t = math.tanh %w : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<64x32768xbf16>
  return %z : tensor<64x32768xbf16>
}

func.func @exponential_of_norm(%x: tensor<64x32768xbf16>) -> tensor<64x32768xbf16> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<64x32768xbf16> -> tensor<64x32768xbf16>
  %e = tensor.empty() : tensor<64x32768xbf16>
  %z = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<64x32768xbf16>) outs(%e : tensor<64x32768xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %w = arith.extf %a : bf16 to f32
    %t = math.exp %w : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<64x32768xbf16>
  return %z : tensor<64x32768xbf16>
}

// Columns of memory: a warp has the width of a strip, and warps share its length, as few as have registers for it.
// CHECK-LABEL: smx_gpu.kernel @columns_kernel
// CHECK-SAME: warps(7) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.load {{.*}} -> tensor<105x128xbf16, #smx_gpu.striped<rows = 7, columns = 32, vector = 4>>
func.func @columns(%x: tensor<100x65536xbf16>) -> tensor<100x65536xbf16> {
  %y = smx.softmax %x axis(0) : tensor<100x65536xbf16> -> tensor<100x65536xbf16>
  return %y : tensor<100x65536xbf16>
}

// Blocks of a cluster have a part of long ones each.
// CHECK-LABEL: smx_gpu.kernel @even_columns_kernel
// CHECK-SAME: warps(8) cluster(4) shared_limit(232448) min_blocks(4)
func.func @even_columns(%x: tensor<512x65536xbf16>) -> tensor<512x65536xbf16> {
  %y = smx.softmax %x axis(0) : tensor<512x65536xbf16> -> tensor<512x65536xbf16>
  return %y : tensor<512x65536xbf16>
}

// Of short columns a strip is 256 bytes wide.
// CHECK-LABEL: smx_gpu.kernel @short_columns_kernel
// CHECK-SAME: warps(2) shared_limit(232448) min_blocks(16)
// CHECK: smx_gpu.load {{.*}} -> tensor<32x128xbf16, #smx_gpu.striped<rows = 2, columns = 32, vector = 4>>
func.func @short_columns(%x: tensor<32x65536xbf16>) -> tensor<32x65536xbf16> {
  %y = smx.softmax %x axis(0) : tensor<32x65536xbf16> -> tensor<32x65536xbf16>
  return %y : tensor<32x65536xbf16>
}

// A thread has 32 elements of f32, or 64 of 16 bits.
// CHECK-LABEL: smx_gpu.kernel @wide_columns_kernel
// CHECK-SAME: warps(7) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.load {{.*}} -> tensor<105x64xf32, #smx_gpu.striped<rows = 7, columns = 32, vector = 2>>
func.func @wide_columns(%x: tensor<100x65536xf32>) -> tensor<100x65536xf32> {
  %y = smx.softmax %x axis(0) : tensor<100x65536xf32> -> tensor<100x65536xf32>
  return %y : tensor<100x65536xf32>
}

// Squares leave registers for three blocks of such threads, not four.
// CHECK-LABEL: smx_gpu.kernel @columns_of_squares_kernel
// CHECK-SAME: warps(8) cluster(2) shared_limit(232448) min_blocks(3)
func.func @columns_of_squares(%x: tensor<256x65536xbf16>) -> tensor<256x65536xbf16> {
  %y = smx.rms_norm %x axis(0) epsilon(1.0e-5) : tensor<256x65536xbf16> -> tensor<256x65536xbf16>
  return %y : tensor<256x65536xbf16>
}

// Of two tensors a thread has half as much of each. Without clusters a block has all of a column.
// CHECK-LABEL: smx_gpu.kernel @two_columns_kernel
// CHECK-SAME: warps(8) cluster(2) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.load {{.*}} -> tensor<64x128xbf16, #smx_gpu.striped<rows = 8, columns = 32, vector = 4>>
// ALONE-LABEL: smx_gpu.kernel @two_columns_kernel
// ALONE-SAME: warps(16) shared_limit(166912)
func.func @two_columns(%y: tensor<128x65536xbf16>, %g: tensor<128x65536xbf16>) -> tensor<128x65536xbf16> {
  %x = smx.softmax_backward %y, %g axis(0) : tensor<128x65536xbf16>, tensor<128x65536xbf16> -> tensor<128x65536xbf16>
  return %x : tensor<128x65536xbf16>
}

// A second tensor that only the result is made of counts, too.
// CHECK-LABEL: smx_gpu.kernel @columns_of_result_kernel
// CHECK-SAME: warps(8) cluster(4) shared_limit(232448) min_blocks(4)
func.func @columns_of_result(%y: tensor<256x65536xf32>, %g: tensor<256x65536xf32>) -> tensor<256x65536xf32> {
  %x = smx.log_softmax_backward %y, %g axis(0) : tensor<256x65536xf32>, tensor<256x65536xf32> -> tensor<256x65536xf32>
  return %x : tensor<256x65536xf32>
}

// Long columns are narrower, in up to 16 blocks. Without clusters they are streamed in parts of 256 elements.
// CHECK-LABEL: smx_gpu.kernel @long_columns_kernel
// CHECK-SAME: warps(8) cluster(16) shared_limit(232448) min_blocks(4)
// CHECK: smx_gpu.load {{.*}} -> tensor<256x64xbf16, #smx_gpu.striped<rows = 8, columns = 32, vector = 2>>
// CHECK: smx_gpu.cluster_reduce <maxnum>
// CHECK: smx_gpu.cluster_reduce <add>
// ALONE-LABEL: smx_gpu.kernel @long_columns_kernel
// ALONE: scf.for
// ALONE: smx_gpu.load {{.*}} -> tensor<256x64xbf16, #smx_gpu.striped<rows = 16, columns = 32, vector = 2>>
func.func @long_columns(%x: tensor<4096x65536xbf16>) -> tensor<4096x65536xbf16> {
  %y = smx.softmax %x axis(0) : tensor<4096x65536xbf16> -> tensor<4096x65536xbf16>
  return %y : tensor<4096x65536xbf16>
}

// What is read once anyway is held by up to 8 blocks.
// CHECK-LABEL: smx_gpu.kernel @read_columns_kernel
// CHECK-SAME: warps(8) cluster(8)
// CHECK-LABEL: smx_gpu.kernel @long_read_columns_kernel
// CHECK: scf.for
func.func @read_columns(%x: tensor<2048x65536xbf16>) -> tensor<65536xbf16> {
  %y = smx.logsumexp %x axis(0) : tensor<2048x65536xbf16> -> tensor<65536xbf16>
  return %y : tensor<65536xbf16>
}
func.func @long_read_columns(%x: tensor<4096x65536xbf16>) -> tensor<65536xbf16> {
  %y = smx.logsumexp %x axis(0) : tensor<4096x65536xbf16> -> tensor<65536xbf16>
  return %y : tensor<65536xbf16>
}

// A part that is as long as rows are wide is not the whole column.
// CHECK-LABEL: smx_gpu.kernel @square_parts_kernel
// CHECK-NOT: cluster_reduce
// CHECK: smx_gpu.return
// CHECK: smx_gpu.kernel @square_parts_kernel_1
func.func @square_parts(%x: tensor<100000x256xbf16>) -> tensor<100000x256xbf16> {
  %y = smx.softmax %x axis(0) : tensor<100000x256xbf16> -> tensor<100000x256xbf16>
  return %y : tensor<100000x256xbf16>
}

// Masks of f64 take longer than reading it twice.
// CHECK-LABEL: smx_gpu.kernel @cut_double_columns_kernel
// CHECK: scf.for
func.func @cut_double_columns(%x: tensor<1500x65536xf64>) -> tensor<1500x65536xf64> {
  %y = smx.softmax %x axis(0) : tensor<1500x65536xf64> -> tensor<1500x65536xf64>
  return %y : tensor<1500x65536xf64>
}

// Rows that start anywhere, and are too long to be moved as one piece: two warps with 40 registers, one where nothing is written.
// CUT-LABEL: smx_gpu.kernel @short_slide_kernel
// CUT-SAME: warps(2) shared_limit(232448) min_blocks(24)
func.func @short_slide(%x: tensor<4096x1501xbf16>) -> tensor<4096x1501xbf16> {
  %y = smx.softmax %x axis(1) : tensor<4096x1501xbf16> -> tensor<4096x1501xbf16>
  return %y : tensor<4096x1501xbf16>
}

// CUT-LABEL: smx_gpu.kernel @short_slide_norm_kernel
// CUT-SAME: warps(1) shared_limit(232448) min_blocks(32)
func.func @short_slide_norm(%x: tensor<4096x1201xbf16>) -> tensor<4096x1201xbf16> {
  %y = smx.rms_norm %x axis(1) epsilon(1.0e-05) : tensor<4096x1201xbf16> -> tensor<4096x1201xbf16>
  return %y : tensor<4096x1201xbf16>
}

// CUT-LABEL: smx_gpu.kernel @short_slide_read_kernel
// CUT-SAME: warps(1) shared_limit(232448) min_blocks(32)
func.func @short_slide_read(%x: tensor<4096x1501xbf16>) -> tensor<4096xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<4096x1501xbf16> -> tensor<4096xbf16>
  return %y : tensor<4096xbf16>
}

// A tile of 1536 has no room for the slide of 1533 elements: four warps have one of 2048.
// CUT-LABEL: smx_gpu.kernel @no_room_for_slide_kernel
// CUT-SAME: warps(4)
// CUT: smx_gpu.load {{.*}} slid(
func.func @no_room_for_slide(%x: tensor<4096x1533xbf16>) -> tensor<4096x1533xbf16> {
  %y = smx.softmax %x axis(1) : tensor<4096x1533xbf16> -> tensor<4096x1533xbf16>
  return %y : tensor<4096x1533xbf16>
}

// CUT-LABEL: smx_gpu.kernel @no_room_read_kernel
// CUT-SAME: warps(2) shared_limit(232448) {
// CUT: smx_gpu.load {{.*}} slid(
func.func @no_room_read(%x: tensor<4096x1277xbf16>) -> tensor<4096xbf16> {
  %y = smx.logsumexp %x axis(1) : tensor<4096x1277xbf16> -> tensor<4096xbf16>
  return %y : tensor<4096xbf16>
}

// The parts that an accumulator is merged of are no strip.
// CHECK-LABEL: smx_gpu.kernel @merged_kernel_1
// CHECK: smx_gpu.load {{.*}} -> tensor<32x32xf32, #smx_gpu.striped<rows = 8, columns = 8, vector = 4>>
func.func @merged(%q: tensor<1x8x1x128xbf16>, %k: tensor<1x8x65536x128xbf16>) -> tensor<1x8x1x128xbf16> {
  %o = smx.attention %q, %k, %k scale(0.088) : tensor<1x8x1x128xbf16>, tensor<1x8x65536x128xbf16>, tensor<1x8x65536x128xbf16> -> tensor<1x8x1x128xbf16>
  return %o : tensor<1x8x1x128xbf16>
}

// Columns of open length have masks, and all registers that ptxas wants for them.
// CHECK-LABEL: smx_gpu.kernel @open_columns_kernel
// CHECK-SAME: warps(8) shared_limit(232448) {
func.func @open_columns(%x: tensor<?x65536xbf16>) -> tensor<?x65536xbf16> {
  %y = smx.softmax %x axis(0) : tensor<?x65536xbf16> -> tensor<?x65536xbf16>
  return %y : tensor<?x65536xbf16>
}

// A row whose parts are widened is still one of 16 bits: one tile of 16384 for each of two blocks, not 4096 for one.
// CHECK-LABEL: smx_gpu.kernel @widened_parts_kernel
// CHECK-SAME: warps(16) shared_limit(232448) min_blocks(2)
// CHECK-COUNT-2: scf.for {{.*}} step %c16384
func.func @widened_parts(%x: tensor<4096x1000000xbf16>) -> tensor<4096xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4096x1000000xbf16> -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// f32 that is only read: short rows have 32 elements in each lane, several to a block, and longer ones 8 to 12 accesses in a thread where accesses do not fill warps.
// CHECK-LABEL: smx_gpu.kernel @read_wide_short_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<8x112xf32, #smx_gpu.striped<rows = 8, columns = 4, vector = 4>>
// CHECK-LABEL: smx_gpu.kernel @read_wide_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
// CUT-LABEL: smx_gpu.kernel @read_wide_kernel
// CUT-SAME: warps(8) shared_limit(232448) min_blocks(4)
// CHECK-LABEL: smx_gpu.kernel @read_wide_of_warp_kernel
// CHECK-SAME: warps(1) shared_limit(232448) min_blocks(32)
// CHECK-LABEL: smx_gpu.kernel @read_whole_wide_kernel
// CHECK-SAME: warps(8) shared_limit(232448) min_blocks(4)
func.func @read_wide_short(%x: tensor<65536x100xf32>) -> tensor<65536xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<65536x100xf32> -> tensor<65536xf32>
  return %y : tensor<65536xf32>
}
func.func @read_wide(%x: tensor<4096x9999xf32>) -> tensor<4096xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4096x9999xf32> -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}
func.func @read_wide_of_warp(%x: tensor<65536x1000xf32>) -> tensor<65536xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<65536x1000xf32> -> tensor<65536xf32>
  return %y : tensor<65536xf32>
}
func.func @read_whole_wide(%x: tensor<4096x8192xf32>) -> tensor<4096xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<4096x8192xf32> -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// f32 that starts anywhere and is written, or two rows of it.
// CUT-LABEL: smx_gpu.kernel @slid_wide_norm_kernel
// CUT-SAME: warps(10) shared_limit(232448) min_blocks(3)
// CUT: smx_gpu.load {{.*}} slid(
// CUT-LABEL: smx_gpu.kernel @slid_wide_pair_kernel
// CUT-SAME: warps(4) cluster(2) shared_limit(232448) min_blocks(7)
// CUT: smx_gpu.load {{.*}} slid(
// CUT: smx_gpu.load {{.*}} slid(
func.func @slid_wide_norm(%x: tensor<4096x10001xf32>) -> tensor<4096x10001xf32> {
  %y = smx.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<4096x10001xf32> -> tensor<4096x10001xf32>
  return %y : tensor<4096x10001xf32>
}
func.func @slid_wide_pair(%y: tensor<4096x5001xf32>, %g: tensor<4096x5001xf32>) -> tensor<4096x5001xf32> {
  %x = smx.softmax_backward %y, %g axis(1) : tensor<4096x5001xf32>, tensor<4096x5001xf32> -> tensor<4096x5001xf32>
  return %x : tensor<4096x5001xf32>
}

// A block of more warps than others share has no more than it needs.
// ALONE-LABEL: smx_gpu.kernel @uneven_columns_kernel
// ALONE-SAME: warps(26) shared_limit
func.func @uneven_columns(%x: tensor<410x65536xf32>) -> tensor<410x65536xf32> {
  %y = smx.softmax %x axis(0) : tensor<410x65536xf32> -> tensor<410x65536xf32>
  return %y : tensor<410x65536xf32>
}

// Columns of a part of memory are whole, too.
// CHECK-LABEL: smx_gpu.kernel @columns_of_slice_kernel
// CHECK-SAME: cluster(16)
func.func @columns_of_slice(%x: tensor<8192x4096xf32>) -> tensor<4000x4096xf32> {
  %s = tensor.extract_slice %x[3, 0] [4000, 4096] [1, 1] : tensor<8192x4096xf32> to tensor<4000x4096xf32>
  %y = smx.softmax %s axis(0) : tensor<4000x4096xf32> -> tensor<4000x4096xf32>
  return %y : tensor<4000x4096xf32>
}

// What is transposed in front of it has rows in memory, of which threads hold no strip.
// CHECK-LABEL: smx_gpu.kernel @transposed_kernel
// CHECK-SAME: warps({{[0-9]+}}) shared_limit
// CHECK: scf.for
func.func @transposed(%x: tensor<65536x4096xbf16>) -> tensor<4096x65536xbf16> {
  %e = tensor.empty() : tensor<4096x65536xbf16>
  %t = linalg.transpose ins(%x : tensor<65536x4096xbf16>) outs(%e : tensor<4096x65536xbf16>) permutation = [1, 0]
  %y = smx.softmax %t axis(0) : tensor<4096x65536xbf16> -> tensor<4096x65536xbf16>
  return %y : tensor<4096x65536xbf16>
}

// Blocks that merge as many parts as a tile has elements are no cluster: each has a part of the result.
// CHECK-LABEL: smx_gpu.kernel @as_many_parts_kernel
// CHECK: smx_gpu.kernel @as_many_parts_kernel_1
// CHECK-SAME: warps({{[0-9]+}}) shared_limit
func.func @as_many_parts(%x: tensor<1048576x128xbf16>) -> tensor<1048576x128xbf16> {
  %y = smx.softmax %x axis(0) : tensor<1048576x128xbf16> -> tensor<1048576x128xbf16>
  return %y : tensor<1048576x128xbf16>
}
