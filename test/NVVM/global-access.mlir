// Accesses to global memory are as wide as layout and alignment allow, and predicated where `valid` cuts.
// RUN: softmax-opt %s --smx-gpu-to-nvvm --cse | FileCheck %s

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
#fragment = #smx_gpu.fragment<warps = 1>
!view = memref<?x?xf32, strided<[?, 1], offset: ?>>

// CHECK-LABEL: llvm.func @whole
smx_gpu.kernel @whole(%x: !view) warps(1) {
  %c0 = arith.constant 0 : index
  // A thread starts at 4 times its lane, and addresses take signed indices.
  // CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %{{.+}} : i32
  // CHECK: %[[WARP:.+]] = llvm.lshr %{{.+}}, %{{.+}} : i32
  // CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[COLUMN:.+]] = llvm.mul %[[LANE]], %[[FOUR]] overflow<nsw> : i32
  // CHECK: %[[ROW:.+]] = llvm.sext %[[WARP]] : i32 to i64
  // CHECK: %[[OF_ROW:.+]] = llvm.mul %[[ROW]], %{{.+}} : i64
  // CHECK: %[[R:.+]] = llvm.getelementptr %{{.+}}[%[[OF_ROW]]]
  // CHECK: %[[WIDE:.+]] = llvm.sext %[[COLUMN]] : i32 to i64
  // CHECK: %[[OF_COLUMN:.+]] = llvm.mul %[[WIDE]], %{{.+}} : i64
  // CHECK: %[[P:.+]] = llvm.getelementptr %[[R]][%[[OF_COLUMN]]]
  // CHECK: %[[A:.+]] = llvm.load %[[P]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
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
  // The row starts so many bytes behind a multiple of 16, and pieces lie so many before the thread's elements.
  // CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint %[[START:.+]] : !llvm.ptr<1> to i64
  // CHECK: %[[WORD:.+]] = llvm.trunc %[[ADDRESS]]
  // CHECK: %[[FIFTEEN:.+]] = llvm.mlir.constant(15 : i32)
  // CHECK: %[[SHIFT:.+]] = llvm.and %[[WORD]], %[[FIFTEEN]] : i32
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[IS_SHIFTED:.+]] = llvm.icmp "ne" %[[SHIFT]], %[[ZERO]]
  // CHECK: %[[BYTES:.+]] = llvm.mul %{{.+}}, %{{.+}} overflow<nsw> : i32
  // CHECK: %[[END:.+]] = llvm.add %[[BYTES]], %[[SHIFT]]
  // CHECK: %[[SIXTEEN:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[BEFORE:.+]] = llvm.mul %{{.+}}, %[[SIXTEEN]]
  // CHECK: %[[ELEMENT:.+]] = llvm.getelementptr %[[START]][%[[BEFORE]]]
  // CHECK: %[[BACK:.+]] = llvm.sub %[[ZERO]], %[[SHIFT]] : i32
  // CHECK: %[[PIECE:.+]] = llvm.getelementptr %[[ELEMENT]][%[[BACK]]]
  // Both pieces end within the row; where the row is not shifted, there is one.
  // CHECK: %[[TWO:.+]] = llvm.icmp "sle" %{{.+}}, %[[END]]
  // CHECK: %[[ONE:.+]] = llvm.icmp "sle" %{{.+}}, %[[END]]
  // CHECK: %[[WHOLE:.+]] = llvm.select %[[IS_SHIFTED]], %[[TWO]], %[[ONE]] : i1, i1
  // CHECK: @$5 ld.global.v4.b32{{.*}} %[[PIECE]], %[[WHOLE]] :
  // The words of the row are those from 8 and 4 bytes on, by the bits of the shift.
  // CHECK: %[[EIGHT:.+]] = llvm.mlir.constant(8 : i32)
  // CHECK: %[[BIT8:.+]] = llvm.and %[[SHIFT]], %[[EIGHT]]
  // CHECK: %[[IS8:.+]] = llvm.icmp "ne" %[[BIT8]], %[[ZERO]]
  // CHECK: %[[BIT4:.+]] = llvm.and %[[SHIFT]], %{{.+}}
  // CHECK: %[[IS4:.+]] = llvm.icmp "ne" %[[BIT4]], %[[ZERO]]
  // CHECK: %[[W0:.+]] = llvm.extractelement %[[LOW:.+]][%[[ZERO]] : i32] : vector<4xi32>
  // CHECK: %[[W1:.+]] = llvm.extractelement %[[LOW]]
  // CHECK: %[[W2:.+]] = llvm.extractelement %[[LOW]]
  // CHECK: %[[W3:.+]] = llvm.extractelement %[[LOW]]
  // CHECK: %[[NEXT:.+]] = llvm.getelementptr %[[PIECE]][16]
  // CHECK: %[[HAS_NEXT:.+]] = llvm.and %[[WHOLE]], %[[IS_SHIFTED]] : i1
  // CHECK: @$5 ld.global.v4.b32{{.*}} %[[NEXT]], %[[HAS_NEXT]] :
  // CHECK: %[[BY8:.+]] = llvm.select %[[IS8]], %[[W2]], %[[W0]] : i1, i32
  // CHECK: %[[ONE_BY8:.+]] = llvm.select %[[IS8]], %[[W3]], %[[W1]] : i1, i32
  // CHECK: llvm.select %[[IS4]], %[[ONE_BY8]], %[[BY8]] : i1, i32
  // Where a piece is not whole and the first element is one of the row.
  // CHECK: %[[HAS_FIRST:.+]] = llvm.icmp "sle" %{{.+}}, %[[BYTES]]
  // CHECK: %[[TRUE:.+]] = llvm.mlir.constant(true)
  // CHECK: %[[CUT:.+]] = llvm.xor %[[WHOLE]], %[[TRUE]] : i1
  // CHECK: %[[IS_EDGE:.+]] = llvm.and %[[HAS_FIRST]], %[[CUT]] : i1
  // CHECK: scf.if %[[IS_EDGE]]
  // CHECK: @$2 ld.global.b32{{.*}} %[[ELEMENT]], %[[HAS_FIRST]] :
  // CHECK-COUNT-3: @$2 ld.global.b32
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : !view -> tensor<1x128xf32, #row>
  // A piece starts 16 - shift bytes into what the lane before and this one have.
  // CHECK: %[[MOVED:.+]] = llvm.icmp "ne" %[[BY:.+]], %[[ZERO]]
  // CHECK: %[[REST:.+]] = llvm.sub %[[SIXTEEN]], %[[BY]] : i32
  // CHECK: llvm.and %[[REST]], %[[EIGHT]]
  // The first lane has no lane before it, and the last one none behind.
  // CHECK: %[[LAST:.+]] = llvm.mlir.constant(31 : i32)
  // CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %[[LAST]] : i32
  // CHECK: %[[LANE0:.+]] = llvm.icmp "eq" %[[LANE]], %[[ZERO]]
  // CHECK: %[[IS_FIRST:.+]] = llvm.and %[[MOVED]], %[[LANE0]] : i1
  // CHECK: %[[IS_LAST:.+]] = llvm.icmp "eq" %[[LANE]], %[[LAST]]
  // CHECK: %[[OWN:.+]] = llvm.extractelement
  // CHECK-COUNT-4: nvvm.shfl.sync up
  // CHECK: %[[WORD0:.+]] = llvm.select %[[MOVED]], %{{.+}}, %[[OWN]] : i1, i32
  // CHECK: %[[NOT_FIRST:.+]] = llvm.xor %[[IS_FIRST]], %[[TRUE]]
  // CHECK: %[[STORED:.+]] = llvm.and %{{.+}}, %[[NOT_FIRST]]
  // CHECK: %[[NOT_LAST:.+]] = llvm.xor %[[IS_LAST]], %[[TRUE]]
  // CHECK: %[[NEXT_STORED:.+]] = llvm.and %{{.+}}, %[[NOT_LAST]]
  // CHECK: llvm.insertelement %[[WORD0]],
  // CHECK: st.global.v4.b32{{.*}} %[[STORED]],
  // What neither piece has is stored element by element.
  // CHECK: %[[LEFT:.+]] = llvm.xor %[[STORED]], %[[TRUE]]
  // CHECK: %[[LEFT_OF_NEXT:.+]] = llvm.xor %[[NEXT_STORED]], %[[TRUE]]
  // CHECK: scf.if
  // CHECK: %[[OF_PIECE:.+]] = llvm.icmp "slt" %[[ZERO]], %[[REST]]
  // CHECK: %[[IS_LEFT:.+]] = llvm.select %[[OF_PIECE]], %[[LEFT]], %[[LEFT_OF_NEXT]] : i1, i1
  // CHECK: %[[STORES:.+]] = llvm.and %[[IS_LEFT]], %[[HAS_FIRST]]
  // CHECK: st.global.b32{{.*}} %[[STORES]],
  // CHECK-COUNT-3: st.global.b32
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<1x128xf32, #row>, !view
  smx_gpu.return
}

