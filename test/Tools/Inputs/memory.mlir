func.func @f(%x: memref<8x128xf32>, %y: memref<8x128xf32>) {
  %t = bufferization.to_tensor %x restrict : memref<8x128xf32> to tensor<8x128xf32>
  %s = smx.softmax %t axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  bufferization.materialize_in_destination %s in restrict writable %y : (tensor<8x128xf32>, memref<8x128xf32>) -> ()
  return
}
