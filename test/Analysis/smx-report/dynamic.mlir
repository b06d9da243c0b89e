// RUN: softmax-opt %s -o /dev/null --smx-report | FileCheck %s --check-prefix=NONE
// RUN: softmax-opt %s -o /dev/null --smx-report=extents=100,9000 | FileCheck %s --check-prefix=NAIVE
// RUN: softmax-opt %s -o /dev/null --pass-pipeline='builtin.module(smx-online,func.func(smx-tile),canonicalize,cse,smx-report{extents=100,9000})' | FileCheck %s --check-prefix=TILED
// RUN: softmax-opt %s -o /dev/null --pass-pipeline='builtin.module(smx-online,func.func(smx-tile),canonicalize,cse,smx-report{json})' | FileCheck %s --check-prefix=JSON

// NONE:  @row naive not counted: tensors of dynamic extents
// NONE:  @column naive not counted: tensors of dynamic extents

// NAIVE: @row naive 1800000 400 0 2700000 900000
// NAIVE: @column naive 3600000 3600000

// Tails included: 9000 = 2 * 4096 + 808.
// TILED: @row tiled 1800000 400
// TILED: @column tiled 7200000 3600000

// JSON:      "function": "row",
// JSON-NEXT: "stage": "tiled",
// JSON-NEXT: "not_counted": [
// JSON-NEXT: "loops of dynamic bounds"
func.func @row(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %y = smx.logsumexp %x axis(1) : tensor<?x?xbf16> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @column(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = smx.softmax %x axis(0) : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
