// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-partial-states))' | FileCheck %s

// Warps sum by the maxima of their own parts, and exchange the pair; the row's values are made from what all have.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @block
// CHECK: %[[X:.+]] = smx_gpu.load
// CHECK-NEXT: %[[P:.+]] = smx_gpu.parts %[[X]]
// CHECK-SAME: -> tensor<2x128xf32, #[[PARTS:.+]]>
// CHECK-NEXT: %[[MW:.+]] = smx_gpu.reduce <maxnum> %[[P]] dim 1
// CHECK: %[[B:.+]] = smx_gpu.broadcast %[[MW]]
// CHECK-NEXT: %[[D:.+]] = arith.subf %[[P]], %[[B]] : tensor<2x128xf32
// CHECK-NEXT: %[[E:.+]] = math.exp %[[D]]
// CHECK-NEXT: %[[LW:.+]] = smx_gpu.reduce <add> %[[E]] dim 1
// CHECK-NEXT: %[[ALL:.+]]:2 = smx_gpu.collect %[[MW]], %[[LW]] fill [0xFF800000 : f32, 0.000000e+00 : f32]
// CHECK-NEXT: %[[M:.+]] = smx_gpu.reduce <maxnum> %[[ALL]]#0 dim 1
// CHECK-NEXT: %[[MB:.+]] = smx_gpu.broadcast %[[M]]
// CHECK-NEXT: %[[DM:.+]] = arith.subf %[[ALL]]#0, %[[MB]]
// CHECK-NEXT: %[[F:.+]] = math.exp %[[DM]]
// CHECK-NEXT: %[[T:.+]] = arith.mulf %[[ALL]]#1, %[[F]]
// CHECK-NEXT: %[[L:.+]] = smx_gpu.reduce <add> %[[T]] dim 1
// CHECK-NEXT: %[[M1:.+]] = smx_gpu.agreed %[[M]]
// CHECK-NEXT: %[[L1:.+]] = smx_gpu.agreed %[[L]]
// CHECK-NOT: smx_gpu.reduce
// CHECK: smx_gpu.broadcast %[[M1]]
// CHECK: smx_gpu.broadcast %[[L1]]
smx_gpu.kernel @block(%x: memref<?x256xf32>, %y: memref<?x256xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x256xf32> -> tensor<1x256xf32, #row>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x256xf32, #row>
  %e = math.exp %d : tensor<1x256xf32, #row>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
  %lb = smx_gpu.broadcast %l : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
  %p = arith.divf %e, %lb : tensor<1x256xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x256xf32, #row>, memref<?x256xf32>
  smx_gpu.return
}

// -----

