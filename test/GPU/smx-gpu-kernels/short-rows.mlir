// Short rows of 16 bits: how threads stand along them.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=2 chip=sm_90a' --split-input-file | FileCheck %s --check-prefix=ODD
// RUN: softmax-opt %s --smx-to-gpu='alignment=4 chip=sm_90a' --split-input-file | FileCheck %s --check-prefix=WORDS

// Of rows that are only read a thread has 32 elements of one of them.
// CHECK-LABEL: smx_gpu.kernel @only_read_kernel
// CHECK-SAME: warps(2)
// CHECK: smx_gpu.load {{.*}} -> tensor<16x128xbf16, #smx_gpu.striped<rows = 16, columns = 4, vector = 8>>
// ODD-LABEL: smx_gpu.kernel @only_read_kernel
// ODD: smx_gpu.load {{.*}} -> tensor<16x128xbf16, #smx_gpu.striped<rows = 16, columns = 4, vector = 8>>
func.func @only_read(%x: tensor<4096x128xbf16>) -> tensor<4096xf32> {
  %o = smx.logsumexp %x axis(1) : tensor<4096x128xbf16> -> tensor<4096xf32>
  return %o : tensor<4096xf32>
}

// -----

// Lanes of two warps would be idle along these: one warp holds such a row, too.
// CHECK-LABEL: smx_gpu.kernel @three_quarters_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<2x768xbf16, #smx_gpu.striped<rows = 2, columns = 32, vector = 8>>
func.func @three_quarters(%x: tensor<4096x768xbf16>) -> tensor<4096x768xbf16> {
  %o = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<4096x768xbf16> -> tensor<4096x768xbf16>
  return %o : tensor<4096x768xbf16>
}

// -----

// So it is for exponentials beside another row.
// CHECK-LABEL: smx_gpu.kernel @pair_of_exponentials_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<2x768xbf16, #smx_gpu.striped<rows = 2, columns = 32, vector = 8>>
func.func @pair_of_exponentials(%y: tensor<4096x768xbf16>, %g: tensor<4096x768xbf16>) -> tensor<4096x768xbf16> {
  %o = smx.log_softmax_backward %y, %g axis(1) : tensor<4096x768xbf16>, tensor<4096x768xbf16> -> tensor<4096x768xbf16>
  return %o : tensor<4096x768xbf16>
}

// -----

// Exponentials that are written take the registers.
// CHECK-LABEL: smx_gpu.kernel @exponentials_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<2x1024xbf16, #smx_gpu.striped<rows = 2, columns = 64, vector = 8>>
func.func @exponentials(%x: tensor<4096x768xbf16>) -> tensor<4096x768xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x768xbf16> -> tensor<4096x768xbf16>
  return %o : tensor<4096x768xbf16>
}

// -----

// What may start at any number of 16 bits is moved as one piece: of 16 and more lanes each has the next element.
// CHECK-LABEL: smx_gpu.kernel @written_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<4x512xbf16, #smx_gpu.striped<rows = 4, columns = 32, vector = 8>>
// ODD-LABEL: smx_gpu.kernel @written_kernel
// ODD: smx_gpu.load {{.*}} adjacent {{.*}} -> tensor<16x272xbf16, #smx_gpu.striped<rows = 8, columns = 16, vector = 1>>
func.func @written(%x: tensor<4096x257xbf16>) -> tensor<4096x257xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x257xbf16> -> tensor<4096x257xbf16>
  return %o : tensor<4096x257xbf16>
}

// -----

// Lanes that start 17 elements apart meet few others in a bank.
// ODD-LABEL: smx_gpu.kernel @apart_kernel
// ODD: smx_gpu.load {{.*}} adjacent {{.*}} -> tensor<64x68xbf16, #smx_gpu.striped<rows = 32, columns = 4, vector = 17>>
func.func @apart(%x: tensor<4096x65xbf16>) -> tensor<4096x65xbf16> {
  %o = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<4096x65xbf16> -> tensor<4096x65xbf16>
  return %o : tensor<4096x65xbf16>
}

// -----

