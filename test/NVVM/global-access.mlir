// Accesses to global memory are as wide as layout and alignment allow, and predicated where `valid` cuts.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
#fragment = #smx_gpu.fragment<warps = 1>
!view = memref<?x?xf32, strided<[?, 1], offset: ?>>

// CHECK-LABEL: llvm.func @whole
smx_gpu.kernel @whole(%x: !view) warps(1) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %{{.+}} : i32
  // CHECK: %[[A:.+]] = llvm.load %[[P:.+]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: %[[NEXT:.+]] = llvm.getelementptr %[[P]]
  // CHECK: llvm.load %[[NEXT]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK-NOT: llvm.load
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : !view -> tensor<1x256xf32, #row>
  // CHECK-COUNT-2: llvm.store {{.+}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<1x256xf32, #row>, !view
  // CHECK: llvm.return
  smx_gpu.return
}

// Nothing promised about the address: two pieces of 16 bytes that are aligned, shifted; the edge element by element.
// What is stored is made from the vectors of two lanes.
// CHECK-LABEL: llvm.func @unaligned
smx_gpu.kernel @unaligned(%x: !view) warps(1) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint
  // CHECK-COUNT-2: @$5 ld.global.v4.b32
  // CHECK: scf.if
  // CHECK-COUNT-4: @$2 ld.global.b32
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : !view -> tensor<1x128xf32, #row>
  // CHECK-COUNT-4: nvvm.shfl.sync up
  // CHECK: st.global.v4.b32
  // CHECK: scf.if
  // CHECK-COUNT-4: st.global.b32
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<1x128xf32, #row>, !view
  smx_gpu.return
}

// Whole vectors if the number of columns is a multiple of 4, else elements; zeros where nothing is read.
// CHECK-LABEL: llvm.func @ragged
// CHECK-SAME: %[[VALID:[a-z0-9]+]]: i64)
smx_gpu.kernel @ragged(%x: !view, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[REST:.+]] = llvm.and %{{.+}}, %{{.+}} : i32
  // CHECK: %[[WHOLE:.+]] = llvm.icmp "eq"
  // CHECK: %[[TILE:.+]] = scf.if %[[WHOLE]] -> (vector<4xf32>)
  // CHECK: llvm.inline_asm has_side_effects {{.+}}mov.b32 $0, 0;{{.+}}@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];
  // CHECK: } else {
  // CHECK-COUNT-4: @$2 ld.global.b32 $0, [$1];
  %t = smx_gpu.load %x[%c0, %c0] valid(%c1, %n) dims [0, 1] {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  // CHECK: scf.if
  // CHECK: "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"
  // CHECK: scf.if
  // CHECK-COUNT-4: "@$0 st.global.b32 [$1], $2;"
  smx_gpu.store %t, %x[%c0, %c0] valid(%c1, %n) dims [0, 1] {aligned = 16 : i64} : tensor<1x128xf32, #row>, !view
  smx_gpu.return
}

// A fragment holds pairs.
// CHECK-LABEL: llvm.func @pairs
smx_gpu.kernel @pairs(%x: memref<?x64xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  // CHECK-COUNT-4: llvm.load {{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : memref<?x64xbf16> -> tensor<16x16xbf16, #fragment>
  smx_gpu.return
}

// Limits that are those of the tile are none.
// CHECK-LABEL: llvm.func @unlimited
smx_gpu.kernel @unlimited(%x: memref<?x64xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  // CHECK-NOT: ld.global
  // CHECK-COUNT-4: llvm.load {{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
  // CHECK-NOT: ld.global
  // CHECK: llvm.return
  %t = smx_gpu.load %x[%c0, %c0] valid(%c16, %c16) dims [-1, 1] {aligned = 16 : i64} : memref<?x64xbf16> -> tensor<16x16xbf16, #fragment>
  smx_gpu.return
}

// Four lanes hold the value of a row; one of them writes it.
// CHECK-LABEL: llvm.func @one_writes
smx_gpu.kernel @one_writes(%x: memref<?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : tensor<16xf32, #smx_gpu.slice<1, #fragment>>
  // CHECK: %[[COLUMN:.+]] = llvm.mul
  // CHECK: %[[OWNER:.+]] = llvm.icmp "eq" %{{.+}}, %{{.+}} : i32
  // CHECK-COUNT-2: "@$0 st.global.b32 [$1], $2;", {{.+}} %[[OWNER]]
  smx_gpu.store %t, %x[%c0] dims [0] : tensor<16xf32, #smx_gpu.slice<1, #fragment>>, memref<?xf32>
  smx_gpu.return
}