// Whole vectors if the number of columns is a multiple of 4; else the one that it cuts element by element. Zeros where nothing is read.
// CHECK-LABEL: llvm.func @ragged
// CHECK-SAME: %[[VALID:[a-z0-9]+]]: i64)
smx_gpu.kernel @ragged(%x: !view, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // The limit: n, but not below 0, and not above the 128 columns of the tile.
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i64)
  // CHECK: %[[LEAST:.+]] = llvm.intr.smax(%[[VALID]], %[[ZERO]])
  // CHECK: %[[EXTENT:.+]] = llvm.mlir.constant(128 : i64)
  // CHECK: %[[MOST:.+]] = llvm.intr.smin(%[[LEAST]], %[[EXTENT]])
  // CHECK: %[[LIMIT:.+]] = llvm.trunc %[[MOST]] : i64 to i32
  // What is valid from the thread's first column on.
  // CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %{{.+}} : i32
  // CHECK: %[[COLUMN:.+]] = llvm.mul %[[LANE]], %{{.+}} overflow<nsw> : i32
  // CHECK: llvm.sext %[[COLUMN]] : i32 to i64
  // CHECK: %[[P:.+]] = llvm.getelementptr
  // CHECK: %[[LEFT:.+]] = llvm.sub %[[LIMIT]], %[[COLUMN]] overflow<nsw> : i32
  // CHECK: %[[THREE:.+]] = llvm.mlir.constant(3 : i32)
  // CHECK: %[[REST:.+]] = llvm.and %[[LIMIT]], %[[THREE]] : i32
  // CHECK: %[[NONE:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[WHOLE:.+]] = llvm.icmp "eq" %[[REST]], %[[NONE]]
  // CHECK: %[[TILE:.+]] = scf.if %[[WHOLE]] -> (vector<4xf32>)
  // CHECK: %[[HAS0:.+]] = llvm.icmp "slt" %[[NONE]], %[[LEFT]]
  // CHECK: llvm.inline_asm has_side_effects {{.+}}mov.b32 $0, 0;{{.+}}@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];{{.*}} %[[P]], %[[HAS0]] :
  // CHECK: } else {
  // CHECK: %[[HAS3:.+]] = llvm.icmp "slt" %[[THREE]], %[[LEFT]]
  // CHECK: @$5 ld.global.v4.b32 {{.*}} %[[P]], %[[HAS3]] :
  // CHECK: %[[HAS0:.+]] = llvm.icmp "slt" %[[NONE]], %[[LEFT]]
  // CHECK: %[[CUT:.+]] = llvm.and %[[HAS0]], %{{.+}}
  // CHECK: scf.if %[[CUT]]
  // CHECK: @$2 ld.global.b32 $0, [$1];{{.*}} %[[P]], %[[HAS0]] :
  // CHECK-COUNT-2: @$2 ld.global.b32 $0, [$1];
  // CHECK: @$2 ld.global.b32 $0, [$1];{{.*}}, %[[HAS3]] :
  %t = smx_gpu.load %x[%c0, %c0] valid(%c1, %n) dims [0, 1] {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  // CHECK: scf.if %[[WHOLE]]
  // CHECK: %[[HAS0:.+]] = llvm.icmp "slt" %[[NONE]], %[[LEFT]]
  // CHECK: "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"{{.*}} %[[HAS0]],
  // CHECK: %[[CUT:.+]] = llvm.xor %[[WHOLE]], %{{.+}} : i1
  // CHECK: scf.if %[[CUT]]
  // CHECK: %[[HAS3:.+]] = llvm.icmp "slt" %[[THREE]], %[[LEFT]]
  // CHECK: "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"{{.*}} %[[HAS3]],
  // CHECK-COUNT-3: "@$0 st.global.b32 [$1], $2;"
  // CHECK: "@$0 st.global.b32 [$1], $2;"{{.*}} %[[HAS3]],
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
  // CHECK: %[[THREE:.+]] = llvm.mlir.constant(3 : i32)
  // CHECK: %[[OF_FOUR:.+]] = llvm.and %{{.+}}, %[[THREE]] : i32
  // CHECK: %[[COLUMN:.+]] = llvm.mul %[[OF_FOUR]],
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[OWNER:.+]] = llvm.icmp "eq" %[[COLUMN]], %[[ZERO]] : i32
  // CHECK-COUNT-2: "@$0 st.global.b32 [$1], $2;", {{.+}} %[[OWNER]]
  smx_gpu.store %t, %x[%c0] dims [0] : tensor<16xf32, #smx_gpu.slice<1, #fragment>>, memref<?xf32>
  smx_gpu.return
}

