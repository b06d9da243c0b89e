// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// K7
smx_gpu.kernel @not_a_role() warps(4) {
  smx_gpu.warp_specialize {
    smx_gpu.role @all warps(4) { }
    // expected-error @+1 {{'arith.constant' op expected only roles in a 'smx_gpu.warp_specialize'}}
    %c = arith.constant 0 : index
  }
  smx_gpu.return
}

// -----

// K7
smx_gpu.kernel @one_name() warps(8) {
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) { }
    // expected-error @+1 {{'smx_gpu.role' op expected roles of different names, got 'load' twice}}
    smx_gpu.role @load warps(4) { }
  }
  smx_gpu.return
}

// -----

// K7
smx_gpu.kernel @idle_warps() warps(12) {
  // expected-error @+1 {{'smx_gpu.warp_specialize' op expected the roles to take the 12 warps of the kernel, got 8}}
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) { }
    smx_gpu.role @compute warps(4) { }
  }
  smx_gpu.return
}

// -----

// K8
smx_gpu.kernel @odd_request() warps(4) {
  smx_gpu.warp_specialize {
    // expected-error @+1 {{'smx_gpu.role' op expected a request of 24 to 240 registers, a multiple of 8, or none, got 100}}
    smx_gpu.role @all warps(4) registers(100) { }
  }
  smx_gpu.return
}

// -----

// K8
smx_gpu.kernel @great_request() warps(4) {
  smx_gpu.warp_specialize {
    // expected-error @+1 {{'smx_gpu.role' op expected a request of 24 to 240 registers, a multiple of 8, or none, got 248}}
    smx_gpu.role @all warps(4) registers(248) { }
  }
  smx_gpu.return
}

// -----

// K8: registers are set for a warpgroup at a time.
smx_gpu.kernel @half_a_warpgroup() warps(8) {
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(2) { }
    // expected-error @+1 {{'smx_gpu.role' op expected whole warpgroups of 4 warps for a request of registers, got warps 2 to 5}}
    smx_gpu.role @compute warps(4) registers(240) { }
    smx_gpu.role @store warps(2) { }
  }
  smx_gpu.return
}

// -----

// K8
smx_gpu.kernel @register_file() warps(12) {
  // expected-error @+1 {{'smx_gpu.warp_specialize' op expected requests of at most 65536 registers, of the 65536 that the blocks share, got 92160; with registers(136) for 'compute', it fits}}
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) registers(240) { }
    smx_gpu.role @compute warps(8) registers(240) { }
  }
  smx_gpu.return
}

// -----

// K8: two blocks share the register file.
smx_gpu.kernel @two_blocks() warps(12) min_blocks(2) {
  // expected-error @+1 {{'smx_gpu.warp_specialize' op expected requests of at most 32768 registers, of the 65536 that the blocks share, got 64512; with registers(112) for 'compute', it fits}}
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) registers(24) { }
    smx_gpu.role @compute warps(8) registers(240) { }
  }
  smx_gpu.return
}

// -----

// K8
smx_gpu.kernel @too_many_warps_for_any() warps(24) min_blocks(4) {
  // expected-error @+1 {{expected requests of at most 16384 registers, of the 65536 that the blocks share, got 24576; no request of 'compute' fits beside the others, it needs fewer warps}}
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) registers(32) { }
    smx_gpu.role @compute warps(20) registers(32) { }
  }
  smx_gpu.return
}

// -----

// K9
smx_gpu.kernel @groups_of_three() warps(8) {
  smx_gpu.warp_specialize {
    // expected-error @+1 {{'smx_gpu.role' op expected groups that divide the warps of the role, got groups of 3 in 8 warps}}
    smx_gpu.role @compute warps(8) group(3) { }
  }
  smx_gpu.return
}

// -----

// K9
smx_gpu.kernel @no_operand(%n: index) warps(4) {
  smx_gpu.warp_specialize {
    // expected-error @+1 {{'smx_gpu.role' op expected one operand per argument of the region, 1, got 0}}
    "smx_gpu.role"() <{name = "all", warps = 4 : i64, group = 4 : i64}> ({
    ^bb0(%m: index):
      smx_gpu.return
    }) : () -> ()
  }
  smx_gpu.return
}

