// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-largest-of-stream))' | FileCheck %s

// Parts of rows: a loop over whole tiles from a multiple of the extent of a part on, and one that may have a round, over the end of
// the row. The maxima go through both, and what is found behind them is as long as what the part has of the row.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>
#floor = affine_map<(i) -> ((i floordiv 1024) * 1024)>

// CHECK-LABEL: smx_gpu.kernel @part
// CHECK: %[[BEGIN:.+]] = arith.muli
// CHECK: %[[END:.+]] = arith.minsi
// CHECK: %[[A:.+]] = scf.for %{{.+}} = %[[BEGIN]] to %[[WHOLE:.+]] step %{{.+}} iter_args(%{{.+}} = %{{.+}}) -> (tensor<1x512xbf16,
// CHECK-NOT: f64
// CHECK: smx_gpu.partial_reduce <maximum>
// CHECK: %[[B:.+]] = scf.for %{{.+}} = %[[WHOLE]] to %[[END]] step %{{.+}} iter_args(%{{.+}} = %[[A]]) -> (tensor<1x512xbf16,
// CHECK: %[[X:.+]] = smx_gpu.load
// CHECK-NOT: f64
// CHECK: %[[IN:.+]] = arith.select %{{.+}}, %[[X]], %{{.+}} : tensor<1x1024xi1
// CHECK: smx_gpu.partial_reduce <maximum> %[[IN]]
// CHECK: %[[VALID:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: %{{.+}}, %[[COLUMN:.+]] = smx_gpu.largest %[[B]] of %{{.+}}[%{{.+}}, %[[BEGIN]]] extent(2048) valid(%[[VALID]]) {aligned = 16 : i64}
// CHECK: %[[FROM:.+]] = tensor.splat %[[BEGIN]]
// CHECK: %[[PLACE:.+]] = arith.addi %[[COLUMN]], %[[FROM]]
// CHECK: arith.index_cast %[[PLACE]]
// Every part has an element.
// CHECK-NOT: arith.cmpi slt, %[[COLUMN]]
// CHECK: smx_gpu.store {{.*}}f64
smx_gpu.kernel @part(%x: memref<?x6008xbf16>, %y: memref<?xf64>) warps(2) {
  %c1 = arith.constant 1 : index
  %c888 = arith.constant 888 : index
  %e = arith.constant 2048 : index
  %n = arith.constant 6008 : index
  %step = arith.constant 1024 : index
  %row = gpu.block_id x
  %part = gpu.block_id y
  %begin = arith.muli %part, %e : index
  %next = arith.addi %begin, %e : index
  %end = arith.minsi %next, %n : index
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %whole = affine.apply #floor(%end)
  %p_a = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_a = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_a = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_a = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_a = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_a = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p_b = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_b = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_b = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_b = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_b = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_b = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %end_b = arith.constant dense<888> : tensor<1x1024xindex, #row>
  %nowhere_b = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %r_a = scf.for %j = %begin to %whole step %step iter_args(%k_a = %none) -> (tensor<1xf64, #value>) {
    %t_a = smx_gpu.load %x[%row, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_a = arith.extf %t_a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_a = tensor.splat %j : tensor<1x1024xindex, #row>
    %place_a = arith.addi %s_a, %p_a : tensor<1x1024xindex, #row>
    %g_a = arith.addf %f_a, %zero_a : tensor<1x1024xf32, #row>
    %d_a = arith.extf %g_a : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_a = arith.cmpf ogt, %d_a, %least_a : tensor<1x1024xf64, #row>
    %d1_a = arith.select %above_a, %d_a, %least_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_a = arith.cmpf olt, %d1_a, %most_a : tensor<1x1024xf64, #row>
    %d2_a = arith.select %below_a, %d1_a, %most_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_a = arith.bitcast %d2_a : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_a = arith.index_cast %place_a : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_a = arith.cmpi slt, %bits_a, %izero_a : tensor<1x1024xi64, #row>
    %rest_a = arith.subi %imost_a, %i_a : tensor<1x1024xi64, #row>
    %low_a = arith.select %negative_a, %i_a, %rest_a : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_a = arith.ori %bits_a, %low_a : tensor<1x1024xi64, #row>
    %keys_a = arith.bitcast %both_a : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %m_a = smx_gpu.reduce <maxnum> %keys_a dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_a = arith.maxnumf %k_a, %m_a : tensor<1xf64, #value>
    scf.yield %n_a : tensor<1xf64, #value>
  }
  %r_b = scf.for %i = %whole to %end step %step iter_args(%k_b = %r_a) -> (tensor<1xf64, #value>) {
    %t_b = smx_gpu.load %x[%row, %i] valid(%c1, %c888) dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_b = arith.extf %t_b : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_b = tensor.splat %i : tensor<1x1024xindex, #row>
    %place_b = arith.addi %s_b, %p_b : tensor<1x1024xindex, #row>
    %g_b = arith.addf %f_b, %zero_b : tensor<1x1024xf32, #row>
    %d_b = arith.extf %g_b : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_b = arith.cmpf ogt, %d_b, %least_b : tensor<1x1024xf64, #row>
    %d1_b = arith.select %above_b, %d_b, %least_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_b = arith.cmpf olt, %d1_b, %most_b : tensor<1x1024xf64, #row>
    %d2_b = arith.select %below_b, %d1_b, %most_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_b = arith.bitcast %d2_b : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_b = arith.index_cast %place_b : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_b = arith.cmpi slt, %bits_b, %izero_b : tensor<1x1024xi64, #row>
    %rest_b = arith.subi %imost_b, %i_b : tensor<1x1024xi64, #row>
    %low_b = arith.select %negative_b, %i_b, %rest_b : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_b = arith.ori %bits_b, %low_b : tensor<1x1024xi64, #row>
    %keys_b = arith.bitcast %both_b : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %inside_b = arith.cmpi slt, %p_b, %end_b : tensor<1x1024xindex, #row>
    %found_b = arith.select %inside_b, %keys_b, %nowhere_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %m_b = smx_gpu.reduce <maxnum> %found_b dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_b = arith.maxnumf %k_b, %m_b : tensor<1xf64, #value>
    scf.yield %n_b : tensor<1xf64, #value>
  }
  smx_gpu.store %r_b, %y[%row] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// Rows of whole parts: all of each is there.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @whole_parts
// CHECK: smx_gpu.largest %{{.+}} of %{{.+}}[%{{.+}}, %{{.+}}] extent(2048) {aligned = 16 : i64}
smx_gpu.kernel @whole_parts(%x: memref<?x6008xbf16>, %y: memref<?xf64>) warps(2) {
  %e = arith.constant 2048 : index
  %n = arith.constant 4096 : index
  %step = arith.constant 1024 : index
  %row = gpu.block_id x
  %part = gpu.block_id y
  %begin = arith.muli %part, %e : index
  %next = arith.addi %begin, %e : index
  %end = arith.minsi %next, %n : index
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %p_a = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_a = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_a = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_a = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_a = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_a = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %r_a = scf.for %j = %begin to %end step %step iter_args(%k_a = %none) -> (tensor<1xf64, #value>) {
    %t_a = smx_gpu.load %x[%row, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_a = arith.extf %t_a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_a = tensor.splat %j : tensor<1x1024xindex, #row>
    %place_a = arith.addi %s_a, %p_a : tensor<1x1024xindex, #row>
    %g_a = arith.addf %f_a, %zero_a : tensor<1x1024xf32, #row>
    %d_a = arith.extf %g_a : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_a = arith.cmpf ogt, %d_a, %least_a : tensor<1x1024xf64, #row>
    %d1_a = arith.select %above_a, %d_a, %least_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_a = arith.cmpf olt, %d1_a, %most_a : tensor<1x1024xf64, #row>
    %d2_a = arith.select %below_a, %d1_a, %most_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_a = arith.bitcast %d2_a : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_a = arith.index_cast %place_a : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_a = arith.cmpi slt, %bits_a, %izero_a : tensor<1x1024xi64, #row>
    %rest_a = arith.subi %imost_a, %i_a : tensor<1x1024xi64, #row>
    %low_a = arith.select %negative_a, %i_a, %rest_a : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_a = arith.ori %bits_a, %low_a : tensor<1x1024xi64, #row>
    %keys_a = arith.bitcast %both_a : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %m_a = smx_gpu.reduce <maxnum> %keys_a dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_a = arith.maxnumf %k_a, %m_a : tensor<1xf64, #value>
    scf.yield %n_a : tensor<1xf64, #value>
  }
  smx_gpu.store %r_a, %y[%row] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// Rows of whole tiles, of which the last part has fewer.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @whole_tiles
// CHECK: %[[VALID:.+]] = arith.subi
// CHECK: smx_gpu.largest %{{.+}} of %{{.+}}[%{{.+}}, %{{.+}}] extent(2048) valid(%[[VALID]])
smx_gpu.kernel @whole_tiles(%x: memref<?x6008xbf16>, %y: memref<?xf64>) warps(2) {
  %e = arith.constant 2048 : index
  %n = arith.constant 5120 : index
  %step = arith.constant 1024 : index
  %row = gpu.block_id x
  %part = gpu.block_id y
  %begin = arith.muli %part, %e : index
  %next = arith.addi %begin, %e : index
  %end = arith.minsi %next, %n : index
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %p_a = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_a = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_a = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_a = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_a = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_a = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %r_a = scf.for %j = %begin to %end step %step iter_args(%k_a = %none) -> (tensor<1xf64, #value>) {
    %t_a = smx_gpu.load %x[%row, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_a = arith.extf %t_a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_a = tensor.splat %j : tensor<1x1024xindex, #row>
    %place_a = arith.addi %s_a, %p_a : tensor<1x1024xindex, #row>
    %g_a = arith.addf %f_a, %zero_a : tensor<1x1024xf32, #row>
    %d_a = arith.extf %g_a : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_a = arith.cmpf ogt, %d_a, %least_a : tensor<1x1024xf64, #row>
    %d1_a = arith.select %above_a, %d_a, %least_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_a = arith.cmpf olt, %d1_a, %most_a : tensor<1x1024xf64, #row>
    %d2_a = arith.select %below_a, %d1_a, %most_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_a = arith.bitcast %d2_a : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_a = arith.index_cast %place_a : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_a = arith.cmpi slt, %bits_a, %izero_a : tensor<1x1024xi64, #row>
    %rest_a = arith.subi %imost_a, %i_a : tensor<1x1024xi64, #row>
    %low_a = arith.select %negative_a, %i_a, %rest_a : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_a = arith.ori %bits_a, %low_a : tensor<1x1024xi64, #row>
    %keys_a = arith.bitcast %both_a : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %m_a = smx_gpu.reduce <maxnum> %keys_a dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_a = arith.maxnumf %k_a, %m_a : tensor<1xf64, #value>
    scf.yield %n_a : tensor<1xf64, #value>
  }
  smx_gpu.store %r_a, %y[%row] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// Parts begin at multiples of something else, and end elsewhere.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>
#floor = affine_map<(i) -> ((i floordiv 1024) * 1024)>

// CHECK-LABEL: smx_gpu.kernel @other_parts
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @other_parts(%x: memref<?x6008xbf16>, %y: memref<?xf64>) warps(2) {
  %c1 = arith.constant 1 : index
  %c888 = arith.constant 888 : index
  %e = arith.constant 2048 : index
  %n = arith.constant 6008 : index
  %step = arith.constant 1024 : index
  %row = gpu.block_id x
  %part = gpu.block_id y
  %begin = arith.muli %part, %step : index
  %next = arith.addi %begin, %e : index
  %end = arith.minsi %next, %n : index
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %whole = affine.apply #floor(%end)
  %p_a = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_a = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_a = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_a = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_a = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_a = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p_b = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_b = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_b = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_b = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_b = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_b = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %end_b = arith.constant dense<888> : tensor<1x1024xindex, #row>
  %nowhere_b = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %r_a = scf.for %j = %begin to %whole step %step iter_args(%k_a = %none) -> (tensor<1xf64, #value>) {
    %t_a = smx_gpu.load %x[%row, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_a = arith.extf %t_a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_a = tensor.splat %j : tensor<1x1024xindex, #row>
    %place_a = arith.addi %s_a, %p_a : tensor<1x1024xindex, #row>
    %g_a = arith.addf %f_a, %zero_a : tensor<1x1024xf32, #row>
    %d_a = arith.extf %g_a : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_a = arith.cmpf ogt, %d_a, %least_a : tensor<1x1024xf64, #row>
    %d1_a = arith.select %above_a, %d_a, %least_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_a = arith.cmpf olt, %d1_a, %most_a : tensor<1x1024xf64, #row>
    %d2_a = arith.select %below_a, %d1_a, %most_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_a = arith.bitcast %d2_a : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_a = arith.index_cast %place_a : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_a = arith.cmpi slt, %bits_a, %izero_a : tensor<1x1024xi64, #row>
    %rest_a = arith.subi %imost_a, %i_a : tensor<1x1024xi64, #row>
    %low_a = arith.select %negative_a, %i_a, %rest_a : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_a = arith.ori %bits_a, %low_a : tensor<1x1024xi64, #row>
    %keys_a = arith.bitcast %both_a : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %m_a = smx_gpu.reduce <maxnum> %keys_a dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_a = arith.maxnumf %k_a, %m_a : tensor<1xf64, #value>
    scf.yield %n_a : tensor<1xf64, #value>
  }
  %r_b = scf.for %i = %whole to %end step %step iter_args(%k_b = %r_a) -> (tensor<1xf64, #value>) {
    %t_b = smx_gpu.load %x[%row, %i] valid(%c1, %c888) dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_b = arith.extf %t_b : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_b = tensor.splat %i : tensor<1x1024xindex, #row>
    %place_b = arith.addi %s_b, %p_b : tensor<1x1024xindex, #row>
    %g_b = arith.addf %f_b, %zero_b : tensor<1x1024xf32, #row>
    %d_b = arith.extf %g_b : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_b = arith.cmpf ogt, %d_b, %least_b : tensor<1x1024xf64, #row>
    %d1_b = arith.select %above_b, %d_b, %least_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_b = arith.cmpf olt, %d1_b, %most_b : tensor<1x1024xf64, #row>
    %d2_b = arith.select %below_b, %d1_b, %most_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_b = arith.bitcast %d2_b : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_b = arith.index_cast %place_b : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_b = arith.cmpi slt, %bits_b, %izero_b : tensor<1x1024xi64, #row>
    %rest_b = arith.subi %imost_b, %i_b : tensor<1x1024xi64, #row>
    %low_b = arith.select %negative_b, %i_b, %rest_b : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_b = arith.ori %bits_b, %low_b : tensor<1x1024xi64, #row>
    %keys_b = arith.bitcast %both_b : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %inside_b = arith.cmpi slt, %p_b, %end_b : tensor<1x1024xindex, #row>
    %found_b = arith.select %inside_b, %keys_b, %nowhere_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %m_b = smx_gpu.reduce <maxnum> %found_b dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_b = arith.maxnumf %k_b, %m_b : tensor<1xf64, #value>
    scf.yield %n_b : tensor<1xf64, #value>
  }
  smx_gpu.store %r_b, %y[%row] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// A part is no number of tiles: its last tile is of the next part as well.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>
#floor = affine_map<(i) -> ((i floordiv 1024) * 1024)>

// CHECK-LABEL: smx_gpu.kernel @parts_of_tiles
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @parts_of_tiles(%x: memref<?x6008xbf16>, %y: memref<?xf64>) warps(2) {
  %c1 = arith.constant 1 : index
  %c888 = arith.constant 888 : index
  %e = arith.constant 2000 : index
  %n = arith.constant 6008 : index
  %step = arith.constant 1024 : index
  %row = gpu.block_id x
  %part = gpu.block_id y
  %begin = arith.muli %part, %e : index
  %next = arith.addi %begin, %e : index
  %end = arith.minsi %next, %n : index
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %whole = affine.apply #floor(%end)
  %p_a = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_a = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_a = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_a = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_a = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_a = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p_b = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_b = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_b = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_b = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_b = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_b = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %end_b = arith.constant dense<888> : tensor<1x1024xindex, #row>
  %nowhere_b = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %r_a = scf.for %j = %begin to %whole step %step iter_args(%k_a = %none) -> (tensor<1xf64, #value>) {
    %t_a = smx_gpu.load %x[%row, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_a = arith.extf %t_a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_a = tensor.splat %j : tensor<1x1024xindex, #row>
    %place_a = arith.addi %s_a, %p_a : tensor<1x1024xindex, #row>
    %g_a = arith.addf %f_a, %zero_a : tensor<1x1024xf32, #row>
    %d_a = arith.extf %g_a : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_a = arith.cmpf ogt, %d_a, %least_a : tensor<1x1024xf64, #row>
    %d1_a = arith.select %above_a, %d_a, %least_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_a = arith.cmpf olt, %d1_a, %most_a : tensor<1x1024xf64, #row>
    %d2_a = arith.select %below_a, %d1_a, %most_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_a = arith.bitcast %d2_a : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_a = arith.index_cast %place_a : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_a = arith.cmpi slt, %bits_a, %izero_a : tensor<1x1024xi64, #row>
    %rest_a = arith.subi %imost_a, %i_a : tensor<1x1024xi64, #row>
    %low_a = arith.select %negative_a, %i_a, %rest_a : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_a = arith.ori %bits_a, %low_a : tensor<1x1024xi64, #row>
    %keys_a = arith.bitcast %both_a : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %m_a = smx_gpu.reduce <maxnum> %keys_a dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_a = arith.maxnumf %k_a, %m_a : tensor<1xf64, #value>
    scf.yield %n_a : tensor<1xf64, #value>
  }
  %r_b = scf.for %i = %whole to %end step %step iter_args(%k_b = %r_a) -> (tensor<1xf64, #value>) {
    %t_b = smx_gpu.load %x[%row, %i] valid(%c1, %c888) dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_b = arith.extf %t_b : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_b = tensor.splat %i : tensor<1x1024xindex, #row>
    %place_b = arith.addi %s_b, %p_b : tensor<1x1024xindex, #row>
    %g_b = arith.addf %f_b, %zero_b : tensor<1x1024xf32, #row>
    %d_b = arith.extf %g_b : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_b = arith.cmpf ogt, %d_b, %least_b : tensor<1x1024xf64, #row>
    %d1_b = arith.select %above_b, %d_b, %least_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_b = arith.cmpf olt, %d1_b, %most_b : tensor<1x1024xf64, #row>
    %d2_b = arith.select %below_b, %d1_b, %most_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_b = arith.bitcast %d2_b : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_b = arith.index_cast %place_b : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_b = arith.cmpi slt, %bits_b, %izero_b : tensor<1x1024xi64, #row>
    %rest_b = arith.subi %imost_b, %i_b : tensor<1x1024xi64, #row>
    %low_b = arith.select %negative_b, %i_b, %rest_b : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_b = arith.ori %bits_b, %low_b : tensor<1x1024xi64, #row>
    %keys_b = arith.bitcast %both_b : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %inside_b = arith.cmpi slt, %p_b, %end_b : tensor<1x1024xindex, #row>
    %found_b = arith.select %inside_b, %keys_b, %nowhere_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %m_b = smx_gpu.reduce <maxnum> %found_b dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_b = arith.maxnumf %k_b, %m_b : tensor<1xf64, #value>
    scf.yield %n_b : tensor<1xf64, #value>
  }
  smx_gpu.store %r_b, %y[%row] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// The last round reads fewer than the row has.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>
#floor = affine_map<(i) -> ((i floordiv 1024) * 1024)>

// CHECK-LABEL: smx_gpu.kernel @other_end
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @other_end(%x: memref<?x6008xbf16>, %y: memref<?xf64>) warps(2) {
  %c1 = arith.constant 1 : index
  %c880 = arith.constant 880 : index
  %e = arith.constant 2048 : index
  %n = arith.constant 6008 : index
  %step = arith.constant 1024 : index
  %row = gpu.block_id x
  %part = gpu.block_id y
  %begin = arith.muli %part, %e : index
  %next = arith.addi %begin, %e : index
  %end = arith.minsi %next, %n : index
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %whole = affine.apply #floor(%end)
  %p_a = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_a = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_a = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_a = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_a = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_a = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p_b = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_b = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_b = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_b = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_b = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_b = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %end_b = arith.constant dense<880> : tensor<1x1024xindex, #row>
  %nowhere_b = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %r_a = scf.for %j = %begin to %whole step %step iter_args(%k_a = %none) -> (tensor<1xf64, #value>) {
    %t_a = smx_gpu.load %x[%row, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_a = arith.extf %t_a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_a = tensor.splat %j : tensor<1x1024xindex, #row>
    %place_a = arith.addi %s_a, %p_a : tensor<1x1024xindex, #row>
    %g_a = arith.addf %f_a, %zero_a : tensor<1x1024xf32, #row>
    %d_a = arith.extf %g_a : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_a = arith.cmpf ogt, %d_a, %least_a : tensor<1x1024xf64, #row>
    %d1_a = arith.select %above_a, %d_a, %least_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_a = arith.cmpf olt, %d1_a, %most_a : tensor<1x1024xf64, #row>
    %d2_a = arith.select %below_a, %d1_a, %most_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_a = arith.bitcast %d2_a : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_a = arith.index_cast %place_a : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_a = arith.cmpi slt, %bits_a, %izero_a : tensor<1x1024xi64, #row>
    %rest_a = arith.subi %imost_a, %i_a : tensor<1x1024xi64, #row>
    %low_a = arith.select %negative_a, %i_a, %rest_a : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_a = arith.ori %bits_a, %low_a : tensor<1x1024xi64, #row>
    %keys_a = arith.bitcast %both_a : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %m_a = smx_gpu.reduce <maxnum> %keys_a dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_a = arith.maxnumf %k_a, %m_a : tensor<1xf64, #value>
    scf.yield %n_a : tensor<1xf64, #value>
  }
  %r_b = scf.for %i = %whole to %end step %step iter_args(%k_b = %r_a) -> (tensor<1xf64, #value>) {
    %t_b = smx_gpu.load %x[%row, %i] valid(%c1, %c880) dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_b = arith.extf %t_b : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_b = tensor.splat %i : tensor<1x1024xindex, #row>
    %place_b = arith.addi %s_b, %p_b : tensor<1x1024xindex, #row>
    %g_b = arith.addf %f_b, %zero_b : tensor<1x1024xf32, #row>
    %d_b = arith.extf %g_b : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_b = arith.cmpf ogt, %d_b, %least_b : tensor<1x1024xf64, #row>
    %d1_b = arith.select %above_b, %d_b, %least_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_b = arith.cmpf olt, %d1_b, %most_b : tensor<1x1024xf64, #row>
    %d2_b = arith.select %below_b, %d1_b, %most_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_b = arith.bitcast %d2_b : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_b = arith.index_cast %place_b : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_b = arith.cmpi slt, %bits_b, %izero_b : tensor<1x1024xi64, #row>
    %rest_b = arith.subi %imost_b, %i_b : tensor<1x1024xi64, #row>
    %low_b = arith.select %negative_b, %i_b, %rest_b : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_b = arith.ori %bits_b, %low_b : tensor<1x1024xi64, #row>
    %keys_b = arith.bitcast %both_b : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %inside_b = arith.cmpi slt, %p_b, %end_b : tensor<1x1024xindex, #row>
    %found_b = arith.select %inside_b, %keys_b, %nowhere_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %m_b = smx_gpu.reduce <maxnum> %found_b dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_b = arith.maxnumf %k_b, %m_b : tensor<1xf64, #value>
    scf.yield %n_b : tensor<1xf64, #value>
  }
  smx_gpu.store %r_b, %y[%row] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// Whole tiles end elsewhere.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>
#other = affine_map<(i) -> ((i floordiv 512) * 512)>

// CHECK-LABEL: smx_gpu.kernel @other_floor
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @other_floor(%x: memref<?x6008xbf16>, %y: memref<?xf64>) warps(2) {
  %c1 = arith.constant 1 : index
  %c888 = arith.constant 888 : index
  %e = arith.constant 2048 : index
  %n = arith.constant 6008 : index
  %step = arith.constant 1024 : index
  %row = gpu.block_id x
  %part = gpu.block_id y
  %begin = arith.muli %part, %e : index
  %next = arith.addi %begin, %e : index
  %end = arith.minsi %next, %n : index
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %whole = affine.apply #other(%end)
  %p_a = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_a = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_a = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_a = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_a = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_a = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %p_b = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_b = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_b = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_b = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_b = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_b = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %end_b = arith.constant dense<888> : tensor<1x1024xindex, #row>
  %nowhere_b = arith.constant dense<0xFFF0000000000000> : tensor<1x1024xf64, #row>
  %r_a = scf.for %j = %begin to %whole step %step iter_args(%k_a = %none) -> (tensor<1xf64, #value>) {
    %t_a = smx_gpu.load %x[%row, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_a = arith.extf %t_a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_a = tensor.splat %j : tensor<1x1024xindex, #row>
    %place_a = arith.addi %s_a, %p_a : tensor<1x1024xindex, #row>
    %g_a = arith.addf %f_a, %zero_a : tensor<1x1024xf32, #row>
    %d_a = arith.extf %g_a : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_a = arith.cmpf ogt, %d_a, %least_a : tensor<1x1024xf64, #row>
    %d1_a = arith.select %above_a, %d_a, %least_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_a = arith.cmpf olt, %d1_a, %most_a : tensor<1x1024xf64, #row>
    %d2_a = arith.select %below_a, %d1_a, %most_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_a = arith.bitcast %d2_a : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_a = arith.index_cast %place_a : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_a = arith.cmpi slt, %bits_a, %izero_a : tensor<1x1024xi64, #row>
    %rest_a = arith.subi %imost_a, %i_a : tensor<1x1024xi64, #row>
    %low_a = arith.select %negative_a, %i_a, %rest_a : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_a = arith.ori %bits_a, %low_a : tensor<1x1024xi64, #row>
    %keys_a = arith.bitcast %both_a : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %m_a = smx_gpu.reduce <maxnum> %keys_a dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_a = arith.maxnumf %k_a, %m_a : tensor<1xf64, #value>
    scf.yield %n_a : tensor<1xf64, #value>
  }
  %r_b = scf.for %i = %whole to %end step %step iter_args(%k_b = %r_a) -> (tensor<1xf64, #value>) {
    %t_b = smx_gpu.load %x[%row, %i] valid(%c1, %c888) dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_b = arith.extf %t_b : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_b = tensor.splat %i : tensor<1x1024xindex, #row>
    %place_b = arith.addi %s_b, %p_b : tensor<1x1024xindex, #row>
    %g_b = arith.addf %f_b, %zero_b : tensor<1x1024xf32, #row>
    %d_b = arith.extf %g_b : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_b = arith.cmpf ogt, %d_b, %least_b : tensor<1x1024xf64, #row>
    %d1_b = arith.select %above_b, %d_b, %least_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_b = arith.cmpf olt, %d1_b, %most_b : tensor<1x1024xf64, #row>
    %d2_b = arith.select %below_b, %d1_b, %most_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_b = arith.bitcast %d2_b : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_b = arith.index_cast %place_b : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_b = arith.cmpi slt, %bits_b, %izero_b : tensor<1x1024xi64, #row>
    %rest_b = arith.subi %imost_b, %i_b : tensor<1x1024xi64, #row>
    %low_b = arith.select %negative_b, %i_b, %rest_b : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_b = arith.ori %bits_b, %low_b : tensor<1x1024xi64, #row>
    %keys_b = arith.bitcast %both_b : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %inside_b = arith.cmpi slt, %p_b, %end_b : tensor<1x1024xindex, #row>
    %found_b = arith.select %inside_b, %keys_b, %nowhere_b : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %m_b = smx_gpu.reduce <maxnum> %found_b dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_b = arith.maxnumf %k_b, %m_b : tensor<1xf64, #value>
    scf.yield %n_b : tensor<1xf64, #value>
  }
  smx_gpu.store %r_b, %y[%row] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}

// -----

// Rows that end within a tile, whose end nobody looks at: the last tile is cut.
#row = #smx_gpu.striped<rows = 1, columns = 64, vector = 8>
#value = #smx_gpu.slice<1, #row>

// CHECK-LABEL: smx_gpu.kernel @no_tail
// CHECK-NOT: smx_gpu.largest
smx_gpu.kernel @no_tail(%x: memref<?x6008xbf16>, %y: memref<?xf64>) warps(2) {
  %e = arith.constant 2048 : index
  %n = arith.constant 6008 : index
  %step = arith.constant 1024 : index
  %row = gpu.block_id x
  %part = gpu.block_id y
  %begin = arith.muli %part, %e : index
  %next = arith.addi %begin, %e : index
  %end = arith.minsi %next, %n : index
  %none = arith.constant dense<0xFFF0000000000000> : tensor<1xf64, #value>
  %p_a = smx_gpu.position 1 : tensor<1x1024xindex, #row>
  %zero_a = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  %least_a = arith.constant dense<0xCC70000000000000> : tensor<1x1024xf64, #row>
  %most_a = arith.constant dense<0x4C70000000000000> : tensor<1x1024xf64, #row>
  %izero_a = arith.constant dense<0> : tensor<1x1024xi64, #row>
  %imost_a = arith.constant dense<536870911> : tensor<1x1024xi64, #row>
  %r_a = scf.for %j = %begin to %end step %step iter_args(%k_a = %none) -> (tensor<1xf64, #value>) {
    %t_a = smx_gpu.load %x[%row, %j] dims [-1, 1] {aligned = 16 : i64} : memref<?x6008xbf16> -> tensor<1x1024xbf16, #row>
    %f_a = arith.extf %t_a : tensor<1x1024xbf16, #row> to tensor<1x1024xf32, #row>
    %s_a = tensor.splat %j : tensor<1x1024xindex, #row>
    %place_a = arith.addi %s_a, %p_a : tensor<1x1024xindex, #row>
    %g_a = arith.addf %f_a, %zero_a : tensor<1x1024xf32, #row>
    %d_a = arith.extf %g_a : tensor<1x1024xf32, #row> to tensor<1x1024xf64, #row>
    %above_a = arith.cmpf ogt, %d_a, %least_a : tensor<1x1024xf64, #row>
    %d1_a = arith.select %above_a, %d_a, %least_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %below_a = arith.cmpf olt, %d1_a, %most_a : tensor<1x1024xf64, #row>
    %d2_a = arith.select %below_a, %d1_a, %most_a : tensor<1x1024xi1, #row>, tensor<1x1024xf64, #row>
    %bits_a = arith.bitcast %d2_a : tensor<1x1024xf64, #row> to tensor<1x1024xi64, #row>
    %i_a = arith.index_cast %place_a : tensor<1x1024xindex, #row> to tensor<1x1024xi64, #row>
    %negative_a = arith.cmpi slt, %bits_a, %izero_a : tensor<1x1024xi64, #row>
    %rest_a = arith.subi %imost_a, %i_a : tensor<1x1024xi64, #row>
    %low_a = arith.select %negative_a, %i_a, %rest_a : tensor<1x1024xi1, #row>, tensor<1x1024xi64, #row>
    %both_a = arith.ori %bits_a, %low_a : tensor<1x1024xi64, #row>
    %keys_a = arith.bitcast %both_a : tensor<1x1024xi64, #row> to tensor<1x1024xf64, #row>
    %m_a = smx_gpu.reduce <maxnum> %keys_a dim 1 : tensor<1x1024xf64, #row> -> tensor<1xf64, #value>
    %n_a = arith.maxnumf %k_a, %m_a : tensor<1xf64, #value>
    scf.yield %n_a : tensor<1xf64, #value>
  }
  smx_gpu.store %r_a, %y[%row] dims [-1] : tensor<1xf64, #value>, memref<?xf64>
  smx_gpu.return
}
