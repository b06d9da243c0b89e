// Squares of a strided axis are added one by one, whatever type they are of: a sum in f32 would be off by 240 ulp here.
// RUN: softmax-run %s --entry=f --repeat=0 --random=ramp | FileCheck %s
// RUN: softmax-run %s --entry=f --repeat=0 --random=normal --threads=1 | FileCheck %s
// RUN: softmax-run %s --entry=scaled_once --tile-stream=64 --repeat=0 --random=ramp | FileCheck %s
// CHECK: pass

func.func @f(%x: tensor<4096x7xbf16>) -> tensor<4096x7xf32> {
  %r = smx.rms_norm %x axis(0) epsilon(1.0e-5) : tensor<4096x7xbf16> -> tensor<4096x7xf32>
  return %r : tensor<4096x7xf32>
}

// Squares of f16 are numbers of f32: their sums are multiplied by the scale of all tiles.
func.func @scaled_once(%x: tensor<4096x7xf16>) -> tensor<4096x7xf32> {
  %r = smx.rms_norm %x axis(0) epsilon(1.0e-5) : tensor<4096x7xf16> -> tensor<4096x7xf32>
  return %r : tensor<4096x7xf32>
}
