// Weights of precise rows of 2048 scores and more may be off by 3 units in the last place, which leaves 22 bits.
// RUN: softmax-opt %s --smx-expand-state | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: @long
// CHECK: math.exp %{{.+}} fastmath<contract> {result_bits = 22 : i32} : f32
func.func @long(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x2048xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x2048xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: @shorter
// CHECK-NOT: result_bits
// CHECK: return
func.func @shorter(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x1024xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x1024xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<1xf32>, tensor<1xf32>
}

// Nobody knows how long.
// CHECK-LABEL: @open
// CHECK-NOT: result_bits
// CHECK: return
func.func @open(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x?xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x?xf32>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: @double
// CHECK-NOT: result_bits = 22
// CHECK: return
func.func @double(%m: tensor<1xf64>, %l: tensor<1xf64>, %x: tensor<1x2048xf64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf64>, tensor<1xf64>) with (%x : tensor<1x2048xf64>) maps [#row, #row, #all]
  return %s#0, %s#1 : tensor<1xf64>, tensor<1xf64>
}

// Of 16 bits, where nothing but a logarithm for each row is made of the state, e^d by one product will do.
// CHECK-LABEL: @logarithm
// CHECK: math.exp %{{.+}} fastmath<contract> {result_bits = 19 : i32} : f32
func.func @logarithm(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x64xbf16>) -> tensor<1xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x64xbf16>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %f = arith.extf %a : bf16 to f32
    linalg.yield %f : f32
  } -> tensor<1x64xf32>
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%w : tensor<1x64xf32>) maps [#row, #row, #all]
  %r = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<1xf32>, tensor<1xf32>) maps [#row, #row, #row] : tensor<1xf32>
  return %r : tensor<1xf32>
}

// CHECK-LABEL: @logarithm_of_wide
// CHECK: math.exp %{{.+}} fastmath<contract> {result_bits = 22 : i32} : f32
func.func @logarithm_of_wide(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x64xf32>) -> tensor<1xf32> {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x64xf32>) maps [#row, #row, #all]
  %r = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<1xf32>, tensor<1xf32>) maps [#row, #row, #row] : tensor<1xf32>
  return %r : tensor<1xf32>
}

// Of as many rows as there are: who asks for extents reads no sum.
// CHECK-LABEL: @logarithm_of_open_rows
// CHECK: math.exp %{{.+}} fastmath<contract> {result_bits = 22 : i32} : f32
func.func @logarithm_of_open_rows(%m: tensor<?xf32>, %l: tensor<?xf32>, %x: tensor<?x64xf32>) -> tensor<?xf32> {
  %s:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<?xf32>, tensor<?xf32>) with (%x : tensor<?x64xf32>) maps [#row, #row, #all]
  %r = smx.finish #smx.softmax<exp> "logsumexp" (%s#0, %s#1 : tensor<?xf32>, tensor<?xf32>) maps [#row, #row, #row] : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Probabilities beside the largest keys are no logarithms.
// CHECK-LABEL: @probabilities
// CHECK-NOT: result_bits
// CHECK: return
func.func @probabilities(%m: tensor<1xf32>, %l: tensor<1xf32>, %k: tensor<1xf64>, %x: tensor<1x64xf32>, %keys: tensor<1x64xf64>) -> tensor<1xf32> {
  %s:3 = smx.update #smx.topk<#smx.softmax<exp>, k = 1>(%m, %l, %k : tensor<1xf32>, tensor<1xf32>, tensor<1xf64>)
      with (%x, %keys : tensor<1x64xf32>, tensor<1x64xf64>) maps [#row, #row, #row, #all, #all]
  %r = smx.finish #smx.topk<#smx.softmax<exp>, k = 1> "probability_0" (%s#0, %s#1, %s#2 : tensor<1xf32>, tensor<1xf32>, tensor<1xf64>)
      maps [#row, #row, #row, #row] : tensor<1xf32>
  return %r : tensor<1xf32>
}

// A result of 16 bits does not see what one product is off by, if nothing wider is made of the state.
// CHECK-LABEL: @narrow_result
// CHECK: math.exp %{{.+}} fastmath<contract> {result_bits = 19 : i32} : f32
func.func @narrow_result(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x64xf32>) -> tensor<1x64xbf16> {
  %r = smx.finish #smx.softmax<exp> "softmax" (%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x64xf32>) maps [#row, #row, #all, #all] : tensor<1x64xbf16>
  return %r : tensor<1x64xbf16>
}

// CHECK-LABEL: @wide_beside_narrow
// CHECK-NOT: result_bits
// CHECK: return
func.func @wide_beside_narrow(%m: tensor<1xf32>, %l: tensor<1xf32>, %x: tensor<1x64xf32>) -> (tensor<1x64xbf16>, tensor<1xf32>) {
  %r = smx.finish #smx.softmax<exp> "softmax" (%m, %l : tensor<1xf32>, tensor<1xf32>) with (%x : tensor<1x64xf32>) maps [#row, #row, #all, #all] : tensor<1x64xbf16>
  %s = smx.finish #smx.softmax<exp> "logsumexp" (%m, %l : tensor<1xf32>, tensor<1xf32>) maps [#row, #row, #row] : tensor<1xf32>
  return %r, %s : tensor<1x64xbf16>, tensor<1xf32>
}

// So it is in a loop, whose state another tile joins.
// CHECK-LABEL: @logarithm_behind_a_loop
// CHECK: scf.for
// CHECK: math.exp %{{.+}} fastmath<contract> {result_bits = 19 : i32} : f32
// CHECK: scf.yield
// CHECK: math.exp %{{.+}} fastmath<contract> {result_bits = 19 : i32} : f32
// CHECK: return
func.func @logarithm_behind_a_loop(%x: tensor<1x512xbf16>, %y: tensor<1x64xbf16>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %e = tensor.empty() : tensor<1x64xf32>
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<1xf32>, tensor<1xf32>
  %s:2 = scf.for %j = %c0 to %c512 step %c64 iter_args(%m = %i#0, %l = %i#1) -> (tensor<1xf32>, tensor<1xf32>) {
    %t = tensor.extract_slice %x[0, %j] [1, 64] [1, 1] : tensor<1x512xbf16> to tensor<1x64xbf16>
    %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<1x64xbf16>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%a: bf16, %o: f32):
      %f = arith.extf %a : bf16 to f32
      linalg.yield %f : f32
    } -> tensor<1x64xf32>
    %n:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%w : tensor<1x64xf32>) maps [#row, #row, #all]
    scf.yield %n#0, %n#1 : tensor<1xf32>, tensor<1xf32>
  }
  %v = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<1x64xbf16>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %f = arith.extf %a : bf16 to f32
    linalg.yield %f : f32
  } -> tensor<1x64xf32>
  %b:2 = smx.update #smx.softmax<exp>(%s#0, %s#1 : tensor<1xf32>, tensor<1xf32>) with (%v : tensor<1x64xf32>) maps [#row, #row, #all]
  %r = smx.finish #smx.softmax<exp> "logsumexp" (%b#0, %b#1 : tensor<1xf32>, tensor<1xf32>) maps [#row, #row, #row] : tensor<1xf32>
  return %r : tensor<1xf32>
}

