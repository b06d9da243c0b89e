// What a block announces another one may read that awaits it, and nobody else; what no block before announces is not waited for.
// RUN: split-file %s %t
// RUN: smx-gpu-host-run %t/handed.mlir --entry=f --arg=normal:4x512xf32 --arg=poison:4x512xf32 --check=copy | FileCheck %s
// RUN: smx-gpu-host-run %t/handed.mlir --entry=f --clusters=4 --runs=20 --arg=normal:4x512xf32 --arg=poison:4x512xf32 --check=copy | FileCheck %s
// RUN: sed '/smx_gpu.await/d' %t/handed.mlir | not smx-gpu-host-run - --entry=f --arg=normal:4x512xf32 --arg=poison:4x512xf32 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's/reaches 4/reaches 5/' %t/handed.mlir | not smx-gpu-host-run - --entry=f --clusters=2 --arg=normal:4x512xf32 --arg=poison:4x512xf32 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: sed 's/counts.%%other. reaches/counts[%%later] reaches/' %t/handed.mlir | not smx-gpu-host-run - --entry=f --arg=normal:4x512xf32 --arg=poison:4x512xf32 2>&1 | FileCheck %s --check-prefix=LATER
// CHECK: copy: pass
// RACE: @k block (1, 0, 0): {{.*}}'smx_gpu.load' reads element [0, 0] of its tile, {{.*}} which another block of the launch writes: nothing orders the two
// NEVER: 'smx_gpu.await' waits for a count of 5, but it is 4 and all blocks with smaller numbers have ended
// LATER: @k block (1, 0, 0): {{.*}}'smx_gpu.await' waits for a count of 4, but it is 0 and all blocks with smaller numbers have ended

//--- handed.mlir
#rows = #smx_gpu.striped<rows = 1, columns = 128, vector = 4>
#value = #smx_gpu.slice<0, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>
!global = memref<4x512xf32>
smx_gpu.kernel @clear(%counts: memref<4xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = arith.constant dense<0> : tensor<128xi32, #value>
  smx_gpu.store %t, %counts[%c0] valid(%c4) dims [0] : tensor<128xi32, #value>, memref<4xi32>
  smx_gpu.return
}
// Rows 0 and 2 go by way of %z, through blocks 0 and 2, to the blocks behind these.
smx_gpu.kernel @k(%x: !global, %y: !global, %z: !global, %counts: memref<4xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = gpu.block_id x
  %t = smx_gpu.load %x[%b, %c0] dims [0, 1] : !global -> tensor<1x512xf32, #rows>
  %rest = arith.remui %b, %c2 : index
  %is_even = arith.cmpi eq, %rest, %c0 : index
  scf.if %is_even {
    smx_gpu.store %t, %z[%b, %c0] dims [0, 1] : tensor<1x512xf32, #rows>, !global
    smx_gpu.announce %counts[%b] : memref<4xi32>
  }
  %other = arith.subi %b, %c1 : index
  %later = arith.addi %rest, %c1 : index
  %is_odd = arith.cmpi ne, %rest, %c0 : index
  scf.if %is_odd {
    smx_gpu.store %t, %y[%b, %c0] dims [0, 1] : tensor<1x512xf32, #rows>, !global
    smx_gpu.await %counts[%other] reaches 4 : memref<4xi32>
    %o = smx_gpu.load %z[%other, %c0] dims [0, 1] : !global -> tensor<1x512xf32, #rows>
    smx_gpu.store %o, %y[%other, %c0] dims [0, 1] : tensor<1x512xf32, #rows>, !global
  }
  smx_gpu.return
}
func.func @f(%x: !global, %y: !global) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = memref.alloc() : !global
  %counts = memref.alloc() : memref<4xi32>
  smx_gpu.launch @clear grid(%c1, %c1, %c1) (%counts : memref<4xi32>)
  smx_gpu.launch @k grid(%c4, %c1, %c1) (%x, %y, %z, %counts : !global, !global, !global, memref<4xi32>)
  return
}