// -----

// K9
smx_gpu.kernel @other_type(%n: index) warps(4) {
  smx_gpu.warp_specialize {
    // expected-error @+1 {{'smx_gpu.role' op expected argument 0 of the region to be 'index' like its operand, got 'i32'}}
    "smx_gpu.role"(%n) <{name = "all", warps = 4 : i64, group = 4 : i64}> ({
    ^bb0(%m: i32):
      smx_gpu.return
    }) : (index) -> ()
  }
  smx_gpu.return
}

// -----

// What a role uses is passed to it.
smx_gpu.kernel @looks_outside(%n: index, %x: memref<?xindex>) warps(4) {
  // expected-note @+1 {{required by region isolation constraints}}
  smx_gpu.warp_specialize { smx_gpu.role @all warps(4) (%y = %x : memref<?xindex>) {
    // expected-error @+1 {{using value defined outside the region}}
    memref.store %n, %y[%n] : memref<?xindex>
  } }
  smx_gpu.return
}

// -----

// K12
smx_gpu.kernel @group_of_the_kernel() warps(8) {
  // expected-error @+1 {{'smx_gpu.group_id' op expected to stand in a role, which has groups}}
  %g = smx_gpu.group_id
  smx_gpu.return
}

// -----

// K13
smx_gpu.kernel @turn_of_the_kernel() warps(8) {
  %t = smx_gpu.turns : !smx_gpu.turns<2>
  // expected-error @+1 {{'smx_gpu.take_turn' op expected to stand in a role, whose groups take turns}}
  smx_gpu.take_turn %t : !smx_gpu.turns<2>
  smx_gpu.return
}

// -----

// K13
smx_gpu.kernel @three_turns() warps(8) {
  %t = smx_gpu.turns : !smx_gpu.turns<3>
  smx_gpu.warp_specialize { smx_gpu.role @compute warps(8) group(4) (%u = %t : !smx_gpu.turns<3>) {
    // expected-error @+1 {{'smx_gpu.pass_turn' op expected one turn per group of role 'compute', which has 2, got '!smx_gpu.turns<3>'}}
    smx_gpu.pass_turn %u : !smx_gpu.turns<3>
  } }
  smx_gpu.return
}

// -----

// K14
smx_gpu.kernel @barrier_of_one_group() warps(8) {
  smx_gpu.warp_specialize { smx_gpu.role @compute warps(8) group(4) {
    %g = smx_gpu.group_id
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %g, %c0 : index
    scf.if %first { // expected-note {{control flow depends on 'smx_gpu.group_id' here}}
      // expected-error @+1 {{'smx_gpu.barrier' op is executed by all groups of a role together, but not all of them reach it}}
      smx_gpu.barrier
    }
  } }
  smx_gpu.return
}

// -----

// K14: the groups get different numbers of tiles.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @get_by_group(%k: memref<64x64xbf16>) warps(12) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel) {
      %c0 = arith.constant 0 : index
      smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(tensor) : memref<64x64xbf16>, !channel
    }
    smx_gpu.role @compute warps(8) group(4) (%ch = %c : !channel) {
      %g = smx_gpu.group_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %end = scf.for %i = %c0 to %c1 step %c1 iter_args(%e = %c1) -> index {
        %next = arith.addi %e, %g : index
        scf.yield %next : index
      }
      scf.for %i = %c0 to %end step %c1 { // expected-note {{control flow depends on 'smx_gpu.group_id' here}}
        // expected-error @+1 {{'smx_gpu.get' op is executed by all groups of a role together, but not all of them reach it}}
        %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
        smx_gpu.release %ch : !channel
      }
    }
  }
  smx_gpu.return
}

// -----

