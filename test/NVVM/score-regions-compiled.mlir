// Scores that are changed, compiled for the asynchronous matrix unit and assembled: nothing serialised, spilled or on a stack.
// REQUIRES: ptxas, softmax-compile
// RUN: softmax-compile %s --target=cuda --emit=gpu --chip=sm_90a --alignment=16 -o %t.gpu && FileCheck %s < %t.gpu
// RUN: softmax-compile %t.gpu --from=gpu --emit=ptx --chip=sm_90a -o %t.ptx
// RUN: %assemble sm_90a %t.ptx

// CHECK-COUNT-9: smx_gpu.role @compute

!t = tensor<2x16x4096x128xbf16>
!rest = tensor<2x16x4000x128xbf16>
!narrow = tensor<2x16x4096x64xbf16>

func.func @slopes(%q: !t, %k: !t, %v: !t, %slopes: tensor<16xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<16xf32>
    %away = arith.subi %j, %i : index
    %n = arith.index_cast %away : index to i32
    %x = arith.sitofp %n : i32 to f32
    %bias = arith.mulf %slope, %x : f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

func.func @cap(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 50.0 : f32
    %x = arith.divf %s, %cap : f32
    %y = math.tanh %x fastmath<afn> : f32
    %t = arith.mulf %y, %cap : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

func.func @table(%q: !t, %k: !t, %v: !t, %table: tensor<16x8192xf32>) -> !t {
  %last = arith.constant 4095 : index
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %away = arith.subi %j, %i : index
    %place = arith.addi %away, %last : index
    %x = tensor.extract %table[%h, %place] : tensor<16x8192xf32>
    %bias = math.tanh %x fastmath<afn> : f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

func.func @bias(%q: !t, %k: !t, %v: !t, %biases: tensor<16x4096x4096xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %bias = tensor.extract %biases[%h, %i, %j] : tensor<16x4096x4096xf32>
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

func.func @bias_16(%q: !t, %k: !t, %v: !t, %biases: tensor<4096x4096xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %biases[%i, %j] : tensor<4096x4096xbf16>
    %bias = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

func.func @bias_causal(%q: !t, %k: !t, %v: !t, %biases: tensor<4096x4096xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %biases[%i, %j] : tensor<4096x4096xbf16>
    %bias = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

func.func @bias_wide_causal(%q: !t, %k: !t, %v: !t, %biases: tensor<4096x4096xf32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %bias = tensor.extract %biases[%i, %j] : tensor<4096x4096xf32>
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

func.func @bias_rest(%q: !rest, %k: !rest, %v: !rest, %biases: tensor<4000x4000xbf16>) -> !rest {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %biases[%i, %j] : tensor<4000x4000xbf16>
    %bias = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !rest, !rest, !rest -> !rest
  return %o : !rest
}

func.func @bias_narrow(%q: !narrow, %k: !narrow, %v: !narrow, %biases: tensor<4096x4096xbf16>) -> !narrow {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %biases[%i, %j] : tensor<4096x4096xbf16>
    %bias = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %bias : f32
    smx.yield %t : f32
  } : !narrow, !narrow, !narrow -> !narrow
  return %o : !narrow
}
