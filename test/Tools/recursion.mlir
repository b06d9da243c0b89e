// A function that comes to call itself is refused, with the place of the call.
// RUN: not softmax-run %s --input=,0 2>&1 | FileCheck %s
// RUN: not softmax-run %s --target=emulator --input=,0 2>&1 | FileCheck %s
// CHECK: recursion.mlir:[[#@LINE+19]]:{{[0-9]+}}: 'inner' comes to call itself here, and every call is compiled into its caller; a loop (scf.for, scf.while) would work
func.func private @inner(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi ugt, %n, %c0 : index
  %y = scf.if %more -> (tensor<4xf32>) {
    %m = arith.subi %n, %c1 : index


    // Two functions take turns.
    %z = func.call @outer(%x, %m) : (tensor<4xf32>, index) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  } else {
    %p = smx.softmax %x axis(0) : tensor<4xf32> -> tensor<4xf32>
    scf.yield %p : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
func.func @outer(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %y = call @inner(%x, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
