// What attention gives is no more exact than its products: of bf16 on a GPU, and of f32 on both, whatever the type of the result.
// RUN: softmax-run %s --entry=narrow --target=emulator --repeat=0 | FileCheck %s --check-prefix=BF16
// RUN: softmax-run %s --entry=narrow_before --target=emulator --repeat=0 | FileCheck %s --check-prefix=BF16
// RUN: softmax-run %s --entry=rounded_before --repeat=0 | FileCheck %s --check-prefix=BF16
// BF16: against raised: pass: {{.*}} naive in the same precision {{.*}}of the tolerance
// RUN: softmax-run %s --entry=single --target=emulator --repeat=0 | FileCheck %s --check-prefix=F32
// RUN: softmax-run %s --entry=single --repeat=0 | FileCheck %s --check-prefix=F32
// F32: against raised: pass

// On a CPU products of bf16 are computed in f32: its tolerance is more than used up by an error of bf16, of which this is no hundredth.
// RUN: softmax-run %s --entry=narrow --repeat=0 | FileCheck %s --check-prefix=CPU
// CPU-NOT: naive
// CPU: against raised: pass: {{.*}}; 0.{{0[3-9]|[1-9][0-9]}} of the tolerance

func.func @narrow(%q: tensor<64x64xbf16>, %k: tensor<128x64xbf16>, %v: tensor<128x64xbf16>) -> tensor<64x64xf32> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<64x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}

func.func @single(%q: tensor<64x64xf32>, %k: tensor<128x64xf32>, %v: tensor<128x64xf32>) -> tensor<64x64xf64> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<64x64xf32>, tensor<128x64xf32>, tensor<128x64xf32> -> tensor<64x64xf64>
  return %o : tensor<64x64xf64>
}

// Nor is what is computed of it, or of a sum that is rounded.
func.func @narrow_before(%q: tensor<64x64xbf16>, %k: tensor<128x64xbf16>, %v: tensor<128x64xbf16>) -> tensor<64x64xf32> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<64x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
  %three = arith.constant dense<3.0> : tensor<64x64xf32>
  %r = arith.mulf %o, %three : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

func.func @rounded_before(%a: tensor<64x128xbf16>, %b: tensor<64x128xbf16>) -> tensor<64xf64> {
  %s = arith.addf %a, %b : tensor<64x128xbf16>
  %w = arith.extf %s : tensor<64x128xbf16> to tensor<64x128xf64>
  %l = smx.logsumexp %w axis(1) : tensor<64x128xf64> -> tensor<64xf64>
  return %l : tensor<64xf64>
}

// Nor where the result has more digits than the weights, and not their range.
// RUN: softmax-run %s --entry=half --target=emulator --random=uniform --repeat=0 | FileCheck %s --check-prefix=F32
// RUN: softmax-run %s --entry=overflow --target=emulator --repeat=0 | FileCheck %s --check-prefix=F32
func.func @half(%q: tensor<2x64x64xbf16>, %k: tensor<2x128x64xbf16>, %v: tensor<2x128x64xbf16>) -> tensor<2x64x64xf16> {
  %o = smx.attention %q, %k, %v scale(0.125) : tensor<2x64x64xbf16>, tensor<2x128x64xbf16>, tensor<2x128x64xbf16> -> tensor<2x64x64xf16>
  return %o : tensor<2x64x64xf16>
}
func.func @overflow(%q: tensor<64x64xbf16>) -> tensor<64x64xf16> {
  %large = arith.constant dense<1.0e5> : tensor<64x64xbf16>
  %o = smx.attention %q, %q, %large scale(0.125) : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf16>
  return %o : tensor<64x64xf16>
}

// Scores that the function rounds are off before they are exponentiated, whatever adds up what comes of that.
// RUN: softmax-run %s --entry=rounded_scores --random=ramp --repeat=0 | FileCheck %s --check-prefix=F32
func.func @rounded_scores(%x: tensor<8x130xf64>) -> tensor<8x130xf64> {
  %s = arith.truncf %x : tensor<8x130xf64> to tensor<8x130xf32>
  %y = smx.softmax %s axis(1) : tensor<8x130xf32> -> tensor<8x130xf64>
  return %y : tensor<8x130xf64>
}

// In f64 the sums that scores are decide, and nothing more exact shows by how much.
// RUN: softmax-run %s --entry=sums --repeat=0 --random=normal,normal | FileCheck %s --check-prefix=F32
// RUN: softmax-run %s --entry=sums --repeat=0 --random=normal,normal --check=naive | FileCheck %s --check-prefix=NAIVE
// NAIVE: against naive: pass
func.func @sums(%q: tensor<64x96xf64>, %k: tensor<96x64xf64>) -> tensor<64x64xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<64x64xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<64x64xf64>) -> tensor<64x64xf64>
  %s = linalg.matmul ins(%q, %k : tensor<64x96xf64>, tensor<96x64xf64>) outs(%f : tensor<64x64xf64>) -> tensor<64x64xf64>
  %y = smx.softmax %s axis(1) : tensor<64x64xf64> -> tensor<64x64xf64>
  return %y : tensor<64x64xf64>
}

// Products of f32 on the matrix unit have 21 bits of each term: what is computed of them shows it, too.
// RUN: softmax-run %s --entry=of_products --target=emulator --wide-products=matrix-unit --tile-stream=3 --depth=1 --repeat=0 | FileCheck %s --check-prefix=F32
// RUN: softmax-run %s --entry=of_products --target=emulator --repeat=0 | FileCheck %s --check-prefix=F32
!t = tensor<2x3x17x24xf32>
func.func @of_products(%q: !t, %k: !t, %v: !t) -> !t {
  %a = smx.attention %q, %k, %v scale(0.2) : !t, !t, !t -> !t
  %s = smx.softmax %a axis(3) : !t -> !t
  return %s : !t
}