// i1 is a byte of memory.
// CHECK-LABEL: llvm.func @bits
smx_gpu.kernel @bits(%x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[BYTE:.+]] = llvm.load {{.+}} -> vector<1xi8>
  // CHECK: %[[BIT:.+]] = llvm.trunc %[[BYTE]] : vector<1xi8> to vector<1xi1>
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xi1> -> tensor<1x32xi1, #smx_gpu.striped<rows = 1, columns = 32, vector = 1>>
  // CHECK: %[[STORED:.+]] = llvm.zext %[[BIT]] : vector<1xi1> to vector<1xi8>
  // CHECK: llvm.store %[[STORED]],
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<1x32xi1, #smx_gpu.striped<rows = 1, columns = 32, vector = 1>>, memref<?x?xi1>
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
  // CHECK: %[[MASK:.+]] = llvm.mlir.constant(127 : i32)
  // CHECK: %[[THREAD:.+]] = llvm.and %{{.+}}, %[[MASK]] : i32
  // CHECK: %[[LEFT:.+]] = llvm.sub %{{.+}}, %{{.+}} overflow<nsw> : i32
  // CHECK: %[[LANES:.+]] = llvm.mlir.constant(32 : i32)
  // CHECK: %[[IS_FIRST:.+]] = llvm.icmp "slt" %[[THREAD]], %[[LANES]] : i32
  // CHECK-NEXT: scf.if %[[IS_FIRST]]
  // CHECK: %[[IS_VALID:.+]] = llvm.icmp "slt" %{{.+}}, %[[LEFT]] : i32
  // CHECK: "@$0 st.global.b32 [$1], $2;"{{.*}} %[[IS_VALID]],
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

