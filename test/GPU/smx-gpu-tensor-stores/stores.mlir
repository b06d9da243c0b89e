// Results of roles leave through a shared tile, where they are rows of 16-bit fragments that end where memory does.
// RUN: softmax-opt %s --smx-gpu-tensor-stores --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-tensor-stores=bytes=4096 --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: softmax-opt %s --smx-gpu-tensor-stores --split-input-file --remarks-filter=smx-gpu-tensor-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// NONE-LABEL: smx_gpu.kernel @whole(
// NONE-NOT: tensor_store
// NONE-COUNT-2: smx_gpu.store
// NONE-NOT: tensor_store
// NONE: smx_gpu.return
// NONE-LABEL: smx_gpu.kernel @ragged(
// NONE-NOT: tensor_store
// NONE-COUNT-1: smx_gpu.store
// NONE-NOT: tensor_store
// NONE: smx_gpu.return
// REMARK: results leave through shared memory
// REMARK-SAME: bytes=16384
// REMARK: results leave through shared memory
// REMARK: the rows of a tile are not known to be those of memory
// REMARK: the rows of a tile are not known to be those of memory
// REMARK: a tile is no fragment of a 16-bit type
// REMARK: rows are not known to start at multiples of 16 bytes
// REMARK: the columns of a tile are not those of memory
// REMARK: a tile repeats
// REMARK: shared memory has no room for results
// REMARK-SAME: wanted=16384
// REMARK-NOT: remark

#L = #smx_gpu.fragment<warps = 4>

// Both stores go through one tile, of the rows of both groups.
// CHECK-LABEL: smx_gpu.kernel @whole
smx_gpu.kernel @whole(%y: memref<4x256x64xbf16>, %n: index) warps(12) shared_limit(232448) {
  // CHECK: %[[S:.+]] = smx_gpu.alloc : <128x64xbf16, swizzle = 128>
  // CHECK-NOT: smx_gpu.alloc
  // CHECK: role @load
  // CHECK: role @compute {{.+}}, %[[THROUGH:[^ ]+]] = %[[S]] : !smx_gpu.shared<128x64xbf16, swizzle = 128>)
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) registers(56) () {
    }
    smx_gpu.role @compute warps(8) group(4) registers(224) (%m = %y : memref<4x256x64xbf16>, %i = %n : index) {
      %c0 = arith.constant 0 : index
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // CHECK: smx_gpu.tensor_store %[[O:.+]], %[[Y:.+]][%{{.+}}, %[[I:.+]], %[[C0:.+]]] through %[[THROUGH]] dims [1, 2] {aligned = 16 : i64}
      smx_gpu.store %o, %m[%c0, %i, %c0] dims [1, 2] {aligned = 16} : tensor<64x64xbf16, #L>, memref<4x256x64xbf16>
      // CHECK: smx_gpu.tensor_store %[[O]], %[[Y]][%[[I]], %[[C0]], %[[C0]]] through %[[THROUGH]] dims [1, 2] {aligned = 16 : i64}
      smx_gpu.store %o, %m[%i, %c0, %c0] dims [1, 2] {aligned = 16} : tensor<64x64xbf16, #L>, memref<4x256x64xbf16>
    }
  }
  smx_gpu.return
}

// -----

// What is left of 200 rows is what the engine writes; 48 columns in spans of 32 bytes.
#L = #smx_gpu.fragment<warps = 4>
// CHECK-LABEL: smx_gpu.kernel @ragged
smx_gpu.kernel @ragged(%y: memref<200x48xf16>, %n: index) warps(12) {
  // CHECK: smx_gpu.alloc : <192x48xf16, swizzle = 32>
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(12) group(4) (%m = %y : memref<200x48xf16>, %i = %n : index) {
      %c0 = arith.constant 0 : index
      %c48 = arith.constant 48 : index
      %c64 = arith.constant 64 : index
      %g = smx_gpu.group_id
      %first = arith.muli %g, %c64 : index
      %left = affine.min affine_map<(i) -> (200 - i, 192)>(%i)
      %valid = arith.subi %left, %first : index
      %at = arith.addi %i, %first : index
      %o = arith.constant dense<1.0> : tensor<64x48xf16, #L>
      // CHECK: smx_gpu.tensor_store
      smx_gpu.store %o, %m[%at, %c0] valid(%valid, %c48) dims [0, 1] {aligned = 16} : tensor<64x48xf16, #L>, memref<200x48xf16>
    }
  }
  smx_gpu.return
}

