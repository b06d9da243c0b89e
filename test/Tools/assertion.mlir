// RUN: not --crash softmax-run %s --entry=sequential --check=none --repeat=0 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not --crash softmax-run %s --entry=parallel --check=none --repeat=0 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: not softmax-run %s --entry=parallel --repeat=0 2>&1 | FileCheck %s --check-prefix=SECOND

// An assertion that fails on the CPU says what and where, into a pipe, too, and from a loop on threads; the evaluator
// says the same.

// FIRST: assertion.mlir:[[#@LINE+8]]:3: 'cf.assert' fails: one row only
// FIRST-NOT: bug report
// SECOND: assertion.mlir:[[#@LINE+15]]:5: 'cf.assert' fails: key out of range
// SECOND-NOT: bug report
func.func @sequential(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ok = arith.cmpi eq, %c0, %c1 : index
  cf.assert %ok, "one row only"
  return %x : tensor<4xf32>
}

func.func @parallel(%q: tensor<1x1x4x16xf32>, %n: tensor<2xf32>) -> tensor<1x1x4x16xf32> {
  %c2 = arith.constant 2 : index
  %o = smx.attention %q, %q, %q scale(0.25) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %in = arith.cmpi ult, %j, %c2 : index
    cf.assert %in, "key out of range"
    %x = tensor.extract %n[%j] : tensor<2xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32> -> tensor<1x1x4x16xf32>
  return %o : tensor<1x1x4x16xf32>
}
