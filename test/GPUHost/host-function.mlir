// A host function: index arithmetic, scratch memory, two launches.
// RUN: smx-gpu-host-run %s --arg=normal:3x64x64xf32 --arg=poison:3x64x64xf32 --check=copy | FileCheck %s
// RUN: sed 's/.*\/\/ second launch$/memref.dealloc %%scratch : memref<64x64xf32>\n&/' %s | not smx-gpu-host-run - --arg=normal:3x64x64xf32 --arg=poison:3x64x64xf32 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: sed 's/n floordiv n/n floordiv (n - 3)/' %s | not smx-gpu-host-run - --arg=normal:3x64x64xf32 --arg=poison:3x64x64xf32 2>&1 | FileCheck %s --check-prefix=DIVIDES
// RUN: not smx-gpu-host-run %s --entry=g 2>&1 | FileCheck %s --check-prefix=RETURNS
// CHECK: copy: pass
// FREED: 'smx_gpu.load' reads memory after its deallocation
// DIVIDES: 'affine.apply' divides by less than 1, or takes more than 64 bits
// RETURNS: 'func.func' returns 1 values; host execution takes functions that return nothing
#L = #smx_gpu.fragment<warps = 4>
!global = memref<?x64xf32, strided<[?, 1], offset: ?>>
smx_gpu.kernel @copy(%x: !global, %y: !global) warps(4) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : !global -> tensor<64x64xf32, #L>
  smx_gpu.store %t, %y[%c0, %c0] dims [0, 1] : tensor<64x64xf32, #L>, !global
  smx_gpu.return
}
func.func @f(%x: memref<?x64x64xf32>, %y: memref<?x64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x64x64xf32>
  %scratch = memref.alloc() : memref<64x64xf32>
  %s = memref.cast %scratch : memref<64x64xf32> to !global
  scf.for %i = %c0 to %n step %c1 {
    %xv = memref.subview %x[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<?x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    %yv = memref.subview %y[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<?x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    %xc = memref.cast %xv : memref<64x64xf32, strided<[64, 1], offset: ?>> to !global
    %yc = memref.cast %yv : memref<64x64xf32, strided<[64, 1], offset: ?>> to !global
    %one = affine.apply affine_map<(i)[n] -> ((i - i) ceildiv 2 + n floordiv n)>(%i)[%n]
    smx_gpu.launch @copy grid(%one, %c1, %c1) (%xc, %s : !global, !global)
    smx_gpu.launch @copy grid(%one, %c1, %c1) (%s, %yc : !global, !global) // second launch
  }
  memref.dealloc %scratch : memref<64x64xf32>
  return
}
func.func @g() -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