// -----

// Rows that are not valid although memory has them; memory whose end is not known.
#L = #smx_gpu.fragment<warps = 4>
// CHECK-LABEL: smx_gpu.kernel @other_rows
// CHECK-NOT: tensor_store
smx_gpu.kernel @other_rows(%y: memref<200x64xf16>, %z: memref<?x64xf16>, %n: index) warps(4) {
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(4) (%m = %y : memref<200x64xf16>, %o = %z : memref<?x64xf16>, %i = %n : index) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %left = affine.min affine_map<(i) -> (199 - i, 64)>(%i)
      %t = arith.constant dense<1.0> : tensor<64x64xf16, #L>
      smx_gpu.store %t, %m[%i, %c0] valid(%left, %c64) dims [0, 1] {aligned = 16} : tensor<64x64xf16, #L>, memref<200x64xf16>
      smx_gpu.store %t, %o[%i, %c0] valid(%left, %c64) dims [0, 1] {aligned = 16} : tensor<64x64xf16, #L>, memref<?x64xf16>
    }
  }
  smx_gpu.return
}

// -----

// Wide elements, rows at any address, a part of the columns, a tile that repeats.
#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
// CHECK-LABEL: smx_gpu.kernel @others
// CHECK-NOT: tensor_store
smx_gpu.kernel @others(%w: memref<256x64xf32>, %y: memref<256x64xf16>, %z: memref<256x80xf16>, %i: index) warps(4) {
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(4) (%wide = %w : memref<256x64xf32>, %m = %y : memref<256x64xf16>, %z1 = %z : memref<256x80xf16>, %j = %i : index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c48 = arith.constant 48 : index
      %c64 = arith.constant 64 : index
      %f = arith.constant dense<1.0> : tensor<64x64xf32, #L>
      %t = arith.constant dense<1.0> : tensor<64x64xf16, #L>
      smx_gpu.store %f, %wide[%j, %c0] dims [0, 1] {aligned = 16} : tensor<64x64xf32, #L>, memref<256x64xf32>
      smx_gpu.store %t, %m[%j, %c0] dims [0, 1] {aligned = 8} : tensor<64x64xf16, #L>, memref<256x64xf16>
      smx_gpu.store %t, %z1[%j, %c0] valid(%c64, %c48) dims [0, 1] {aligned = 16} : tensor<64x64xf16, #L>, memref<256x80xf16>
      smx_gpu.store %t, %m[%j, %c0] valid(%c1, %c64) dims [-1, 1] {aligned = 16} : tensor<64x64xf16, #L>, memref<256x64xf16>
    }
  }
  smx_gpu.return
}

// -----

// 8 KiB are left.
#L = #smx_gpu.fragment<warps = 4>
// CHECK-LABEL: smx_gpu.kernel @no_room
// CHECK-NOT: tensor_store
smx_gpu.kernel @no_room(%y: memref<256x64xbf16>, %i: index) warps(8) shared_limit(73728) {
  %s = smx_gpu.alloc : !smx_gpu.shared<512x64xbf16, swizzle = 128>
  smx_gpu.warp_specialize {
    smx_gpu.role @compute warps(8) group(4) (%m = %y : memref<256x64xbf16>, %j = %i : index) {
      %c0 = arith.constant 0 : index
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      smx_gpu.store %o, %m[%j, %c0] dims [0, 1] {aligned = 16} : tensor<64x64xbf16, #L>, memref<256x64xbf16>
    }
  }
  smx_gpu.return
}