// Of a cluster, one exchange instead of two, and of what is asked for twice; the factor of an exp2 has all bits; places beyond the row add nothing.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @cluster
// CHECK-NOT: smx_gpu.cluster_reduce
// CHECK: arith.select %{{.+}}, %{{.+}}, %{{.+}} : tensor<2x256xi1
// CHECK: smx_gpu.collect
// CHECK-SAME: tensor<16x4xf32
// CHECK-NOT: smx_gpu.cluster_reduce
// CHECK: arith.mulf
// CHECK-NEXT: math.exp2 %{{.+}} fastmath<afn> : tensor<16x4xf32
// CHECK-NOT: smx_gpu.cluster_reduce
// CHECK: smx_gpu.return
smx_gpu.kernel @cluster(%x: memref<?x1024xf32>, %y: memref<?xf32>, %n: index) warps(2) cluster(2) {
  %c0 = arith.constant 0 : index
  %ninf = arith.constant dense<0xFF800000> : tensor<1x512xf32, #row>
  %none = arith.constant dense<0.0> : tensor<1x512xf32, #row>
  %log2e = arith.constant dense<1.44269502> : tensor<1x512xf32, #row>
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x512xf32, #row>
  %j = smx_gpu.position 1 : tensor<1x512xindex, #row>
  %nt = tensor.splat %n : tensor<1x512xindex, #row>
  %in = arith.cmpi slt, %j, %nt : tensor<1x512xindex, #row>
  %s = arith.select %in, %t, %ninf : tensor<1x512xi1, #row>, tensor<1x512xf32, #row>
  %mb0 = smx_gpu.reduce <maxnum> %s dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %m = smx_gpu.cluster_reduce <maxnum> %mb0 : tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x512xf32, #row>
  %p = arith.mulf %d, %log2e : tensor<1x512xf32, #row>
  %e = math.exp2 %p fastmath<afn> {result_bits = 12 : i32} : tensor<1x512xf32, #row>
  %e0 = arith.select %in, %e, %none : tensor<1x512xi1, #row>, tensor<1x512xf32, #row>
  %l0 = smx_gpu.reduce <add> %e0 dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %l = smx_gpu.cluster_reduce <add> %l0 : tensor<1xf32, #value>
  smx_gpu.store %l, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  %again = smx_gpu.cluster_reduce <add> %l0 : tensor<1xf32, #value>
  smx_gpu.store %again, %y[%n] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// A sum of something else meets on its own.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @other_sum
// CHECK-NOT: smx_gpu.parts
// CHECK: smx_gpu.return
smx_gpu.kernel @other_sum(%x: memref<?x256xf32>, %y: memref<?xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [-1, 1] : memref<?x256xf32> -> tensor<1x256xf32, #row>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x256xf32, #row>
  %d = arith.divf %t, %mb : tensor<1x256xf32, #row>
  %l = smx_gpu.reduce <add> %d dim 1 : tensor<1x256xf32, #row> -> tensor<1xf32, #value>
  smx_gpu.store %l, %y[%c0] dims [-1] : tensor<1xf32, #value>, memref<?xf32>
  smx_gpu.return
}

// -----

// Weights of f32 that are added in f64: a thread's are added in their own type first. What a warp's weights are multiplied by is divided by the sum, and not
// each of them; with it goes what it rounds.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @quotient
// CHECK: %[[E:.+]] = math.exp %{{[^ ]+}} fastmath<contract> : tensor<2x256xf32
// CHECK-NEXT: %[[SOME:.+]] = smx_gpu.partial_reduce <add> %[[E]] : tensor<2x256xf32, #[[PARTS:.+]]> -> tensor<2x128xf32, #[[PARTS]]>
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[SOME]] : tensor<2x128xf32, #[[PARTS]]> to tensor<2x128xf64, #[[PARTS]]>
// CHECK-NEXT: smx_gpu.reduce <add> %[[WIDE]] dim 1
// CHECK: %[[L:.+]] = smx_gpu.reduce <add> %{{.+}} dim 1 : tensor<32x2xf64
// CHECK: %[[F:.+]] = math.exp %{{.+}} : tensor<2xf32
// CHECK: %[[OF:.+]] = smx_gpu.agreed %[[L]] {{.*}} -> tensor<2xf64, #smx_gpu.slice<1, #[[PARTS]]>>
// CHECK: %[[INVERSE:.+]] = arith.divf {{.*}} : tensor<2xf32
// CHECK: %[[LACKS:.+]] = arith.subf {{.*}} : tensor<2xf64
// CHECK: %[[REST:.+]] = arith.truncf %[[LACKS]] : {{.*}} to tensor<2xf32
// CHECK: %[[SMALL:.+]] = arith.mulf %[[F]], %[[REST]] : tensor<2xf32
// CHECK: %[[SHARE:.+]] = math.fma %[[F]], %[[INVERSE]], %[[SMALL]] : tensor<2xf32
// CHECK: %[[MINUS:.+]] = arith.negf %[[SHARE]] : tensor<2xf32
// CHECK: %[[LOST:.+]] = math.fma %[[F]], %[[INVERSE]], %[[MINUS]] : tensor<2xf32
// CHECK: %[[ALL:.+]] = arith.addf %[[LOST]], %[[SMALL]] : tensor<2xf32
// CHECK: %[[ALLS:.+]] = smx_gpu.broadcast %[[ALL]] {{.*}} -> tensor<2x256xf32
// CHECK: %[[LOW:.+]] = arith.mulf %[[E]], %[[ALLS]] : tensor<2x256xf32
// CHECK: %[[SHARES:.+]] = smx_gpu.broadcast %[[SHARE]] {{.*}} -> tensor<2x256xf32
// CHECK: %[[R:.+]] = math.fma %[[E]], %[[SHARES]], %[[LOW]] : tensor<2x256xf32
// CHECK: %[[ROW:.+]] = smx_gpu.parts %[[R]]
// CHECK: smx_gpu.store %[[ROW]]
smx_gpu.kernel @quotient(%x: memref<?x512xf32>, %y: memref<?x512xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<1xf32, #value>
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x512xf32> -> tensor<1x512xf32, #row>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x512xf32, #row>
  %e = math.exp %d fastmath<contract> {result_bits = 22 : i32} : tensor<1x512xf32, #row>
  %w = arith.extf %e : tensor<1x512xf32, #row> to tensor<1x512xf64, #row>
  %l = smx_gpu.reduce <add> %w dim 1 : tensor<1x512xf64, #row> -> tensor<1xf64, #value>
  %s = arith.truncf %l : tensor<1xf64, #value> to tensor<1xf32, #value>
  %h = arith.divf %one, %s : tensor<1xf32, #value>
  %again = arith.extf %s : tensor<1xf32, #value> to tensor<1xf64, #value>
  %lacks = arith.subf %again, %l : tensor<1xf64, #value>
  %rest = arith.truncf %lacks : tensor<1xf64, #value> to tensor<1xf32, #value>
  %hb = smx_gpu.broadcast %h : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %rb = smx_gpu.broadcast %rest : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %q = arith.mulf %e, %rb : tensor<1x512xf32, #row>
  %p = math.fma %e, %hb, %q : tensor<1x512xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x512xf32, #row>, memref<?x512xf32>
  smx_gpu.return
}

