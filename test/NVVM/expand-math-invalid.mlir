// RUN: softmax-opt %s --smx-nvvm-expand-math --verify-diagnostics

func.func @unknown(%x: f64) -> f64 {
  // expected-error @below {{'math.erf' op on 'f64' has neither an instruction nor an expansion for the GPU; f32 may have one}}
  %0 = math.erf %x : f64
  return %0 : f64
}
