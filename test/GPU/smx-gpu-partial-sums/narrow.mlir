// Of weights that say how many bits matter, a thread adds a few before they are widened.
// RUN: softmax-opt %s --smx-gpu-partial-sums --canonicalize | FileCheck %s

#L = #smx_gpu.striped<rows = 2, columns = 32, vector = 8>
#S = #smx_gpu.slice<1, #L>

// CHECK-LABEL: @rough
// CHECK: %[[E:.+]] = math.exp
// CHECK-NEXT: %[[FEW:.+]] = smx_gpu.partial_reduce <add> %[[E]] : tensor<2x1024xf32, #{{.+}}> -> tensor<2x256xf32, #{{.+}}>
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[FEW]] : tensor<2x256xf32, #{{.+}}> to tensor<2x256xf64, #{{.+}}>
// CHECK: smx_gpu.reduce <add> %[[WIDE]] dim 1
// Nobody says so of these, and each is widened.
// CHECK: %[[P:.+]] = math.exp
// CHECK-NOT: partial_reduce
// CHECK: arith.extf %[[P]]
smx_gpu.kernel @rough(%x: memref<2x1024xf32>, %r: memref<2xf32>, %y: memref<2xf64>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<2x1024xf32> -> tensor<2x1024xf32, #L>
  %m = smx_gpu.load %r[%c0] dims [0] : memref<2xf32> -> tensor<2xf32, #S>
  %b = smx_gpu.broadcast %m : tensor<2xf32, #S> -> tensor<2x1024xf32, #L>
  %d = arith.subf %t, %b fastmath<contract> : tensor<2x1024xf32, #L>
  %e = math.exp %d fastmath<contract> {result_bits = 19 : i32} : tensor<2x1024xf32, #L>
  %w = arith.extf %e : tensor<2x1024xf32, #L> to tensor<2x1024xf64, #L>
  %s = smx_gpu.reduce <add> %w dim 1 : tensor<2x1024xf64, #L> -> tensor<2xf64, #S>
  smx_gpu.store %s, %y[%c0] dims [0] : tensor<2xf64, #S>, memref<2xf64>
  %p = math.exp %d fastmath<contract> : tensor<2x1024xf32, #L>
  %v = arith.extf %p : tensor<2x1024xf32, #L> to tensor<2x1024xf64, #L>
  %q = smx_gpu.reduce <add> %v dim 1 : tensor<2x1024xf64, #L> -> tensor<2xf64, #S>
  smx_gpu.store %q, %y[%c0] dims [0] : tensor<2xf64, #S>, memref<2xf64>
  smx_gpu.return
}

// Beyond the row there is a zero, of either sign.
// CHECK-LABEL: @masked
// CHECK: %[[NONE:.+]] = arith.constant dense<-0.000000e+00> : tensor<2x1024xf32
// CHECK: %[[E:.+]] = math.exp
// CHECK: %[[IN:.+]] = arith.select %{{.+}}, %[[E]], %[[NONE]] : {{.*}}, tensor<2x1024xf32
// CHECK-NEXT: %[[FEW:.+]] = smx_gpu.partial_reduce <add> %[[IN]] : tensor<2x1024xf32, #{{.+}}> -> tensor<2x256xf32, #{{.+}}>
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[FEW]]
// CHECK: smx_gpu.reduce <add> %[[WIDE]] dim 1
smx_gpu.kernel @masked(%x: memref<2x1000xf32>, %r: memref<2xf32>, %y: memref<2xf64>) warps(2) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 1000 : index
  %none = arith.constant dense<-0.0> : tensor<2x1024xf64, #L>
  %t = smx_gpu.load %x[%c0, %c0] valid(%c2, %n) dims [0, 1] : memref<2x1000xf32> -> tensor<2x1024xf32, #L>
  %m = smx_gpu.load %r[%c0] dims [0] : memref<2xf32> -> tensor<2xf32, #S>
  %b = smx_gpu.broadcast %m : tensor<2xf32, #S> -> tensor<2x1024xf32, #L>
  %d = arith.subf %t, %b fastmath<contract> : tensor<2x1024xf32, #L>
  %e = math.exp %d fastmath<contract> {result_bits = 19 : i32} : tensor<2x1024xf32, #L>
  %w = arith.extf %e : tensor<2x1024xf32, #L> to tensor<2x1024xf64, #L>
  %p = smx_gpu.position 1 : tensor<2x1024xindex, #L>
  %columns = tensor.splat %n : tensor<2x1024xindex, #L>
  %isIn = arith.cmpi slt, %p, %columns : tensor<2x1024xindex, #L>
  %v = arith.select %isIn, %w, %none : tensor<2x1024xi1, #L>, tensor<2x1024xf64, #L>
  %s = smx_gpu.reduce <add> %v dim 1 : tensor<2x1024xf64, #L> -> tensor<2xf64, #S>
  smx_gpu.store %s, %y[%c0] dims [0] : tensor<2xf64, #S>, memref<2xf64>
  smx_gpu.return
}
