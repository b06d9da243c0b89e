// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// P22
#row = #smx_gpu.striped<rows = 2, columns = 64, vector = 4>
smx_gpu.kernel @two_rows() warps(4) {
  %x = arith.constant dense<0.0> : tensor<2x1024xf32, #row>
  // expected-error @+1 {{'smx_gpu.parts' op expected one row in a striped layout of whole warps, got 'tensor<2x1024xf32, #smx_gpu.striped<rows = 2, columns = 64, vector = 4>>'}}
  %p = smx_gpu.parts %x : tensor<2x1024xf32, #row> -> tensor<4x512xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 4>>
  smx_gpu.return
}

// -----

// P22
#row = #smx_gpu.striped<rows = 1, columns = 128, vector = 4>
smx_gpu.kernel @other_vector() warps(4) {
  %x = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  // expected-error @+1 {{'smx_gpu.parts' op expected a row for each warp, 'tensor<4x256xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 4>>', got}}
  %p = smx_gpu.parts %x : tensor<1x1024xf32, #row> -> tensor<4x256xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 8>>
  smx_gpu.return
}

// -----

// P22
#row = #smx_gpu.striped<rows = 1, columns = 128, vector = 4>
smx_gpu.kernel @other_vector_of_threads() warps(4) {
  %x = arith.constant dense<0.0> : tensor<1x1024xf32, #row>
  // expected-error @+1 {{'smx_gpu.parts' op expected a row for each thread, 'tensor<128x8xf32, #smx_gpu.striped<rows = 128, columns = 1, vector = 4>>', got}}
  %p = smx_gpu.parts %x : tensor<1x1024xf32, #row> -> tensor<128x8xf32, #smx_gpu.striped<rows = 128, columns = 1, vector = 8>>
  smx_gpu.return
}

// -----

// P22
#parts = #smx_gpu.striped<rows = 128, columns = 1, vector = 4>
smx_gpu.kernel @values_of_threads_in_one_row() warps(4) {
  %m = arith.constant dense<0.0> : tensor<128xf32, #smx_gpu.slice<1, #parts>>
  // expected-error @+1 {{'smx_gpu.parts' op expected the values of each warp in a row, 'tensor<4x32xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 1>>', got}}
  %p = smx_gpu.parts %m : tensor<128xf32, #smx_gpu.slice<1, #parts>> -> tensor<1x128xf32, #smx_gpu.striped<rows = 1, columns = 128, vector = 1>>
  smx_gpu.return
}

// -----

// P23
#parts = #smx_gpu.striped<rows = 4, columns = 32, vector = 4>
#all = #smx_gpu.striped<rows = 4, columns = 32, vector = 1>
smx_gpu.kernel @no_fill() warps(4) {
  %m = arith.constant dense<0.0> : tensor<4xf32, #smx_gpu.slice<1, #parts>>
  // expected-error @+1 {{expected one or more values, each with a result and an element of 'fill', got 1 values, 1 results and 0 elements}}
  %c = smx_gpu.collect %m fill [] : tensor<4xf32, #smx_gpu.slice<1, #parts>> -> tensor<4x32xf32, #all>
  smx_gpu.return
}

// -----

// P23
#rows = #smx_gpu.striped<rows = 2, columns = 64, vector = 4>
#all = #smx_gpu.striped<rows = 4, columns = 32, vector = 1>
smx_gpu.kernel @of_two_rows() warps(4) {
  %m = arith.constant dense<0.0> : tensor<2xf32, #smx_gpu.slice<1, #rows>>
  // expected-error @+1 {{expected one value for each warp, or of each block, got}}
  %c = smx_gpu.collect %m fill [0.0 : f32] : tensor<2xf32, #smx_gpu.slice<1, #rows>> -> tensor<4x32xf32, #all>
  smx_gpu.return
}

// -----

