// Reads at computed places: an address for each element, or one for the thread where places are sums of positions.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#L = #smx_gpu.fragment<warps = 1>
!places = tensor<16x8xindex, #L>

// A table by distance: 4 (j - row + column), of which a register has its own multiple of 4.
// CHECK-LABEL: llvm.func @distance
// CHECK-SAME: %[[J:[a-z0-9]+]]: i64, %[[TABLE:[a-z0-9]+]]: !llvm.ptr<1>
smx_gpu.kernel @distance(%j: index, %table: memref<?xf32>, %x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %row = smx_gpu.position 0 : !places
  %column = smx_gpu.position 1 : !places
  %js = tensor.splat %j : !places
  %key = arith.addi %column, %js : !places
  %at = arith.subi %key, %row : !places
  // CHECK: llvm.load %[[THREAD:.+]] {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
  // CHECK: %[[B1:.+]] = llvm.mlir.constant(4 : i64)
  // CHECK: %[[A1:.+]] = llvm.getelementptr %[[THREAD]][%[[B1]]]
  // CHECK: llvm.load %[[A1]]
  // CHECK: %[[B2:.+]] = llvm.mlir.constant(-32 : i64)
  // CHECK: %[[A2:.+]] = llvm.getelementptr %[[THREAD]][%[[B2]]]
  // CHECK: llvm.load %[[A2]]
  // CHECK: %[[B3:.+]] = llvm.mlir.constant(-28 : i64)
  // CHECK: %[[A3:.+]] = llvm.getelementptr %[[THREAD]][%[[B3]]]
  // CHECK: llvm.load %[[A3]]
  %t = smx_gpu.gather %table[%at] : memref<?xf32> -> tensor<16x8xf32, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}

// Read again, whatever was read from there before.
// CHECK-LABEL: llvm.func @again
smx_gpu.kernel @again(%table: memref<?xf32>, %x: memref<?x?xf32, strided<[?, 1]>>) warps(1) {
  %c0 = arith.constant 0 : index
  %column = smx_gpu.position 1 : !places
  // CHECK: llvm.load volatile %{{.+}} : !llvm.ptr<1> -> vector<1xf32>
  %t = smx_gpu.gather %table[%column] again : memref<?xf32> -> tensor<16x8xf32, #L>
  // CHECK: llvm.load volatile %{{.+}} : !llvm.ptr<1> -> vector<2xf32>
  %u = smx_gpu.load %x[%c0, %c0] dims [0, 1] again {aligned = 16 : i64} : memref<?x?xf32, strided<[?, 1]>> -> tensor<16x8xf32, #L>
  %sum = arith.addf %t, %u : tensor<16x8xf32, #L>
  smx_gpu.store %sum, %x[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, memref<?x?xf32, strided<[?, 1]>>
  smx_gpu.return
}

// The first element stands for those outside: it is read once, and they are not read.
// CHECK-LABEL: llvm.func @guarded
smx_gpu.kernel @guarded(%j: index, %n: index, %table: memref<?x?xf32>, %x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : !places
  %row = smx_gpu.position 0 : !places
  %column = smx_gpu.position 1 : !places
  %ns = tensor.splat %n : !places
  %inside = arith.cmpi slt, %row, %ns : !places
  %at = arith.select %inside, %column, %zero : tensor<16x8xi1, #L>, !places
  %js = tensor.splat %j : !places
  // CHECK: %[[INSIDE:.+]] = llvm.icmp "slt" %{{.+}}, %{{.+}} : vector<4xi32>
  // CHECK: %[[FIRST:.+]] = llvm.load
  // CHECK: %[[P0:.+]] = llvm.extractelement %[[INSIDE]]
  // CHECK: %[[WORD:.+]] = llvm.inline_asm {{.*}}@$2 ld.global.b32 $0, [$1];{{.*}} %{{.+}}, %[[P0]] :
  // CHECK: %[[READ:.+]] = llvm.bitcast %[[WORD]]
  // CHECK: llvm.select %[[P0]], %[[READ]], %[[FIRST]]
  // CHECK-COUNT-3: ld.global.b32
  // CHECK-NOT: llvm.load
  %t = smx_gpu.gather %table[%js, %at] : memref<?x?xf32> -> tensor<16x8xf32, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}

// All are outside or none is: a branch, without a question for each.
// CHECK-LABEL: llvm.func @all_or_none
// CHECK-SAME: %{{.+}}: i64, %[[IN:[a-z0-9]+]]: i1
smx_gpu.kernel @all_or_none(%j: index, %in: i1, %table: memref<?x?xf32>, %x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : !places
  %column = smx_gpu.position 1 : !places
  %inside = tensor.splat %in : tensor<16x8xi1, #L>
  %at = arith.select %inside, %column, %zero : tensor<16x8xi1, #L>, !places
  %js = tensor.splat %j : !places
  // CHECK: %[[FIRST:.+]] = llvm.load
  // CHECK: %[[READ:.+]] = scf.if %[[IN]] -> (vector<4xf32>)
  // CHECK-COUNT-4: llvm.load
  // CHECK-NOT: llvm.load
  // CHECK: } else {
  // CHECK-COUNT-4: llvm.extractelement %[[FIRST]]
  // CHECK-NOT: llvm.load
  // CHECK: scf.yield
  // CHECK: llvm.return
  %t = smx_gpu.gather %table[%js, %at] : memref<?x?xf32> -> tensor<16x8xf32, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}

// Places that are no sums have addresses of their own.
// CHECK-LABEL: llvm.func @product
smx_gpu.kernel @product(%table: memref<?xf32>, %x: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %row = smx_gpu.position 0 : !places
  %column = smx_gpu.position 1 : !places
  // CHECK: %[[AT:.+]] = arith.muli %{{.+}}, %{{.+}} : vector<4xi64>
  // CHECK-COUNT-4: llvm.extractelement %[[AT]]
  %at = arith.muli %row, %column : !places
  %t = smx_gpu.gather %table[%at] : memref<?xf32> -> tensor<16x8xf32, #L>
  smx_gpu.store %t, %x[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #L>, memref<?x?xf32>
  smx_gpu.return
}
