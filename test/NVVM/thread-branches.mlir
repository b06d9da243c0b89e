// A path that hands over the answer goes where the answer leads.
// RUN: softmax-opt %s --pass-pipeline='builtin.module(llvm.func(smx-nvvm-thread-branches))' | FileCheck %s

// CHECK-LABEL: llvm.func @known
llvm.func @known(%expected: i1, %large: i1, %a: f32, %b: f32) -> f32 {
  %true = llvm.mlir.constant(true) : i1
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  // CHECK: cf.cond_br %{{.+}}, ^[[NOT_ASKED:.+]], ^[[ASKED:.+]]
  cf.cond_br %expected, ^bb1, ^bb2
^bb1:
  // CHECK: ^[[NOT_ASKED]]:
  // CHECK-NEXT: cf.br ^[[MOVE:[a-z0-9]+]]
  cf.br ^bb3(%true, %zero : i1, f32)
^bb2:
  // CHECK: ^[[ASKED]]:
  // CHECK: cf.br ^[[MEETING:[a-z0-9]+]](%{{.+}}, %{{.+}} : i1, f32)
  %p = llvm.fadd %a, %b : f32
  cf.br ^bb3(%large, %p : i1, f32)
  // CHECK: ^[[MEETING]](%[[Q:.+]]: i1, %{{.+}}: f32):
^bb3(%q: i1, %x: f32):
  cf.br ^bb4
^bb4:
  // CHECK: cf.cond_br %[[Q]], ^[[MOVE]], ^[[KEEP:.+]]
  cf.cond_br %q, ^bb5, ^bb6
^bb5:
  // CHECK: ^[[MOVE]]:
  %m = llvm.fmul %a, %b : f32
  cf.br ^bb7(%m : f32)
^bb6:
  // CHECK: ^[[KEEP]]:
  cf.br ^bb7(%x : f32)
^bb7(%y: f32):
  llvm.return %y : f32
}

// What the branch itself passes on is that of the path.
// CHECK-LABEL: llvm.func @passed
llvm.func @passed(%expected: i1, %large: i1, %a: f32, %b: f32) -> f32 {
  %false = llvm.mlir.constant(false) : i1
  cf.cond_br %expected, ^bb1, ^bb2
^bb1:
  // CHECK: cf.br ^[[RETURN:[a-z0-9]+]](%[[A:arg2]] : f32)
  cf.br ^bb3(%false, %a : i1, f32)
^bb2:
  // CHECK: cf.br ^[[MEETING:[a-z0-9]+]](%{{.+}}, %{{.+}} : i1, f32)
  cf.br ^bb3(%large, %b : i1, f32)
^bb3(%q: i1, %x: f32):
  // CHECK: ^[[MEETING]](%{{.+}}: i1, %[[X:.+]]: f32):
  // CHECK-NEXT: cf.cond_br %{{.+}}, ^{{.+}}, ^[[RETURN]](%[[X]] : f32)
  cf.cond_br %q, ^bb4, ^bb5(%x : f32)
^bb4:
  %m = llvm.fmul %a, %x : f32
  cf.br ^bb5(%m : f32)
^bb5(%y: f32):
  llvm.return %y : f32
}

// The block that the answer leads to reads what the other path computed, or would have to.
// CHECK-LABEL: llvm.func @needed
llvm.func @needed(%expected: i1, %large: i1, %a: f32, %b: f32) -> f32 {
  %true = llvm.mlir.constant(true) : i1
  cf.cond_br %expected, ^bb1, ^bb2
^bb1:
  // CHECK: %[[TRUE:.+]] = llvm.mlir.constant(true)
  // CHECK: cf.br ^[[MEETING:[a-z0-9]+]](%[[TRUE]], %{{.+}} : i1, f32)
  cf.br ^bb3(%true, %a : i1, f32)
^bb2:
  cf.br ^bb3(%large, %b : i1, f32)
^bb3(%q: i1, %x: f32):
  cf.cond_br %q, ^bb4, ^bb5
^bb4:
  %m = llvm.fmul %a, %x : f32
  llvm.return %m : f32
^bb5:
  llvm.return %x : f32
}

// The question has work to do before it.
// CHECK-LABEL: llvm.func @not_empty
llvm.func @not_empty(%expected: i1, %large: i1, %p: !llvm.ptr) {
  %true = llvm.mlir.constant(true) : i1
  cf.cond_br %expected, ^bb1, ^bb2
^bb1:
  // CHECK: cf.br ^[[MEETING:[a-z0-9]+]](%{{.+}} : i1)
  cf.br ^bb3(%true : i1)
^bb2:
  // CHECK: cf.br ^[[MEETING]](%{{.+}} : i1)
  cf.br ^bb3(%large : i1)
^bb3(%q: i1):
  // CHECK: llvm.store
  llvm.store %q, %p : i1, !llvm.ptr
  cf.cond_br %q, ^bb4, ^bb5
^bb4:
  llvm.return
^bb5:
  llvm.return
}

// What is handed over between the two blocks is known only there.
// CHECK-LABEL: llvm.func @hands_over
// CHECK: cf.br ^[[MEETING:[a-z0-9]+]](%{{.+}} : i1, i32)
// CHECK: cf.br ^[[MEETING]](%{{.+}} : i1, i32)
llvm.func @hands_over(%large: i1, %p: !llvm.ptr) {
  %true = llvm.mlir.constant(true) : i1
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  cf.cond_br %large, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%true, %one : i1, i32)
^bb2:
  cf.br ^bb3(%large, %two : i1, i32)
^bb3(%q: i1, %x: i32):
  cf.br ^bb4(%one : i32)
^bb4(%y: i32):
  cf.cond_br %q, ^bb5(%y : i32), ^bb6
^bb5(%z: i32):
  llvm.store %z, %p : i32, !llvm.ptr
  llvm.return
^bb6:
  llvm.return
}
