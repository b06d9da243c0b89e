// RUN: softmax-opt %s --split-input-file --verify-diagnostics

// P31
#L = #smx_gpu.striped<rows = 8, columns = 16, vector = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
smx_gpu.kernel @no_fragment(%y: memref<?x64xbf16>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x64xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{'smx_gpu.tensor_store' op expected a fragment of a 16-bit type, got 'tensor<64x64xbf16, #smx_gpu.striped<rows = 8, columns = 16, vector = 4>>'; smx_gpu.store takes any tile}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [0, 1] : tensor<64x64xbf16, #L>, memref<?x64xbf16>, !shared
    }
  }
  smx_gpu.return
}

// -----

// P31
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xf32, swizzle = 128>
smx_gpu.kernel @wide(%y: memref<?x64xf32>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x64xf32>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xf32, #L>
      // expected-error @+1 {{expected a fragment of a 16-bit type, got 'tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>'}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [0, 1] : tensor<64x64xf32, #L>, memref<?x64xf32>, !shared
    }
  }
  smx_gpu.return
}

// -----

// P31: each group has rows of its own.
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
smx_gpu.kernel @rows_of_one_group(%y: memref<?x64xbf16>, %i: index) warps(8) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(8) group(4) (%through = %s : !shared, %m = %y : memref<?x64xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{expected a shared tile of 128x64x'bf16', the tiles of all 2 groups of role 'all', or of columns that divide these, got '!smx_gpu.shared<64x64xbf16, swizzle = 128>'}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [0, 1] : tensor<64x64xbf16, #L>, memref<?x64xbf16>, !shared
    }
  }
  smx_gpu.return
}

// -----

// P31
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x128xbf16, swizzle = 128>
smx_gpu.kernel @part_of_columns(%y: memref<?x192xbf16>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x192xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x192xbf16, #L>
      // expected-error @+1 {{expected a shared tile of 64x192x'bf16', the tiles of all 1 groups of role 'all', or of columns that divide these, got '!smx_gpu.shared<64x128xbf16, swizzle = 128>'}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [0, 1] : tensor<64x192xbf16, #L>, memref<?x192xbf16>, !shared
    }
  }
  smx_gpu.return
}

// -----

// P31
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 0>
smx_gpu.kernel @plain_rows(%y: memref<?x64xbf16>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x64xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{expected a shared tile with a swizzle of 32, 64 or 128 bytes, got 0}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [0, 1] : tensor<64x64xbf16, #L>, memref<?x64xbf16>, !shared
    }
  }
  smx_gpu.return
}

// -----

// P32
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
smx_gpu.kernel @no_role(%y: memref<?x64xbf16>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
  // expected-error @+1 {{expected to stand in a role, whose warps wait at their end until shared memory has been read}}
  smx_gpu.tensor_store %o, %y[%i, %i] through %s dims [0, 1] : tensor<64x64xbf16, #L>, memref<?x64xbf16>, !shared
  smx_gpu.return
}

// -----

// P32: the next tensor copy into the stage waits for its release, and not for the store.
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @stage(%y: memref<?x64xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.put %y[%i, %i] into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%ch = %c : !channel, %m = %y : memref<?x64xbf16>, %j = %i : index) {
      %s = smx_gpu.get %ch : !channel -> !shared
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{expected a shared tile that the role captures}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %s dims [0, 1] : tensor<64x64xbf16, #L>, memref<?x64xbf16>, !shared
      smx_gpu.release %ch : !channel
    }
  }
  smx_gpu.return
}

// -----

// P32
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @captured_stage(%y: memref<?x64xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.put %y[%i, %i] into %c dims [0, 1] copy(plain) : memref<?x64xbf16>, !channel
  %s = smx_gpu.get %c : !channel -> !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x64xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{expected a shared tile of smx_gpu.alloc, which no channel fills}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [0, 1] : tensor<64x64xbf16, #L>, memref<?x64xbf16>, !shared
    }
  }
  smx_gpu.release %c : !channel
  smx_gpu.return
}

// -----

// P32
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
smx_gpu.kernel @written_by_threads(%y: memref<?x64xbf16>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x64xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{expected a shared tile that such stores of one role use and nothing else does: nothing else waits until the engine has read it}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [0, 1] : tensor<64x64xbf16, #L>, memref<?x64xbf16>, !shared
      // expected-note @+1 {{it is used here, too}}
      smx_gpu.write %o, %through : tensor<64x64xbf16, #L>, !shared
    }
  }
  smx_gpu.return
}

// -----

// P32
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
smx_gpu.kernel @written_before(%y: memref<?x64xbf16>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  // expected-note @+1 {{it is used here, too}}
  smx_gpu.copy %y[%i, %i] to %s dims [0, 1] : memref<?x64xbf16>, !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x64xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{nothing else waits until the engine has read it}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [0, 1] : tensor<64x64xbf16, #L>, memref<?x64xbf16>, !shared
    }
  }
  smx_gpu.return
}

// -----

// P33
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
smx_gpu.kernel @columns_apart(%y: memref<?x?xbf16>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x?xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{expected two dimensions of the memref, the second one of stride 1, got dims 1, 0 of 'memref<?x?xbf16>'}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [1, 0] : tensor<64x64xbf16, #L>, memref<?x?xbf16>, !shared
    }
  }
  smx_gpu.return
}

// -----

// P33
#L = #smx_gpu.fragment<warps = 4>
!shared = !smx_gpu.shared<64x64xbf16, swizzle = 128>
smx_gpu.kernel @repeats(%y: memref<?x?xbf16>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !shared
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) (%through = %s : !shared, %m = %y : memref<?x?xbf16>, %j = %i : index) {
      %o = arith.constant dense<1.0> : tensor<64x64xbf16, #L>
      // expected-error @+1 {{expected two dimensions of the memref, the second one of stride 1, got dims -1, 1}}
      smx_gpu.tensor_store %o, %m[%j, %j] through %through dims [-1, 1] : tensor<64x64xbf16, #L>, memref<?x?xbf16>, !shared
    }
  }
  smx_gpu.return
}
