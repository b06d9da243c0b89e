// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-one-product))' | FileCheck %s
// CHECK-NOT: math.fma

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Weights that are written.
smx_gpu.kernel @written(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  smx_gpu.store %e, %z[%i, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// A sum with other numbers.
smx_gpu.kernel @mixed(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  %w = arith.addf %e, %f : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %w dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Their squares.
smx_gpu.kernel @squares(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  %w = arith.mulf %e, %e : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %w dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Another number than 0 behind the row.
smx_gpu.kernel @marked(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  %one = arith.constant dense<1.0> : tensor<1x1024xf32, #row>
  %j = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %n = arith.constant dense<1000> : tensor<1x1024xindex, #row>
  %in = arith.cmpi slt, %j, %n : tensor<1x1024xindex, #row>
  %w = arith.select %in, %e, %one : tensor<1x1024xi1, #row>, tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %w dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Products that are there anyway.
smx_gpu.kernel @read(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  smx_gpu.store %p, %z[%i, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Differences that are there anyway.
smx_gpu.kernel @distances(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  smx_gpu.store %d, %z[%i, %c0] dims [-1, 1] : tensor<1x1024xf32, #row>, memref<?x1024xf32>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
#value = #smx_gpu.slice<1, #row>

// Four elements for a thread.
smx_gpu.kernel @few(%x: memref<?x128xbf16>, %y: memref<?xf32>, %z: memref<?x128xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x128xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x128xbf16> -> tensor<1x128xbf16, #row>
  %f = arith.extf %a : tensor<1x128xbf16, #row> to tensor<1x128xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x128xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x128xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x128xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x128xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x128xf32, #row>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x128xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Neighbours of f32 are too close together where products round.
smx_gpu.kernel @wide(%x: memref<?x1024xf32>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %f = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// A reference that may be infinite.
smx_gpu.kernel @infinite(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// The product of the largest number by the power of two would be infinite.
smx_gpu.kernel @steep(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<2.0> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// A negative factor has no power of two.
smx_gpu.kernel @rising(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<-1.0> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p fastmath<afn> : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>
#value = #smx_gpu.slice<1, #row>

// An exponential of all bits.
smx_gpu.kernel @exact(%x: memref<?x1024xbf16>, %y: memref<?xf32>, %z: memref<?x1024xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xbf16> -> tensor<1x1024xbf16, #row>
  %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %m = smx_gpu.reduce <maxnum> %f dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %d = arith.subf %f, %rb : tensor<1x1024xf32, #row>
  %p = arith.mulf %d, %L : tensor<1x1024xf32, #row>
  %e = math.exp2 %p : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}
