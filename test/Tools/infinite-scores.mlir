// A score of -inf that is seen has the weight 0, by which an infinite value is NaN as IEEE has it, in a row of such scores alone, too.
// What a mask hides is selected away.
// RUN: softmax-run %s --entry=region --random=normal,normal,one_inf --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=region --random=normal,normal,one_nan --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=region --random=normal,normal,one_inf --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=region --random=normal,normal,one_inf --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=band --random=normal,normal,one_inf --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=band --random=normal,normal,one_nan --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=band --random=normal,normal,one_inf --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=band --random=normal,normal,one_inf --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=both --random=normal,normal,one_inf --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=both --random=normal,normal,one_nan --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=both --random=normal,normal,one_inf --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=both --random=normal,normal,one_inf --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=selected --random=normal,normal,one_inf --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=selected --random=normal,normal,one_inf --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass
!t = tensor<2x192x64xf16>
!r = tensor<2x192x64xf32>

func.func @region(%q: !t, %k: !t, %v: !t) -> !r {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %minusInfinity = arith.constant 0xFF800000 : f32
    %key = arith.remui %j, %c32 : index
    %isFar = arith.cmpi ult, %key, %c7 : index
    %isRow = arith.cmpi eq, %i, %c7 : index
    %either = arith.ori %isFar, %isRow : i1
    %t = arith.select %either, %minusInfinity, %s : f32
    smx.yield %t : f32
  } visible {
  ^bb0(%h: index, %i: index, %j: index):
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %sum = arith.muli %i, %c5 : index
    %place = arith.addi %sum, %j : index
    %key = arith.remui %place, %c32 : index
    %sees = arith.cmpi ule, %key, %c1 : index
    smx.yield %sees : i1
  } : !t, !t, !t -> !r
  return %o : !r
}

func.func @band(%q: !t, %k: !t, %v: !t) -> !r {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 8, right = 0>) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %minusInfinity = arith.constant 0xFF800000 : f32
    %key = arith.remui %j, %c32 : index
    %isFar = arith.cmpi ult, %key, %c7 : index
    %isRow = arith.cmpi eq, %i, %c7 : index
    %either = arith.ori %isFar, %isRow : i1
    %t = arith.select %either, %minusInfinity, %s : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !r
  return %o : !r
}

func.func @both(%q: !t, %k: !t, %v: !t) -> !r {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 80, right = 0>) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %minusInfinity = arith.constant 0xFF800000 : f32
    %key = arith.remui %j, %c32 : index
    %isFar = arith.cmpi ult, %key, %c7 : index
    %isRow = arith.cmpi eq, %i, %c7 : index
    %either = arith.ori %isFar, %isRow : i1
    %t = arith.select %either, %minusInfinity, %s : f32
    smx.yield %t : f32
  } visible {
  ^bb0(%h: index, %i: index, %j: index):
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %sum = arith.muli %i, %c5 : index
    %place = arith.addi %sum, %j : index
    %key = arith.remui %place, %c32 : index
    %sees = arith.cmpi ule, %key, %c1 : index
    smx.yield %sees : i1
  } : !t, !t, !t -> !r
  return %o : !r
}

// A select of -inf in a score region is no mask.
func.func @selected(%q: !t, %k: !t, %v: !t) -> !r {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 8, right = 0>) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %minusInfinity = arith.constant 0xFF800000 : f32
    %key = arith.remui %j, %c32 : index
    %isNear = arith.cmpi uge, %key, %c7 : index
    %t = arith.select %isNear, %s, %minusInfinity : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !r
  return %o : !r
}
