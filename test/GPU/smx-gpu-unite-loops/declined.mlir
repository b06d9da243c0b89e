// Loops that stay two.
// RUN: softmax-opt %s --smx-gpu-unite-loops --canonicalize --split-input-file | FileCheck %s

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>

// The rounds of the second loop do not continue those of the first.
// CHECK-LABEL: @other_places
// CHECK-COUNT-2: scf.for
smx_gpu.kernel @other_places(%x: memref<64x?xf32>, %y: memref<64xf32>, %m: index, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %a = scf.for %j = %c0 to %m step %c64 iter_args(%l = %zero) -> (tensor<64xf32, #S>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %s = smx_gpu.reduce <add> %t dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %l1 = arith.addf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  %b = scf.for %j = %m to %n step %c64 iter_args(%l = %a) -> (tensor<64xf32, #S>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %end = tensor.splat %n : tensor<64x64xindex, #F>
    %seen = arith.cmpi slt, %place, %end : tensor<64x64xindex, #F>
    %h = arith.select %seen, %t, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %s = smx_gpu.reduce <add> %h dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %l1 = arith.addf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  smx_gpu.store %b, %y[%c0] dims [0] : tensor<64xf32, #S>, memref<64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>

// What is hidden is needed as it was, too.
// CHECK-LABEL: @needed_as_it_was
// CHECK-COUNT-2: scf.for
smx_gpu.kernel @needed_as_it_was(%x: memref<64x?xf32>, %y: memref<64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %a = scf.for %j = %c0 to %c128 step %c64 iter_args(%l = %zero) -> (tensor<64xf32, #S>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %u = arith.mulf %t, %t : tensor<64x64xf32, #F>
    %s = smx_gpu.reduce <add> %u dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %l1 = arith.addf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  %b = scf.for %j = %c128 to %n step %c64 iter_args(%l = %a) -> (tensor<64xf32, #S>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %end = tensor.splat %n : tensor<64x64xindex, #F>
    %seen = arith.cmpi slt, %place, %end : tensor<64x64xindex, #F>
    %h = arith.select %seen, %t, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %u = arith.mulf %h, %t : tensor<64x64xf32, #F>
    %s = smx_gpu.reduce <add> %u dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %l1 = arith.addf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  smx_gpu.store %b, %y[%c0] dims [0] : tensor<64xf32, #S>, memref<64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>

// The second loop does something else.
// CHECK-LABEL: @other_work
// CHECK-COUNT-2: scf.for
smx_gpu.kernel @other_work(%x: memref<64x?xf32>, %y: memref<64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %a = scf.for %j = %c0 to %c128 step %c64 iter_args(%l = %zero) -> (tensor<64xf32, #S>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %s = smx_gpu.reduce <add> %t dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %l1 = arith.addf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  %b = scf.for %j = %c128 to %n step %c64 iter_args(%l = %a) -> (tensor<64xf32, #S>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %place = smx_gpu.position 1 : tensor<64x64xindex, #F>
    %end = tensor.splat %n : tensor<64x64xindex, #F>
    %seen = arith.cmpi slt, %place, %end : tensor<64x64xindex, #F>
    %h = arith.select %seen, %t, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %s = smx_gpu.reduce <add> %h dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %l1 = arith.subf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  smx_gpu.store %b, %y[%c0] dims [0] : tensor<64xf32, #S>, memref<64xf32>
  smx_gpu.return
}

// -----

#F = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #F>

// A mask that is read from memory would be read twice.
// CHECK-LABEL: @read_mask
// CHECK-COUNT-2: scf.for
smx_gpu.kernel @read_mask(%x: memref<64x?xf32>, %mask: memref<64x?xi8>, %y: memref<64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32, #S>
  %none = arith.constant dense<0> : tensor<64x64xi8, #F>
  %absent = arith.constant dense<-0.0> : tensor<64x64xf32, #F>
  %a = scf.for %j = %c0 to %c128 step %c64 iter_args(%l = %zero) -> (tensor<64xf32, #S>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %s = smx_gpu.reduce <add> %t dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %l1 = arith.addf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  %b = scf.for %j = %c128 to %n step %c64 iter_args(%l = %a) -> (tensor<64xf32, #S>) {
    %t = smx_gpu.load %x[%c0, %j] dims [0, 1] : memref<64x?xf32> -> tensor<64x64xf32, #F>
    %bits = smx_gpu.load %mask[%c0, %j] dims [0, 1] : memref<64x?xi8> -> tensor<64x64xi8, #F>
    %seen = arith.cmpi ne, %bits, %none : tensor<64x64xi8, #F>
    %h = arith.select %seen, %t, %absent : tensor<64x64xi1, #F>, tensor<64x64xf32, #F>
    %s = smx_gpu.reduce <add> %h dim 1 : tensor<64x64xf32, #F> -> tensor<64xf32, #S>
    %l1 = arith.addf %l, %s : tensor<64xf32, #S>
    scf.yield %l1 : tensor<64xf32, #S>
  }
  smx_gpu.store %b, %y[%c0] dims [0] : tensor<64xf32, #S>, memref<64xf32>
  smx_gpu.return
}
