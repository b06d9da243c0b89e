// Places are 64 bits wide; comparisons of places are made in 32, with one constant per register.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-to-nvvm --remarks-filter=smx-gpu-to-nvvm 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] IndexWidth | Category:smx-gpu-to-nvvm | offsets-in-memory=64, places-in-tiles=32

#L = #smx_gpu.fragment<warps = 1>

// i + row >= j + column, as j - i + (column - row) <= 0.
// CHECK-LABEL: llvm.func @causal
// CHECK-SAME: %[[I:[a-z0-9]+]]: i64, %[[J:[a-z0-9]+]]: i64
smx_gpu.kernel @causal(%i: index, %j: index, %x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  %row = smx_gpu.position 0 : tensor<16x16xindex, #L>
  %column = smx_gpu.position 1 : tensor<16x16xindex, #L>
  %is = tensor.splat %i : tensor<16x16xindex, #L>
  %js = tensor.splat %j : tensor<16x16xindex, #L>
  %query = arith.addi %row, %is : tensor<16x16xindex, #L>
  %key = arith.addi %column, %js : tensor<16x16xindex, #L>
  // What all places share is limited to 30 bits: there is room for the positions of a thread.
  // CHECK: %[[LIMITED:.+]] = llvm.inline_asm {{.*}}setp.lt.s64 below, $1, -1073741824; setp.gt.s64 above, $1, 1073741824; {{.*}}", "=r,l" %{{.+}} : (i64) -> i32
  // CHECK: llvm.add %[[LIMITED]], %{{.+}} : i32
  // CHECK: %[[CONSTANTS:.+]] = llvm.mlir.constant(dense<[0, -1, 8, 7, -8, -9, 0, -1]> : vector<8xi32>)
  // CHECK: llvm.icmp "sge" %[[CONSTANTS]], %{{.+}} : vector<8xi32>
  %in = arith.cmpi sge, %query, %key : tensor<16x16xindex, #L>
  smx_gpu.store %in, %x[%c0, %c0] dims [0, 1] : tensor<16x16xi1, #L>, memref<?x?xi1>
  smx_gpu.return
}

// The same with the row's place broadcast along it.
// CHECK-LABEL: llvm.func @broadcast
smx_gpu.kernel @broadcast(%i: index, %x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  %row = smx_gpu.position 0 : tensor<16xindex, #smx_gpu.slice<1, #L>>
  %is = tensor.splat %i : tensor<16xindex, #smx_gpu.slice<1, #L>>
  %query = arith.addi %row, %is : tensor<16xindex, #smx_gpu.slice<1, #L>>
  %queries = smx_gpu.broadcast %query : tensor<16xindex, #smx_gpu.slice<1, #L>> -> tensor<16x16xindex, #L>
  %key = smx_gpu.position 1 : tensor<16x16xindex, #L>
  // CHECK: setp.gt.s64 above
  // CHECK: %[[CONSTANTS:.+]] = llvm.mlir.constant(dense<[0, 1, -8, -7, 8, 9, 0, 1]> : vector<8xi32>)
  // CHECK: llvm.icmp "sle" %[[CONSTANTS]], %{{.+}} : vector<8xi32>
  %in = arith.cmpi sle, %key, %queries : tensor<16x16xindex, #L>
  smx_gpu.store %in, %x[%c0, %c0] dims [0, 1] : tensor<16x16xi1, #L>, memref<?x?xi1>
  smx_gpu.return
}

