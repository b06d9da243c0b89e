// Tiles of a strip of columns: the copy engine reads whatever memory has there, and zeros beyond it.
// RUN: softmax-opt %s --smx-gpu-roles --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-roles --remarks-filter=smx-gpu-roles --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#L = #smx_gpu.fragment<warps = 8>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
// What is not valid of the last strip is beyond the memory.
// CHECK-LABEL: smx_gpu.kernel @end_of_columns{{.*}} warps(12)
// CHECK: smx_gpu.role @load
// CHECK: %[[FIRST:.+]] = arith.muli
// CHECK: smx_gpu.put %{{.+}}[%c0{{.*}}, %[[FIRST]]] into %{{.+}} copy(tensor)
smx_gpu.kernel @end_of_columns(%x: memref<?x104xbf16>, %n: index, %strip: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %first = arith.muli %strip, %c64 : index
  %left = affine.min affine_map<()[s0] -> (64, 104 - s0)>()[%first]
  %ch = smx_gpu.make_channel : !c
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x104xbf16> -> tensor<128x64xbf16, #L>
  smx_gpu.put %x[%c0, %first] valid(%n, %left) into %ch dims [0, 1] copy(async) {aligned = 16} : memref<?x104xbf16>, !c
  %t = smx_gpu.get %ch : !c -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 8>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
// The strip of 64 columns has 40 that are valid, and memory has others behind them.
// REMARK: [Missed] Roles {{.*}}the columns of a tile are not those of memory
// CHECK-LABEL: smx_gpu.kernel @middle_of_columns
// CHECK-NOT: smx_gpu.role
smx_gpu.kernel @middle_of_columns(%x: memref<?x104xbf16>, %n: index, %strip: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %first = arith.muli %strip, %c40 : index
  %left = affine.min affine_map<()[s0] -> (40, 104 - s0)>()[%first]
  %ch = smx_gpu.make_channel : !c
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x104xbf16> -> tensor<128x64xbf16, #L>
  smx_gpu.put %x[%c0, %first] valid(%n, %left) into %ch dims [0, 1] copy(async) {aligned = 16} : memref<?x104xbf16>, !c
  %t = smx_gpu.get %ch : !c -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
  smx_gpu.return
}
