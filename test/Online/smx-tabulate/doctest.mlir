// RUN: softmax-opt %s --smx-tabulate | FileCheck %s
// RUN: softmax-opt %s --smx-tabulate --remarks-filter=smx-tabulate -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!q = tensor<8x256x64xbf16>
!k = tensor<8x512x64xbf16>

// REMARK: [Passed] Tabulate | Category:smx-tabulate | Remark="a function of an element is computed in front of attention: ", elements=4096, scores=1048576

// CHECK-LABEL: @bounded
// CHECK-SAME: %[[TABLE:[^:]+]]: tensor<8x512xf32>
// CHECK: %[[EMPTY:.+]] = tensor.empty() : tensor<8x512xf32>
// CHECK: %[[F:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[TABLE]] : tensor<8x512xf32>) outs(%[[EMPTY]] : tensor<8x512xf32>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: %[[Y:.+]] = math.tanh %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[Y]]
// CHECK: smx.attention
// CHECK-NEXT: ^bb0(%[[S:.+]]: f32, %[[H:.+]]: index, %{{.+}}: index, %[[J:.+]]: index):
// CHECK-NEXT: %[[READ:.+]] = tensor.extract %[[F]][%[[H]], %[[J]]] : tensor<8x512xf32>
// CHECK-NEXT: %[[T:.+]] = arith.addf %[[S]], %[[READ]] : f32
// CHECK-NEXT: smx.yield %[[T]]
func.func @bounded(%q: !q, %k: !k, %v: !k, %table: tensor<8x512xf32>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %x = tensor.extract %table[%h, %j] : tensor<8x512xf32>
    %y = math.tanh %x : f32
    %t = arith.addf %s, %y : f32
    smx.yield %t : f32
  } : !q, !k, !k -> !q
  return %o : !q
}

// Constants and what is computed in front may take part, and the result has its own type: of the extents that
// are not known one is the table's.
// CHECK-LABEL: @scaled
// CHECK-SAME: %[[TABLE:[^ ,]+]]: tensor<?xbf16>, %[[CAP:[^:]+]]: f32
// CHECK: %[[N:.+]] = tensor.dim %[[TABLE]], %{{.+}} : tensor<?xbf16>
// CHECK: tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[TABLE]] : tensor<?xbf16>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: bf16, %{{.+}}: f32):
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[X]]
// CHECK-NEXT: %[[SHARE:.+]] = arith.divf %[[WIDE]], %[[CAP]]
// CHECK-NEXT: %[[TWO:.+]] = arith.constant 2.0
// CHECK-NEXT: %[[TWICE:.+]] = arith.mulf %[[SHARE]], %[[TWO]]
// CHECK-NEXT: linalg.yield %[[TWICE]]
// CHECK: smx.attention
// CHECK-NOT: arith.divf
// CHECK: return
func.func @scaled(%q: tensor<?x256x64xbf16>, %k: tensor<?x?x64xbf16>, %v: tensor<?x?x64xbf16>, %table: tensor<?xbf16>, %cap: f32) -> tensor<?x256x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %two = arith.constant 2.0 : f32
    %x = tensor.extract %table[%j] : tensor<?xbf16>
    %wide = arith.extf %x : bf16 to f32
    %share = arith.divf %wide, %cap : f32
    %twice = arith.mulf %share, %two : f32
    %t = arith.addf %s, %twice : f32
    smx.yield %t : f32
  } : tensor<?x256x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16> -> tensor<?x256x64xbf16>
  return %o : tensor<?x256x64xbf16>
}

// Two functions of one element are two tables; one that only the other needs is part of it. A condition is no
// table, but what it compares is.
// CHECK-LABEL: @two
// CHECK: %[[A:.+]] = linalg.generic
// CHECK: math.exp
// CHECK-NOT: math.sqrt
// CHECK: linalg.yield
// CHECK: %[[B:.+]] = linalg.generic
// CHECK: math.exp
// CHECK: math.sqrt
// CHECK: linalg.yield
// CHECK: smx.attention
// CHECK-DAG: tensor.extract %[[A]]
// CHECK-DAG: tensor.extract %[[B]]
// CHECK-NOT: math
// CHECK: } visible {
// CHECK: %[[E:.+]] = tensor.extract %{{.+}}[%{{.+}}] : tensor<512xf32>
// CHECK-NOT: math
// CHECK: arith.cmpf ogt, %[[E]]
func.func @two(%q: !q, %k: !k, %v: !k, %table: tensor<512xf32>) -> !q {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %h: index, %i: index, %j: index):
    %x = tensor.extract %table[%j] : tensor<512xf32>
    %a = math.exp %x : f32
    %less = arith.negf %a : f32
    %b = math.sqrt %less : f32
    %p = arith.mulf %s, %a : f32
    %t = arith.addf %p, %b : f32
    smx.yield %t : f32
  } visible {
  ^bb0(%h: index, %i: index, %j: index):
    %half = arith.constant 0.5 : f32
    %x = tensor.extract %table[%j] : tensor<512xf32>
    %a = math.sin %x : f32
    %seen = arith.cmpf ogt, %a, %half : f32
    smx.yield %seen : i1
  } : !q, !k, !k -> !q
  return %o : !q
}