// i1 is a byte of memory.
// CHECK-LABEL: llvm.func @bits
smx_gpu.kernel @bits(%x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[BYTE:.+]] = llvm.load {{.+}} -> vector<1xi8>
  // CHECK: llvm.trunc %[[BYTE]] : vector<1xi8> to vector<1xi1>
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xi1> -> tensor<1x32xi1, #smx_gpu.striped<rows = 1, columns = 32, vector = 1>>
  smx_gpu.return
}

#few = #smx_gpu.striped<rows = 1, columns = 128, vector = 1>

// Of four warps the first has all columns that are stored: the others are done.
// CHECK-LABEL: llvm.func @first_warp_stores
smx_gpu.kernel @first_warp_stores(%x: memref<?x128xf32>, %y: memref<?x5xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x128xf32> -> tensor<1x128xf32, #few>
  // CHECK: %[[IS_FIRST:.+]] = llvm.icmp "slt" %{{.+}}, %{{.+}} : i32
  // CHECK-NEXT: scf.if %[[IS_FIRST]]
  // CHECK: "@$0 st.global.b32 [$1], $2;"
  // CHECK: llvm.return
  smx_gpu.store %t, %y[%c0, %c0] valid(%c1, %c5) dims [-1, 1] : tensor<1x128xf32, #few>, memref<?x5xf32>
  smx_gpu.return
}

// All four warps have some.
// CHECK-LABEL: llvm.func @all_warps_store
smx_gpu.kernel @all_warps_store(%x: memref<?x128xf32>, %y: memref<?x100xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x128xf32> -> tensor<1x128xf32, #few>
  // CHECK-NOT: scf.if
  // CHECK: "@$0 st.global.b32 [$1], $2;"
  // CHECK: llvm.return
  smx_gpu.store %t, %y[%c0, %c0] valid(%c1, %c100) dims [-1, 1] : tensor<1x128xf32, #few>, memref<?x100xf32>
  smx_gpu.return
}

// What caches are told: policies of both for what is read again and for the last time, and neither for other loads. One policy is made for
// all accesses that have it (by LLVM), and no reading is taken for another one.
// CHECK-LABEL: llvm.func @readings
smx_gpu.kernel @readings(%x: !view, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[LAST:.+]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"{\0A\09ld.global.L1::evict_last.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;\0A\09}", "=r,=r,=r,=r,l,l" %{{.+}}, %[[LAST]]
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] reading(first) {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  // CHECK: %[[FIRST:.+]] = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
  // CHECK: ld.global.L1::evict_first.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;{{.*}} %{{.+}}, %[[FIRST]]
  %u = smx_gpu.load %x[%c0, %c0] dims [0, 1] reading(last) {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  // CHECK-NOT: createpolicy
  // CHECK: llvm.load
  %v = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  // CHECK: createpolicy.fractional.L2::evict_first
  // CHECK: mov.b32 $3, 0;{{.*}}@$5 ld.global.L1::evict_first.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $6;{{.*}}"=&r,=&r,=&r,=&r,l,b,l"
  %w = smx_gpu.load %x[%c0, %c0] valid(%c1, %n) dims [0, 1] reading(last) {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  %a = arith.addf %t, %u : tensor<1x128xf32, #row>
  %b = arith.addf %v, %w : tensor<1x128xf32, #row>
  %c = arith.addf %a, %b : tensor<1x128xf32, #row>
  // Of a row that starts anywhere two threads read a piece.
  // CHECK: llvm.ptrtoint
  // CHECK-NOT: L1::
  %s = smx_gpu.load %x[%c0, %c0] dims [0, 1] reading(last) : !view -> tensor<1x128xf32, #row>
  %d = arith.addf %c, %s : tensor<1x128xf32, #row>
  smx_gpu.store %d, %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<1x128xf32, #row>, !view
  smx_gpu.return
}