// Of rows of 101 elements those have one each that take the next one.
// ODD-LABEL: smx_gpu.kernel @next_kernel
// ODD: smx_gpu.load {{.*}} adjacent {{.*}} -> tensor<32x104xbf16, #smx_gpu.striped<rows = 16, columns = 8, vector = 1>>
func.func @next(%x: tensor<4096x101xbf16>) -> tensor<4096x101xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x101xbf16> -> tensor<4096x101xbf16>
  return %o : tensor<4096x101xbf16>
}

// -----

// A thread has a short row to itself, and one that is only read up to 72 elements.
// ODD-LABEL: smx_gpu.kernel @alone_kernel
// ODD: smx_gpu.load {{.*}} adjacent {{.*}} -> tensor<128x33xbf16, #smx_gpu.striped<rows = 128, columns = 1, vector = 33>>
func.func @alone(%x: tensor<4096x33xbf16>) -> tensor<4096x33xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x33xbf16> -> tensor<4096x33xbf16>
  return %o : tensor<4096x33xbf16>
}

// -----

// ODD-LABEL: smx_gpu.kernel @alone_and_read_kernel
// ODD: smx_gpu.load {{.*}} adjacent unordered {{.*}} -> tensor<128x66xbf16, #smx_gpu.striped<rows = 128, columns = 1, vector = 66>>
func.func @alone_and_read(%x: tensor<4096x65xbf16>) -> tensor<4096xbf16> {
  %o = smx.logsumexp %x axis(1) : tensor<4096x65xbf16> -> tensor<4096xbf16>
  return %o : tensor<4096xbf16>
}

// -----

// Longer ones have lanes of up to 72 elements, in runs of words that start in different banks.
// ODD-LABEL: smx_gpu.kernel @lanes_of_words_kernel
// ODD: smx_gpu.load {{.*}} adjacent unordered {{.*}} -> tensor<32x264xbf16, #smx_gpu.striped<rows = 32, columns = 4, vector = 22>>
func.func @lanes_of_words(%x: tensor<4096x257xbf16>) -> tensor<4096xbf16> {
  %o = smx.logsumexp %x axis(1) : tensor<4096x257xbf16> -> tensor<4096xbf16>
  return %o : tensor<4096xbf16>
}

// -----

// Labels are asked for before rows, and the score of each is looked up behind them.
// ODD-LABEL: smx_gpu.kernel @looked_up_kernel
// ODD: smx_gpu.load {{.*}} -> tensor<64xi64
// ODD-NOT: smx_gpu.gather
// ODD: smx_gpu.load {{.*}} adjacent unordered {{.*}} -> tensor<64x132xbf16, #smx_gpu.striped<rows = 64, columns = 2, vector = 22>>
// ODD: smx_gpu.gather
func.func @looked_up(%x: tensor<4096x129xbf16>, %t: tensor<4096xi64>) -> tensor<4096xf32> {
  %o = smx.cross_entropy %x, %t axis(1) : tensor<4096x129xbf16>, tensor<4096xi64> -> tensor<4096xf32>
  return %o : tensor<4096xf32>
}

// -----

// Rows of 64 elements start in few banks: lanes read them, by words.
// WORDS-LABEL: smx_gpu.kernel @few_banks_kernel
// WORDS: smx_gpu.load {{.*}} -> tensor<{{[0-9]+}}x64xbf16, #smx_gpu.striped<rows = {{[0-9]+}}, columns = {{[0-9]+}}, vector = 8>>
// WORDS-NOT: adjacent
// WORDS: smx_gpu.return
func.func @few_banks(%x: tensor<4096x64xbf16>) -> tensor<4096xbf16> {
  %o = smx.logsumexp %x axis(1) : tensor<4096x64xbf16> -> tensor<4096xbf16>
  return %o : tensor<4096xbf16>
}

// -----

// Words of two rows are moved nearly as fast as pieces.
// ODD-LABEL: smx_gpu.kernel @odd_pair_kernel
// ODD: smx_gpu.load {{.*}} adjacent
// ODD: smx_gpu.load {{.*}} adjacent
func.func @odd_pair(%y: tensor<4096x257xbf16>, %g: tensor<4096x257xbf16>) -> tensor<4096x257xbf16> {
  %o = smx.softmax_backward %y, %g axis(1) : tensor<4096x257xbf16>, tensor<4096x257xbf16> -> tensor<4096x257xbf16>
  return %o : tensor<4096x257xbf16>
}