// Not where probabilities are made of it, too,
// CHECK-LABEL: @softmax_behind_a_loop
// CHECK: scf.for
// CHECK-NOT: result_bits
// CHECK: return
func.func @softmax_behind_a_loop(%x: tensor<1x512xbf16>, %y: tensor<1x64xbf16>) -> (tensor<1xf32>, tensor<1x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %e = tensor.empty() : tensor<1x64xf32>
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<1xf32>, tensor<1xf32>
  %s:2 = scf.for %j = %c0 to %c512 step %c64 iter_args(%m = %i#0, %l = %i#1) -> (tensor<1xf32>, tensor<1xf32>) {
    %t = tensor.extract_slice %x[0, %j] [1, 64] [1, 1] : tensor<1x512xbf16> to tensor<1x64xbf16>
    %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<1x64xbf16>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%a: bf16, %o: f32):
      %f = arith.extf %a : bf16 to f32
      linalg.yield %f : f32
    } -> tensor<1x64xf32>
    %n:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%w : tensor<1x64xf32>) maps [#row, #row, #all]
    scf.yield %n#0, %n#1 : tensor<1xf32>, tensor<1xf32>
  }
  %v = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<1x64xbf16>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %f = arith.extf %a : bf16 to f32
    linalg.yield %f : f32
  } -> tensor<1x64xf32>
  %b:2 = smx.update #smx.softmax<exp>(%s#0, %s#1 : tensor<1xf32>, tensor<1xf32>) with (%v : tensor<1x64xf32>) maps [#row, #row, #all]
  %r = smx.finish #smx.softmax<exp> "logsumexp" (%b#0, %b#1 : tensor<1xf32>, tensor<1xf32>) maps [#row, #row, #row] : tensor<1xf32>
  %p = smx.finish #smx.softmax<exp> "softmax" (%b#0, %b#1 : tensor<1xf32>, tensor<1xf32>) with (%v : tensor<1x64xf32>) maps [#row, #row, #all, #all] : tensor<1x64xf32>
  return %r, %p : tensor<1xf32>, tensor<1x64xf32>
}

// or where the sum itself goes elsewhere before the last tile.
// CHECK-LABEL: @sum_behind_a_loop
// CHECK: scf.for
// CHECK-NOT: result_bits
// CHECK: scf.yield
func.func @sum_behind_a_loop(%x: tensor<1x512xbf16>, %y: tensor<1x64xbf16>) -> (tensor<1xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %e = tensor.empty() : tensor<1x64xf32>
  %i:2 = smx.identity #smx.softmax<exp> -> tensor<1xf32>, tensor<1xf32>
  %s:2 = scf.for %j = %c0 to %c512 step %c64 iter_args(%m = %i#0, %l = %i#1) -> (tensor<1xf32>, tensor<1xf32>) {
    %t = tensor.extract_slice %x[0, %j] [1, 64] [1, 1] : tensor<1x512xbf16> to tensor<1x64xbf16>
    %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<1x64xbf16>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%a: bf16, %o: f32):
      %f = arith.extf %a : bf16 to f32
      linalg.yield %f : f32
    } -> tensor<1x64xf32>
    %n:2 = smx.update #smx.softmax<exp>(%m, %l : tensor<1xf32>, tensor<1xf32>) with (%w : tensor<1x64xf32>) maps [#row, #row, #all]
    scf.yield %n#0, %n#1 : tensor<1xf32>, tensor<1xf32>
  }
  %v = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<1x64xbf16>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %f = arith.extf %a : bf16 to f32
    linalg.yield %f : f32
  } -> tensor<1x64xf32>
  %b:2 = smx.update #smx.softmax<exp>(%s#0, %s#1 : tensor<1xf32>, tensor<1xf32>) with (%v : tensor<1x64xf32>) maps [#row, #row, #all]
  %r = smx.finish #smx.softmax<exp> "logsumexp" (%b#0, %b#1 : tensor<1xf32>, tensor<1xf32>) maps [#row, #row, #row] : tensor<1xf32>
  return %r, %s#1 : tensor<1xf32>, tensor<1xf32>
}
