// Whole kernels, assembled: no spills, no stack.
// REQUIRES: ptxas, softmax-compile
// RUN: softmax-compile %s --from=gpu --emit=ptx --chip=sm_80 -o %t.80 && FileCheck %s < %t.80
// RUN: %assemble sm_80 %t.80
// RUN: softmax-compile %s --from=gpu --emit=ptx --chip=sm_90a -o %t.90 && FileCheck %s < %t.90
// RUN: %assemble sm_90a %t.90

#row = #smx_gpu.striped<rows = 1, columns = 128, vector = 8>
#one = #smx_gpu.slice<1, #row>
!half = memref<?x?xbf16, strided<[?, 1], offset: ?>>
!single = memref<?x?xf32, strided<[?, 1], offset: ?>>

// A row of up to 2048 bf16 in the registers of four warps; shared memory is what the launch gives.
// CHECK: .extern .shared .align 1024 .b8 smem[];
// CHECK: .entry softmax_row(
// CHECK: .reqntid 128
// CHECK: ld.global.v4.b32
// CHECK-NOT: call
// CHECK: max.f32
// CHECK: shfl.sync.bfly.b32
// CHECK: bar.sync
// CHECK: ex2.approx.ftz.f32
// CHECK: rcp.rn.f32
// CHECK: cvt.rn.bf16x2.f32
// CHECK: st.global.v4.b32
smx_gpu.kernel @softmax_row(%x: !half, %y: !half) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : !half
  %i = gpu.block_id x
  %minus_infinity = arith.constant dense<0xFF800000> : tensor<1x2048xf32, #row>
  %log2e = arith.constant dense<1.44269502> : tensor<1x2048xf32, #row>
  %one = arith.constant dense<1.0> : tensor<1xf32, #one>
  %h = smx_gpu.load %x[%i, %c0] valid(%c1, %n) dims [0, 1] {aligned = 16 : i64} : !half -> tensor<1x2048xbf16, #row>
  %t = arith.extf %h : tensor<1x2048xbf16, #row> to tensor<1x2048xf32, #row>
  %j = smx_gpu.position 1 : tensor<1x2048xindex, #row>
  %end = tensor.splat %n : tensor<1x2048xindex, #row>
  %in = arith.cmpi slt, %j, %end : tensor<1x2048xindex, #row>
  %s = arith.select %in, %t, %minus_infinity : tensor<1x2048xi1, #row>, tensor<1x2048xf32, #row>
  %m = smx_gpu.reduce <maxnum> %s dim 1 : tensor<1x2048xf32, #row> -> tensor<1xf32, #one>
  %mb = smx_gpu.broadcast %m : tensor<1xf32, #one> -> tensor<1x2048xf32, #row>
  %d = arith.subf %s, %mb fastmath<contract> : tensor<1x2048xf32, #row>
  %dl = arith.mulf %d, %log2e fastmath<contract> : tensor<1x2048xf32, #row>
  %e = math.exp2 %dl fastmath<afn> : tensor<1x2048xf32, #row>
  %l = smx_gpu.reduce <add> %e dim 1 : tensor<1x2048xf32, #row> -> tensor<1xf32, #one>
  %r = arith.divf %one, %l : tensor<1xf32, #one>
  %rb = smx_gpu.broadcast %r : tensor<1xf32, #one> -> tensor<1x2048xf32, #row>
  %p = arith.mulf %e, %rb : tensor<1x2048xf32, #row>
  %ph = arith.truncf %p : tensor<1x2048xf32, #row> to tensor<1x2048xbf16, #row>
  smx_gpu.store %ph, %y[%i, %c0] valid(%c1, %n) dims [0, 1] {aligned = 16 : i64} : tensor<1x2048xbf16, #row>, !half
  smx_gpu.return
}

// A matrix to its transpose, with f64 in between and a change of layout.
// CHECK: .entry transpose(
// CHECK: st.shared
// CHECK: ld.shared
smx_gpu.kernel @transpose(%x: !single, %y: !single) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %bx = gpu.block_id x
  %i = arith.muli %bx, %c64 : index
  %t = smx_gpu.load %x[%c0, %i] dims [1, 0] : !single -> tensor<64x64xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 1>>
  %w = smx_gpu.convert %t : tensor<64x64xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 1>>
      -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.store %w, %y[%i, %c0] dims [0, 1] {aligned = 16 : i64} : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>, !single
  smx_gpu.return
}