// What is to outlast results says so to the L2 cache alone; one policy is left for all.
// CHECK-LABEL: llvm.func @lasting
smx_gpu.kernel @lasting(%x: !view, %n: index) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[LAST:.+]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"{\0A\09ld.global.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;\0A\09}", "=r,=r,=r,=r,l,l" %{{.+}}, %[[LAST]]
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] lasting {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  // CHECK-NOT: createpolicy
  // CHECK: llvm.load
  %v = smx_gpu.load %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  // CHECK: mov.b32 $3, 0;{{.*}}@$5 ld.global.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $6;{{.*}}"=&r,=&r,=&r,=&r,l,b,l" %{{.+}}, %{{.+}}, %[[LAST]] :
  %w = smx_gpu.load %x[%c0, %c0] valid(%c1, %n) dims [0, 1] lasting {aligned = 16 : i64} : !view -> tensor<1x128xf32, #row>
  %s = smx_gpu.alloc : <1x128xf32, swizzle = 0>
  // CHECK: "prefetch.global.L2::evict_last [$0];", "l" %[[FROM:.+]] :
  // CHECK-NEXT: nvvm.cp.async.shared.global %{{.+}}, %[[FROM]], 16
  smx_gpu.copy %x[%c0, %c0] to %s dims [0, 1] lasting {aligned = 16 : i64} : !view, <1x128xf32, swizzle = 0>
  // Of what may not be valid nothing is asked for.
  // CHECK-NOT: prefetch
  // CHECK: nvvm.cp.async.shared.global
  smx_gpu.copy %x[%c0, %c0] valid(%c1, %n) to %s dims [0, 1] lasting {aligned = 16 : i64} : !view, <1x128xf32, swizzle = 0>
  %u = smx_gpu.read %s : <1x128xf32, swizzle = 0> -> tensor<1x128xf32, #row>
  %a = arith.addf %t, %u : tensor<1x128xf32, #row>
  %b = arith.addf %v, %w : tensor<1x128xf32, #row>
  %c = arith.addf %a, %b : tensor<1x128xf32, #row>
  smx_gpu.store %c, %x[%c0, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<1x128xf32, #row>, !view
  smx_gpu.return
}

// Of a constant number of columns, which accesses it cuts is known.
// CHECK-LABEL: llvm.func @ragged_here
smx_gpu.kernel @ragged_here(%x: !view) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c131 = arith.constant 131 : index
  // CHECK-NOT: ld.global.b32
  // CHECK-COUNT-2: @$5 ld.global.v4.b32
  // CHECK: scf.if
  // CHECK-COUNT-4: ld.global.b32
  // CHECK-NOT: ld.global
  %t = smx_gpu.load %x[%c0, %c0] valid(%c1, %c131) dims [-1, 1] {aligned = 16 : i64} : !view -> tensor<1x256xf32, #row>
  smx_gpu.hold %t : tensor<1x256xf32, #row>
  smx_gpu.return
}
