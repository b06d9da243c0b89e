// The first keys of a tile are put before its rows, where a round is sure to come.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter=smx-gpu-keys-first 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-2: KeysFirst{{.*}}the first keys of a tile are fetched before its rows
// REMARK-NOT: KeysFirst

// CHECK-LABEL: smx_gpu.kernel @full_kernel(
// CHECK: role @load
// CHECK: scf.for
// CHECK-NOT: smx_gpu.put
// CHECK: scf.for %[[J:.+]] = %c0 to
// CHECK-NEXT: smx_gpu.put %{{.+}}[%{{[^,]+}}, %{{[^,]+}}, %[[J]], %c0] into %{{.+}} <80x128xbf16
// CHECK-NEXT: %[[FIRST:.+]] = arith.cmpi eq, %[[J]], %c0
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: smx_gpu.put {{.+}} <64x128xbf16, swizzle = 128, depth = 3, dealt>
// CHECK-NEXT: smx_gpu.put {{.+}} <64x128xbf16, swizzle = 128, depth = 3, dealt>
// CHECK-NEXT: smx_gpu.put {{.+}} <64x128xbf16, swizzle = 128, depth = 3, dealt>
// CHECK-NEXT: }
// CHECK-NEXT: smx_gpu.put %{{.+}}[%{{[^,]+}}, %{{[^,]+}}, %[[J]], %c0] into %{{.+}} <80x128xbf16
// CHECK-NEXT: }
!t = tensor<8x16x2048x128xbf16>
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// A piece has a round.
// CHECK-LABEL: smx_gpu.kernel @pieces_kernel(
// CHECK: role @load
// CHECK: scf.for
// CHECK: %[[END:.+]] = arith.maxsi
// CHECK: scf.for %[[J:.+]] = %[[BEGIN:.+]] to %[[END]] step
// CHECK-NEXT: smx_gpu.put
// CHECK-NEXT: arith.cmpi eq, %[[J]], %[[BEGIN]]
!t = tensor<4x16x4096x128xbf16>
func.func @pieces(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Lengths may be 0.
// CHECK-LABEL: smx_gpu.kernel @lengths_kernel(
// CHECK: role @load
// CHECK: scf.for
// CHECK: smx_gpu.put
// CHECK: scf.for
!t = tensor<8x16x2048x128xbf16>
func.func @lengths(%q: !t, %k: !t, %v: !t, %n: tensor<8xi32>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.key_lengths) reads(%n : tensor<8xi32>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// The next tile begins under this one, with its rows.
// CHECK-LABEL: smx_gpu.kernel @short_kernel(
// CHECK: role @load
// CHECK: smx_gpu.put
// CHECK: scf.for
!t = tensor<16x16x1024x128xbf16>
func.func @short(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}