// K14: rounds that a loop gives to another one, which does not release what it gets.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @shared_rounds_differ(%k: memref<64x64xbf16>, %n: index) warps(12) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel, %end = %n : index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %end step %c1 {
        smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(tensor) : memref<64x64xbf16>, !channel
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%ch = %c : !channel, %end = %n : index) {
      %g = smx_gpu.group_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %first = arith.cmpi eq, %g, %c0 : index
      %middle = arith.select %first, %end, %c0 : index
      scf.for %i = %c0 to %middle step %c1 { // expected-note {{control flow depends on 'smx_gpu.group_id' here}}
        // expected-error @+1 {{'smx_gpu.get' op is executed by all groups of a role together, but not all of them reach it}}
        %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
        smx_gpu.release %ch : !channel
      }
      scf.for %i = %middle to %end step %c1 {
        %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
      }
    }
  }
  smx_gpu.return
}

// -----

// K14: a group whose loops do not meet: where `%middle` is beyond `%end`, it gets more.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @shared_rounds_overlap(%k: memref<64x64xbf16>, %n: index) warps(12) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel, %end = %n : index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %end step %c1 {
        smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(tensor) : memref<64x64xbf16>, !channel
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%ch = %c : !channel, %end = %n : index) {
      %g = smx_gpu.group_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %first = arith.cmpi eq, %g, %c0 : index
      %middle = arith.addi %g, %end : index
      scf.for %i = %c0 to %middle step %c1 { // expected-note {{control flow depends on 'smx_gpu.group_id' here}}
        // expected-error @+1 {{'smx_gpu.get' op is executed by all groups of a role together, but not all of them reach it}}
        %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
        smx_gpu.release %ch : !channel
      }
      scf.for %i = %middle to %end step %c1 {
        %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
        smx_gpu.release %ch : !channel
      }
    }
  }
  smx_gpu.return
}

// -----

// K14: a branch with more rounds on one side.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @rounds_of_a_branch(%k: memref<64x64xbf16>, %n: index) warps(12) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel, %end = %n : index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %end step %c1 {
        smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(tensor) : memref<64x64xbf16>, !channel
      }
    }
    smx_gpu.role @compute warps(8) group(4) (%ch = %c : !channel, %end = %n : index) {
      %g = smx_gpu.group_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %first = arith.cmpi eq, %g, %c0 : index
      scf.if %first { // expected-note {{control flow depends on 'smx_gpu.group_id' here}}
        scf.for %i = %c0 to %end step %c1 {
          // expected-error @+1 {{'smx_gpu.get' op is executed by all groups of a role together, but not all of them reach it}}
          %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
          smx_gpu.release %ch : !channel
        }
      } else {
        scf.for %i = %c1 to %end step %c1 {
          %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
          smx_gpu.release %ch : !channel
        }
      }
    }
  }
  smx_gpu.return
}

// -----

// K14: warps that agree where some of them are not.
#L = #smx_gpu.fragment<warps = 4>
smx_gpu.kernel @agreement_of_some_warps() warps(4) {
  %false = arith.constant dense<false> : tensor<64x64xi1, #L>
  %any = smx_gpu.any %false : tensor<64x64xi1, #L>
  scf.if %any { // expected-note {{control flow depends on 'smx_gpu.any' here}}
    // expected-error @+1 {{'smx_gpu.any_of_warps' op is executed by all warps of the kernel together, but not all of them reach it}}
    %all = smx_gpu.any_of_warps %any
  }
  smx_gpu.return
}

// -----

// K14: a product of a warpgroup that some of its warps do not make.
#L = #smx_gpu.fragment<warps = 4>
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @product_of_some_warps(%k: memref<64x64xbf16>) warps(12) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel) {
      %c0 = arith.constant 0 : index
      smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(tensor) : memref<64x64xbf16>, !channel
    }
    smx_gpu.role @compute warps(8) group(4) (%ch = %c : !channel) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
      %false = arith.constant dense<false> : tensor<64x64xi1, #L>
      %k1 = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
      %any = smx_gpu.any %false : tensor<64x64xi1, #L>
      scf.if %any { // expected-note {{control flow depends on 'smx_gpu.any' here}}
        // expected-error @+1 {{'smx_gpu.mma_async' op is executed by all warps of a group together, but not all of them reach it}}
        %s, %t = smx_gpu.mma_async %k1, %k1, %zero transpose_b zero : !smx_gpu.shared<64x64xbf16, swizzle = 128>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
        %r = smx_gpu.wait %t, %s : tensor<64x64xf32, #L>
      }
      smx_gpu.release %ch : !channel
    }
  }
  smx_gpu.return
}

