// Attention forward by roles: one warpgroup fetches keys and values by tensor copies, two compute on 64 queries each.
// The product with the keys of tile j + 1 runs while the softmax of tile j is computed; turns keep the two groups apart.
// Scores are scaled by 0.1275 and exponentiated by exp2. Keys are a multiple of 64 and not 0.
#L = #smx_gpu.fragment<warps = 4>
#R = #smx_gpu.slice<1, #L>
!kv = !smx_gpu.channel<64x128xbf16, swizzle = 128, depth = 2>
!stage = !smx_gpu.shared<64x128xbf16, swizzle = 128>
!global = memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>>
!row = tensor<64xf32, #R>
!scores = tensor<64x64xf32, #L>
!out = tensor<64x128xf32, #L>
smx_gpu.kernel @attention(%q: !global, %k: !global, %v: !global, %o: !global) warps(12) shared_limit(232448) {
  %K = smx_gpu.make_channel : !kv
  %V = smx_gpu.make_channel : !kv
  %turns = smx_gpu.turns : !smx_gpu.turns<2>
  %b = gpu.block_id y
  %x = gpu.block_id x
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) registers(24) (%Kc = %K : !kv, %Vc = %V : !kv, %kg = %k : !global, %vg = %v : !global, %bi = %b : index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %keys = memref.dim %kg, %c1 : !global
      scf.for %j = %c0 to %keys step %c64 {
        smx_gpu.put %kg[%bi, %j, %c0] into %Kc dims [1, 2] copy(tensor) : !global, !kv
        smx_gpu.put %vg[%bi, %j, %c0] into %Vc dims [1, 2] copy(tensor) : !global, !kv
      }
    }
    smx_gpu.role @compute warps(8) group(4) registers(240) (%Kc = %K : !kv, %Vc = %V : !kv, %t = %turns : !smx_gpu.turns<2>,
        %qg = %q : !global, %kg = %k : !global, %og = %o : !global, %bi = %b : index, %xi = %x : index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %scale = arith.constant dense<0.1275> : !scores
      %zs = arith.constant dense<0.0> : !scores
      %m0 = arith.constant dense<0xFF800000> : !row
      %l0 = arith.constant dense<0.0> : !row
      %zo = arith.constant dense<0.0> : !out
      %g = smx_gpu.group_id
      %base = arith.muli %xi, %c128 : index
      %shift = arith.muli %g, %c64 : index
      %i = arith.addi %base, %shift : index
      %keys = memref.dim %kg, %c1 : !global
      %qt = smx_gpu.load %qg[%bi, %i, %c0] dims [1, 2] {aligned = 16 : i64} : !global -> tensor<64x128xbf16, #L>
      %k0 = smx_gpu.get %Kc : !kv -> !stage
      %sr0, %st0 = smx_gpu.mma_async %qt, %k0, %zs transpose_b zero : tensor<64x128xbf16, #L>, !stage -> !scores
      %s0 = smx_gpu.wait %st0, %sr0 : !scores
      smx_gpu.release %Kc : !kv // first release
      %s0s = arith.mulf %s0, %scale : !scores
      %m1 = smx_gpu.reduce <maxnum> %s0s dim 1 : !scores -> !row
      %m1b = smx_gpu.broadcast %m1 : !row -> !scores
      %d0 = arith.subf %s0s, %m1b : !scores
      %p0 = math.exp2 %d0 fastmath<afn> : !scores
      %l1 = smx_gpu.reduce <add> %p0 dim 1 : !scores -> !row
      %p0h = arith.truncf %p0 : !scores to tensor<64x64xbf16, #L>
      %m, %l, %acc, %p = scf.for %j = %c64 to %keys step %c64 iter_args(%mi = %m1, %li = %l1, %oi = %zo, %pi = %p0h)
          -> (!row, !row, !out, tensor<64x64xbf16, #L>) {
        %kt = smx_gpu.get %Kc : !kv -> !stage
        smx_gpu.take_turn %t : !smx_gpu.turns<2> // take
        %sr, %st = smx_gpu.mma_async %qt, %kt, %zs transpose_b zero : tensor<64x128xbf16, #L>, !stage -> !scores
        %vt = smx_gpu.get %Vc : !kv -> !stage
        %or, %ot = smx_gpu.mma_async %pi, %vt, %oi : tensor<64x64xbf16, #L>, !stage -> !out
        smx_gpu.pass_turn %t : !smx_gpu.turns<2> // pass
        %s = smx_gpu.wait %st, %sr pending 1 : !scores
        smx_gpu.release %Kc : !kv // release keys
        %ss = arith.mulf %s, %scale : !scores
        %tm = smx_gpu.reduce <maxnum> %ss dim 1 : !scores -> !row
        %m2 = arith.maximumf %mi, %tm : !row
        %dm = arith.subf %mi, %m2 : !row
        %a = math.exp2 %dm fastmath<afn> : !row
        %mb = smx_gpu.broadcast %m2 : !row -> !scores
        %d = arith.subf %ss, %mb : !scores
        %e = math.exp2 %d fastmath<afn> : !scores
        %es = smx_gpu.reduce <add> %e dim 1 : !scores -> !row
        %la = arith.mulf %li, %a : !row
        %l2 = arith.addf %la, %es : !row
        %o2 = smx_gpu.wait %ot, %or : !out // wait for values
        smx_gpu.release %Vc : !kv // release values
        %ab = smx_gpu.broadcast %a : !row -> !out
        %o3 = arith.mulf %o2, %ab : !out
        %ph = arith.truncf %e : !scores to tensor<64x64xbf16, #L>
        scf.yield %m2, %l2, %o3, %ph : !row, !row, !out, tensor<64x64xbf16, #L>
      }
      %vl = smx_gpu.get %Vc : !kv -> !stage
      %olr, %olt = smx_gpu.mma_async %p, %vl, %acc : tensor<64x64xbf16, #L>, !stage -> !out
      %ol = smx_gpu.wait %olt, %olr : !out
      smx_gpu.release %Vc : !kv // last release
      %lb = smx_gpu.broadcast %l : !row -> !out
      %on = arith.divf %ol, %lb : !out
      %oh = arith.truncf %on : !out to tensor<64x128xbf16, #L>
      smx_gpu.store %oh, %og[%bi, %i, %c0] dims [1, 2] {aligned = 16 : i64} : tensor<64x128xbf16, #L>, !global
    }
  }
  smx_gpu.return
}
func.func @f(%q: !global, %k: !global, %v: !global, %o: !global) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %h = memref.dim %q, %c0 : !global
  %n = memref.dim %q, %c1 : !global
  %g = arith.ceildivsi %n, %c128 : index
  smx_gpu.launch @attention grid(%g, %h, %c1) (%q, %k, %v, %o : !global, !global, !global, !global)
  return
}
