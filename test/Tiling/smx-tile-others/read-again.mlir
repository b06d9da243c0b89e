// RUN: softmax-opt %s --smx-tile-others --canonicalize --cse | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>

// A tensor that a loop reads all of, each tile once, is computed there, also where it is read again: the sum of a residual, of
// which a norm is made, is another result of the norm's loop. Columns may be added to all rows alike.
// CHECK-LABEL: @residual
// CHECK-SAME: %[[X:.+]]: tensor<64x128xf32>, %[[R:.+]]: tensor<64x128xf32>, %[[B:.+]]: tensor<128xf32>
// CHECK: %[[L:.+]]:2 = scf.forall (%[[I:.+]]) = (0) to (64) step (8) shared_outs(%[[O:.+]] = %{{.+}}, %[[H:.+]] = %{{.+}})
// CHECK-DAG: %[[XS:.+]] = tensor.extract_slice %[[X]][%[[I]], 0] [8, 128] [1, 1]
// CHECK-DAG: %[[RS:.+]] = tensor.extract_slice %[[R]][%[[I]], 0] [8, 128] [1, 1]
// CHECK: %[[T:.+]] = linalg.generic {{.+}} ins(%[[XS]], %[[RS]], %[[B]] : tensor<8x128xf32>, tensor<8x128xf32>, tensor<128xf32>)
// CHECK: %[[E:.+]] = math.exp %[[T]]
// CHECK-DAG: tensor.parallel_insert_slice %[[E]] into %[[O]][%[[I]], 0] [8, 128] [1, 1]
// CHECK-DAG: tensor.parallel_insert_slice %[[T]] into %[[H]][%[[I]], 0] [8, 128] [1, 1]
// CHECK-NOT: scf.forall (
// CHECK: return %[[L]]#1, %[[L]]#0
func.func @residual(%x: tensor<64x128xf32>, %r: tensor<64x128xf32>, %bias: tensor<128xf32>)
    -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %e = tensor.empty() : tensor<64x128xf32>
  %h = linalg.generic {indexing_maps = [#all, #all, affine_map<(i, j) -> (j)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r, %bias : tensor<64x128xf32>, tensor<64x128xf32>, tensor<128xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%p: f32, %q: f32, %b: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %z = arith.addf %s, %b : f32
    linalg.yield %z : f32
  } -> tensor<64x128xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %e) -> (tensor<64x128xf32>) {
    %s = tensor.extract_slice %h[%i, 0] [8, 128] [1, 1] : tensor<64x128xf32> to tensor<8x128xf32>
    %t = math.exp %s : tensor<8x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<64x128xf32>
    }
  }
  return %h, %y : tensor<64x128xf32>, tensor<64x128xf32>
}

// Named ops of single elements are no different.
// CHECK-LABEL: @named
// CHECK: scf.forall (
// CHECK-NOT: scf.forall (
func.func @named(%x: tensor<64x128xf32>, %r: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %e = tensor.empty() : tensor<64x128xf32>
  %h = linalg.add ins(%x, %r : tensor<64x128xf32>, tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %e) -> (tensor<64x128xf32>) {
    %s = tensor.extract_slice %h[%i, 0] [8, 128] [1, 1] : tensor<64x128xf32> to tensor<8x128xf32>
    %t = math.exp %s : tensor<8x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<64x128xf32>
    }
  }
  %z = linalg.mul ins(%y, %x : tensor<64x128xf32>, tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %h, %z : tensor<64x128xf32>, tensor<64x128xf32>
}

