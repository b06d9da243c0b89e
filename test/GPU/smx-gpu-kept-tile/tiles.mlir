// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-kept-tile))' | FileCheck %s
// RUN: softmax-opt %s --split-input-file --pass-pipeline='builtin.module(smx_gpu.kernel(smx-gpu-kept-tile))' --remarks-filter=smx-gpu-kept-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What registers keep of a row is stored before a loop loads the rest, and so is what is loaded behind that.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>

// REMARK: [Passed] KeptTile
// REMARK-SAME: a tile that is kept in registers is stored before the others
// REMARK-NOT: KeptTile
// CHECK-LABEL: smx_gpu.kernel @kept
// CHECK: %[[X:.+]] = smx_gpu.load %arg0[%{{.+}}, %c512]
// CHECK: %[[Y:.+]] = smx_gpu.load %arg1[%{{.+}}, %c512]
// CHECK-NEXT: %[[H:.+]] = smx_gpu.hold %[[X]]
// CHECK-NEXT: %[[P:.+]] = arith.mulf %[[H]], %[[Y]]
// CHECK-NEXT: smx_gpu.store %[[P]], %arg2[%{{.+}}, %c512]
// CHECK-NEXT: scf.for
// CHECK: smx_gpu.store
// CHECK-NEXT: }
// CHECK-NEXT: smx_gpu.return
smx_gpu.kernel @kept(%a: memref<?x768xbf16>, %b: memref<?x768xbf16>, %o: memref<?x768xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c512] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
  scf.for %j = %c0 to %c512 step %c256 {
    %y = smx_gpu.load %b[%i, %j] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
    smx_gpu.store %y, %o[%i, %j] dims [-1, 1] : tensor<1x256xbf16, #row>, memref<?x768xbf16>
  }
  %y = smx_gpu.load %b[%i, %c512] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
  %h = smx_gpu.hold %x : tensor<1x256xbf16, #row>
  %p = arith.mulf %h, %y : tensor<1x256xbf16, #row>
  smx_gpu.store %p, %o[%i, %c512] dims [-1, 1] : tensor<1x256xbf16, #row>, memref<?x768xbf16>
  smx_gpu.return
}

// -----

// Nothing is kept.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>

// CHECK-LABEL: smx_gpu.kernel @loaded
// CHECK: scf.for
// CHECK: }
// CHECK: smx_gpu.load
// CHECK: smx_gpu.store
smx_gpu.kernel @loaded(%a: memref<?x768xbf16>, %o: memref<?x768xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %i = gpu.block_id x
  scf.for %j = %c0 to %c512 step %c256 {
    %y = smx_gpu.load %a[%i, %j] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
    smx_gpu.store %y, %o[%i, %j] dims [-1, 1] : tensor<1x256xbf16, #row>, memref<?x768xbf16>
  }
  %x = smx_gpu.load %a[%i, %c512] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
  smx_gpu.store %x, %o[%i, %c512] dims [-1, 1] : tensor<1x256xbf16, #row>, memref<?x768xbf16>
  smx_gpu.return
}

// -----

// What is stored lies where the loop stores, too, and would be overwritten.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>

// CHECK-LABEL: smx_gpu.kernel @overlapping
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: smx_gpu.store
smx_gpu.kernel @overlapping(%a: memref<?x768xbf16>, %o: memref<?x768xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c512] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
  scf.for %j = %c0 to %c512 step %c256 {
    %y = smx_gpu.load %a[%i, %j] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
    smx_gpu.store %y, %o[%i, %j] dims [-1, 1] : tensor<1x256xbf16, #row>, memref<?x768xbf16>
  }
  smx_gpu.store %x, %o[%i, %c256] dims [-1, 1] : tensor<1x256xbf16, #row>, memref<?x768xbf16>
  smx_gpu.return
}

// -----

// The last step of a loop whose steps are not whole reaches behind its end.

#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 8>

// CHECK-LABEL: smx_gpu.kernel @cut
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: smx_gpu.store
smx_gpu.kernel @cut(%a: memref<?x768xbf16>, %o: memref<?x768xbf16>) warps(1) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c384 = arith.constant 384 : index
  %i = gpu.block_id x
  %x = smx_gpu.load %a[%i, %c384] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
  scf.for %j = %c0 to %c384 step %c256 {
    %y = smx_gpu.load %a[%i, %j] dims [-1, 1] : memref<?x768xbf16> -> tensor<1x256xbf16, #row>
    smx_gpu.store %y, %o[%i, %j] dims [-1, 1] : tensor<1x256xbf16, #row>, memref<?x768xbf16>
  }
  smx_gpu.store %x, %o[%i, %c384] dims [-1, 1] : tensor<1x256xbf16, #row>, memref<?x768xbf16>
  smx_gpu.return
}