// -----

// Where blocks have all threads of a multiprocessor, weights that are kept have one reference, and may have fewer bits that are right.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @blocks_in_turn
// CHECK-NOT: smx_gpu.parts
// CHECK: math.exp %{{[^ ]+}} fastmath<contract> {result_bits = 22 : i32}
// CHECK-NOT: smx_gpu.collect
// CHECK: smx_gpu.return
smx_gpu.kernel @blocks_in_turn(%x: memref<?x512xf32>, %y: memref<?x512xf32>) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<1xf32, #value>
  %i = gpu.block_id x
  %t = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x512xf32> -> tensor<1x512xf32, #row>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x512xf32, #row>
  %e = math.exp %d fastmath<contract> {result_bits = 22 : i32} : tensor<1x512xf32, #row>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %h = arith.divf %one, %l : tensor<1xf32, #value>
  %hb = smx_gpu.broadcast %h : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %q = arith.mulf %e, %hb : tensor<1x512xf32, #row>
  %p = math.fma %e, %hb, %q : tensor<1x512xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x512xf32, #row>, memref<?x512xf32>
  smx_gpu.return
}

// -----

// But not where the row is spread over blocks, which wait for each other,

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @cluster_in_turn
// CHECK: smx_gpu.parts
// CHECK: math.exp %{{[^ ]+}} fastmath<contract> : tensor<2x256xf32
// CHECK: smx_gpu.collect
smx_gpu.kernel @cluster_in_turn(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) warps(2) cluster(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<1xf32, #value>
  %i = gpu.block_id x
  %n = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x1024xf32> -> tensor<1x512xf32, #row>
  %m0 = smx_gpu.reduce <maxnum> %n dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %m = smx_gpu.cluster_reduce <maxnum> %m0 : tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %d = arith.subf %n, %mb : tensor<1x512xf32, #row>
  %e = math.exp %d fastmath<contract> {result_bits = 22 : i32} : tensor<1x512xf32, #row>
  %l0 = smx_gpu.reduce <add> %e dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %l = smx_gpu.cluster_reduce <add> %l0 : tensor<1xf32, #value>
  %h = arith.divf %one, %l : tensor<1xf32, #value>
  %hb = smx_gpu.broadcast %h : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %q = arith.mulf %e, %hb : tensor<1x512xf32, #row>
  %p = math.fma %e, %hb, %q : tensor<1x512xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x512xf32, #row>, memref<?x1024xf32>
  smx_gpu.return
}

// -----

// nor where elements are narrow, and kept as they are,

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @narrow_in_turn
// CHECK: smx_gpu.collect
smx_gpu.kernel @narrow_in_turn(%x: memref<?x512xbf16>, %y: memref<?x512xf32>) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<1xf32, #value>
  %i = gpu.block_id x
  %n = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x512xbf16> -> tensor<1x512xbf16, #row>
  %t = arith.extf %n : tensor<1x512xbf16, #row> to tensor<1x512xf32, #row>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x512xf32, #row>
  %f = arith.constant dense<1.4426950> : tensor<1x512xf32, #row>
  %s = arith.mulf %d, %f : tensor<1x512xf32, #row>
  %e = math.exp2 %s fastmath<afn> {result_bits = 16 : i32} : tensor<1x512xf32, #row>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %h = arith.divf %one, %l : tensor<1xf32, #value>
  %hb = smx_gpu.broadcast %h : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %q = arith.mulf %e, %hb : tensor<1x512xf32, #row>
  %p = math.fma %e, %hb, %q : tensor<1x512xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x512xf32, #row>, memref<?x512xf32>
  smx_gpu.return
}

// -----

// but where a thread has few of them, and weights in f32 to the last bits, which are not computed twice.

#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @few_to_the_last_bits
// CHECK-NOT: smx_gpu.collect
// CHECK: smx_gpu.return
smx_gpu.kernel @few_to_the_last_bits(%x: memref<?x512xbf16>, %y: memref<?x512xf32>) warps(2) min_blocks(32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<1xf32, #value>
  %i = gpu.block_id x
  %n = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x512xbf16> -> tensor<1x512xbf16, #row>
  %t = arith.extf %n : tensor<1x512xbf16, #row> to tensor<1x512xf32, #row>
  %m = smx_gpu.reduce <maxnum> %t dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %d = arith.subf %t, %mb : tensor<1x512xf32, #row>
  %e = math.exp %d fastmath<contract> {result_bits = 22 : i32} : tensor<1x512xf32, #row>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<1x512xf32, #row> -> tensor<1xf32, #value>
  %h = arith.divf %one, %l : tensor<1xf32, #value>
  %hb = smx_gpu.broadcast %h : tensor<1xf32, #value> -> tensor<1x512xf32, #row>
  %q = arith.mulf %e, %hb : tensor<1x512xf32, #row>
  %p = math.fma %e, %hb, %q : tensor<1x512xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x512xf32, #row>, memref<?x512xf32>
  smx_gpu.return
}

