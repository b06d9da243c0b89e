// What scores read from memory is a tile that is loaded, where it lies there in rows that start at multiples of 16 bytes, and single elements elsewhere.
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_80 alignment=16' | FileCheck %s

!t = tensor<2x128x64xbf16>
!cut = tensor<2x100x64xbf16>

// CHECK-LABEL: smx_gpu.kernel @pairs_kernel
// CHECK: smx_gpu.put
// CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %[[I:.+]], %[[J:.+]]] dims [1, 2] {aligned = 16 : i64} : memref<2x128x128xbf16
// CHECK-NOT: smx_gpu.gather
// CHECK: smx_gpu.return
func.func @pairs(%q: !t, %k: !t, %v: !t, %bias: tensor<2x128x128xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %i, %j] : tensor<2x128x128xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// Rows past the end are not read, and columns neither.
// CHECK-LABEL: smx_gpu.kernel @cut_kernel
// CHECK: smx_gpu.put
// CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %[[I:.+]], %[[J:.+]]] valid({{.+}}) dims [1, 2] {aligned = 16 : i64} : memref<2x100x100xf32
// CHECK-NOT: smx_gpu.gather
// CHECK: smx_gpu.return
func.func @cut(%q: !cut, %k: !cut, %v: !cut, %bias: tensor<2x100x100xf32>) -> !cut {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %i, %j] : tensor<2x100x100xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !cut, !cut, !cut -> !cut
  return %o : !cut
}

// Beginning at another column of memory, 16 bytes further on or 8.
// CHECK-LABEL: smx_gpu.kernel @further_kernel
// CHECK: smx_gpu.put
// CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %[[I:.+]], %[[J:.+]]] dims [1, 2] {aligned = 16 : i64} : memref<2x128x256xbf16
// CHECK-NOT: smx_gpu.gather
// CHECK: smx_gpu.return
func.func @further(%q: !t, %k: !t, %v: !t, %bias: tensor<2x128x256xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %c = arith.constant 8 : index
    %at = arith.addi %j, %c : index
    %x = tensor.extract %bias[%b, %i, %at] : tensor<2x128x256xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// CHECK-LABEL: smx_gpu.kernel @between_kernel
// CHECK-NOT: dims [1, 2] {aligned = 16 : i64} : memref<2x128x256
// CHECK: smx_gpu.gather
// CHECK: smx_gpu.return
func.func @between(%q: !t, %k: !t, %v: !t, %bias: tensor<2x128x256xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %c = arith.constant 4 : index
    %at = arith.addi %j, %c : index
    %x = tensor.extract %bias[%b, %i, %at] : tensor<2x128x256xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// Columns of memory.
// CHECK-LABEL: smx_gpu.kernel @across_kernel
// CHECK-NOT: dims [1, 2] {aligned = 16 : i64} : memref<2x128x128
// CHECK: smx_gpu.gather
// CHECK: smx_gpu.return
func.func @across(%q: !t, %k: !t, %v: !t, %bias: tensor<2x128x128xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j, %i] : tensor<2x128x128xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// Places that are no row of memory: one for two.
// CHECK-LABEL: smx_gpu.kernel @halves_kernel
// CHECK-NOT: dims [1, 2] {aligned = 16 : i64} : memref<2x128x80
// CHECK: smx_gpu.gather
// CHECK: smx_gpu.return
func.func @halves(%q: !t, %k: !t, %v: !t, %bias: tensor<2x128x80xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %c2 = arith.constant 2 : index
    %at = arith.divui %j, %c2 : index
    %x = tensor.extract %bias[%b, %i, %at] : tensor<2x128x80xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// One row for all of them is repeated.
// CHECK-LABEL: smx_gpu.kernel @keys_kernel
// CHECK: smx_gpu.put
// CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %{{.+}}] dims [-1, 1] {aligned = 16 : i64} : memref<2x128xbf16
// CHECK-NOT: smx_gpu.gather
// CHECK: smx_gpu.return
func.func @keys(%q: !t, %k: !t, %v: !t, %bias: tensor<2x128xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x128xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}

// It is read for rows past the end, too: nothing asks which those are.
// CHECK-LABEL: smx_gpu.kernel @cut_keys_kernel
// CHECK: smx_gpu.put
// CHECK: smx_gpu.load %{{.+}}[%{{.+}}, %{{.+}}] valid(%c128, {{.+}}) dims [-1, 1] {aligned = 16 : i64} : memref<2x104xf32
// CHECK-NOT: smx_gpu.gather
// CHECK: smx_gpu.return
!hundred = tensor<2x104x64xbf16>
func.func @cut_keys(%q: !hundred, %k: !hundred, %v: !hundred, %bias: tensor<2x104xf32>) -> !hundred {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %j] : tensor<2x104xf32>
    %t = arith.addf %s, %x : f32
    smx.yield %t : f32
  } : !hundred, !hundred, !hundred -> !hundred
  return %o : !hundred
}

// What the keys' rows share is no tile.
// CHECK-LABEL: smx_gpu.kernel @queries_kernel
// CHECK-NOT: dims [0, -1]
// CHECK: smx_gpu.gather
// CHECK: smx_gpu.return
func.func @queries(%q: !t, %k: !t, %v: !t, %bias: tensor<2x128xbf16>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) score {
  ^bb0(%s: f32, %b: index, %i: index, %j: index):
    %x = tensor.extract %bias[%b, %i] : tensor<2x128xbf16>
    %wide = arith.extf %x : bf16 to f32
    %t = arith.addf %s, %wide : f32
    smx.yield %t : f32
  } : !t, !t, !t -> !t
  return %o : !t
}
