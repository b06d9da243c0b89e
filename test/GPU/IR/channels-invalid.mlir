// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// K5
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @get_without_put() warps(4) {
  // expected-note @+1 {{the channel is made here}}
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.get' op waits for ever: no role puts to the channel}}
  %s = smx_gpu.get %c : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
  smx_gpu.return
}

// -----

// K5: the put is to another channel.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @put_to_another(%k: memref<64x64xbf16>) warps(8) {
  // expected-note @+1 {{the channel is made here}}
  %a = smx_gpu.make_channel : !channel
  %b = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %b : !channel) {
      %c0 = arith.constant 0 : index
      smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(plain) : memref<64x64xbf16>, !channel
    }
    smx_gpu.role @compute warps(4) (%ch = %a : !channel, %other = %b : !channel) {
      // expected-error @+1 {{'smx_gpu.get' op waits for ever: no role puts to the channel}}
      %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
      %t = smx_gpu.get %other : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
    }
  }
  smx_gpu.return
}

// -----

// K5
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @put_without_get(%k: memref<64x64xbf16>, %i: index) warps(4) {
  // expected-note @+1 {{the channel is made here}}
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op puts tiles that no role gets from the channel}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(plain) : memref<64x64xbf16>, !channel
  smx_gpu.return
}

// -----

// K5
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @release_without_get(%k: memref<64x64xbf16>, %i: index) warps(4) {
  // expected-note @+1 {{the channel is made here}}
  %c = smx_gpu.make_channel : !channel
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(plain) : memref<64x64xbf16>, !channel
  // expected-error @+1 {{'smx_gpu.release' op has nothing to release: no role gets from the channel}}
  smx_gpu.release %c : !channel
  smx_gpu.return
}

// -----

// C5
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @chosen_channel(%first: i1) warps(4) {
  %a = smx_gpu.make_channel : !channel
  %b = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'arith.select' op expected channels to be used by put, draw, get, release and roles only; pass the channel itself, not a choice of channels}}
  %c = arith.select %first, %a, %b : !channel
  smx_gpu.return
}

// -----

// C6: how many tiles were put is counted by the role that puts.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @two_producers(%k: memref<64x64xbf16>) warps(12) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @even warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel) {
      %c0 = arith.constant 0 : index
      // expected-error @+1 {{'smx_gpu.put' op expected a channel to be put to in one place, got role 'even' and role 'odd'}}
      smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(plain) : memref<64x64xbf16>, !channel
    }
    smx_gpu.role @odd warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel) {
      %c0 = arith.constant 0 : index
      // expected-note @+1 {{the other one is here}}
      smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(plain) : memref<64x64xbf16>, !channel
    }
    smx_gpu.role @compute warps(4) (%ch = %c : !channel) {
      %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
    }
  }
  smx_gpu.return
}

// -----

// C6: who gets is who releases.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @released_by_the_producer(%k: memref<64x64xbf16>) warps(8) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.warp_specialize {
    smx_gpu.role @load warps(4) (%m = %k : memref<64x64xbf16>, %ch = %c : !channel) {
      %c0 = arith.constant 0 : index
      smx_gpu.put %m[%c0, %c0] into %ch dims [0, 1] copy(plain) : memref<64x64xbf16>, !channel
      // expected-error @+1 {{'smx_gpu.release' op expected a channel to be got from and released in one place, got role 'load' and role 'compute'}}
      smx_gpu.release %ch : !channel
    }
    smx_gpu.role @compute warps(4) (%ch = %c : !channel) {
      // expected-note @+1 {{the other one is here}}
      %s = smx_gpu.get %ch : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 128>
    }
  }
  smx_gpu.return
}

// -----

// C2
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @other_stage(%k: memref<64x64xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(plain) : memref<64x64xbf16>, !channel
  // expected-error @+1 {{'smx_gpu.get' op expected the tile of a stage, '!smx_gpu.shared<64x64xbf16, swizzle = 128>', got '!smx_gpu.shared<64x64xbf16, swizzle = 64>'}}
  %s = smx_gpu.get %c : !channel -> !smx_gpu.shared<64x64xbf16, swizzle = 64>
  smx_gpu.return
}
