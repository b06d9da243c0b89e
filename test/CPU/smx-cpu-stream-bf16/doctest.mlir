// RUN: softmax-opt %s --smx-cpu-stream-bf16 | FileCheck %s

// CHECK-LABEL: llvm.func @streaming(
// CHECK-SAME:    %[[V:.+]]: vector<16xbf16>, %[[P:.+]]: !llvm.ptr)
// CHECK:         %[[BITS:.+]] = llvm.bitcast %[[V]] : vector<16xbf16> to vector<4xi64>
// CHECK:         llvm.inline_asm has_side_effects "vmovntdq $0, ($1)", "x,r,~{memory}" %[[BITS]], %[[P]]
// CHECK-NOT:     llvm.store
llvm.func @streaming(%v: vector<16xbf16>, %p: !llvm.ptr) {
  llvm.store %v, %p {alignment = 32 : i64, nontemporal} : vector<16xbf16>, !llvm.ptr
  llvm.return
}

// Other types the backend streams itself.
// CHECK-LABEL: llvm.func @f32(
// CHECK:         llvm.store
llvm.func @f32(%v: vector<16xf32>, %p: !llvm.ptr) {
  llvm.store %v, %p {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
  llvm.return
}
