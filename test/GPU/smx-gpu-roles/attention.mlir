// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' | FileCheck %s
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90' | FileCheck %s --check-prefix=OTHER
// RUN: softmax-opt %s --smx-to-gpu='chip=sm_90a' | FileCheck %s --check-prefix=OTHER

// One warpgroup fetches, two compute on 64 of 128 rows each. Scores of the next tile are issued before the weighted sum of
// this one, and both groups take turns in that.

!t = tensor<2x8x1024x128xbf16>

// No tensor copies without alignment, and another unit on other chips.
// OTHER-LABEL: smx_gpu.kernel @full_kernel
// OTHER-SAME: warps(4)
// OTHER-NOT: smx_gpu.role
// OTHER: smx_gpu.return
// OTHER-LABEL: smx_gpu.kernel @causal_kernel
// OTHER-SAME: warps(4)
// OTHER-NOT: smx_gpu.role
// OTHER: smx_gpu.return
// OTHER-LABEL: smx_gpu.kernel @window_kernel
// OTHER-SAME: warps(4)
// OTHER-NOT: smx_gpu.role
// OTHER: smx_gpu.return
// OTHER-LABEL: smx_gpu.kernel @ragged_kernel
// OTHER-SAME: warps(4)
// OTHER-NOT: smx_gpu.role
// OTHER: smx_gpu.return

// CHECK-LABEL: smx_gpu.kernel @full_kernel
// CHECK-SAME: warps(12) shared_limit(232448)
// CHECK-COUNT-2: smx_gpu.make_channel : <128x128xbf16, swizzle = 128, depth = 2>
// CHECK: smx_gpu.make_channel : <64x128xbf16, swizzle = 128, depth = 2, dealt>
// CHECK: smx_gpu.role @load warps(4) registers(56)
// Queries of both groups, once, behind the first keys.
// CHECK: %[[I1:.+]] = arith.addi %[[I:.+]], %c64
// CHECK: scf.for %[[J:.+]] = %c0 to %c1024 step %c128
// CHECK-NEXT: smx_gpu.put %{{.+}}[%{{.+}}, %{{.+}}, %[[J]], %c0] into {{.+}} copy(tensor)
// CHECK: smx_gpu.put %{{.+}}[%{{.+}}, %{{.+}}, %[[I]], %c0] into %[[TO:[^ ]+]] dims [2, 3] copy(tensor)
// CHECK-NEXT: smx_gpu.put %{{.+}}[%{{.+}}, %{{.+}}, %[[I1]], %c0] into %[[TO]] dims [2, 3] copy(tensor)
// CHECK: smx_gpu.put %{{.+}}[%{{.+}}, %{{.+}}, %[[J]], %c0] into {{.+}} copy(tensor)
// CHECK: smx_gpu.role @compute warps(8) group(4) registers(224)
// CHECK: %[[G:.+]] = smx_gpu.group_id
// CHECK: %[[FIRST:.+]] = arith.muli %[[G]], %c64
// CHECK: %[[Q:.+]] = smx_gpu.get %[[QC:.+]] : <64x128xbf16, swizzle = 128, depth = 2, dealt>
// The first tile.
// CHECK: smx_gpu.take_turn
// CHECK: smx_gpu.mma_async %[[Q]], {{.+}} transpose_b zero
// CHECK: smx_gpu.pass_turn
// CHECK: smx_gpu.wait
// CHECK: math.exp2
// The others: the accumulator is rescaled once the sum has been added, if the weights are not right as they are.
// CHECK: scf.for {{.+}} iter_args({{.+}}, %[[ACC:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %[[P:.+]] = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK: %[[K:.+]] = smx_gpu.get %[[KC:.+]] :
// CHECK: smx_gpu.take_turn
// CHECK: %[[S:.+]], %[[ST:.+]] = smx_gpu.mma_async %[[Q]], %[[K]], {{.+}} transpose_b zero
// CHECK: %[[V:.+]] = smx_gpu.get %[[VC:.+]] :
// CHECK: %[[O:.+]], %[[OT:.+]] = smx_gpu.mma_async %[[P]], %[[V]], %[[ACC]] :
// CHECK: smx_gpu.pass_turn
// CHECK: smx_gpu.wait %[[ST]], %[[S]] pending 1
// CHECK: smx_gpu.release %[[KC]]
// With two groups the next weights are computed meanwhile.
// CHECK: %[[GUESS:.+]]:3 = scf.if
// CHECK: math.exp2
// CHECK: smx_gpu.any
// CHECK: %[[O1:.+]] = smx_gpu.wait %[[OT]], %[[O]] :
// CHECK-NEXT: smx_gpu.release %[[VC]]
// CHECK-NEXT: scf.if %[[GUESS]]#0
// CHECK: smx_gpu.reduce <maxnum>
// CHECK: smx_gpu.rescale %[[O1]] by
// CHECK: } else {
// CHECK: scf.yield {{.+}}, %[[O1]], %{{.+}} :
// CHECK: scf.yield
// The last sum, with the queries given back: the scores are there.
// CHECK: smx_gpu.release %[[QC]]
// CHECK: smx_gpu.get %[[VC]]
// CHECK: smx_gpu.mma_async
// CHECK: smx_gpu.wait
// CHECK: smx_gpu.release %[[VC]]
// CHECK-NOT: smx_gpu.release
// CHECK: %[[ROW:.+]] = arith.addi %{{.+}}, %[[FIRST]]
// CHECK: smx_gpu.tensor_store %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}, %[[ROW]], %c0]
func.func @full(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
}

