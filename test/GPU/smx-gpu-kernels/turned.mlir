// Every block has some of the shorter tiles at the end of rows of tiles.
// RUN: softmax-opt %s --smx-to-gpu='alignment=16 chip=sm_90a' | FileCheck %s

// 132 blocks walk over rows of 6 tiles of 192: turned by 1 for each wave in front of a row, a block goes on by 133.
// CHECK-LABEL: smx_gpu.kernel @turned_kernel
// CHECK: %[[NUMBER:.+]] = arith.remui %[[TILE:.+]], %c6 : index
// CHECK-NEXT: %[[ROW:.+]] = arith.divui %[[TILE]], %c6 : index
// CHECK-NEXT: %[[BEFORE:.+]] = arith.muli %[[ROW]], %c6 : index
// CHECK-NEXT: %[[WAVES:.+]] = arith.divui %[[BEFORE]], %c132 : index
// CHECK-NEXT: %[[SUM:.+]] = arith.addi %[[NUMBER]], %[[WAVES]] : index
// CHECK-NEXT: %[[TURNED:.+]] = arith.remui %[[SUM]], %c6 : index
// CHECK: arith.muli %[[TURNED]], %c192 : index
!six = tensor<16x32x1024x64xbf16>
func.func @turned(%q: !six, %k: !six, %v: !six) -> !six {
  %o = smx.attention %q, %k, %v scale(0.125) : !six, !six, !six -> !six
  return %o : !six
}

// 5 and 132 have no divisor in common.
// CHECK-LABEL: smx_gpu.kernel @coprime_kernel
// CHECK-NOT: arith.divui %{{.+}}, %c132
// CHECK: smx_gpu.return
!five = tensor<16x32x900x64xbf16>
func.func @coprime(%q: !five, %k: !five, %v: !five) -> !five {
  %o = smx.attention %q, %k, %v scale(0.125) : !five, !five, !five -> !five
  return %o : !five
}

// All tiles are whole.
// CHECK-LABEL: smx_gpu.kernel @whole_kernel
// CHECK-NOT: arith.divui %{{.+}}, %c132
// CHECK: smx_gpu.return
!whole = tensor<16x32x1152x64xbf16>
func.func @whole(%q: !whole, %k: !whole, %v: !whole) -> !whole {
  %o = smx.attention %q, %k, %v scale(0.125) : !whole, !whole, !whole -> !whole
  return %o : !whole
}
