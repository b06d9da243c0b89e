// A warp whose reference moved twice within few rounds leaves out weights by the old one, and begins with the maximum.
// RUN: softmax-opt %s --smx-gpu-expect-move --canonicalize --split-input-file | FileCheck %s
// RUN: softmax-opt %s "--smx-gpu-expect-move=rounds=3 window=5" --canonicalize --split-input-file | FileCheck %s --check-prefix=THREE
// RUN: not softmax-opt %s --smx-gpu-expect-move=window=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: softmax-opt %s --smx-gpu-expect-move=rounds=0 --split-input-file | FileCheck %s --check-prefix=NEVER
// RUN: softmax-opt %s --smx-gpu-expect-move --split-input-file --remarks-filter=smx-gpu-expect-move 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-2: after two moves within 2 rounds the next 4 begin with the maximum
// REMARK-NOT: begin with the maximum
// NEVER-COUNT-4: scf.if
// NEVER-NOT: scf.if
// THREE-DAG: arith.constant 3 : i32
// THREE-DAG: arith.constant 320 : i32
// THREE-DAG: arith.constant dense<4.000000e+00> : tensor<64xf32
// THREE-NOT: arith.constant 4 : i32
// WRONG: option 'window' must be at least 1, got 0

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>
!tile = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>

// CHECK-LABEL: @attention
smx_gpu.kernel @attention(%k: memref<?x64xbf16>, %y: memref<?x64xf32>, %z: memref<?xf32>, %n: index) warps(4) {
  // CHECK-DAG: %[[NONE:.+]] = arith.constant 0 : i32
  // CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i32
  // CHECK-DAG: %[[ROUNDS:.+]] = arith.constant 4 : i32
  // Two tiles of 64 keys.
  // CHECK-DAG: %[[KEYS:.+]] = arith.constant 128 : i32
  // CHECK-DAG: %[[MORE:.+]] = arith.constant dense<1.000000e+00> : tensor<64xf32
  // CHECK-DAG: %[[TRUE:.+]] = arith.constant true
  // CHECK-DAG: %[[NO_SUMS:.+]] = arith.constant dense<0.000000e+00> : tensor<64x8xf32, #{{.+}}>
  // CHECK-DAG: %[[NO_WEIGHTS:.+]] = arith.constant dense<0.000000e+00> : tensor<64x64xbf16, #{{.+}}>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %bounds = arith.constant dense<2048.0> : tensor<64x8xf32, #L>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x8xf32, #L>
  %lowest = arith.constant dense<-100.0> : tensor<64xf32, #S>
  %slack = arith.constant dense<8.0> : tensor<64xf32, #S>
  %ck = smx_gpu.make_channel : !channel
  %q = smx_gpu.alloc : !tile
  %weights = arith.constant dense<0.0> : tensor<64x64xbf16, #L>
  // CHECK: scf.for %[[J:.+]] = {{.+}} iter_args(%[[R:.+]] = %{{.+}}, %[[L:.+]] = %{{.+}}, %[[ACC:.+]] = %{{.+}}, %[[P:.+]] = %{{.+}}, %[[LEFT:.+]] = %[[NONE]])
  %r:4 = scf.for %j = %c0 to %n step %c64 iter_args(%m = %lowest, %l = %none, %acc = %zeros, %p = %weights)
      -> (tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xf32, #L>, tensor<64x64xbf16, #L>) {
    smx_gpu.put %k[%j, %c0] into %ck dims [0, 1] copy(async) {aligned = 16 : i64} : memref<?x64xbf16>, !channel
    %kt = smx_gpu.get %ck : !channel -> !tile
    %s, %st = smx_gpu.mma_async %q, %kt, %zeros transpose_b zero : !tile, !tile -> tensor<64x64xf32, #L>
    %o, %ot = smx_gpu.mma_async %p, %kt, %acc : tensor<64x64xbf16, #L>, !tile -> tensor<64x64xf32, #L>
    // What waits for no product is computed in every round; both branches have it.
    // CHECK: %[[MINUS:.+]] = arith.negf %[[R]]
    %minus = arith.negf %m : tensor<64xf32, #S>
    // CHECK: %[[SCORES:.+]] = smx_gpu.wait
    %s1 = smx_gpu.wait %st, %s pending 1 : tensor<64x64xf32, #L>
    // CHECK: %[[PRODUCT:.+]] = smx_gpu.wait
    %o1 = smx_gpu.wait %ot, %o : tensor<64x64xf32, #L>
    smx_gpu.release %ck : !channel
    // A value that the other branch has as well stays outside.
    // CHECK: %[[B:.+]] = smx_gpu.broadcast %[[MINUS]]
    // CHECK: %[[EXPECTED:.+]] = arith.cmpi sgt, %[[LEFT]], %[[NONE]] : i32
    // CHECK: %[[GUESS:.+]]:3 = scf.if %[[EXPECTED]]
    // CHECK-NEXT: scf.yield %[[TRUE]], %[[NO_SUMS]], %[[NO_WEIGHTS]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: %[[D0:.+]] = arith.addf %[[SCORES]], %[[B]]
    // CHECK-NEXT: %[[P0:.+]] = math.exp2 %[[D0]]
    // CHECK-NEXT: %[[L0:.+]] = smx_gpu.partial_reduce <add> %[[P0]]
    // CHECK-NEXT: %[[W0:.+]] = arith.truncf %[[P0]]
    // CHECK-NEXT: %[[LARGE:.+]] = arith.cmpf ugt, %[[L0]]
    // CHECK-NEXT: %[[MOVES:.+]] = smx_gpu.any %[[LARGE]]
    // CHECK-NEXT: scf.yield %[[MOVES]], %[[L0]], %[[W0]]
    %b0 = smx_gpu.broadcast %minus : tensor<64xf32, #S> -> tensor<64x64xf32, #L>
    %d0 = arith.addf %s1, %b0 : tensor<64x64xf32, #L>
    %p0 = math.exp2 %d0 : tensor<64x64xf32, #L>
    %l0 = smx_gpu.partial_reduce <add> %p0 : tensor<64x64xf32, #L> -> tensor<64x8xf32, #L>
    %w0 = arith.truncf %p0 : tensor<64x64xf32, #L> to tensor<64x64xbf16, #L>
    %large = arith.cmpf ugt, %l0, %bounds : tensor<64x8xf32, #L>
    %moves = smx_gpu.any %large : tensor<64x8xi1, #L>
    // CHECK: %[[NEW:.+]]:5 = scf.if %[[GUESS]]#0
    %new:4 = scf.if %moves -> (tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xbf16, #L>, tensor<64x64xf32, #L>) {
      // CHECK: %[[MAXIMUM:.+]] = smx_gpu.reduce <maxnum> %[[SCORES]]
      %t = smx_gpu.reduce <maxnum> %s1 dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #S>
      // CHECK: %[[LIMIT:.+]] = arith.addf %[[R]]
      %bound = arith.addf %m, %slack : tensor<64xf32, #S>
      // How far the next reference is from this one, whether or not guesses would fail by it.
      // CHECK: %[[SUM:.+]] = math.fma %[[MAXIMUM]], %[[MORE]], %[[MAXIMUM]]
      // CHECK: %[[BOUND:.+]] = math.fma %[[R]], %[[MORE]], %[[LIMIT]]
      // CHECK: %[[FAR:.+]] = arith.cmpf ogt, %[[SUM]], %[[BOUND]]
      // CHECK: %[[RISES:.+]] = smx_gpu.any %[[FAR]]
      %far = arith.cmpf ogt, %t, %bound : tensor<64xf32, #S>
      // All rows of the warp follow.
      // CHECK: %[[R1:.+]] = arith.maxnumf %[[MAXIMUM]], %[[R]]
      %m1 = arith.select %far, %t, %m : tensor<64xi1, #S>, tensor<64xf32, #S>
      %step = arith.subf %m, %m1 : tensor<64xf32, #S>
      %a = math.exp2 %step : tensor<64xf32, #S>
      %minus1 = arith.addf %minus, %step : tensor<64xf32, #S>
      %b1 = smx_gpu.broadcast %minus1 : tensor<64xf32, #S> -> tensor<64x64xf32, #L>
      %difference = arith.subf %b1, %b0 : tensor<64x64xf32, #L>
      %e0 = arith.addf %s1, %b0 : tensor<64x64xf32, #L>
      %d1 = arith.addf %e0, %difference : tensor<64x64xf32, #L>
      %p1 = math.exp2 %d1 : tensor<64x64xf32, #L>
      %sums = smx_gpu.partial_reduce <add> %p1 : tensor<64x64xf32, #L> -> tensor<64x8xf32, #L>
      %factors = smx_gpu.broadcast %a : tensor<64xf32, #S> -> tensor<64x8xf32, #L>
      %scaled = arith.mulf %l, %factors : tensor<64x8xf32, #L>
      %l1 = arith.addf %sums, %scaled : tensor<64x8xf32, #L>
      %w1 = arith.truncf %p1 : tensor<64x64xf32, #L> to tensor<64x64xbf16, #L>
      %o2 = smx_gpu.rescale %o1 by %a : tensor<64x64xf32, #L>, tensor<64xf32, #S>
      // A guess that failed counts as a move: of NaN, say.
      // CHECK: %[[GUESSED:.+]] = arith.cmpi sle, %[[LEFT]], %[[NONE]] : i32
      // CHECK: %[[PLACE:.+]] = arith.index_cast %[[J]] : index to i32
      // CHECK: %[[DISTANCE:.+]] = arith.addi %[[PLACE]], %[[LEFT]] : i32
      // CHECK: %[[SOON:.+]] = arith.cmpi ule, %[[DISTANCE]], %[[KEYS]] : i32
      // CHECK: %[[MINUS_PLACE:.+]] = arith.subi %[[NONE]], %[[PLACE]] : i32
      // CHECK: %[[FEWER:.+]] = arith.subi %[[LEFT]], %[[ONE]] : i32
      // CHECK: %[[AGAIN:.+]] = arith.select %[[GUESSED]], %[[SOON]], %[[RISES]] : i1
      // CHECK: %[[OTHER:.+]] = arith.select %[[GUESSED]], %[[MINUS_PLACE]], %[[FEWER]] : i32
      // CHECK: %[[NEXT:.+]] = arith.select %[[AGAIN]], %[[ROUNDS]], %[[OTHER]] : i32
      // CHECK: scf.yield %[[R1]], {{.+}}, %[[NEXT]] :
      scf.yield %m1, %l1, %w1, %o2 : tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xbf16, #L>, tensor<64x64xf32, #L>
    } else {
      // CHECK: } else {
      // CHECK-NEXT: %[[L2:.+]] = arith.addf %[[GUESS]]#1, %[[L]]
      // CHECK-NEXT: scf.yield %[[R]], %[[L2]], %[[GUESS]]#2, %[[PRODUCT]], %[[LEFT]]
      %l2 = arith.addf %l0, %l : tensor<64x8xf32, #L>
      scf.yield %m, %l2, %w0, %o1 : tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xbf16, #L>, tensor<64x64xf32, #L>
    }
    // CHECK: scf.yield %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#3, %[[NEW]]#2, %[[NEW]]#4
    scf.yield %new#0, %new#1, %new#3, %new#2 : tensor<64xf32, #S>, tensor<64x8xf32, #L>, tensor<64x64xf32, #L>, tensor<64x64xbf16, #L>
  }
  smx_gpu.store %r#2, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #L>, memref<?x64xf32>
  smx_gpu.store %r#0, %z[%c0] dims [0] : tensor<64xf32, #S>, memref<?xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>

// A branch on another question, of which no value of the rounds is kept or chosen by rows.
// CHECK-LABEL: @other_question
// CHECK: iter_args(%{{.+}} = %{{.+}}) -> (tensor<64x8xf32, #{{.+}}>)
// CHECK: smx_gpu.any
// CHECK-NEXT: scf.if
smx_gpu.kernel @other_question(%y: memref<?x8xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0.0> : tensor<64x8xf32, #L>
  %one = arith.constant dense<1.0> : tensor<64x8xf32, #L>
  %two = arith.constant dense<2.0> : tensor<64x8xf32, #L>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%l = %none) -> (tensor<64x8xf32, #L>) {
    %more = arith.addf %l, %one : tensor<64x8xf32, #L>
    %large = arith.cmpf ugt, %more, %one : tensor<64x8xf32, #L>
    %any = smx_gpu.any %large : tensor<64x8xi1, #L>
    %l1 = scf.if %any -> (tensor<64x8xf32, #L>) {
      %half = arith.divf %more, %two : tensor<64x8xf32, #L>
      scf.yield %half : tensor<64x8xf32, #L>
    } else {
      scf.yield %more : tensor<64x8xf32, #L>
    }
    scf.yield %l1 : tensor<64x8xf32, #L>
  }
  smx_gpu.store %r, %y[%c0, %c0] dims [0, 1] : tensor<64x8xf32, #L>, memref<?x8xf32>
  smx_gpu.return
}

