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
