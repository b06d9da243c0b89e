// Walks that stay as they are: without room for the numbers of tiles, where a tile looks at the next one of its block, or where
// blocks have one tile each.
// RUN: softmax-opt %s --smx-gpu-draw-tiles | FileCheck %s --implicit-check-not=scf.while
// RUN: softmax-opt %s --smx-gpu-draw-tiles --remarks-filter=smx-gpu-draw-tiles 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: [Missed] DrawnTiles{{.*}}shared memory has no room for the numbers of tiles", left=1024
// REMARK-NOT: DrawnTiles
!tiles = !smx_gpu.channel<16x64xbf16, swizzle = 128, depth = 2>

// CHECK-LABEL: smx_gpu.kernel @no_room(
smx_gpu.kernel @no_room(%rows: memref<64x64xbf16>, %begins: memref<64xindex>) warps(8) shared_limit(6144) {
  %channel = smx_gpu.make_channel : !tiles
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%x = %rows : memref<64x64xbf16>, %n = %begins : memref<64xindex>, %c = %channel : !tiles) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %block = gpu.block_id x
      %blocks = gpu.grid_dim x
      scf.for %t = %block to %c64 step %blocks {
        %begin = memref.load %n[%t] : memref<64xindex>
        scf.for %j = %begin to %c64 step %c16 {
          smx_gpu.put %x[%j, %c0] into %c dims [0, 1] copy(tensor) {aligned = 16 : i64} : memref<64x64xbf16>, !tiles
        }
      }
    }
    smx_gpu.role @compute warps(4) (%n = %begins : memref<64xindex>, %c = %channel : !tiles) {
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %block = gpu.block_id x
      %blocks = gpu.grid_dim x
      scf.for %t = %block to %c64 step %blocks {
        %begin = memref.load %n[%t] : memref<64xindex>
        scf.for %j = %begin to %c64 step %c16 {
          %s = smx_gpu.get %c : !tiles -> !smx_gpu.shared<16x64xbf16, swizzle = 128>
          smx_gpu.release %c : !tiles
        }
      }
    }
  }
  smx_gpu.return
}

// CHECK-LABEL: smx_gpu.kernel @looks_ahead(
smx_gpu.kernel @looks_ahead(%rows: memref<64x64xbf16>, %begins: memref<64xindex>) warps(8) shared_limit(101376) {
  %channel = smx_gpu.make_channel : !tiles
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%x = %rows : memref<64x64xbf16>, %n = %begins : memref<64xindex>, %c = %channel : !tiles) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %block = gpu.block_id x
      %blocks = gpu.grid_dim x
      scf.for %t = %block to %c64 step %blocks {
        %next = arith.addi %t, %blocks : index
        %begin = memref.load %n[%next] : memref<64xindex>
        scf.for %j = %begin to %c64 step %c16 {
          smx_gpu.put %x[%j, %c0] into %c dims [0, 1] copy(tensor) {aligned = 16 : i64} : memref<64x64xbf16>, !tiles
        }
      }
    }
    smx_gpu.role @compute warps(4) (%n = %begins : memref<64xindex>, %c = %channel : !tiles) {
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %block = gpu.block_id x
      %blocks = gpu.grid_dim x
      scf.for %t = %block to %c64 step %blocks {
        %next = arith.addi %t, %blocks : index
        %begin = memref.load %n[%next] : memref<64xindex>
        scf.for %j = %begin to %c64 step %c16 {
          %s = smx_gpu.get %c : !tiles -> !smx_gpu.shared<16x64xbf16, swizzle = 128>
          smx_gpu.release %c : !tiles
        }
      }
    }
  }
  smx_gpu.return
}

// CHECK-LABEL: smx_gpu.kernel @one_each(
smx_gpu.kernel @one_each(%rows: memref<64x64xbf16>, %begins: memref<64xindex>, %count: index) warps(8) {
  %channel = smx_gpu.make_channel : !tiles
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%x = %rows : memref<64x64xbf16>, %n = %begins : memref<64xindex>, %c = %channel : !tiles, %tiles = %count : index) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %block = gpu.block_id x
      %blocks = gpu.grid_dim x
      scf.for %t = %block to %tiles step %blocks {
        %begin = memref.load %n[%t] : memref<64xindex>
        scf.for %j = %begin to %c64 step %c16 {
          smx_gpu.put %x[%j, %c0] into %c dims [0, 1] copy(tensor) {aligned = 16 : i64} : memref<64x64xbf16>, !tiles
        }
      }
    }
    smx_gpu.role @compute warps(4) (%n = %begins : memref<64xindex>, %c = %channel : !tiles, %tiles = %count : index) {
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %block = gpu.block_id x
      %blocks = gpu.grid_dim x
      scf.for %t = %block to %tiles step %blocks {
        %begin = memref.load %n[%t] : memref<64xindex>
        scf.for %j = %begin to %c64 step %c16 {
          %s = smx_gpu.get %c : !tiles -> !smx_gpu.shared<16x64xbf16, swizzle = 128>
          smx_gpu.release %c : !tiles
        }
      }
    }
  }
  smx_gpu.return
}

func.func @f(%x: memref<64x64xbf16>, %n: memref<64xindex>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  smx_gpu.launch @no_room grid(%c4, %c1, %c1) (%x, %n : memref<64x64xbf16>, memref<64xindex>)
  smx_gpu.launch @looks_ahead grid(%c4, %c1, %c1) (%x, %n : memref<64x64xbf16>, memref<64xindex>)
  smx_gpu.launch @one_each grid(%c4, %c1, %c1) (%x, %n, %c4 : memref<64x64xbf16>, memref<64xindex>, index)
  return
}
