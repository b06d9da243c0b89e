// RUN: softmax-opt %s --smx-tabulate --remarks-filter=smx-tabulate 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=Passed < %t.remarks
// RUN: softmax-opt %s --smx-tabulate=reuse=8 | FileCheck %s --check-prefix=LESS

!q = tensor<8x256x64xbf16>
!k = tensor<8x512x64xbf16>

// A bias for each pair, for 8 heads: 8 times as many scores are too few.
// CHECK-LABEL: @pairs
// CHECK-NOT: linalg.generic
// REMARK: a table is not much smaller than the scores: {{.*}}elements=131072, scores=1048576
// LESS-LABEL: @pairs
// LESS: linalg.generic
func.func @pairs(%q: !q, %k: !k, %v: !k, %table: tensor<256x512xf32>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %x = tensor.extract %table[%i, %j] : tensor<256x512xf32>
    %y = math.tanh %x : f32
    %t = arith.addf %s, %y : f32
    smx.yield %t : f32
  } : !q, !k, !k -> !q
  return %o : !q
}

// A product and a conversion are cheaper than a kernel.
// CHECK-LABEL: @product
// CHECK-NOT: linalg.generic
func.func @product(%q: !q, %k: !k, %v: !k, %table: tensor<512xbf16>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %two = arith.constant 2.0 : f32
    %x = tensor.extract %table[%j] : tensor<512xbf16>
    %y = arith.extf %x : bf16 to f32
    %z = arith.mulf %y, %two : f32
    %a = math.absf %z : f32
    %t = arith.addf %s, %a : f32
    smx.yield %t : f32
  } : !q, !k, !k -> !q
  return %o : !q
}

// The score, another element and a position are not the same for all that read the element.
// CHECK-LABEL: @others
// CHECK-NOT: linalg.generic
func.func @others(%q: !q, %k: !k, %v: !k, %table: tensor<512xf32>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %x = tensor.extract %table[%j] : tensor<512xf32>
    %y = tensor.extract %table[%i] : tensor<512xf32>
    %scored = math.powf %x, %s : f32
    %both = math.atan2 %x, %y : f32
    %n = arith.index_cast %j : index to i32
    %place = arith.sitofp %n : i32 to f32
    %placed = arith.divf %y, %place : f32
    %sum = arith.addf %scored, %both : f32
    %t = arith.addf %sum, %placed : f32
    smx.yield %t : f32
  } : !q, !k, !k -> !q
  return %o : !q
}
