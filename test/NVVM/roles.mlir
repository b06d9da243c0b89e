// Roles are branches on the thread's number; groups of a role meet at barriers of their own.
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_90a | FileCheck %s
// RUN: softmax-opt %s --smx-gpu-to-nvvm=chip=sm_80 | FileCheck %s --check-prefix=OLD

// No register requests before Hopper.
// OLD-LABEL: llvm.func @roles
// OLD-NOT: nvvm.setmaxregister
// OLD: "bar.arrive $0, $1;"
// OLD-NOT: nvvm.setmaxregister
// OLD: llvm.return

#row = #smx_gpu.striped<rows = 1, columns = 128, vector = 1>

// Barriers: 0 of the block, 1 and 2 of the turns, 3 of @load, 4 of @compute, 5 and 6 of its groups.
// CHECK-LABEL: llvm.func @roles
smx_gpu.kernel @roles(%x: memref<?x?xf32>) warps(12) {
  // One number per warp, so that no branch parts its lanes.
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.lshr
  // CHECK: %[[WARP:.+]] = nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl.sync idx
  // CHECK: %[[TURNS:.+]] = llvm.mlir.constant(1 : i32)
  %t = smx_gpu.turns : !smx_gpu.turns<2>
  // CHECK: %[[END:.+]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[IS_LOAD:.+]] = llvm.icmp "slt" %[[WARP]], %[[END]]
  // CHECK: scf.if %[[IS_LOAD]]
  smx_gpu.warp_specialize {
    // CHECK: nvvm.setmaxregister decrease 24
    smx_gpu.role @load warps(4) registers(24) {
      // CHECK: %[[ID:.+]] = llvm.mlir.constant(3 : i32)
      // CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %{{.+}}
      smx_gpu.barrier
    }
    // CHECK: } else {
    // CHECK: nvvm.setmaxregister increase 240
    // The first turn is open.
    // CHECK: llvm.icmp "eq"
    // CHECK: scf.if
    // CHECK: "bar.arrive $0, $1;", "r,r,~{memory}" %[[TURNS]]
    smx_gpu.role @compute warps(8) group(4) registers(240) (%tt = %t : !smx_gpu.turns<2>, %y = %x : memref<?x?xf32>) {
      %c0 = arith.constant 0 : index
      // CHECK: llvm.lshr
      %g = smx_gpu.group_id
      // CHECK: "bar.sync $0, $1;"
      smx_gpu.take_turn %tt : !smx_gpu.turns<2>
      %a = smx_gpu.load %y[%g, %c0] dims [0, 1] : memref<?x?xf32> -> tensor<1x128xf32, #row>
      // CHECK: nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
      %s = smx_gpu.reduce <add> %a dim 1 : tensor<1x128xf32, #row> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
      // CHECK: "bar.arrive $0, $1;"
      smx_gpu.pass_turn %tt : !smx_gpu.turns<2>
      smx_gpu.store %s, %y[%g, %c0] dims [0] : tensor<1xf32, #smx_gpu.slice<1, #row>>, memref<?x?xf32>
    }
  }
  smx_gpu.return
}
