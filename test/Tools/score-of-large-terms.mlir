// A bias that is the difference of large numbers, exact in f32, is not taken apart: weights are those of the score.
// RUN: softmax-run %s --target=emulator --chip=sm_90a --blocks=1 --repeat=0 | FileCheck %s
// CHECK: against raised: pass

func.func @f(%q: tensor<1x192x64xf16>, %k: tensor<1x1024x64xf16>, %v: tensor<1x1024x64xf16>) -> tensor<1x192x64xf32> {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %c = arith.constant 10000 : index
    %c3 = arith.constant 3 : index
    %y = arith.muli %j, %c : index
    %r = arith.remui %j, %c3 : index
    %x = arith.addi %y, %r : index
    %xi = arith.index_cast %x : index to i32
    %yi = arith.index_cast %y : index to i32
    %xf = arith.sitofp %xi : i32 to f32
    %yf = arith.sitofp %yi : i32 to f32
    %bias = arith.subf %xf, %yf : f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : tensor<1x192x64xf16>, tensor<1x1024x64xf16>, tensor<1x1024x64xf16> -> tensor<1x192x64xf32>
  return %o : tensor<1x192x64xf32>
}
