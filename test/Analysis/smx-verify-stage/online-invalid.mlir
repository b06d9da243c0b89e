// RUN: softmax-opt %s --smx-verify-stage=stage=online --split-input-file --verify-diagnostics

func.func @specification(%x: tensor<8x128xf32>) -> tensor<8xf32> {
  // expected-error @below {{'smx.logsumexp' op breaks the contract of stage 'online': it needs the whole row}}
  // expected-note @below {{smx-online replaces it by an explicit state}}
  %y = smx.logsumexp %x axis(1) : tensor<8x128xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @upstream(%x: tensor<8x128xf32>, %o: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @below {{'linalg.softmax' op breaks the contract of stage 'online': it needs the whole row}}
  // expected-note @below {{smx-raise makes smx.softmax of it, and smx-online an explicit state}}
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x128xf32>) outs(%o : tensor<8x128xf32>) -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}
