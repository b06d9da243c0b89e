// Arithmetic on tiles is the same arithmetic on the vectors of a thread's registers.
// RUN: softmax-opt %s --smx-gpu-to-nvvm | FileCheck %s

#L = #smx_gpu.fragment<warps = 2>
#R = #smx_gpu.slice<1, #L>

// CHECK-LABEL: llvm.func @arithmetic
// CHECK-SAME: %[[S:[a-z0-9]+]]: f32, %[[N:[a-z0-9]+]]: i64
smx_gpu.kernel @arithmetic(%s: f32, %n: index, %y: memref<?x?xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[C:.+]] = arith.constant dense<2.500000e+00> : vector<8xf32>
  %c = arith.constant dense<2.5> : tensor<32x16xf32, #L>
  // CHECK-DAG: %[[ONE:.+]] = llvm.insertelement %[[S]]
  // CHECK: %[[T:.+]] = llvm.shufflevector %[[ONE]], %[[ONE]] [0, 0, 0, 0, 0, 0, 0, 0]
  %t = tensor.splat %s : tensor<32x16xf32, #L>
  // CHECK: %[[U:.+]] = arith.mulf %[[T]], %[[C]] fastmath<contract> : vector<8xf32>
  %u = arith.mulf %t, %c fastmath<contract> : tensor<32x16xf32, #L>
  // CHECK: math.exp2 %[[U]] fastmath<afn> : vector<8xf32>
  %e = math.exp2 %u fastmath<afn> : tensor<32x16xf32, #L>
  // CHECK: %[[LESS:.+]] = arith.cmpf olt, %{{.+}}, %[[C]] : vector<8xf32>
  %less = arith.cmpf olt, %e, %c : tensor<32x16xf32, #L>
  // CHECK: arith.select %[[LESS]], %{{.+}}, %{{.+}} : vector<8xi1>, vector<8xf32>
  %v = arith.select %less, %e, %c : tensor<32x16xi1, #L>, tensor<32x16xf32, #L>
  // CHECK: arith.truncf %{{.+}} : vector<8xf32> to vector<8xbf16>
  %h = arith.truncf %v : tensor<32x16xf32, #L> to tensor<32x16xbf16, #L>
  smx_gpu.store %h, %y[%c0, %c0] dims [0, 1] : tensor<32x16xbf16, #L>, memref<?x?xbf16>
  smx_gpu.return
}

// index is i64, so a cast to another integer is an extension or nothing.
// CHECK-LABEL: llvm.func @casts
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
smx_gpu.kernel @casts(%n: index, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[W:.+]] = arith.trunci %[[N]] : i64 to i32
  %w = arith.index_cast %n : index to i32
  // CHECK: arith.sitofp %[[W]] : i32 to f32
  %f = arith.sitofp %w : i32 to f32
  %t = tensor.splat %f : tensor<32xf32, #R>
  smx_gpu.store %t, %y[%c0] dims [0] : tensor<32xf32, #R>, memref<?xf32>
  smx_gpu.return
}

// The state of a loop is the registers.
// CHECK-LABEL: llvm.func @loop
smx_gpu.kernel @loop(%n: index, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<32xf32, #R>
  // CHECK: scf.for {{.+}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (vector<2xf32>) : i64
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %one) -> tensor<32xf32, #R> {
    // CHECK: arith.addf %[[SUM]], %{{.+}} : vector<2xf32>
    %next = arith.addf %sum, %one : tensor<32xf32, #R>
    scf.yield %next : tensor<32xf32, #R>
  }
  smx_gpu.store %sum, %y[%c0] dims [0] : tensor<32xf32, #R>, memref<?xf32>
  smx_gpu.return
}

// Registers that are held go through an instruction that LLVM does not look into, in words of 32 bits.
// CHECK-LABEL: llvm.func @held
smx_gpu.kernel @held(%x: memref<?x?xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x?xbf16> -> tensor<1x128xbf16, #smx_gpu.striped<rows = 1, columns = 32, vector = 4>>
  // CHECK: llvm.bitcast %{{.+}} : vector<4xbf16> to vector<2xi32>
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"", "=r,=r,0,1" %{{.+}}, %{{.+}} : (i32, i32) -> !llvm.struct<(i32, i32)>
  // CHECK: llvm.bitcast %{{.+}} : vector<2xi32> to vector<4xbf16>
  %h = smx_gpu.hold %t : tensor<1x128xbf16, #smx_gpu.striped<rows = 1, columns = 32, vector = 4>>
  smx_gpu.store %h, %x[%c0, %c0] dims [0, 1] : tensor<1x128xbf16, #smx_gpu.striped<rows = 1, columns = 32, vector = 4>>, memref<?x?xbf16>
  smx_gpu.return
}
