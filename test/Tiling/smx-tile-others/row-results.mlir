// RUN: softmax-opt %s --smx-tile-others --canonicalize --cse | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// What is computed from the results of a loop over rows alone is computed in it, of a tile of rows at a time; what nobody else
// reads is no result any more.
// CHECK-LABEL: @join
// CHECK: %[[L:.+]] = scf.forall (%[[I:.+]]) = (0) to (64) step (8) shared_outs(%[[O:.+]] = %{{.+}}) -> (tensor<64x2xf32>)
// CHECK: linalg.generic {{.+}} ins(%{{.+}}, %{{.+}} : tensor<8xf32>, tensor<8xf32>) outs(%{{.+}} : tensor<8x2xf32>)
// CHECK: linalg.index 1
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[O]][%[[I]], 0] [8, 2] [1, 1]
// CHECK-NOT: scf.forall (
// CHECK: return %[[L]]
func.func @join(%x: tensor<64xf32>) -> tensor<64x2xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %r:2 = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %e, %b = %e) -> (tensor<64xf32>, tensor<64xf32>) {
    %s = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    %t = math.exp %s : tensor<8xf32>
    %u = math.log %s : tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
      tensor.parallel_insert_slice %u into %b[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  %f = tensor.empty() : tensor<64x2xf32>
  %y = linalg.generic {indexing_maps = [#row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r#0, %r#1 : tensor<64xf32>, tensor<64xf32>) outs(%f : tensor<64x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %j = linalg.index 1 : index
    %is1 = arith.cmpi eq, %j, %c1 : index
    %z = arith.select %is1, %q, %p : f32
    linalg.yield %z : f32
  } -> tensor<64x2xf32>
  return %y : tensor<64x2xf32>
}

// Beside them it may read other tensors, in the tile's place, where that is: weights of all columns, or another tensor of rows.
// CHECK-LABEL: @beside
// CHECK-SAME: %[[X:.+]]: tensor<64x128xf32>, %[[W:.+]]: tensor<128xf32>, %[[R:.+]]: tensor<64x128xf32>
// CHECK: %[[L:.+]] = scf.forall (%[[I:.+]]) = (0) to (64) step (8)
// CHECK: %[[E:.+]] = math.exp
// CHECK: %[[S:.+]] = tensor.extract_slice %[[R]][%[[I]], 0] [8, 128] [1, 1]
// CHECK: linalg.generic {{.+}} ins(%[[E]], %[[W]], %[[S]] : tensor<8x128xf32>, tensor<128xf32>, tensor<8x128xf32>)
// CHECK-NOT: scf.forall (
// CHECK: return %[[L]]
func.func @beside(%x: tensor<64x128xf32>, %w: tensor<128xf32>, %residual: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %r = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %e) -> (tensor<64x128xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [8, 128] [1, 1] : tensor<64x128xf32> to tensor<8x128xf32>
    %t = math.exp %s : tensor<8x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<64x128xf32>
    }
  }
  %y = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (j)>, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r, %w, %residual : tensor<64x128xf32>, tensor<128xf32>, tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%p: f32, %q: f32, %h: f32, %o: f32):
    %z = arith.mulf %p, %q : f32
    %sum = arith.addf %z, %h : f32
    linalg.yield %sum : f32
  } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// Of two loops, the last one has it, to which the other one's result is a tensor like any other.
// CHECK-LABEL: @last
// CHECK: %[[A:.+]] = scf.forall
// CHECK: scf.forall (%[[I:.+]]) = (0) to (64) step (8)
// CHECK: %[[S:.+]] = tensor.extract_slice %[[A]][%[[I]]] [8] [1]
// CHECK: linalg.generic {{.+}} ins(%[[S]], %{{.+}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT: scf.forall (
func.func @last(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = scf.forall (%i) = (0) to (64) step (4) shared_outs(%a = %e) -> (tensor<64xf32>) {
    %s = tensor.extract_slice %x[%i] [4] [1] : tensor<64xf32> to tensor<4xf32>
    %t = math.exp %s : tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i] [4] [1] : tensor<4xf32> into tensor<64xf32>
    }
  }
  %q = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %e) -> (tensor<64xf32>) {
    %s = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    %t = math.log %s : tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%r, %q : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32, %u: f32):
    %z = arith.addf %p, %o : f32
    linalg.yield %z : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// A product of matrices keeps its loop for itself, and what is transposed has tiles of its own.
// CHECK-LABEL: @product
// CHECK-COUNT-2: scf.forall (
func.func @product(%x: tensor<64x16xf32>, %y: tensor<16x64xf32>, %h: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %r = scf.forall (%i) = (0) to (64) step (16) shared_outs(%a = %e) -> (tensor<64x64xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [16, 16] [1, 1] : tensor<64x16xf32> to tensor<16x16xf32>
    %n = tensor.empty() : tensor<16x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%n : tensor<16x64xf32>) -> tensor<16x64xf32>
    %t = linalg.matmul ins(%s, %y : tensor<16x16xf32>, tensor<16x64xf32>) outs(%f : tensor<16x64xf32>) -> tensor<16x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [16, 64] [1, 1] : tensor<16x64xf32> into tensor<64x64xf32>
    }
  }
  %sum = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r, %h : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %z = arith.addf %p, %q : f32
    linalg.yield %z : f32
  } -> tensor<64x64xf32>
  return %sum : tensor<64x64xf32>
}
// CHECK-LABEL: @transposed
// CHECK-COUNT-2: scf.forall (
func.func @transposed(%x: tensor<64x64xf32>, %h: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %e) -> (tensor<64x64xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [8, 64] [1, 1] : tensor<64x64xf32> to tensor<8x64xf32>
    %t = math.exp %s : tensor<8x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<64x64xf32>
    }
  }
  %sum = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (j, i)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r, %h : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %z = arith.addf %p, %q : f32
    linalg.yield %z : f32
  } -> tensor<64x64xf32>
  return %sum : tensor<64x64xf32>
}

// A row needs the place of another one, other tensors have more columns than the loop's tiles, or a tile is not all that an
// element needs: a loop of its own.
// CHECK-LABEL: @apart
// CHECK-COUNT-4: scf.forall (
func.func @apart(%x: tensor<64xf32>, %w: tensor<100xf32>) -> (tensor<64xf32>, tensor<64x100xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %r = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %e) -> (tensor<64xf32>) {
    %s = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    %t = math.exp %s : tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  %places = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%r : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %j = linalg.index 0 : index
    %k = arith.index_cast %j : index to i32
    %n = arith.sitofp %k : i32 to f32
    %z = arith.addf %p, %n : f32
    linalg.yield %z : f32
  } -> tensor<64xf32>
  %wide = tensor.empty() : tensor<64x100xf32>
  %both = linalg.generic {indexing_maps = [#row, affine_map<(i, j) -> (j)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r, %w : tensor<64xf32>, tensor<100xf32>) outs(%wide : tensor<64x100xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %z = arith.addf %p, %q : f32
    linalg.yield %z : f32
  } -> tensor<64x100xf32>
  %s = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%r : tensor<64xf32>) outs(%f : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %z = arith.addf %p, %o : f32
    linalg.yield %z : f32
  } -> tensor<f32>
  return %places, %both, %sum : tensor<64xf32>, tensor<64x100xf32>, tensor<f32>
}
