// A group whose maxima were expected to move at the end of a tile guesses nothing in the next one.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' --split-input-file --remarks-filter=smx-gpu-rising-tiles 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-3: a tile begins with the maximum in all rounds if that is expected to move
// REMARK-NOT: a tile begins with the maximum

// 4096 rows are 21 tiles of three groups and one of a single group, and idle groups have their rounds on both sides.
// CHECK-LABEL: smx_gpu.kernel @full_kernel(
// CHECK: role @compute
// CHECK: %[[RISE:.+]] = arith.constant dense<4.200000e+01>
// CHECK: scf.for {{.+}} iter_args(%[[BEFORE:[^ ]+]] = %c0_i32)
// CHECK: %[[WAS:.+]] = arith.cmpi sgt, %[[BEFORE]], %c0_i32
// CHECK-NEXT: %[[RISES:.+]] = smx_gpu.any_of_warps %[[WAS]]
// CHECK-NEXT: %[[TILE:.+]]:5 = scf.if %[[RISES]]
// CHECK-NEXT: scf.for {{.+}} = %[[FIRST:[^ ]+]] to %[[MIDDLE:[^ ]+]] step %c80 iter_args({{.+}}, %[[LEFT:[^ ]+]] = %[[BEFORE]])
// The maximum is computed under the sum.
// CHECK: %[[SCORES:.+]] = smx_gpu.wait {{.+}} pending 1
// CHECK-NEXT: smx_gpu.release
// CHECK-NEXT: smx_gpu.reduce <maxnum> %[[SCORES]]
// CHECK-NEXT: smx_gpu.wait
// CHECK-NOT: scf.if
// It is the reference, which does not lead; a rise of (64 + 12 + 8) / 2 goes on.
// CHECK: %[[M:.+]] = arith.select
// CHECK-NEXT: %[[LIMIT:.+]] = arith.addf %[[R:[^,]+]], %[[RISE]]
// CHECK-NEXT: %[[OVER:.+]] = arith.cmpf ogt, %[[M]], %[[LIMIT]]
// CHECK-NEXT: %[[FAR:.+]] = smx_gpu.any %[[OVER]]
// CHECK-NEXT: arith.maxnumf %[[M]], %[[R]]
// CHECK-NOT: scf.if
// CHECK: smx_gpu.rescale
// CHECK-NEXT: %[[FEWER:.+]] = arith.shrsi %[[LEFT]], %c1_i32
// CHECK-NEXT: %[[NEXT:.+]] = arith.select %[[FAR]], %c4_i32, %[[FEWER]]
// CHECK-NEXT: scf.yield {{.+}}, %[[NEXT]] :
// CHECK: scf.for {{.+}} = %[[MIDDLE]] to %[[LAST:[^ ]+]] step %c80
// CHECK-NOT: mma_async
// CHECK: } else {
// CHECK-NEXT: scf.for {{.+}} = %[[FIRST]] to %[[MIDDLE]] step %c80
// CHECK: scf.if
// CHECK: smx_gpu.any
// CHECK: scf.if
// CHECK: scf.for {{.+}} = %[[MIDDLE]] to %[[LAST]] step %c80
// CHECK: scf.yield %[[TILE]]#4 : i32
!t = tensor<4x16x4096x128xbf16>
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// Rounds of whole tiles alone: those that a mask cuts are few, and ask more.
// CHECK-LABEL: smx_gpu.kernel @causal_kernel(
// CHECK: smx_gpu.any_of_warps
// CHECK-NOT: smx_gpu.any_of_warps
!t = tensor<4x16x4096x128xbf16>
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.088) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// All rounds begin with the maximum.
// CHECK-LABEL: smx_gpu.kernel @wide_kernel(
// CHECK-NOT: smx_gpu.any_of_warps
!t = tensor<4x8x4096x256xbf16>
func.func @wide(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.0625) : !t, !t, !t -> !t
  return %o : !t
}

// -----

// References of f16 do not lead, and follow as they did.
// CHECK-LABEL: smx_gpu.kernel @half_kernel(
// CHECK: smx_gpu.any_of_warps
// CHECK: scf.for
// CHECK: smx_gpu.reduce <maxnum>
// CHECK: %[[SUM:.+]] = math.fma %[[M:[^,]+]], %{{.+}}, %[[M]]
// CHECK-NEXT: %[[LIMIT:.+]] = math.fma
// CHECK-NEXT: %[[OVER:.+]] = arith.cmpf ogt, %[[SUM]], %[[LIMIT]]
// CHECK-NEXT: smx_gpu.any %[[OVER]]
// CHECK-NEXT: arith.maxnumf %[[M]]
!h = tensor<4x16x4096x128xf16>
func.func @half(%q: !h, %k: !h, %v: !h) -> !h {
  %o = smx.attention %q, %k, %v scale(0.088) : !h, !h, !h -> !h
  return %o : !h
}
