// What scores read beside products takes the room of keys, in the registers of warps that hold 32 rows.
// RUN: softmax-opt %s --smx-online --smx-tile='blocks shared-bytes=232448' --remarks-filter=smx-tile -o /dev/null 2>&1 | FileCheck %s

!q = tensor<2x4096x128xbf16>
!pairs = tensor<4096x4096xbf16>
!table = tensor<8191xbf16>
!wide = tensor<8191xf32>

func.func @pairs(%q: !q, %k: !q, %v: !q, %bias: !pairs) -> !q {
  // CHECK: portable-terms.mlir:[[@LINE+1]]:{{.*}}rows=128, stream=48
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%i, %j] : !pairs
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !q, !q, !q -> !q
  return %o : !q
}

// Two edges.
func.func @pairs_of_window(%q: !q, %k: !q, %v: !q, %bias: !pairs) -> !q {
  // CHECK: portable-terms.mlir:[[@LINE+1]]:{{.*}}rows=128, stream=32
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1000, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%i, %j] : !pairs
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !q, !q, !q -> !q
  return %o : !q
}

// An address for each score.
func.func @causal_table(%q: !q, %k: !q, %v: !q, %bias: !table) -> !q {
  // CHECK: portable-terms.mlir:[[@LINE+1]]:{{.*}}rows=128, stream=32
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %most = arith.constant 4095 : index
    %apart = arith.subi %j, %i : index
    %distance = arith.addi %apart, %most : index
    %x = tensor.extract %bias[%distance] : !table
    %e = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %e : f32
    smx.yield %t : f32
  } : !q, !q, !q -> !q
  return %o : !q
}

func.func @wide_table_of_window(%q: !q, %k: !q, %v: !q, %bias: !wide) -> !q {
  // CHECK: portable-terms.mlir:[[@LINE+1]]:{{.*}}rows=128, stream=16
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 1000, right = 0>) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %most = arith.constant 4095 : index
    %apart = arith.subi %j, %i : index
    %distance = arith.addi %apart, %most : index
    %x = tensor.extract %bias[%distance] : !wide
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !q, !q, !q -> !q
  return %o : !q
}

// One number for all scores has no last index, and one of index no bits.
func.func @scalars(%q: !q, %k: !q, %v: !q, %bias: tensor<f32>, %first: tensor<index>, %ends: tensor<4096xindex>) -> !q {
  // CHECK: portable-terms.mlir:[[@LINE+1]]:{{.*}}rows=128, stream=
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[] : tensor<f32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } visible {
  ^bb0(%b: index, %i: index, %j: index):
    %x = tensor.extract %first[] : tensor<index>
    %y = tensor.extract %ends[%i] : tensor<4096xindex>
    %begins = arith.cmpi sge, %j, %x : index
    %ends_later = arith.cmpi slt, %j, %y : index
    %is_seen = arith.andi %begins, %ends_later : i1
    smx.yield %is_seen : i1
  } : !q, !q, !q -> !q
  return %o : !q
}
