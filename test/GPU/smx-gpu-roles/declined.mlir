// Kernels that stay as they are, and why.
// RUN: softmax-opt %s --smx-gpu-roles --remarks-filter=smx-gpu-roles --split-input-file 2>&1 | FileCheck %s

// CHECK: it has no products
// CHECK-LABEL: smx_gpu.kernel @no_products
// CHECK-NOT: smx_gpu.role
smx_gpu.kernel @no_products() warps(8) {
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
// CHECK: it has not 2 or 3 warpgroups with 64 rows each
// CHECK-LABEL: smx_gpu.kernel @one_group
smx_gpu.kernel @one_group(%x: memref<?x64xbf16>) warps(4) {
  %c0 = arith.constant 0 : index
  %ch = smx_gpu.make_channel : !c
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x64xbf16> -> tensor<64x64xbf16, #L>
  smx_gpu.put %x[%c0, %c0] into %ch dims [0, 1] copy(async) {aligned = 16} : memref<?x64xbf16>, !c
  %t = smx_gpu.get %ch : !c -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 8>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
// CHECK: rows are not known to start at multiples of 16 bytes
// CHECK-LABEL: smx_gpu.kernel @unaligned
smx_gpu.kernel @unaligned(%x: memref<?x64xbf16>) warps(8) {
  %c0 = arith.constant 0 : index
  %ch = smx_gpu.make_channel : !c
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x64xbf16> -> tensor<128x64xbf16, #L>
  smx_gpu.put %x[%c0, %c0] into %ch dims [0, 1] copy(plain) : memref<?x64xbf16>, !c
  %t = smx_gpu.get %ch : !c -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 8>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
!m = memref<2147483649x64xbf16>
// CHECK: a dimension has more than 2^31 elements, which coordinates of 32 bits do not reach
// CHECK-LABEL: smx_gpu.kernel @long
smx_gpu.kernel @long(%x: !m) warps(8) {
  %c0 = arith.constant 0 : index
  %ch = smx_gpu.make_channel : !c
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : !m -> tensor<128x64xbf16, #L>
  smx_gpu.put %x[%c0, %c0] into %ch dims [0, 1] copy(async) {aligned = 16} : !m, !c
  %t = smx_gpu.get %ch : !c -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 8>
!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
// Columns that are hidden in a tile would be seen.
// CHECK: the columns of a tile are not those of memory
// CHECK-LABEL: smx_gpu.kernel @columns
smx_gpu.kernel @columns(%x: memref<?x64xbf16>, %n: index) warps(8) {
  %c0 = arith.constant 0 : index
  %ch = smx_gpu.make_channel : !c
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x64xbf16> -> tensor<128x64xbf16, #L>
  smx_gpu.put %x[%c0, %c0] valid(%n, %n) into %ch dims [0, 1] copy(async) {aligned = 16} : memref<?x64xbf16>, !c
  %t = smx_gpu.get %ch : !c -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 8>
// CHECK: it has ops that all warps execute together
// CHECK-LABEL: smx_gpu.kernel @together
smx_gpu.kernel @together(%x: memref<?x64xbf16>) warps(8) {
  %c0 = arith.constant 0 : index
  %a = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<?x64xbf16> -> tensor<128x64xbf16, #L>
  smx_gpu.barrier
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 12>
!c = !smx_gpu.channel<64x256xbf16, swizzle = 128, depth = 1>
// CHECK: a product of so many columns has no registers beside so many groups
// CHECK-LABEL: smx_gpu.kernel @wide_product
// CHECK-NOT: smx_gpu.role
smx_gpu.kernel @wide_product(%x: memref<?x256xbf16>, %p: memref<?x64xbf16>) warps(12) {
  %c0 = arith.constant 0 : index
  %ch = smx_gpu.make_channel : !c
  %zero = arith.constant dense<0.0> : tensor<192x256xf32, #L>
  %a = smx_gpu.load %p[%c0, %c0] dims [0, 1] : memref<?x64xbf16> -> tensor<192x64xbf16, #L>
  smx_gpu.put %x[%c0, %c0] into %ch dims [0, 1] copy(async) {aligned = 16} : memref<?x256xbf16>, !c
  %t = smx_gpu.get %ch : !c -> !smx_gpu.shared<64x256xbf16, swizzle = 128>
  %o = smx_gpu.mma %a, %t, %zero : tensor<192x64xbf16, #L>, !smx_gpu.shared<64x256xbf16, swizzle = 128> -> tensor<192x256xf32, #L>
  smx_gpu.return
}