// A row has a first key of its own: first[row] <= j + column, as j - first[row] + column >= 0, limited once for each of the
// thread's two rows.
// CHECK-LABEL: llvm.func @ranges
// CHECK-COUNT-2: llvm.inline_asm {{.*}}setp.lt.s64 below, $1, -1073741824; setp.gt.s64 above, $1, 1073741824;
// CHECK-NOT: setp.lt.s64 below
// CHECK: %[[CONSTANTS:.+]] = llvm.mlir.constant(dense<[0, -1, 0, -1, -8, -9, -8, -9]> : vector<8xi32>)
// CHECK: llvm.icmp "sle" %[[CONSTANTS]], %{{.+}} : vector<8xi32>
smx_gpu.kernel @ranges(%j: index, %first: memref<16xi32>, %x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  %begin = smx_gpu.load %first[%c0] dims [0] : memref<16xi32> -> tensor<16xi32, #smx_gpu.slice<1, #L>>
  %places = arith.index_cast %begin : tensor<16xi32, #smx_gpu.slice<1, #L>> to tensor<16xindex, #smx_gpu.slice<1, #L>>
  %from = smx_gpu.broadcast %places : tensor<16xindex, #smx_gpu.slice<1, #L>> -> tensor<16x16xindex, #L>
  %column = smx_gpu.position 1 : tensor<16x16xindex, #L>
  %js = tensor.splat %j : tensor<16x16xindex, #L>
  %key = arith.addi %column, %js : tensor<16x16xindex, #L>
  %in = arith.cmpi sle, %from, %key : tensor<16x16xindex, #L>
  smx_gpu.store %in, %x[%c0, %c0] dims [0, 1] : tensor<16x16xi1, #L>, memref<?x?xi1>
  smx_gpu.return
}

// What is no difference of places is compared as it is.
// CHECK-LABEL: llvm.func @product
smx_gpu.kernel @product(%i: index, %x: memref<?x?xi1>) warps(1) {
  %c0 = arith.constant 0 : index
  %column = smx_gpu.position 1 : tensor<16x8xindex, #L>
  %is = tensor.splat %i : tensor<16x8xindex, #L>
  %twice = arith.muli %column, %is : tensor<16x8xindex, #L>
  // The thread's first column is a signed index, to which registers add.
  // CHECK: %[[COLUMN:.+]] = llvm.sext %{{.+}} : i32 to i64
  // CHECK: %[[OFFSET:.+]] = llvm.mlir.constant(0 : i64)
  // CHECK-NEXT: llvm.add %[[COLUMN]], %[[OFFSET]] overflow<nsw> : i64
  // CHECK: %[[OFFSET:.+]] = llvm.mlir.constant(1 : i64)
  // CHECK-NEXT: llvm.add %[[COLUMN]], %[[OFFSET]] overflow<nsw> : i64
  // CHECK: arith.cmpi ult, %{{.+}}, %{{.+}} : vector<4xi64>
  %in = arith.cmpi ult, %twice, %is : tensor<16x8xindex, #L>
  smx_gpu.store %in, %x[%c0, %c0] dims [0, 1] : tensor<16x8xi1, #L>, memref<?x?xi1>
  smx_gpu.return
}

// A multiple of a distance, added in any order: that of the thread's part once, and a constant for each register.
// CHECK-LABEL: llvm.func @distance
// CHECK-SAME: %[[I:[a-z0-9]+]]: i64, %[[SLOPE:[a-z0-9]+]]: f32
smx_gpu.kernel @distance(%i: index, %slope: f32, %x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #L>
  %row = smx_gpu.position 0 : tensor<16x16xindex, #L>
  %column = smx_gpu.position 1 : tensor<16x16xindex, #L>
  %is = tensor.splat %i : tensor<16x16xindex, #L>
  %query = arith.addi %row, %is : tensor<16x16xindex, #L>
  %away = arith.subi %column, %query : tensor<16x16xindex, #L>
  %n = arith.index_cast %away : tensor<16x16xindex, #L> to tensor<16x16xi32, #L>
  %f = arith.sitofp %n : tensor<16x16xi32, #L> to tensor<16x16xf32, #L>
  %slopes = tensor.splat %slope : tensor<16x16xf32, #L>
  // CHECK-NOT: cvt.rn
  // CHECK: %[[REST:.+]] = llvm.sitofp %{{.+}} : i64 to f32
  // CHECK: %[[CONSTANTS:.+]] = llvm.mlir.constant(dense<[0.000000e+00, 1.000000e+00, -8.000000e+00, -7.000000e+00, 8.000000e+00, 9.000000e+00, 0.000000e+00, 1.000000e+00]> : vector<8xf32>)
  // CHECK: %[[OF_THREAD:.+]] = llvm.intr.fma(%{{.+}}, %[[SLOPES:.+]], %{{.+}}) : (vector<8xf32>
  // CHECK: llvm.intr.fma(%[[CONSTANTS]], %[[SLOPES]], %[[OF_THREAD]])
  %t = math.fma %f, %slopes, %zero fastmath<reassoc> : tensor<16x16xf32, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<16x16xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}

