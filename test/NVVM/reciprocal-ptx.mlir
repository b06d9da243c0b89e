// 1/l of a row is approximate where what it lacks is known: no call, and no branch for what is not normal.
// RUN: softmax-compile %s --emit=ptx --chip=sm_90a --alignment=16 | FileCheck %s

// CHECK-LABEL: .entry f_kernel
// CHECK-NOT: rcp.rn
// CHECK-NOT: div.
// CHECK: rcp.approx.f32
// CHECK-NOT: rcp
// CHECK: ret;
func.func @f(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %y = smx.softmax %x axis(1) : tensor<?x4096xf32> -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
