// Bounds and extents that depend on the position of a loop are evaluated round by round.

// RUN: softmax-opt %s -o /dev/null --smx-report | FileCheck %s

// Rows 0, 8, .. 56 see 1, 2, .. 8 tiles of 8 x 8 f32: 36 tiles of 256 bytes.
// CHECK: @triangle tiled 9216 256 0 2304
func.func @triangle(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<64xf32>
  %r = scf.forall (%i) = (0) to (64) step (8) shared_outs(%o = %e) -> (tensor<64xf32>) {
    %end = affine.apply affine_map<(i) -> (i + 8)>(%i)
    %b = tensor.empty() : tensor<8xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    %s = scf.for %j = %c0 to %end step %c8 iter_args(%a = %s0) -> (tensor<8xf32>) {
      %t = tensor.extract_slice %x[%i, %j] [8, 8] [1, 1] : tensor<64x64xf32> to tensor<8x8xf32>
      %u = linalg.reduce ins(%t : tensor<8x8xf32>) outs(%a : tensor<8xf32>) dimensions = [1]
        (%in: f32, %acc: f32) {
          %sum = arith.addf %in, %acc : f32
          linalg.yield %sum : f32
        }
      scf.yield %u : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}

// 100 elements in tiles of at most 16, with the last one ragged: each element is read and written once.
// CHECK: @ragged tiled 400 400 0 100
func.func @ragged(%x: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %r = scf.forall (%i) = (0) to (100) step (16) shared_outs(%o = %e) -> (tensor<100xf32>) {
    %n = affine.min affine_map<(i) -> (16, 100 - i)>(%i)
    %t = tensor.extract_slice %x[%i] [%n] [1] : tensor<100xf32> to tensor<?xf32>
    %d = tensor.extract_slice %o[%i] [%n] [1] : tensor<100xf32> to tensor<?xf32>
    %u = linalg.map { arith.addf } ins(%t, %t : tensor<?xf32>, tensor<?xf32>) outs(%d : tensor<?xf32>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%i] [%n] [1] : tensor<?xf32> into tensor<100xf32>
    }
  }
  return %r : tensor<100xf32>
}

// A bound without a sign, and one that a constant chooses: rows 0, 8, 16, .. see 1, 2, 3, 3, .. tiles, 21 in all.
// CHECK: @chosen tiled 5376 256 0 1344
func.func @chosen(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %true = arith.constant true
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<64xf32>
  %r = scf.forall (%i) = (0) to (64) step (8) shared_outs(%o = %e) -> (tensor<64xf32>) {
    %least = arith.minui %i, %c16 : index
    %chosen = arith.select %true, %least, %c0 : index
    %end = arith.addi %chosen, %c8 : index
    %b = tensor.empty() : tensor<8xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    %s = scf.for %j = %c0 to %end step %c8 iter_args(%a = %s0) -> (tensor<8xf32>) {
      %t = tensor.extract_slice %x[%i, %j] [8, 8] [1, 1] : tensor<64x64xf32> to tensor<8x8xf32>
      %u = linalg.reduce ins(%t : tensor<8x8xf32>) outs(%a : tensor<8xf32>) dimensions = [1]
        (%in: f32, %acc: f32) {
          %sum = arith.addf %in, %acc : f32
          linalg.yield %sum : f32
        }
      scf.yield %u : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}
