// RUN: softmax-opt %s --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-told-by-score))' | FileCheck %s

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>

// Scores that are seen are kept above -inf, which tells then what is hidden.
// CHECK-LABEL: @cut
// CHECK: %[[LOWEST:.+]] = arith.constant dense<-3.40282347E+38> : tensor<64x32xf32
// CHECK: %[[FINITE:.+]] = arith.maximumf %[[S:.+]], %[[LOWEST]]
// CHECK: %[[SHOWN:.+]] = arith.select %[[SEEN:.+]], %[[FINITE]], %[[INFINITY:.+]] :
// CHECK: %[[LARGEST:.+]] = smx_gpu.reduce <maxnum> %[[SHOWN]]
// CHECK: %[[NONE:.+]] = arith.constant dense<-3.40282347E+38> : tensor<64xf32
// CHECK: %[[ISNONE:.+]] = arith.cmpf oeq, %[[LARGEST]], %[[NONE]]
// CHECK: %[[M:.+]] = arith.select %[[ISNONE]], %{{.+}}, %[[LARGEST]]
// CHECK: arith.negf %[[M]]
// CHECK: %[[E:.+]] = math.fma %[[SHOWN]]
// CHECK: %[[W:.+]] = math.exp2 %[[E]]
// CHECK: %[[HIDDEN:.+]] = arith.cmpf oeq, %[[SHOWN]], %[[INFINITY]]
// CHECK: arith.select %[[HIDDEN]], %{{.+}}, %[[W]]
smx_gpu.kernel @cut(%x: memref<64x32xf32>, %y: memref<64x32xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<0xFF800000> : tensor<64x32xf32, #L>
  %mark = arith.constant dense<-0.0> : tensor<64x32xf32, #L>
  %factor = arith.constant dense<1.5> : tensor<64x32xf32, #L>
  %end = arith.constant dense<20> : tensor<64x32xindex, #L>
  %s = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<64x32xf32> -> tensor<64x32xf32, #L>
  %place = smx_gpu.position 1 : tensor<64x32xindex, #L>
  %seen = arith.cmpi slt, %place, %end : tensor<64x32xindex, #L>
  %t = arith.select %seen, %s, %least : tensor<64x32xi1, #L>, tensor<64x32xf32, #L>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<64x32xf32, #L> -> tensor<64xf32, #R>
  %n = arith.negf %m : tensor<64xf32, #R>
  %r = smx_gpu.broadcast %n : tensor<64xf32, #R> -> tensor<64x32xf32, #L>
  %e = math.fma %t, %factor, %r : tensor<64x32xf32, #L>
  %w = math.exp2 %e fastmath<afn> : tensor<64x32xf32, #L>
  %p = arith.select %seen, %w, %mark : tensor<64x32xi1, #L>, tensor<64x32xf32, #L>
  smx_gpu.store %p, %y[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #L>, memref<64x32xf32>
  smx_gpu.return
}

// Somebody else looks at the scores: they stay as they are.
// CHECK-LABEL: @looked_at
// CHECK-NOT: arith.maximumf
smx_gpu.kernel @looked_at(%x: memref<64x32xf32>, %y: memref<64x32xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<0xFF800000> : tensor<64x32xf32, #L>
  %mark = arith.constant dense<-0.0> : tensor<64x32xf32, #L>
  %factor = arith.constant dense<1.5> : tensor<64x32xf32, #L>
  %end = arith.constant dense<20> : tensor<64x32xindex, #L>
  %s = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<64x32xf32> -> tensor<64x32xf32, #L>
  %place = smx_gpu.position 1 : tensor<64x32xindex, #L>
  %seen = arith.cmpi slt, %place, %end : tensor<64x32xindex, #L>
  %t = arith.select %seen, %s, %least : tensor<64x32xi1, #L>, tensor<64x32xf32, #L>
  smx_gpu.store %t, %y[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #L>, memref<64x32xf32>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<64x32xf32, #L> -> tensor<64xf32, #R>
  %n = arith.negf %m : tensor<64xf32, #R>
  %r = smx_gpu.broadcast %n : tensor<64xf32, #R> -> tensor<64x32xf32, #L>
  %e = math.fma %t, %factor, %r : tensor<64x32xf32, #L>
  %w = math.exp2 %e fastmath<afn> : tensor<64x32xf32, #L>
  %p = arith.select %seen, %w, %mark : tensor<64x32xi1, #L>, tensor<64x32xf32, #L>
  smx_gpu.store %p, %y[%c0, %c0] dims [0, 1] : tensor<64x32xf32, #L>, memref<64x32xf32>
  smx_gpu.return
}