// In order it is rounded once, as the distance itself would be: its 20 low bits and a constant of the register are exact.
// CHECK-LABEL: llvm.func @distance_in_order
smx_gpu.kernel @distance_in_order(%slope: f32, %x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #L>
  %row = smx_gpu.position 0 : tensor<16x16xindex, #L>
  %column = smx_gpu.position 1 : tensor<16x16xindex, #L>
  %away = arith.subi %column, %row : tensor<16x16xindex, #L>
  %n = arith.index_cast %away : tensor<16x16xindex, #L> to tensor<16x16xi32, #L>
  %f = arith.sitofp %n : tensor<16x16xi32, #L> to tensor<16x16xf32, #L>
  %slopes = tensor.splat %slope : tensor<16x16xf32, #L>
  // CHECK: %[[CONSTANTS:.+]] = llvm.mlir.constant(dense<[0.000000e+00, 1.000000e+00, -8.000000e+00, -7.000000e+00, 8.000000e+00, 9.000000e+00, 0.000000e+00, 1.000000e+00]> : vector<8xf32>)
  // CHECK: %[[LOW_BITS:.+]] = llvm.mlir.constant(1048575 : i64)
  // CHECK: %[[LOW:.+]] = llvm.and %[[PLACE:.+]], %[[LOW_BITS]]
  // CHECK: llvm.inline_asm has_side_effects "cvt.rn.f32.s64 $0, $1;", "=f,l" %[[LOW]]
  // CHECK: %[[SMALL:.+]] = llvm.fadd %{{.+}}, %[[CONSTANTS]] : vector<8xf32>
  // CHECK: %[[HIGH_BITS:.+]] = llvm.mlir.constant(-1048576 : i64)
  // CHECK: %[[HIGH:.+]] = llvm.and %[[PLACE]], %[[HIGH_BITS]]
  // CHECK: llvm.inline_asm has_side_effects "cvt.rn.f32.s64 $0, $1;", "=f,l" %[[HIGH]]
  // CHECK: %[[SUM:.+]] = llvm.fadd %{{.+}}, %[[SMALL]] : vector<8xf32>
  // CHECK: math.fma %[[SUM]],
  %t = math.fma %f, %slopes, %zero : tensor<16x16xf32, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<16x16xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}

// What is no sum of places is converted as it is.
// CHECK-LABEL: llvm.func @product_as_number
smx_gpu.kernel @product_as_number(%i: index, %x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %column = smx_gpu.position 1 : tensor<16x8xindex, #L>
  %is = tensor.splat %i : tensor<16x8xindex, #L>
  %twice = arith.muli %column, %is : tensor<16x8xindex, #L>
  %n = arith.index_cast %twice : tensor<16x8xindex, #L> to tensor<16x8xi32, #L>
  // CHECK: arith.sitofp %{{.+}} : vector<4xi32> to vector<4xf32>
  %f = arith.sitofp %n : tensor<16x8xi32, #L> to tensor<16x8xf32, #L>
  smx_gpu.store %f, %x[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}

// By way of 16 bits a place may become another one.
// CHECK-LABEL: llvm.func @few_bits
smx_gpu.kernel @few_bits(%slope: f32, %x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %column = smx_gpu.position 1 : tensor<16x8xindex, #L>
  %n = arith.index_cast %column : tensor<16x8xindex, #L> to tensor<16x8xi16, #L>
  // CHECK: arith.sitofp %{{.+}} : vector<4xi16> to vector<4xf32>
  %f = arith.sitofp %n : tensor<16x8xi16, #L> to tensor<16x8xf32, #L>
  %slopes = tensor.splat %slope : tensor<16x8xf32, #L>
  // CHECK: math.fma {{.+}} fastmath<reassoc>
  %t = math.fma %f, %slopes, %f fastmath<reassoc> : tensor<16x8xf32, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}
