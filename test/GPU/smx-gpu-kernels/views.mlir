// RUN: softmax-opt %s --smx-to-gpu | FileCheck %s

// A broadcast of an extent that is open, as torch-mlir writes it, is memory with a stride of 0 where the extent is 1: the host
// says so, and keys stream through one channel as they always do.
// CHECK-LABEL: smx_gpu.kernel @open_batch_kernel
// CHECK: smx_gpu.make_channel
// CHECK-NOT: smx_gpu.gather
// CHECK: smx_gpu.put %[[K:.+]][
// CHECK-NOT: smx_gpu.gather
// CHECK-LABEL: func.func @open_batch
// CHECK: %[[ONE:.+]] = arith.cmpi eq, %{{.+}}, %c1
// CHECK: %[[STRIDE:.+]] = arith.select %[[ONE]], %c0, %{{.+}}
// CHECK: memref.reinterpret_cast {{.+}} strides: [%[[STRIDE]], %{{.+}}, 1]
func.func @open_batch(%q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x16xf32>
  %n = tensor.dim %k, %c1 : tensor<?x?x16xf32>
  %one = tensor.dim %k, %c0 : tensor<?x?x16xf32>
  %e = tensor.empty(%b, %n) : tensor<?x?x16xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(b, j, d) -> (b, j, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%e : tensor<?x?x16xf32>) {
  ^bb0(%o: f32):
    %bi = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = linalg.index 2 : index
    %is_one = arith.cmpi eq, %one, %c1 : index
    %at = arith.select %is_one, %c0, %bi : index
    %x = tensor.extract %k[%at, %j, %d] : tensor<?x?x16xf32>
    linalg.yield %x : f32
  } -> tensor<?x?x16xf32>
  %o = smx.attention %q, %all, %v scale(0.25) : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

// A tensor that is multiplied by itself: rows of the scores and keys are two dimensions, though one value has both.
// CHECK-LABEL: smx_gpu.kernel @with_itself_kernel
// CHECK: smx_gpu.put
// CHECK: smx_gpu.mma {{.+}} transpose_b
func.func @with_itself(%x: tensor<25x16xf32>) -> tensor<25x16xf32> {
  %o = smx.attention %x, %x, %x scale(0.25) : tensor<25x16xf32>, tensor<25x16xf32>, tensor<25x16xf32> -> tensor<25x16xf32>
  return %o : tensor<25x16xf32>
}

// A constant that is the same everywhere is no memory.
// CHECK-LABEL: smx_gpu.kernel @constant_kernel
// CHECK: arith.constant dense<-1.000000e+00>
// CHECK-LABEL: func.func @constant
// CHECK-NOT: memref.get_global
// CHECK: return
func.func @constant(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %low = arith.constant dense<-1.0> : tensor<f32>
  %e = tensor.empty() : tensor<8x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %low : tensor<8x32xf32>, tensor<f32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// A result in another shape is still written where the caller wants it: no scratch, no copy.
// CHECK-LABEL: func.func @reshaped
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @reshaped(%x: tensor<?x4x32xf32>) -> (tensor<?x1x32xf32>, tensor<?xf32>) {
  %lse = smx.logsumexp %x axis(1) : tensor<?x4x32xf32> -> tensor<?x32xf32>
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4x32xf32>
  %kept = tensor.expand_shape %lse [[0, 1], [2]] output_shape [%m, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
  %other = smx.logsumexp %x axis(2) : tensor<?x4x32xf32> -> tensor<?x4xf32>
  %flat = tensor.collapse_shape %other [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  return %kept, %flat : tensor<?x1x32xf32>, tensor<?xf32>
}