// -----

// WORDS-LABEL: smx_gpu.kernel @pair_of_words_kernel
// WORDS: smx_gpu.load
// WORDS-NOT: adjacent
// WORDS: smx_gpu.return
func.func @pair_of_words(%y: tensor<4096x258xbf16>, %g: tensor<4096x258xbf16>) -> tensor<4096x258xbf16> {
  %o = smx.softmax_backward %y, %g axis(1) : tensor<4096x258xbf16>, tensor<4096x258xbf16> -> tensor<4096x258xbf16>
  return %o : tensor<4096x258xbf16>
}

// -----

// Nothing is reduced here; a tile has whole rows all the same.
// ODD-LABEL: smx_gpu.kernel @mapped_kernel
// ODD: smx_gpu.load {{.*}} adjacent {{.*}} -> tensor<16x160xbf16, #smx_gpu.striped<rows = 8, columns = 16, vector = 1>>
func.func @mapped(%x: tensor<4096x145xbf16>, %t: tensor<4096xi64>, %l: tensor<4096xf32>, %g: tensor<4096xf32>) -> tensor<4096x145xbf16> {
  %o = smx.cross_entropy_backward %x, %t, %l, %g axis(1) : tensor<4096x145xbf16>, tensor<4096xi64>, tensor<4096xf32>, tensor<4096xf32> -> tensor<4096x145xbf16>
  return %o : tensor<4096x145xbf16>
}

// -----

// Of f32 half as many elements; longer ones are moved by words.
// ODD-LABEL: smx_gpu.kernel @piece_of_words_kernel
// ODD: smx_gpu.load {{.*}} adjacent {{.*}} -> tensor<64x36xf32, #smx_gpu.striped<rows = 32, columns = 4, vector = 9>>
func.func @piece_of_words(%x: tensor<4096x33xf32>) -> tensor<4096x33xf32> {
  %o = smx.softmax %x axis(1) : tensor<4096x33xf32> -> tensor<4096x33xf32>
  return %o : tensor<4096x33xf32>
}

// -----

// What is written has 16 bits.
// ODD-LABEL: smx_gpu.kernel @narrowed_kernel
// ODD: smx_gpu.load {{.*}} adjacent {{.*}} -> tensor<16x{{[0-9]+}}xf32
// ODD: smx_gpu.store {{.*}} adjacent {{.*}}tensor<16x144xbf16
func.func @narrowed(%x: tensor<4096x129xf32>) -> tensor<4096x129xbf16> {
  %o = smx.softmax %x axis(1) : tensor<4096x129xf32> -> tensor<4096x129xbf16>
  return %o : tensor<4096x129xbf16>
}

// -----

// Of f32, where a row starts at any element.
// CHECK-LABEL: smx_gpu.kernel @words_kernel
// CHECK: smx_gpu.load {{.*}}#smx_gpu.striped<rows = {{[0-9]+}}, columns = 32, vector = 4>>
// ODD-LABEL: smx_gpu.kernel @words_kernel
// ODD: smx_gpu.load {{.*}}#smx_gpu.striped<rows = {{[0-9]+}}, columns = 16, vector = 1>>
// ODD-NOT: adjacent
// ODD: smx_gpu.return
func.func @words(%x: tensor<4096x129xf32>) -> tensor<4096x129xf32> {
  %o = smx.softmax %x axis(1) : tensor<4096x129xf32> -> tensor<4096x129xf32>
  return %o : tensor<4096x129xf32>
}

// -----

// Two accesses to a lane, where lanes of one would be idle.
// CHECK-LABEL: smx_gpu.kernel @idle_lanes_kernel
// CHECK: smx_gpu.load {{.*}} -> tensor<8x256xbf16, #smx_gpu.striped<rows = 8, columns = 16, vector = 8>>
func.func @idle_lanes(%x: tensor<4096x192xbf16>) -> tensor<4096x192xbf16> {
  %o = smx.rms_norm %x axis(1) epsilon(1.0e-5) : tensor<4096x192xbf16> -> tensor<4096x192xbf16>
  return %o : tensor<4096x192xbf16>
}