// -----

// Results of 32768 elements may be further off: weights have fewer bits that are right.

#row = #smx_gpu.striped<rows = 1, columns = 1024, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @long
// CHECK: math.exp %{{[^ ]+}} fastmath<contract> {result_bits = 22 : i32} : tensor<32x128xf32
// CHECK: smx_gpu.collect
// CHECK: math.fma %{{.+}} : tensor<32x128xf32
smx_gpu.kernel @long(%x: memref<?x32768xf32>, %y: memref<?x32768xf32>) warps(32) cluster(8) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<1xf32, #value>
  %i = gpu.block_id x
  %n = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x32768xf32> -> tensor<1x4096xf32, #row>
  %m0 = smx_gpu.reduce <maxnum> %n dim 1 : tensor<1x4096xf32, #row> -> tensor<1xf32, #value>
  %m = smx_gpu.cluster_reduce <maxnum> %m0 : tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x4096xf32, #row>
  %d = arith.subf %n, %mb : tensor<1x4096xf32, #row>
  %e = math.exp %d fastmath<contract> {result_bits = 22 : i32} : tensor<1x4096xf32, #row>
  %l0 = smx_gpu.reduce <add> %e dim 1 : tensor<1x4096xf32, #row> -> tensor<1xf32, #value>
  %l = smx_gpu.cluster_reduce <add> %l0 : tensor<1xf32, #value>
  %h = arith.divf %one, %l : tensor<1xf32, #value>
  %hb = smx_gpu.broadcast %h : tensor<1xf32, #value> -> tensor<1x4096xf32, #row>
  %q = arith.mulf %e, %hb : tensor<1x4096xf32, #row>
  %p = math.fma %e, %hb, %q : tensor<1x4096xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x4096xf32, #row>, memref<?x32768xf32>
  smx_gpu.return
}

// -----

// Of 65536, the factor of a warp's weights is rounded as well.

#row = #smx_gpu.striped<rows = 1, columns = 1024, vector = 4>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @longer
// CHECK: math.exp %{{[^ ]+}} fastmath<contract> {result_bits = 22 : i32} : tensor<32x128xf32
// CHECK: smx_gpu.collect
// CHECK-NOT: math.fma %{{.+}} : tensor<32x128xf32
// CHECK: %[[SHARES:.+]] = smx_gpu.broadcast %{{.+}} -> tensor<32x128xf32
// CHECK-NEXT: arith.mulf %{{.+}}, %[[SHARES]] : tensor<32x128xf32
// CHECK-NOT: math.fma %{{.+}} : tensor<32x128xf32
// CHECK: smx_gpu.return
smx_gpu.kernel @longer(%x: memref<?x65536xf32>, %y: memref<?x65536xf32>) warps(32) cluster(16) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<1xf32, #value>
  %i = gpu.block_id x
  %n = smx_gpu.load %x[%i, %c0] dims [-1, 1] : memref<?x65536xf32> -> tensor<1x4096xf32, #row>
  %m0 = smx_gpu.reduce <maxnum> %n dim 1 : tensor<1x4096xf32, #row> -> tensor<1xf32, #value>
  %m = smx_gpu.cluster_reduce <maxnum> %m0 : tensor<1xf32, #value>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #value> -> tensor<1x4096xf32, #row>
  %d = arith.subf %n, %mb : tensor<1x4096xf32, #row>
  %e = math.exp %d fastmath<contract> {result_bits = 22 : i32} : tensor<1x4096xf32, #row>
  %l0 = smx_gpu.reduce <add> %e dim 1 : tensor<1x4096xf32, #row> -> tensor<1xf32, #value>
  %l = smx_gpu.cluster_reduce <add> %l0 : tensor<1xf32, #value>
  %h = arith.divf %one, %l : tensor<1xf32, #value>
  %hb = smx_gpu.broadcast %h : tensor<1xf32, #value> -> tensor<1x4096xf32, #row>
  %q = arith.mulf %e, %hb : tensor<1x4096xf32, #row>
  %p = math.fma %e, %hb, %q : tensor<1x4096xf32, #row>
  smx_gpu.store %p, %y[%i, %c0] dims [-1, 1] : tensor<1x4096xf32, #row>, memref<?x65536xf32>
  smx_gpu.return
}