// Tiles that the mask cuts follow the others without a break: the first of them is multiplied beside the last whole one. Only rounds of cut tiles look
// at the values of the round before, if its tile was cut: if they are not all finite, the product is added term by term instead, once the unit is
// done, with the weights of hidden places marked.
// CHECK-LABEL: smx_gpu.kernel @causal_kernel
// CHECK: smx_gpu.role @load
// CHECK-COUNT-4: copy(tensor)
// CHECK-NOT: smx_gpu.put
// CHECK: smx_gpu.role @compute
// CHECK-DAG: %[[INFINITY:.+]] = arith.constant dense<0x7F800000> : tensor<64x8xf32
// CHECK-DAG: %[[EIGHT:.+]] = arith.constant dense<8> : tensor<64x8xindex
// CHECK-DAG: %[[NONE:.+]] = arith.constant dense<0> : tensor<64x8xindex
// CHECK: %[[IS_CUT:.+]] = arith.cmpi sle, %[[WHOLE_END:.+]], %c0 : index
// CHECK: %[[S:.+]], %[[ST:.+]] = smx_gpu.mma_async {{.+}} transpose_b zero
// CHECK: %[[S1:.+]] = smx_gpu.wait %[[ST]], %[[S]]
// CHECK: scf.if %[[IS_CUT]]
// CHECK: arith.select %{{.+}}, %[[S1]]
// Behind a tile whose maxima rose without guesses, else with them.
// CHECK: %[[WHOLE:.+]]:5 = scf.if
// CHECK-NEXT: scf.for
// CHECK: } else {
// CHECK-NEXT: scf.for %{{.+}} = %c128 to %[[WHOLE_END]] step %c128 iter_args({{.+}}, %[[ACC:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %[[P:.+]] = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK-NOT: smx_gpu.position
// CHECK-NOT: smx_gpu.not_finite
// CHECK: smx_gpu.mma_async {{.+}} transpose_b zero
// CHECK: smx_gpu.mma_async %[[P]], %{{.+}}, %[[ACC]] :
// CHECK-NOT: smx_gpu.position
// CHECK-NOT: smx_gpu.not_finite
// CHECK: %[[BEGIN:.+]] = arith.maxsi %[[WHOLE_END]], %c128
// CHECK: scf.for %[[AT:.+]] = %[[BEGIN]] to %{{.+}} step %c128 iter_args(%{{.+}} = %[[WHOLE]]#0, %[[ACC:.+]] = %[[WHOLE]]#1, %{{.+}} = %[[WHOLE]]#2, %[[P:.+]] = %[[WHOLE]]#3, %[[WAS_CUT:.+]] = %[[IS_CUT]], %{{.+}} = %{{.+}})
// CHECK-NEXT: smx_gpu.get
// CHECK-NEXT: %[[V:.+]] = smx_gpu.get
// CHECK-NEXT: %[[ODD:.+]] = scf.if %[[WAS_CUT]]
// CHECK-NEXT: smx_gpu.not_finite %[[V]]
// CHECK: smx_gpu.take_turn
// CHECK: %[[S:.+]], %[[ST:.+]] = smx_gpu.mma_async {{.+}} transpose_b zero
// CHECK: %[[O:.+]], %[[OT:.+]] = smx_gpu.mma_async %[[P]], %[[V]], %[[ACC]] unless %[[ODD]]
// CHECK: %[[S1:.+]] = smx_gpu.wait %[[ST]], %[[S]] pending 1
// The sum is asked before the scores are masked: a branch between the mask's comparisons and its selects would pack the former.
// CHECK-NEXT: %[[O1:.+]] = smx_gpu.wait %[[OT]], %[[O]]
// CHECK-NEXT: smx_gpu.release
// CHECK-NEXT: scf.if %[[ODD]]
// CHECK: arith.subi %[[AT]], %c128
// CHECK: %[[MARKED:.+]] = arith.select %{{.+}}, %[[P]]
// CHECK: smx_gpu.mma %[[MARKED]], %[[V]], %[[O1]] guarded terms
// CHECK: smx_gpu.release
// CHECK: arith.select %{{.+}}, %[[S1]]
// CHECK: math.fma
// CHECK: scf.yield {{.+}}, %true, %{{.+}} :
// The last product begins from zero. It is asked itself, by each warp in the first of the two rows of a thread, and not its values.
// CHECK-NOT: smx_gpu.not_finite
// CHECK: %[[V:.+]] = smx_gpu.get
// CHECK-NEXT: %[[O:.+]], %[[OT:.+]] = smx_gpu.mma_async %{{.+}}, %[[V]], %{{.+}} zero :
// CHECK-NEXT: %[[O1:.+]] = smx_gpu.wait %[[OT]], %[[O]]
// CHECK-NEXT: %[[SUMS:.+]] = smx_gpu.partial_reduce <add> %[[O1]]
// CHECK-NEXT: %[[SIZES:.+]] = math.absf %[[SUMS]]
// CHECK-NEXT: %[[ARE:.+]] = arith.cmpf uge, %[[SIZES]], %[[INFINITY]]
// CHECK-NEXT: %[[ROW:.+]] = smx_gpu.position 0 : tensor<64x8xindex
// CHECK-NEXT: %[[HALF:.+]] = arith.andi %[[ROW]], %[[EIGHT]]
// CHECK-NEXT: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[HALF]], %[[NONE]]
// CHECK-NEXT: %[[ARE_FIRST:.+]] = arith.andi %[[ARE]], %[[IS_FIRST]]
// CHECK-NEXT: %[[ODD:.+]] = smx_gpu.any %[[ARE_FIRST]]
// CHECK-NEXT: scf.if %[[ODD]]
// CHECK-NOT: smx_gpu.mma_async
// CHECK: smx_gpu.mma %{{.+}}, %[[V]], %[[ACC:.+]] guarded terms
// CHECK: } else {
// CHECK-NEXT: arith.addf %[[ACC]], %[[O1]]
// CHECK: smx_gpu.release
// CHECK-NOT: smx_gpu.not_finite
func.func @causal(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// A window cuts tiles at both ends: the whole ones come first, in rounds of their own, and then those in front of them and those behind.
// CHECK-LABEL: smx_gpu.kernel @window_kernel
// CHECK: smx_gpu.role @load
// CHECK-COUNT-4: copy(tensor)
// CHECK-NOT: smx_gpu.put
// CHECK: smx_gpu.role @compute
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[MIDDLE:.+]] step %c128 iter_args
// CHECK-NOT: smx_gpu.not_finite
// CHECK: %[[FIRST_CUT:.+]] = arith.maxsi %{{.+}}, %[[MIDDLE]]
// CHECK: %[[ROUNDS:.+]]:6 = scf.for %{{.+}} = %[[FIRST_CUT]] to %{{.+}} step %c128 iter_args
// CHECK: scf.if
// CHECK-NEXT: smx_gpu.not_finite
// CHECK: smx_gpu.mma_async %[[ROUNDS]]#3, %[[V:.+]], %{{.+}} zero :
// CHECK: %[[ODD:.+]] = smx_gpu.any
// CHECK: scf.if %[[ODD]]
// CHECK: smx_gpu.mma %{{.+}}, %[[V]], %[[ROUNDS]]#1 guarded terms
// CHECK: smx_gpu.tensor_store
func.func @window(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, left = 255, right = 0>) : !t, !t, !t -> !t
  return %o : !t
}

// Keys that are no multiple of a tile: rows past the end are 0 by the copy engine, or hidden by weights of 0.
!r = tensor<2x8x?x64xf16>
// CHECK-LABEL: smx_gpu.kernel @ragged_kernel
// CHECK-SAME: warps(16)
// CHECK: smx_gpu.role @load warps(4) registers(32)
// CHECK-NOT: valid
// CHECK: smx_gpu.role @compute warps(12) group(4) registers(160)
// CHECK: smx_gpu.mma {{.+}} guarded
// CHECK: valid
func.func @ragged(%q: !r, %k: !r, %v: !r) -> !r {
  %o = smx.attention %q, %k, %v scale(0.125) : !r, !r, !r -> !r
  return %o : !r
}
