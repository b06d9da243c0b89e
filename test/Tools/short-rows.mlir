// Rows that end within an access, of what is computed of nothing as long: of an open length behind arithmetic, of broadcast values,
// and of what another op gives; and a tensor of an index for each pair of a query and a key.
// RUN: softmax-run %s --entry=computed --dims=4x33 --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=broadcast --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=largest --target=emulator --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=pairs --target=emulator --chip=sm_90a --repeat=0 | FileCheck %s
// RUN: softmax-run %s --entry=largest_of_few --dims=3x2 --target=emulator --repeat=0 | FileCheck %s
// CHECK: against raised: pass

func.func @computed(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %t = math.tanh %x : tensor<4x?xf32>
  %y = arith.addf %t, %x : tensor<4x?xf32>
  %l = smx.logsumexp %y axis(1) : tensor<4x?xf32> -> tensor<4xf32>
  return %l : tensor<4xf32>
}

func.func @broadcast(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x33xf32>
  %b = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4x33xf32>) dimensions = [1]
  %l = smx.logsumexp %b axis(1) : tensor<4x33xf32> -> tensor<4xf32>
  return %l : tensor<4xf32>
}

func.func @largest(%x: tensor<4x77xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>) {
  %p, %i = smx.topk_softmax %x axis(1) k(7) : tensor<4x77xf32> -> tensor<4x7xf32>, tensor<4x7xi32>
  %q, %j = smx.topk_softmax %p axis(1) k(3) : tensor<4x7xf32> -> tensor<4x3xf32>, tensor<4x3xi32>
  return %q, %j : tensor<4x3xf32>, tensor<4x3xi32>
}

!t = tensor<1x128x64xbf16>

func.func @pairs(%q: !t, %k: !t, %v: !t, %m: tensor<128x128xindex>) -> !t {
  %o = smx.attention %q, %k, %v scale(0.5) mask(#smx.blocks<rows = 1, keys = 1>) reads(%m : tensor<128x128xindex>) : !t, !t, !t -> !t
  return %o : !t
}

// The extent of a call is less than k.
func.func @largest_of_few(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x3xi32>) {
  %s = smx.softmax %x axis(1) : tensor<?x?xf32> -> tensor<?x?xf32>
  %p, %places = smx.topk_softmax %x axis(1) k(3) : tensor<?x?xf32> -> tensor<?x3xf32>, tensor<?x3xi32>
  return %s, %p, %places : tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x3xi32>
}
