// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-largest))' | FileCheck %s

// Two keys, each a reduction of what the one before leaves, become those of the two largest elements, which are found in
// their own type; nothing but them is made into a key.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @two
// CHECK: %[[X:.+]] = smx_gpu.load
// CHECK-NEXT: %[[V:.+]]:2, %[[C:.+]]:2 = smx_gpu.largest %[[X]] : tensor<1x1024xbf16,
// CHECK-SAME: at tensor<1xindex
// CHECK: arith.extf %[[V]]#0 : tensor<1xbf16
// CHECK: arith.addi %{{.+}}, %[[C]]#0 : tensor<1xindex
// CHECK: %[[A:.+]] = arith.bitcast {{.*}} to tensor<1xf64
// CHECK: arith.extf %[[V]]#1
// CHECK: arith.addi %{{.+}}, %[[C]]#1 : tensor<1xindex
// CHECK: %[[B:.+]] = arith.bitcast {{.*}} to tensor<1xf64
// CHECK-NOT: smx_gpu.reduce
// CHECK-NOT: tensor<1x1024xf64
// CHECK: smx_gpu.store %[[A]]
// CHECK: smx_gpu.store %[[B]]
smx_gpu.kernel @two(%x: memref<?x1024xbf16>, %y: memref<?xf64>, %j: index) warps(2) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least = arith.constant dense<-1.6069380442589903E+60> : tensor<1x1024xf64, #row>
  %most = arith.constant dense<1.6069380442589903E+60> : tensor<1x1024xf64, #row>
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %i0 = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %mask = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %t = smx_gpu.load %x[%c0, %j] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %t : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %p = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %s = tensor.splat %j : tensor<1x1024xindex, #row>
  %place = arith.addi %s, %p : tensor<1x1024xindex, #row>
  %f0 = arith.addf %f, %zero : tensor<1x1024xf32, #row>
  %w = arith.extf %f0 : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
  %above = arith.cmpf ogt, %w, %least : tensor<1x1024xf64, #row>
  %w0 = arith.select %above, %w, %least : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %below = arith.cmpf olt, %w0, %most : tensor<1x1024xf64, #row>
  %w1 = arith.select %below, %w0, %most : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %bits = arith.bitcast %w1 : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
  %whole = arith.index_cast %place : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
  %negative = arith.cmpi slt, %bits, %i0 : tensor<1x1024xi64, #row>
  %complement = arith.subi %mask, %whole : tensor<1x1024xi64, #row>
  %low = arith.select %negative, %whole, %complement : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
  %both = arith.ori %bits, %low : tensor<1x1024xi64, #row>
  %keys = arith.bitcast %both : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
  %a = smx_gpu.reduce <maxnum> %keys dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  %ab = smx_gpu.broadcast %a : tensor<1xf64, #value> -> tensor<1x1024xf64, #row>
  %left = arith.cmpf ogt, %ab, %keys : tensor<1x1024xf64, #row>
  %rest = arith.select %left, %keys, %none : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
  %b = smx_gpu.reduce <maxnum> %rest dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  smx_gpu.store %a, %y[%c0] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.store %b, %y[%j] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// The largest of numbers that are no keys stays a reduction: nothing says by what they are ordered.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 2>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @numbers
// CHECK-NOT: smx_gpu.largest
// CHECK: smx_gpu.reduce <maxnum>
smx_gpu.kernel @numbers(%x: memref<?x1024xf64>, %y: memref<?xf64>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xf64> -> tensor<1x1024xf64, #row>
  %a = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
  smx_gpu.store %a, %y[%c0] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}