// The number of rows may be open, if it is that of the loop's results.
// CHECK-LABEL: @open
// CHECK: scf.forall ({{.+}}) -> (tensor<?x128xf32>, tensor<?x128xf32>)
// CHECK-NOT: scf.forall (
// CHECK-LABEL: @open_otherwise
// CHECK-COUNT-2: scf.forall (
func.func @open(%x: tensor<?x128xf32>) -> (tensor<?x128xf32>, tensor<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x128xf32>
  %e = tensor.empty(%n) : tensor<?x128xf32>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x128xf32>) outs(%e : tensor<?x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %z = arith.addf %p, %p : f32
    linalg.yield %z : f32
  } -> tensor<?x128xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%a = %e) -> (tensor<?x128xf32>) {
    %s = tensor.extract_slice %h[%i, 0] [1, 128] [1, 1] : tensor<?x128xf32> to tensor<1x128xf32>
    %t = math.exp %s : tensor<1x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<?x128xf32>
    }
  }
  return %h, %y : tensor<?x128xf32>, tensor<?x128xf32>
}
func.func @open_otherwise(%x: tensor<?x128xf32>, %rows: index) -> (tensor<?x128xf32>, tensor<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x128xf32>
  %e = tensor.empty(%n) : tensor<?x128xf32>
  %f = tensor.empty(%rows) : tensor<?x128xf32>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x128xf32>) outs(%e : tensor<?x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %z = arith.addf %p, %p : f32
    linalg.yield %z : f32
  } -> tensor<?x128xf32>
  %y = scf.forall (%i) in (%rows) shared_outs(%a = %f) -> (tensor<?x128xf32>) {
    %s = tensor.extract_slice %h[%i, 0] [1, 128] [1, 1] : tensor<?x128xf32> to tensor<1x128xf32>
    %t = math.exp %s : tensor<1x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<?x128xf32>
    }
  }
  return %h, %y : tensor<?x128xf32>, tensor<?x128xf32>
}

// What is read before the loop, or in tiles that are less than all of it, stays where it is.
// CHECK-LABEL: @before
// CHECK-COUNT-3: scf.forall (
// CHECK-LABEL: @part
// CHECK-COUNT-2: scf.forall (
func.func @before(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %e = tensor.empty() : tensor<64x128xf32>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %z = arith.addf %p, %p : f32
    linalg.yield %z : f32
  } -> tensor<64x128xf32>
  %turned = tensor.empty() : tensor<128x64xf32>
  %first = linalg.transpose ins(%h : tensor<64x128xf32>) outs(%turned : tensor<128x64xf32>) permutation = [1, 0]
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %e) -> (tensor<64x128xf32>) {
    %s = tensor.extract_slice %h[%i, 0] [8, 128] [1, 1] : tensor<64x128xf32> to tensor<8x128xf32>
    %k = tensor.extract_slice %first[0, 0] [8, 64] [1, 1] : tensor<128x64xf32> to tensor<8x64xf32>
    %l = tensor.extract_slice %k[0, 0] [8, 1] [1, 1] : tensor<8x64xf32> to tensor<8xf32>
    %b = linalg.broadcast ins(%l : tensor<8xf32>) outs(%s : tensor<8x128xf32>) dimensions = [1]
    %t = arith.addf %s, %b : tensor<8x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [8, 128] [1, 1] : tensor<8x128xf32> into tensor<64x128xf32>
    }
  }
  return %h, %y : tensor<64x128xf32>, tensor<64x128xf32>
}
func.func @part(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x100xf32>) {
  %e = tensor.empty() : tensor<64x128xf32>
  %f = tensor.empty() : tensor<64x100xf32>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %z = arith.addf %p, %p : f32
    linalg.yield %z : f32
  } -> tensor<64x128xf32>
  %y = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %f) -> (tensor<64x100xf32>) {
    %s = tensor.extract_slice %h[%i, 0] [8, 100] [1, 1] : tensor<64x128xf32> to tensor<8x100xf32>
    %t = math.exp %s : tensor<8x100xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %a[%i, 0] [8, 100] [1, 1] : tensor<8x100xf32> into tensor<64x100xf32>
    }
  }
  return %h, %y : tensor<64x128xf32>, tensor<64x100xf32>
}
