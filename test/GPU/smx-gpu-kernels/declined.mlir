// RUN: softmax-opt %s --smx-to-gpu -split-input-file -verify-diagnostics

// What has no kernel is an error at its place, not a wrong result.

// A head dim that no loop cuts must be known.
!t = tensor<2x64x?xbf16>
func.func @open_head_dim(%q: !t, %k: !t, %v: !t) -> !t {
  // expected-error @+1 {{expected tiles of bounded size, got a dimension that no loop cuts; a static size (of the head dim, say) would work}}
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}

// -----

func.func @parity(%x: tensor<8x8xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %s = linalg.fill ins(%zero : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  // expected-error @+1 {{'linalg.generic' op reduces by something other than a sum, a product, an extremum or the place of one}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xi32>) outs(%s : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %1 = arith.xori %a, %b : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Each term needs the sum before it.
func.func @compound(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @+1 {{'linalg.generic' op reduces by something other than a sum, a product, an extremum or the place of one}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%ones : tensor<4xf32>) {
  ^bb0(%a: f32, %l: f32):
    %t = arith.mulf %a, %l : f32
    %s = arith.addf %l, %t : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The sum is one of maxima so far.
func.func @sum_of_running(%x: tensor<4x64xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{'linalg.generic' op reduces by something other than a sum, a product, an extremum or the place of one}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%zeros, %zeros : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32, %l: f32):
    %n = arith.maxnumf %m, %a : f32
    %s = arith.addf %l, %n : f32
    linalg.yield %n, %s : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @on_memory(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  scf.forall (%i) = (0) to (64) step (16) {
    %a = memref.subview %x[%i, 0] [16, 64] [1, 1] : memref<64x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
    %b = memref.subview %y[%i, 0] [16, 64] [1, 1] : memref<64x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
    // expected-error @+1 {{'linalg.copy' op expected tensors, got memory: kernels are made from loops that are not bufferized yet}}
    linalg.copy ins(%a : memref<16x64xf32, strided<[64, 1], offset: ?>>) outs(%b : memref<16x64xf32, strided<[64, 1], offset: ?>>)
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}

// -----

func.func @first_column(%x: tensor<4xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'linalg.generic' op writes only a part of a result of type 'tensor<4x8xf32>', which has no kernel}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
