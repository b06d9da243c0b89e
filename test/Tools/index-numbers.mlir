// Lengths, ranges, page tables and what regions read may be of index, which takes 64 bits in memory.
// RUN: softmax-run %s --entry=ranges --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=pages --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=regions --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=ranges --repeat=0 | FileCheck %s
// CHECK: against raised: pass

!t = tensor<1x200x32xbf16>
!i = tensor<1x200xindex>
func.func @ranges(%q: !t, %k: !t, %v: !t, %begins: !i, %ends: !i) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.key_ranges) reads(%begins, %ends : !i, !i) : !t, !t, !t -> !t
  return %o : !t
}

!q = tensor<2x4x40x16xbf16>
!k = tensor<2x4x64x16xbf16>
!p = tensor<8x16x4x16xbf16>
func.func @pages(%q: !q, %k: !p, %v: !p, %t: tensor<2x4xindex>, %n: tensor<2xindex>) -> !q {
  %a = smx.paged %k by(%t, %n : tensor<2x4xindex>, tensor<2xindex>) : !p -> !k
  %b = smx.paged %v by(%t, %n : tensor<2x4xindex>, tensor<2xindex>) : !p -> !k
  %o = smx.attention %q, %a, %b scale(0.125) mask(#smx.key_lengths) reads(%n : tensor<2xindex>) : !q, !k, !k -> !q
  return %o : !q
}

// A number for each row, and one for all of them.
func.func @regions(%q: !t, %k: !t, %v: !t, %ends: tensor<200xindex>, %least: tensor<index>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) visible {
  ^bb0(%b: index, %i: index, %j: index):
    %x = tensor.extract %ends[%i] : tensor<200xindex>
    %y = tensor.extract %least[] : tensor<index>
    %end = arith.maxsi %x, %y : index
    %is_seen = arith.cmpi sle, %j, %end : index
    smx.yield %is_seen : i1
  } : !t, !t, !t -> !t
  return %o : !t
}