// -----

#L = #smx_gpu.fragment<warps = 4>
#S = #smx_gpu.slice<1, #L>

// The next rows begin with what the last round of these expects, or, if these have no rounds, with what they began with.
// CHECK-LABEL: @tiles
smx_gpu.kernel @tiles(%x: memref<?x64xf32>, %y: memref<?xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %bounds = arith.constant dense<2048.0> : tensor<64x8xf32, #L>
  %none = arith.constant dense<0.0> : tensor<64x8xf32, #L>
  %lowest = arith.constant dense<-100.0> : tensor<64xf32, #S>
  // CHECK: %[[NONE:.+]] = arith.constant 0 : i32
  // CHECK: scf.for {{.+}} iter_args(%[[BEFORE:.+]] = %[[NONE]]) -> (i32)
  scf.for %i = %c0 to %n step %c64 {
    %some = arith.cmpi sgt, %n, %i : index
    // CHECK: %[[LAST:.+]] = scf.if %{{.+}} -> (i32) {
    scf.if %some {
      // CHECK: %[[ROUNDS:.+]]:3 = scf.for {{.+}} iter_args({{.+}}, {{.+}}, %{{.+}} = %[[BEFORE]])
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %lowest, %l = %none) -> (tensor<64xf32, #S>, tensor<64x8xf32, #L>) {
        %s = smx_gpu.load %x[%j, %c0] dims [0, 1] : memref<?x64xf32> -> tensor<64x64xf32, #L>
        %b0 = smx_gpu.broadcast %m : tensor<64xf32, #S> -> tensor<64x64xf32, #L>
        %d0 = arith.subf %s, %b0 : tensor<64x64xf32, #L>
        %p0 = math.exp2 %d0 : tensor<64x64xf32, #L>
        %l0 = smx_gpu.partial_reduce <add> %p0 : tensor<64x64xf32, #L> -> tensor<64x8xf32, #L>
        %large = arith.cmpf ugt, %l0, %bounds : tensor<64x8xf32, #L>
        %moves = smx_gpu.any %large : tensor<64x8xi1, #L>
        %new:2 = scf.if %moves -> (tensor<64xf32, #S>, tensor<64x8xf32, #L>) {
          %t = smx_gpu.reduce <maxnum> %s dim 1 : tensor<64x64xf32, #L> -> tensor<64xf32, #S>
          %far = arith.cmpf ogt, %t, %m : tensor<64xf32, #S>
          %m1 = arith.select %far, %t, %m : tensor<64xi1, #S>, tensor<64xf32, #S>
          scf.yield %m1, %l : tensor<64xf32, #S>, tensor<64x8xf32, #L>
        } else {
          %l2 = arith.addf %l0, %l : tensor<64x8xf32, #L>
          scf.yield %m, %l2 : tensor<64xf32, #S>, tensor<64x8xf32, #L>
        }
        scf.yield %new#0, %new#1 : tensor<64xf32, #S>, tensor<64x8xf32, #L>
      }
      // CHECK: smx_gpu.store
      smx_gpu.store %r#0, %y[%i] dims [0] : tensor<64xf32, #S>, memref<?xf32>
      // CHECK-NEXT: scf.yield %[[ROUNDS]]#2 : i32
    }
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield %[[BEFORE]] : i32
    // CHECK: scf.yield %[[LAST]] : i32
  }
  smx_gpu.return
}
