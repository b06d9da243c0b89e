// A channel that is dealt: each group gets every second tile, and computes the softmax of its rows.
// RUN: smx-gpu-host-run %s --arg=normal:384x64xf32 --arg=poison:384x64xf32 --check=softmax --runs=3 | FileCheck %s
// CHECK-COUNT-3: softmax: pass
// CHECK: ran

// Groups that get all tiles find tiles left that they have not got.
// RUN: sed 's/, dealt//' %s | not smx-gpu-host-run - --arg=normal:384x64xf32 --arg=poison:384x64xf32 --no-verify 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: deadlock: no group can go on
// ALL: {{.+}}: 5 put; role @compute group 0: 3 got, 3 released; role @compute group 1: 3 got, 3 released

// A tile that its group does not release.
// RUN: sed 's/.*smx_gpu.release.*//' %s | not smx-gpu-host-run - --arg=normal:384x64xf32 --arg=poison:384x64xf32 2>&1 | FileCheck %s --check-prefix=HELD
// HELD: 'smx_gpu.get' holds 2 tiles of the channel made at {{.+}} already, which are all that it has

#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!c = !smx_gpu.channel<64x64xf32, swizzle = 128, depth = 2, dealt>
!global = memref<?x64xf32, strided<[?, 1], offset: ?>>
!tile = tensor<64x64xf32, #L>
!row = tensor<64xf32, #R>
smx_gpu.kernel @rows(%x: !global, %y: !global) warps(12) {
  %ch = smx_gpu.make_channel : !c
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%from = %x : !global, %to = %ch : !c) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %rows = memref.dim %from, %c0 : !global
      scf.for %i = %c0 to %rows step %c64 {
        smx_gpu.put %from[%i, %c0] into %to dims [0, 1] copy(plain) : !global, !c
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%from = %ch : !c, %to = %y : !global) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %rows = memref.dim %to, %c0 : !global
      %g = smx_gpu.group_id
      %shift = arith.muli %g, %c64 : index
      scf.for %j = %c0 to %rows step %c128 {
        %i = arith.addi %j, %shift : index
        %s = smx_gpu.get %from : !c -> !smx_gpu.shared<64x64xf32, swizzle = 128>
        %t = smx_gpu.read %s : !smx_gpu.shared<64x64xf32, swizzle = 128> -> !tile
        smx_gpu.release %from : !c
        %m = smx_gpu.reduce <maxnum> %t dim 1 : !tile -> !row
        %mb = smx_gpu.broadcast %m : !row -> !tile
        %d = arith.subf %t, %mb : !tile
        %e = math.exp %d : !tile
        %l = smx_gpu.reduce <add> %e dim 1 : !tile -> !row
        %lb = smx_gpu.broadcast %l : !row -> !tile
        %r = arith.divf %e, %lb : !tile
        smx_gpu.store %r, %to[%i, %c0] dims [0, 1] : !tile, !global
      }
    }
  }
  smx_gpu.return
}
func.func @f(%x: !global, %y: !global) {
  %c1 = arith.constant 1 : index
  smx_gpu.launch @rows grid(%c1, %c1, %c1) (%x, %y : !global, !global)
  return
}
