// RUN: softmax-opt %s --smx-gpu-prefetch | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-prefetch=depth=1 | FileCheck %s --check-prefix=ONE
// RUN: softmax-opt %s --smx-gpu-prefetch=depth=3 | FileCheck %s --check-prefix=THREE
// RUN: not softmax-opt %s --smx-gpu-prefetch=depth=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: option 'depth' must be at least 1, got 0

// CHECK-LABEL: @copies
// CHECK: %[[C:.+]] = smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 2>
// CHECK: %[[ANY:.+]] = arith.cmpi slt, %c0, %{{.+}} : index
// CHECK: scf.if %[[ANY]]
// CHECK-NEXT: smx_gpu.put %{{.+}}[%c0, %c0] into %[[C]]
// CHECK: scf.for %[[J:.+]] =
// CHECK: %[[N:.+]] = arith.addi %[[J]], %c64
// CHECK: scf.if
// CHECK-NEXT: smx_gpu.put %{{.+}}[%[[N]], %c0] into %[[C]]
// CHECK: smx_gpu.get %[[C]]

// Of three stages two are filled before the loop, and a round fills the one after the next.
// THREE-LABEL: @copies
// THREE: %[[C:.+]] = smx_gpu.make_channel : <64x64xbf16, swizzle = 128, depth = 3>
// THREE: %[[ANY:.+]] = arith.cmpi slt, %c0, %{{.+}} : index
// THREE: scf.if %[[ANY]]
// THREE-NEXT: smx_gpu.put %{{.+}}[%c0, %c0] into %[[C]]
// THREE: %[[SECOND:.+]] = arith.addi %c0, %c64
// THREE: %[[MORE:.+]] = arith.cmpi slt, %[[SECOND]], %{{.+}} : index
// THREE: scf.if %[[MORE]]
// THREE-NEXT: smx_gpu.put %{{.+}}[%[[SECOND]], %c0] into %[[C]]
// THREE: scf.for %[[J:.+]] =
// THREE: %[[N:.+]] = arith.addi %[[J]], %c64
// THREE: %[[NN:.+]] = arith.addi %[[N]], %c64
// THREE: %[[INSIDE:.+]] = arith.cmpi slt, %[[NN]], %{{.+}} : index
// THREE: scf.if %[[INSIDE]]
// THREE-NEXT: smx_gpu.put %{{.+}}[%[[NN]], %c0] into %[[C]]
// THREE: smx_gpu.get %[[C]]

// ONE-LABEL: @copies
// ONE: depth = 1
// ONE: scf.for
// ONE-NOT: scf.if
// ONE: smx_gpu.put
smx_gpu.kernel @copies(%k: memref<?x64xbf16, strided<[64, 1]>>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = smx_gpu.make_channel : !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
  scf.for %j = %c0 to %n step %c64 {
    smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x64xbf16, strided<[64, 1]>>, !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
    %t = smx_gpu.get %c : !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1> -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
    smx_gpu.release %c : !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
  }
  smx_gpu.return
}

// Two stages do not fit: one does.
// CHECK-LABEL: @large
// CHECK: depth = 1
smx_gpu.kernel @large(%k: memref<?x512xf32, strided<[512, 1]>>, %n: index) warps(4) shared_limit(166912) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = smx_gpu.make_channel : !smx_gpu.channel<64x512xf32, swizzle = 128, depth = 1>
  scf.for %j = %c0 to %n step %c64 {
    smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x512xf32, strided<[512, 1]>>, !smx_gpu.channel<64x512xf32, swizzle = 128, depth = 1>
    %t = smx_gpu.get %c : !smx_gpu.channel<64x512xf32, swizzle = 128, depth = 1> -> !smx_gpu.shared<64x512xf32, swizzle = 128>
    smx_gpu.release %c : !smx_gpu.channel<64x512xf32, swizzle = 128, depth = 1>
  }
  smx_gpu.return
}

// A first operand that smx-gpu-shared-operands will want 64 KiB for leaves room for two stages of 32 KiB, not for three.
// THREE-LABEL: @beside_operand
// THREE: depth = 2
#L = #smx_gpu.fragment<warps = 4>
!queries = tensor<64x256xf32, #L>
!scores = tensor<64x32xf32, #L>
!keys = !smx_gpu.channel<32x256xf32, swizzle = 128, depth = 1>
smx_gpu.kernel @beside_operand(%q: memref<64x256xf32>, %k: memref<?x256xf32>, %n: index) warps(4) shared_limit(150000) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : !scores
  %c = smx_gpu.make_channel : !keys
  %a = smx_gpu.load %q[%c0, %c0] dims [0, 1] : memref<64x256xf32> -> !queries
  %s = scf.for %j = %c0 to %n step %c32 iter_args(%sum = %zero) -> (!scores) {
    smx_gpu.put %k[%j, %c0] into %c dims [0, 1] copy(plain) : memref<?x256xf32>, !keys
    %t = smx_gpu.get %c : !keys -> !smx_gpu.shared<32x256xf32, swizzle = 128>
    %p = smx_gpu.mma %a, %t, %sum transpose_b : !queries, !smx_gpu.shared<32x256xf32, swizzle = 128> -> !scores
    smx_gpu.release %c : !keys
    scf.yield %p : !scores
  }
  smx_gpu.return
}
