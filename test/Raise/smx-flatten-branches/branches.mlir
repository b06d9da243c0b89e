// RUN: softmax-opt %s --smx-flatten-branches --split-input-file | FileCheck %s

// What is read is there whichever branch is taken; a loop's index that always is stays.
// CHECK-LABEL: func.func @concatenated(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<4x8xf32>
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[C:.*]] = arith.cmpi ult, %[[J]]
// CHECK: %[[HERE:.*]] = arith.select %[[C]], %[[J]], %{{.*}} : index
// CHECK: %[[X:.*]] = tensor.extract %[[A]][%[[I]], %[[HERE]]]
// CHECK: %[[K:.*]] = arith.subi %[[J]]
// CHECK: %[[THERE:.*]] = arith.select %[[C]], %{{.*}}, %[[K]] : index
// CHECK: %[[Y:.*]] = tensor.extract %[[B]][%[[I]], %[[THERE]]]
// CHECK: %[[R:.*]] = arith.select %[[C]], %[[X]], %[[Y]] : f32
// CHECK: linalg.yield %[[R]]
func.func @concatenated(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %c8 = arith.constant 8 : index
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x16xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ult, %j, %c8 : index
    %r = scf.if %c -> (f32) {
      %x = tensor.extract %a[%i, %j] : tensor<4x8xf32>
      scf.yield %x : f32
    } else {
      %k = arith.subi %j, %c8 : index
      %x = tensor.extract %b[%i, %k] : tensor<4x8xf32>
      scf.yield %x : f32
    }
    linalg.yield %r : f32
  } -> tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}

// -----

// Of three, the inner choice is one of the outer branch.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT: scf.if
// CHECK-COUNT-3: tensor.extract
// CHECK: arith.select
// CHECK: arith.select
// CHECK: linalg.yield
func.func @nested(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %p = arith.cmpi ult, %i, %c2 : index
    %r = scf.if %p -> (f32) {
      %x = tensor.extract %a[%i] : tensor<2xf32>
      scf.yield %x : f32
    } else {
      %q = arith.cmpi ult, %i, %c4 : index
      %t = scf.if %q -> (f32) {
        %k = arith.subi %i, %c2 : index
        %x = tensor.extract %b[%k] : tensor<2xf32>
        scf.yield %x : f32
      } else {
        %k = arith.subi %i, %c4 : index
        %x = tensor.extract %c[%k] : tensor<2xf32>
        scf.yield %x : f32
      }
      scf.yield %t : f32
    }
    linalg.yield %r : f32
  } -> tensor<6xf32>
  return %s : tensor<6xf32>
}

// -----

// An empty tensor has no place: its branch is never taken.
// CHECK-LABEL: func.func @empty(
// CHECK-NOT: scf.if
// CHECK-COUNT-1: tensor.extract
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @empty(%a: tensor<0xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi ult, %i, %c0 : index
    %r = scf.if %c -> (f32) {
      %x = tensor.extract %a[%i] : tensor<0xf32>
      scf.yield %x : f32
    } else {
      %x = tensor.extract %b[%i] : tensor<4xf32>
      scf.yield %x : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// Neither may be executed where it is not taken: a division by 0, a place in a tensor that may have none. Branches of the
// function are not bodies of loops.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-3: scf.if
func.func @stays(%a: tensor<?xf32>, %n: tensor<4xi32>, %p: i1, %x: f32, %y: f32) -> (tensor<4xf32>, tensor<4xi32>, f32) {
  %e = tensor.empty() : tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %c2 = arith.constant 2 : index
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi ult, %i, %c2 : index
    %r = scf.if %c -> (f32) {
      %v = tensor.extract %a[%i] : tensor<?xf32>
      scf.yield %v : f32
    } else {
      scf.yield %z : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4xi32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%n : tensor<4xi32>) outs(%f : tensor<4xi32>) {
  ^bb0(%v: i32, %o: i32):
    %c = arith.cmpi ne, %v, %none : i32
    %r = scf.if %c -> (i32) {
      %q = arith.divsi %v, %v : i32
      scf.yield %q : i32
    } else {
      scf.yield %none : i32
    }
    linalg.yield %r : i32
  } -> tensor<4xi32>
  %r = scf.if %p -> (f32) {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  return %s, %t, %r : tensor<4xf32>, tensor<4xi32>, f32
}