// -----

// K14: a product that asks is made by all warps; one of known terms, by each warp for its own rows.
#L = #smx_gpu.fragment<warps = 4>
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @guarded_product_of_some_warps(%k: memref<64x64xbf16>) warps(12) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel) {
      %c0 = arith.constant 0 : index
      smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(tensor) : memref<64x64xbf16>, !channel
    }
    smx_gpu.role @compute warps(8) group(4) (%ch = %c : !channel) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #L>
      %weights = arith.constant dense<0.0> : tensor<64x64xbf16, #L>
      %false = arith.constant dense<false> : tensor<64x64xi1, #L>
      %v = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
      %any = smx_gpu.any %false : tensor<64x64xi1, #L>
      scf.if %any { // expected-note {{control flow depends on 'smx_gpu.any' here}}
        %r = smx_gpu.mma %weights, %v, %zero guarded terms : tensor<64x64xbf16, #L>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
        // expected-error @+1 {{'smx_gpu.mma' op is executed by all warps of a group together, but not all of them reach it}}
        %s = smx_gpu.mma %weights, %v, %zero guarded : tensor<64x64xbf16, #L>, !smx_gpu.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xf32, #L>
      }
      smx_gpu.release %ch : !channel
    }
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 1, columns = 64, vector = 1>
#S = #smx_gpu.slice<1, #L>
smx_gpu.kernel @reduces(%x: memref<1x64xf32>, %y: memref<1xf32>) warps(2) {
  smx_gpu.warp_specialize {
    smx_gpu.role @a warps(2) (%a = %x : memref<1x64xf32>, %b = %y : memref<1xf32>) {
      %c0 = arith.constant 0 : index
      %t = smx_gpu.load %a[%c0, %c0] dims [0, 1] : memref<1x64xf32> -> tensor<1x64xf32, #L>
      %z = arith.constant dense<0.0> : tensor<1x64xf32, #L>
      %c = arith.cmpf ogt, %t, %z : tensor<1x64xf32, #L>
      %q = smx_gpu.any %c : tensor<1x64xi1, #L>
      scf.if %q { // expected-note {{control flow depends on 'smx_gpu.any' here}}
        // expected-error @+1 {{'smx_gpu.reduce' op is executed by all warps of a group together, but not all of them reach it}}
        %m = smx_gpu.reduce <add> %t dim 1 : tensor<1x64xf32, #L> -> tensor<1xf32, #S>
        smx_gpu.store %m, %b[%c0] dims [0] : tensor<1xf32, #S>, memref<1xf32>
      }
    }
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 1, columns = 64, vector = 1>
smx_gpu.kernel @without_roles(%x: memref<1x64xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = smx_gpu.load %x[%c0, %c0] dims [0, 1] : memref<1x64xf32> -> tensor<1x64xf32, #L>
  %z = arith.constant dense<0.0> : tensor<1x64xf32, #L>
  %c = arith.cmpf ogt, %t, %z : tensor<1x64xf32, #L>
  %q = smx_gpu.any %c : tensor<1x64xi1, #L>
  scf.if %q { // expected-note {{control flow depends on 'smx_gpu.any' here}}
    // expected-error @+1 {{'smx_gpu.barrier' op is executed by all warps of the kernel together, but not all of them reach it}}
    smx_gpu.barrier
  }
  smx_gpu.return
}

// -----

smx_gpu.kernel @nameless() warps(4) {
  "smx_gpu.warp_specialize"() ({
    // expected-error @+1 {{'smx_gpu.role' op expects a non-empty block}}
    "smx_gpu.role"() <{warps = 4 : i64}> ({
    ^bb0:
    }) : () -> ()
  }) : () -> ()
  smx_gpu.return
}
