// RUN: softmax-opt %s --smx-cpu-assertions --mlir-print-local-scope | FileCheck %s

// Every assertion has a text of its own, with the place in the source.

// CHECK-DAG: llvm.mlir.global internal constant @assertion_text("{{.*}}doctest.mlir:[[#@LINE+11]]:3: 'cf.assert' fails: index out of range\00")
// CHECK-DAG: llvm.mlir.global internal constant @assertion_text_0("{{.*}}'cf.assert' fails: too long\00")
// CHECK-LABEL: func.func @two(
// CHECK:         cf.cond_br %arg0, ^[[SECOND:.+]], ^[[FAILS:.+]]
// CHECK:       ^[[FAILS]]:
// CHECK:         %[[TEXT:.+]] = llvm.mlir.addressof @assertion_text : !llvm.ptr
// CHECK:         llvm.call @smx_assertion_failed(%[[TEXT]]) : (!llvm.ptr) -> ()
// CHECK:         llvm.unreachable
// CHECK:       ^[[SECOND]]:
// CHECK:         cf.cond_br %arg1,
func.func @two(%a: i1, %b: i1) {
  cf.assert %a, "index out of range"
  cf.assert %b, "too long"
  return
}
