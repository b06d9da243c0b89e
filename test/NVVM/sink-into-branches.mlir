// RUN: softmax-opt %s --pass-pipeline='builtin.module(llvm.func(smx-nvvm-sink-into-branches))' | FileCheck %s

// What only the storing thread needs is computed by it, for all of its stores in one branch.
// CHECK-LABEL: llvm.func @stores
// CHECK-NOT: math.exp
// CHECK: scf.if
// CHECK-NEXT: math.exp
// CHECK-NEXT: arith.divf
// CHECK-NEXT: llvm.store
// CHECK-NEXT: llvm.store
// CHECK-NEXT: }
// CHECK-NEXT: llvm.return
llvm.func @stores(%m: f32, %l: f32, %owner: i1, %a: !llvm.ptr<1>, %b: !llvm.ptr<1>) {
  %p = math.exp %m : f32
  scf.if %owner {
    llvm.store %p, %a : f32, !llvm.ptr<1>
  }
  %q = arith.divf %p, %l : f32
  scf.if %owner {
    llvm.store %q, %b : f32, !llvm.ptr<1>
  }
  llvm.return
}

// What is read between two branches may have been written in the first: they stay apart.
// CHECK-LABEL: llvm.func @reads
// CHECK-COUNT-2: scf.if
llvm.func @reads(%m: f32, %owner: i1, %a: !llvm.ptr<1>, %b: !llvm.ptr<1>) {
  scf.if %owner {
    llvm.store %m, %a : f32, !llvm.ptr<1>
  }
  %q = llvm.load %a : !llvm.ptr<1> -> f32
  scf.if %owner {
    llvm.store %q, %b : f32, !llvm.ptr<1>
  }
  llvm.return
}

// A value that is needed elsewhere stays where it is.
// CHECK-LABEL: llvm.func @shared
// CHECK: math.exp
// CHECK: scf.if
llvm.func @shared(%m: f32, %owner: i1, %a: !llvm.ptr<1>, %b: !llvm.ptr<1>) {
  %p = math.exp %m : f32
  scf.if %owner {
    llvm.store %p, %a : f32, !llvm.ptr<1>
  }
  llvm.store %p, %b : f32, !llvm.ptr<1>
  llvm.return
}

// What both sides of a branch use is computed in each of them; what may be a call before.
// CHECK-LABEL: llvm.func @sides
// CHECK-SAME: passthrough = ["smx-branch-sides"]
// CHECK: math.log
// CHECK-NOT: math.exp
// CHECK: scf.if
// CHECK: %[[THEN:.+]] = math.exp
// CHECK: llvm.store %[[THEN]]
// CHECK: } else {
// CHECK: %[[ELSE:.+]] = math.exp
// CHECK: llvm.store %[[ELSE]]
llvm.func @sides(%m: vector<4xf32>, %l: f64, %owner: i1, %a: !llvm.ptr<1>, %b: !llvm.ptr<1>) {
  %p = math.exp %m : vector<4xf32>
  %q = math.log %l : f64
  scf.if %owner {
    llvm.store %p, %a : vector<4xf32>, !llvm.ptr<1>
    llvm.store %q, %a : f64, !llvm.ptr<1>
  } else {
    llvm.store %p, %b : vector<4xf32>, !llvm.ptr<1>
    llvm.store %q, %b : f64, !llvm.ptr<1>
  } {smx.sides}
  llvm.return
}

// What is needed behind it, too, is computed once.
// CHECK-LABEL: llvm.func @sides_and_behind
// CHECK: math.exp
// CHECK: scf.if
// CHECK-NOT: math.exp
llvm.func @sides_and_behind(%m: vector<4xf32>, %owner: i1, %a: !llvm.ptr<1>, %b: !llvm.ptr<1>) {
  %p = math.exp %m : vector<4xf32>
  scf.if %owner {
    llvm.store %p, %a : vector<4xf32>, !llvm.ptr<1>
  } else {
    llvm.store %p, %b : vector<4xf32>, !llvm.ptr<1>
  } {smx.sides}
  llvm.store %p, %b : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}
