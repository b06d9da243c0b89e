// Bounds that are computed in narrow integers are those that these have: what exceeds them comes round.

// RUN: softmax-opt %s -o /dev/null --smx-report | FileCheck %s

// 18 * 16 is 32 in i8: 8 rounds of 4 elements, each read and written.
// CHECK: @narrow tiled 128 128 0 32
func.func @narrow(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c18 = arith.constant 18 : i8
  %c16 = arith.constant 16 : i8
  %count = arith.muli %c18, %c16 : i8
  %end = arith.index_castui %count : i8 to index
  %e = tensor.empty() : tensor<64xf32>
  %r = scf.forall (%i) = (0) to (%end) step (4) shared_outs(%o = %e) -> (tensor<64xf32>) {
    %t = tensor.extract_slice %x[%i] [4] [1] : tensor<64xf32> to tensor<4xf32>
    %d = tensor.extract_slice %o[%i] [4] [1] : tensor<64xf32> to tensor<4xf32>
    %u = linalg.map { arith.addf } ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%d : tensor<4xf32>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%i] [4] [1] : tensor<4xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}

// 65536 * 65536 + 32 is 32 in i32, and in the last 16 bits, and 2^31 - 1 + 1 is below 0: 4 rounds of 8 elements.
// CHECK: @product tiled 128 128 0 32
func.func @product(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %large = arith.constant 65536 : i32
  %most = arith.constant 2147483647 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %square = arith.muli %large, %large : i32
  %count = arith.addi %square, %c32 : i32
  %least = arith.addi %most, %c1 : i32
  %isNegative = arith.cmpi slt, %least, %c0 : i32
  %short = arith.trunci %count : i32 to i16
  %few = arith.extui %short : i16 to i64
  %end = arith.index_cast %few : i64 to index
  %chosen = arith.select %isNegative, %end, %c64 : index
  %e = tensor.empty() : tensor<64xf32>
  %r = scf.forall (%i) = (0) to (%chosen) step (8) shared_outs(%o = %e) -> (tensor<64xf32>) {
    %t = tensor.extract_slice %x[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    %d = tensor.extract_slice %o[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
    %u = linalg.map { arith.addf } ins(%t, %t : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%i] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}
