// Arithmetic on floats that is outside of all loops is done by the kernels: launches compute whole numbers.
// RUN: softmax-run %s --entry=scaled --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=mean --dims=7 --target=emulator --check=naive --repeat=0 | FileCheck %s
// RUN: softmax-compile %s --entry=scaled --emit=c-header --image=ptx -o %t.h
// CHECK: against naive: pass

#id = affine_map<(i, j) -> (i, j)>

func.func @scaled(%x: tensor<4x8xf32>, %a: f32, %b: f64) -> tensor<4x8xf32> {
  %n = arith.truncf %b : f64 to f32
  %s = arith.mulf %a, %n : f32
  %t = math.absf %s : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %m = arith.mulf %u, %t : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A mean over rows that are counted at run time.
func.func @mean(%x: tensor<?x64xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %ni = arith.index_cast %n : index to i64
  %nf = arith.sitofp %ni : i64 to f32
  %l = smx.logsumexp %x axis(1) : tensor<?x64xf32> -> tensor<?xf32>
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%l : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%u: f32, %o: f32):
    %m = arith.addf %u, %o : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%s : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%u: f32, %o: f32):
    %m = arith.divf %u, %nf : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// Each is repeated once, however often it is used, and so is what is chosen by a comparison.
// RUN: softmax-run %s --entry=powers --target=emulator --check=naive --repeat=0 | FileCheck %s
func.func @powers(%x: tensor<4x8xf32>, %a: f32) -> tensor<4x8xf32> {
  %half = arith.constant 0.5 : f32
  %c = arith.cmpf ogt, %a, %half : f32
  %b = arith.select %c, %half, %a : f32
  %1 = arith.mulf %b, %b : f32
  %2 = arith.mulf %1, %1 : f32
  %3 = arith.mulf %2, %2 : f32
  %4 = arith.mulf %3, %3 : f32
  %5 = arith.mulf %4, %4 : f32
  %6 = arith.addf %5, %b : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %m = arith.mulf %u, %6 : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
