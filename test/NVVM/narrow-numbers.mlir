// Roles count and compute places in 32 bits where all of these fit.
// RUN: softmax-opt %s --smx-nvvm-narrow-numbers --canonicalize --cse | FileCheck %s

!c = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>

// The launch says how many tiles there are, and how many blocks.
// CHECK-LABEL: smx_gpu.kernel @walk
smx_gpu.kernel @walk(%tiles: index, %x: memref<?x64xbf16>, %numbers: memref<?xindex>) warps(12) {
  %channel = smx_gpu.make_channel : !c
  smx_gpu.warp_specialize {
    // CHECK: smx_gpu.role @load
    smx_gpu.role @load warps(4) registers(32) (%end = %tiles : index, %c = %channel : !c, %m = %x : memref<?x64xbf16>) {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %c64 = arith.constant 64 : index
      // CHECK-DAG: %[[TILES:.+]] = arith.constant 176 : i32
      // CHECK-DAG: %[[SEVEN:.+]] = arith.constant 7 : i32
      // CHECK-DAG: %[[WIDE_BLOCK:.+]] = gpu.block_id x upper_bound 132
      // CHECK-DAG: %[[WIDE_BLOCKS:.+]] = gpu.grid_dim x upper_bound 132
      // CHECK-DAG: %[[BLOCK:.+]] = arith.index_cast %[[WIDE_BLOCK]] : index to i32
      // CHECK-DAG: %[[BLOCKS:.+]] = arith.index_cast %[[WIDE_BLOCKS]] : index to i32
      %block = gpu.block_id x
      %blocks = gpu.grid_dim x
      // CHECK: scf.for %{{.+}} = %[[BLOCK]] to %[[TILES]] step %[[BLOCKS]] : i32 {
      scf.for %t = %block to %end step %blocks {
        // CHECK: arith.remui %{{.+}}, %[[SEVEN]] : i32
        // CHECK: arith.muli %{{.+}} : i32
        %tile = arith.remui %t, %c7 : index
        %row = arith.muli %tile, %c64 : index
        // CHECK: smx_gpu.put
        smx_gpu.put %m[%row, %c0] into %c dims [0, 1] copy(tensor) : memref<?x64xbf16>, !c
      }
    }
    // CHECK: smx_gpu.role @compute
    smx_gpu.role @compute warps(8) group(4) registers(224) (%end = %tiles : index, %c = %channel : !c, %n = %numbers : memref<?xindex>) {
      %c0 = arith.constant 0 : index
      // CHECK-DAG: %[[ALL:.+]] = arith.constant 176 : i32
      // CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i32
      %c1 = arith.constant 1 : index
      // CHECK: %[[WIDE_GROUP:.+]] = smx_gpu.group_id
      %group = smx_gpu.group_id
      // Groups share rounds between two loops, and all of them go through every round, whatever the numbers' bits.
      // CHECK: %[[WIDE_MIDDLE:.+]] = arith.select
      // CHECK: %[[MIDDLE:.+]] = arith.index_cast %[[WIDE_MIDDLE]] : index to i32
      // CHECK: scf.for %{{.+}} = %c0_i32 to %[[MIDDLE]] step %[[ONE]] : i32 {
      // CHECK-NEXT: smx_gpu.get
      // CHECK: scf.for %{{.+}} = %[[MIDDLE]] to %[[ALL]] step %[[ONE]] : i32 {
      // CHECK-NEXT: smx_gpu.get
      %is_first = arith.cmpi eq, %group, %c0 : index
      %middle = arith.select %is_first, %end, %c0 : index
      scf.for %t = %c0 to %middle step %c1 {
        %tile = smx_gpu.get %c : !c -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
        smx_gpu.release %c : !c
      }
      scf.for %t = %middle to %end step %c1 {
        %tile = smx_gpu.get %c : !c -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
        smx_gpu.release %c : !c
      }
      // There are two groups.
      // CHECK: %[[GROUP:.+]] = arith.index_cast %[[WIDE_GROUP]] : index to i32
      // CHECK: scf.for %{{.+}} = %[[GROUP]] to %[[ALL]] step %[[ONE]] : i32 {
      scf.for %t = %group to %end step %c1 {
        // CHECK: memref.store
        memref.store %t, %n[%t] : memref<?xindex>
      }
    }
  }
  smx_gpu.return
}

// Nothing is known of these tiles, nor of the sum of the end and a step.
// CHECK-LABEL: smx_gpu.kernel @open
smx_gpu.kernel @open(%tiles: index, %most: index, %numbers: memref<?xindex>) warps(4) {
  smx_gpu.warp_specialize {
    // CHECK: smx_gpu.role @work warps(4) (%[[END:[^ ]+]] = %{{.+}} : index, 
    smx_gpu.role @work warps(4) (%end = %tiles : index, %last = %most : index, %n = %numbers : memref<?xindex>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      // CHECK: scf.for %{{.+}} = %{{.+}} to %[[END]] step %{{.+}} {
      scf.for %t = %c0 to %end step %c1 {
        memref.store %t, %n[%t] : memref<?xindex>
      }
      // CHECK: scf.for %{{.+}} = %c0 to %c2147483647 step %c8 {
      scf.for %t = %c0 to %last step %c8 {
        memref.store %t, %n[%t] : memref<?xindex>
      }
    }
  }
  smx_gpu.return
}

func.func @host(%x: memref<?x64xbf16>, %n: index, %numbers: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  %c132 = arith.constant 132 : index
  %c176 = arith.constant 176 : index
  %c2147483647 = arith.constant 2147483647 : index
  smx_gpu.launch @walk grid(%c132, %c1, %c1) (%c176, %x, %numbers : index, memref<?x64xbf16>, memref<?xindex>)
  smx_gpu.launch @open grid(%n, %c1, %c1) (%n, %c2147483647, %numbers : index, index, memref<?xindex>)
  return
}
