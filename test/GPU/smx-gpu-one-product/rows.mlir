// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-one-product))' | FileCheck %s
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-one-product))' --remarks-filter=smx-gpu-one-product -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// Two rows of numbers by one reference, the second one cut short: the factors are there once. Scaled by 0.75, whose power of two is 1/2.
// REMARK: exponentials are of one multiply-add: {{.*}}2
// CHECK-LABEL: smx_gpu.kernel @twice
// CHECK: %[[Y:.+]] = arith.select
// CHECK: %[[L:.+]] = arith.constant dense<7.500000e-01> : tensor<1xf32
// CHECK: %[[PRODUCT:.+]] = arith.mulf %[[Y]], %[[L]]
// CHECK: %[[SIZE:.+]] = math.absf %[[PRODUCT]]
// CHECK: %[[FAR:.+]] = arith.constant dense<1.07374182E+9> : tensor<1xf32
// CHECK: %[[NEAR:.+]] = arith.cmpf olt, %[[SIZE]], %[[FAR]]
// CHECK: %[[POWER:.+]] = arith.constant dense<5.000000e-01> : tensor<1xf32
// CHECK: %[[F:.+]] = arith.select %[[NEAR]], %[[L]], %[[POWER]]
// CHECK: %[[C:.+]] = arith.mulf %[[Y]], %[[F]]
// CHECK: %[[ORIGIN:.+]] = arith.negf %[[C]]
// CHECK: %[[R:.+]] = math.fma %[[Y]], %[[F]], %[[ORIGIN]]
// CHECK: %[[MINUS:.+]] = arith.negf %[[R]]
// CHECK: %[[Q:.+]] = math.exp2 %[[MINUS]] fastmath<afn>
// CHECK: %[[FB:.+]] = smx_gpu.broadcast %[[F]]
// CHECK: %[[OB:.+]] = smx_gpu.broadcast %[[ORIGIN]]
// CHECK: %[[P:.+]] = math.fma %{{.+}}, %[[FB]], %[[OB]]
// CHECK: %[[E:.+]] = math.exp2 %[[P]] fastmath<afn> {result_bits = 12 : i32}
// CHECK: %[[S:.+]] = smx_gpu.reduce <add> %[[E]] dim 1
// CHECK: %[[A:.+]] = arith.mulf %[[S]], %[[Q]]
// CHECK: %[[T:.+]] = smx_gpu.reduce <add> %{{.+}} dim 1
// CHECK: %[[B:.+]] = arith.mulf %[[T]], %[[Q]]
// CHECK: arith.addf %[[A]], %[[B]]
// CHECK-NOT: math.absf
smx_gpu.kernel @twice(%x: memref<?x1024xbf16>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<0.75> : tensor<1x1024xf32, #row>
  %hidden = arith.constant dense<-0.0> : tensor<1x1024xf32, #row>
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
  %e = math.exp2 %p fastmath<afn> {result_bits = 12 : i32} : tensor<1x1024xf32, #row>
  %s = smx_gpu.reduce <add> %e dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %h = smx_gpu.hold %a : tensor<1x1024xbf16, #row>
  %g = arith.extf %h : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %j = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %n = arith.constant dense<1000> : tensor<1x1024xindex, #row>
  %in = arith.cmpi slt, %j, %n : tensor<1x1024xindex, #row>
  %k = arith.subf %g, %rb : tensor<1x1024xf32, #row>
  %o = arith.mulf %k, %L : tensor<1x1024xf32, #row>
  %u = math.exp2 %o fastmath<afn> {result_bits = 12 : i32} : tensor<1x1024xf32, #row>
  %w = arith.select %in, %u, %hidden : tensor<1x1024xi1, #row>, tensor<1x1024xf32, #row>
  %t = smx_gpu.reduce <add> %w dim 1 : tensor<1x1024xf32, #row> -> tensor<1xf32, #value>
  %l = arith.addf %s, %t : tensor<1xf32, #value>
  smx_gpu.store %l, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#parts = #smx_gpu.striped<rows = 64, columns = 1, vector = 8>
#value = #smx_gpu.slice<1, #parts>

// Each thread has a state of its own in a loop, whose rounds have a reference each.
// REMARK: exponentials are of one multiply-add: {{.*}}1
// CHECK-LABEL: smx_gpu.kernel @threads
// CHECK: scf.for
// CHECK: %[[Y:.+]] = arith.select
// CHECK: math.fma %[[Y]]
// CHECK: %[[Q:.+]] = math.exp2 %{{.+}} fastmath<afn> : tensor<64xf32
// CHECK: math.fma %{{.+}} : tensor<64x16xf32
// CHECK: %[[S:.+]] = smx_gpu.reduce <add>
// CHECK: %[[L:.+]] = arith.mulf %[[S]], %[[Q]]
// CHECK: arith.addf %{{.+}}, %[[L]]
smx_gpu.kernel @threads(%x: memref<?x8192xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %c8192 = arith.constant 8192 : index
  %inf = arith.constant dense<0x7F800000> : tensor<64xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<64xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<64x16xf32, #parts>
  %i = gpu.block_id x
  %sum = scf.for %j = %c0 to %c8192 step %c1024 iter_args(%last = %zero) -> (tensor<64xf32, #value>) {
    %a = smx_gpu.load %x[%i, %j] dims [-1, 1] : memref<?x8192xbf16> -> tensor<1x1024xbf16, #row>
    %f = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %p = smx_gpu.parts %f : tensor<1x1024xf32, #row> -> tensor<64x16xf32, #parts>
    %m = smx_gpu.reduce <maxnum> %p dim 1 : tensor<64x16xf32, #parts> -> tensor<64xf32, #value>
    %abs = math.absf %m : tensor<64xf32, #value>
    %is = arith.cmpf oeq, %abs, %inf : tensor<64xf32, #value>
    %r = arith.select %is, %zero, %m : tensor<64xi1, #value>, tensor<64xf32, #value>
    %rb = smx_gpu.broadcast %r : tensor<64xf32, #value> -> tensor<64x16xf32, #parts>
    %d = arith.subf %p, %rb : tensor<64x16xf32, #parts>
    %o = arith.mulf %d, %L : tensor<64x16xf32, #parts>
    %e = math.exp2 %o fastmath<afn> : tensor<64x16xf32, #parts>
    %s = smx_gpu.reduce <add> %e dim 1 : tensor<64x16xf32, #parts> -> tensor<64xf32, #value>
    %l = arith.addf %last, %s : tensor<64xf32, #value>
    scf.yield %l : tensor<64xf32, #value>
  }
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// A row in two pieces, whose weights a thread adds up before the lanes meet.
// REMARK: exponentials are of one multiply-add: {{.*}}2
// CHECK-LABEL: smx_gpu.kernel @pieces
// CHECK: %[[Q:.+]] = math.exp2 %{{.+}} fastmath<afn> : tensor<1xf32
// CHECK: math.fma %{{.+}} : tensor<1x1024xf32
// CHECK: smx_gpu.partial_reduce <add>
// CHECK: math.fma %{{.+}} : tensor<1x512xf32
// CHECK: arith.addf
// CHECK: %[[S:.+]] = smx_gpu.reduce <add>
// CHECK: %[[L:.+]] = arith.mulf %[[S]], %[[Q]]
// CHECK-NOT: arith.mulf
// CHECK: smx_gpu.store %[[L]]
smx_gpu.kernel @pieces(%x: memref<?x1536xbf16>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %inf = arith.constant dense<0x7F800000> : tensor<1xf32, #value>
  %zero = arith.constant dense<0.0> : tensor<1xf32, #value>
  %L = arith.constant dense<1.44269502> : tensor<1x1024xf32, #row>
  %M = arith.constant dense<1.44269502> : tensor<1x512xf32, #row>
  %i = gpu.block_id x
  %a = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1536xbf16> -> tensor<1x1024xbf16, #row>
  %b = smx_gpu.load %x[%i, %c1024] dims [-1, 1] : memref<?x1536xbf16> -> tensor<1x512xbf16, #row>
  %af = arith.extf %a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
  %bf = arith.extf %b : tensor<1x512xbf16, #row> to tensor<1x512xf32, #row>
  %am = smx_gpu.partial_reduce <maxnum> %af : tensor<1x1024xf32, #row> -> tensor<1x512xf32, #row>
  %bm = arith.maxnumf %am, %bf : tensor<1x512xf32, #row>
  %m = smx_gpu.reduce <maxnum> %bm dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %abs = math.absf %m : tensor<1xf32, #value>
  %is = arith.cmpf oeq, %abs, %inf : tensor<1xf32, #value>
  %r = arith.select %is, %zero, %m : tensor<1xi1, #value>, tensor<1xf32, #value>
  %ra = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x1024xf32, #row>
  %ad = arith.subf %af, %ra : tensor<1x1024xf32, #row>
  %ap = arith.mulf %ad, %L : tensor<1x1024xf32, #row>
  %ae = math.exp2 %ap fastmath<afn> : tensor<1x1024xf32, #row>
  %as = smx_gpu.partial_reduce <add> %ae : tensor<1x1024xf32, #row> -> tensor<1x512xf32, #row>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %bd = arith.subf %bf, %rb : tensor<1x512xf32, #row>
  %bp = arith.mulf %bd, %M : tensor<1x512xf32, #row>
  %be = math.exp2 %bp fastmath<afn> : tensor<1x512xf32, #row>
  %both = arith.addf %as, %be : tensor<1x512xf32, #row>
  %held = smx_gpu.hold %both : tensor<1x512xf32, #row>
  %s = smx_gpu.reduce <add> %held dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %s, %y[%i] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}