// P23
#parts = #smx_gpu.striped<rows = 4, columns = 32, vector = 4>
#all = #smx_gpu.striped<rows = 4, columns = 32, vector = 1>
smx_gpu.kernel @too_few_columns() warps(4) cluster(16) {
  %m = arith.constant dense<0.0> : tensor<4xf32, #smx_gpu.slice<1, #parts>>
  // expected-error @+1 {{expected the values of 16 blocks in a row for every 32 threads, 'tensor<4x64xf32, #smx_gpu.striped<rows = 4, columns = 32, vector = 1>>', got}}
  %c = smx_gpu.collect %m fill [0.0 : f32] : tensor<4xf32, #smx_gpu.slice<1, #parts>> -> tensor<4x32xf32, #all>
  smx_gpu.return
}

// -----

// P23
#parts = #smx_gpu.striped<rows = 4, columns = 32, vector = 4>
#all = #smx_gpu.striped<rows = 4, columns = 32, vector = 1>
smx_gpu.kernel @too_many_columns() warps(4) {
  %m = arith.constant dense<0.0> : tensor<4xf32, #smx_gpu.slice<1, #parts>>
  // expected-error @+1 {{expected the values of 1 blocks in a row for every 4 threads, 'tensor<32x4xf32, #smx_gpu.striped<rows = 32, columns = 4, vector = 1>>', got}}
  %c = smx_gpu.collect %m fill [0.0 : f32] : tensor<4xf32, #smx_gpu.slice<1, #parts>> -> tensor<4x32xf32, #all>
  smx_gpu.return
}

// -----

// P23
#parts = #smx_gpu.striped<rows = 4, columns = 32, vector = 4>
#all = #smx_gpu.striped<rows = 32, columns = 4, vector = 1>
smx_gpu.kernel @other_fill() warps(4) {
  %m = arith.constant dense<0.0> : tensor<4xf32, #smx_gpu.slice<1, #parts>>
  // expected-error @+1 {{expected 'fill' of type 'f32', got 0.000000e+00 : f64}}
  %c = smx_gpu.collect %m fill [0.0 : f64] : tensor<4xf32, #smx_gpu.slice<1, #parts>> -> tensor<32x4xf32, #all>
  smx_gpu.return
}

// -----

// P24
#row = #smx_gpu.striped<rows = 1, columns = 128, vector = 4>
smx_gpu.kernel @agreed_of_the_row() warps(4) {
  %m = arith.constant dense<0.0> : tensor<1xf32, #smx_gpu.slice<1, #row>>
  // expected-error @+1 {{expected one value for each row of a number of threads that divides 32, got}}
  %c = smx_gpu.agreed %m : tensor<1xf32, #smx_gpu.slice<1, #row>> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.return
}

// -----

// P24
#parts = #smx_gpu.striped<rows = 4, columns = 32, vector = 4>
#half = #smx_gpu.striped<rows = 2, columns = 64, vector = 4>
smx_gpu.kernel @not_of_the_row() warps(4) {
  %m = arith.constant dense<0.0> : tensor<4xf32, #smx_gpu.slice<1, #parts>>
  // expected-error @+1 {{expected the value of one row of 128 threads, or of one for each warp, of type 'f32', got}}
  %c = smx_gpu.agreed %m : tensor<4xf32, #smx_gpu.slice<1, #parts>> -> tensor<2xf32, #smx_gpu.slice<1, #half>>
  smx_gpu.return
}

// -----

// P24
#eight = #smx_gpu.striped<rows = 2, columns = 4, vector = 1>
#row = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
smx_gpu.kernel @not_of_whole_warps() warps(1) {
  %m = arith.constant dense<0.0> : tensor<2xf32, #smx_gpu.slice<1, #eight>>
  // expected-error @+1 {{expected one value for each row of a number of threads that divides 32, got}}
  %c = smx_gpu.agreed %m : tensor<2xf32, #smx_gpu.slice<1, #eight>> -> tensor<1xf32, #smx_gpu.slice<1, #row>>
  smx_gpu.return
}
