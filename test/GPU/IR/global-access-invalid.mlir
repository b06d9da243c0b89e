// RUN: softmax-opt %s -split-input-file -verify-diagnostics

// P1
smx_gpu.kernel @one_offset(%x: memref<?x?xf32>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected one offset per dimension of the memref, 2, got 1}}
  %t = smx_gpu.load %x[%i] dims [0, 1] : memref<?x?xf32> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P1
smx_gpu.kernel @one_dim(%x: memref<?x?xf32>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected one entry of dims per dimension of the tile, 2, got 1}}
  %t = smx_gpu.load %x[%i, %i] dims [1] : memref<?x?xf32> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P2
smx_gpu.kernel @no_such_dim(%x: memref<?x?xf32>, %i: index) warps(4) {
  %t = arith.constant dense<0.0> : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  // expected-error @+1 {{'smx_gpu.store' op expected entries of dims from -1 to 1, got 2}}
  smx_gpu.store %t, %x[%i, %i] dims [0, 2] : tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>, memref<?x?xf32>
  smx_gpu.return
}

// -----

// P2
smx_gpu.kernel @one_dim_twice(%x: memref<?x?xf32>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !smx_gpu.shared<64x64xf32, swizzle = 0>
  // expected-error @+1 {{'smx_gpu.copy' op expected dims to name different dimensions of the memref, got 1 twice}}
  smx_gpu.copy %x[%i, %i] to %s dims [1, 1] : memref<?x?xf32>, !smx_gpu.shared<64x64xf32, swizzle = 0>
  smx_gpu.return
}

// -----

// P3
smx_gpu.kernel @one_extent(%x: memref<?x?xf32>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected no valid extents or one per dimension of the tile, 2, got 1}}
  %t = smx_gpu.load %x[%i, %i] valid(%i) dims [0, 1] : memref<?x?xf32> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P4: a load does not convert.
smx_gpu.kernel @converts(%x: memref<?x?xbf16>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected the tile and the memref to have one element type, got 'f32' and 'bf16'}}
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<?x?xbf16> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P17
smx_gpu.kernel @aligned_to_twelve(%x: memref<?x?xf32>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected aligned to be 0 or a power of two from 4, the bytes of an element, got 12}}
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] {aligned = 12} : memref<?x?xf32> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

// P17: elements are aligned anyway.
smx_gpu.kernel @aligned_to_half(%x: memref<?x?xf32>, %i: index) warps(4) {
  %s = smx_gpu.alloc : !smx_gpu.shared<64x64xf32, swizzle = 0>
  // expected-error @+1 {{'smx_gpu.copy' op expected aligned to be 0 or a power of two from 4, the bytes of an element, got 2}}
  smx_gpu.copy %x[%i, %i] to %s dims [0, 1] {aligned = 2} : memref<?x?xf32>, !smx_gpu.shared<64x64xf32, swizzle = 0>
  smx_gpu.return
}

// -----

// C1
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @async_unaligned(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected rows aligned to at least 16 bytes for copy(async), got aligned = 8; copy(plain) takes any alignment}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(async) {aligned = 8} : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C1
!channel = !smx_gpu.channel<64x20xbf16, swizzle = 0, depth = 2>
smx_gpu.kernel @async_narrow(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected rows of a multiple of 16 bytes for copy(async), got 40 bytes; copy(plain) takes any width}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(async) {aligned = 16} : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C1: columns of the tile lie far apart in memory.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 2>
smx_gpu.kernel @async_transposed(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected copy(async) to run along a dimension of stride 1, got dims 1, 0 of 'memref<?x?xbf16>'; copy(plain) takes any stride}}
  smx_gpu.put %k[%i, %i] into %c dims [1, 0] copy(async) {aligned = 16} : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C3
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 0, depth = 2>
smx_gpu.kernel @tensor_plain_rows(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected a channel with a swizzle of 32, 64 or 128 bytes for copy(tensor), got 0}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(tensor) : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C3
!channel = !smx_gpu.channel<512x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @tensor_tall(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected at most 256 rows for copy(tensor), got 512; put two tiles of half the rows}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(tensor) : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C3
!channel = !smx_gpu.channel<20x128xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @tensor_broken_pattern(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected a multiple of 8 rows for copy(tensor), got 20}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(tensor) : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C3
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @tensor_repeats(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected copy(tensor) along two dimensions, the second one of stride 1, got dims -1, 1 of 'memref<?x?xbf16>'}}
  smx_gpu.put %k[%i, %i] into %c dims [-1, 1] copy(tensor) : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C3: the engine knows the extents of the memref, and no others.
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @tensor_valid(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected no valid extents for copy(tensor), which gives 0 outside of the memref, got 2}}
  smx_gpu.put %k[%i, %i] valid(%i, %i) into %c dims [0, 1] copy(tensor) : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C4
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @async_multicast(%k: memref<?x?xbf16>, %i: index) warps(4) cluster(2) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected copy(tensor) for a multicast, got copy(async)}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(async) {aligned = 16, multicast} : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C4
!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @multicast_alone(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected a multicast of a multiple of 8 rows by each of several blocks, got 64 rows and a cluster of 1}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(tensor) {multicast} : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// C4
!channel = !smx_gpu.channel<24x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @multicast_of_few_rows(%k: memref<?x?xbf16>, %i: index) warps(4) cluster(2) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{'smx_gpu.put' op expected a multicast of a multiple of 8 rows by each of several blocks, got 24 rows and a cluster of 2}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(tensor) {multicast} : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

!channel = !smx_gpu.channel<64x64xbf16, swizzle = 128, depth = 1>
smx_gpu.kernel @unknown_copy(%k: memref<?x?xbf16>, %i: index) warps(4) {
  %c = smx_gpu.make_channel : !channel
  // expected-error @+1 {{expected plain, async or tensor, got 'bulk'}}
  smx_gpu.put %k[%i, %i] into %c dims [0, 1] copy(bulk) : memref<?x?xbf16>, !channel
  smx_gpu.return
}

// -----

// P34
smx_gpu.kernel @lasting_again(%x: memref<?x?xf32>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected what is read again not to be lasting}}
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] again lasting : memref<?x?xf32> -> tensor<64x64xf32, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 4, columns = 32, vector = 8>

// P39
smx_gpu.kernel @slid_rows(%x: memref<?x?xbf16, strided<[?, 1]>>, %i: index) warps(4) {
  %s = smx_gpu.slide %x[%i, %i] dims [0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<8xindex, #smx_gpu.slice<1, #row>>
  // expected-error @+1 {{'smx_gpu.load' op expected what is slid to be a striped tile with as many rows as threads along them, got 'tensor<8x256xbf16, #smx_gpu.striped<rows = 4, columns = 32, vector = 8>>'}}
  %t = smx_gpu.load %x[%i, %i] valid(%i, %i) slid(%s : tensor<8xindex, #smx_gpu.slice<1, #row>>) dims [0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<8x256xbf16, #row>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 4, columns = 32, vector = 8>

// P39
smx_gpu.kernel @slid_everywhere(%x: memref<?x?xbf16, strided<[?, 1]>>, %i: index) warps(4) {
  %s = smx_gpu.slide %x[%i, %i] dims [0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<4xindex, #smx_gpu.slice<1, #row>>
  // expected-error @+1 {{'smx_gpu.load' op expected valid extents of what is slid}}
  %u = smx_gpu.load %x[%i, %i] slid(%s : tensor<4xindex, #smx_gpu.slice<1, #row>>) dims [0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<4x256xbf16, #row>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 4, columns = 32, vector = 8>

// P39
smx_gpu.kernel @slid_across(%x: memref<?x?xbf16, strided<[?, 1]>>, %i: index) warps(4) {
  %s = smx_gpu.slide %x[%i, %i] dims [0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<4xindex, #smx_gpu.slice<1, #row>>
  // expected-error @+1 {{'smx_gpu.load' op expected what is slid to run along a dimension of stride 1, got dims 1, 0 of 'memref<?x?xbf16, strided<[?, 1]>>'}}
  %u = smx_gpu.load %x[%i, %i] valid(%i, %i) slid(%s : tensor<4xindex, #smx_gpu.slice<1, #row>>) dims [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<4x256xbf16, #row>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 4, columns = 32, vector = 8>
#other = #smx_gpu.striped<rows = 4, columns = 32, vector = 4>

// P39
smx_gpu.kernel @slid_otherwise(%x: memref<?x?xbf16, strided<[?, 1]>>, %i: index) warps(4) {
  %s = smx_gpu.slide %x[%i, %i] dims [0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<4xindex, #smx_gpu.slice<1, #other>>
  // expected-error @+1 {{'smx_gpu.load' op expected a slide of 'tensor<4xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 4, columns = 32, vector = 8>>>', got 'tensor<4xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 4, columns = 32, vector = 4>>>'}}
  %u = smx_gpu.load %x[%i, %i] valid(%i, %i) slid(%s : tensor<4xindex, #smx_gpu.slice<1, #other>>) dims [0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<4x256xbf16, #row>
  smx_gpu.return
}

// -----

// P40
smx_gpu.kernel @slide_of_columns(%x: memref<?x?xbf16, strided<[?, 1]>>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.slide' op expected columns along a dimension of stride 1, got dims 1, 0 of 'memref<?x?xbf16, strided<[?, 1]>>'}}
  %s = smx_gpu.slide %x[%i, %i] dims [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<4xindex, #smx_gpu.slice<1, #smx_gpu.striped<rows = 4, columns = 32, vector = 8>>>
  smx_gpu.return
}

// -----

// P40
smx_gpu.kernel @slide_of_fragments(%x: memref<?x?xbf16, strided<[?, 1]>>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.slide' op expected an index for each row of a striped tile, got 'tensor<64xindex, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>'}}
  %s = smx_gpu.slide %x[%i, %i] dims [0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64xindex, #smx_gpu.slice<1, #smx_gpu.fragment<warps = 4>>>
  smx_gpu.return
}

// -----

// P41
smx_gpu.kernel @adjacent_fragments(%x: memref<?x64xbf16>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected adjacent rows to be a striped tile of the kernel's own body, got 'tensor<64x64xbf16, #smx_gpu.fragment<warps = 4>>'}}
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] adjacent : memref<?x64xbf16> -> tensor<64x64xbf16, #smx_gpu.fragment<warps = 4>>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// P41
smx_gpu.kernel @adjacent_in_a_loop(%x: memref<?x65xbf16>, %i: index, %one: index) warps(4) {
  scf.for %k = %i to %one step %one {
    // expected-error @+1 {{'smx_gpu.load' op expected adjacent rows to be a striped tile of the kernel's own body}}
    %t = smx_gpu.load %x[%k, %i] dims [0, 1] adjacent : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  }
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// P41
smx_gpu.kernel @adjacent_repeated(%x: memref<?x65xbf16>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected adjacent rows along a dimension of the memref, and columns along one of stride 1, got dims -1, 1 of 'memref<?x65xbf16>'}}
  %t = smx_gpu.load %x[%i, %i] dims [-1, 1] adjacent : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// P41
smx_gpu.kernel @adjacent_open(%x: memref<?x65xbf16>, %i: index) warps(4) {
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  // expected-error @+1 {{'smx_gpu.store' op expected adjacent rows to have a constant number of valid columns, from 1 to 68}}
  smx_gpu.store %t, %x[%i, %i] valid(%i, %i) dims [0, 1] adjacent : tensor<64x68xbf16, #L>, memref<?x65xbf16>
  smx_gpu.return
}

// -----

// P41
smx_gpu.kernel @unordered_alone(%x: memref<?x64xbf16>, %i: index) warps(4) {
  // expected-error @+1 {{'smx_gpu.load' op expected only adjacent rows to be unordered}}
  %t = smx_gpu.load %x[%i, %i] dims [0, 1] unordered : memref<?x64xbf16> -> tensor<64x64xbf16, #smx_gpu.striped<rows = 32, columns = 4, vector = 16>>
  smx_gpu.return
}

// -----

#row = #smx_gpu.striped<rows = 4, columns = 32, vector = 8>

// P41
smx_gpu.kernel @adjacent_and_slid(%x: memref<?x200xbf16>, %i: index) warps(4) {
  %n = arith.constant 200 : index
  %s = smx_gpu.slide %x[%i, %i] dims [0, 1] : memref<?x200xbf16> -> tensor<4xindex, #smx_gpu.slice<1, #row>>
  // expected-error @+1 {{'smx_gpu.load' op expected adjacent rows not to be slid}}
  %t = smx_gpu.load %x[%i, %i] valid(%i, %n) slid(%s : tensor<4xindex, #smx_gpu.slice<1, #row>>) dims [0, 1] adjacent : memref<?x200xbf16> -> tensor<4x256xbf16, #row>
  smx_gpu.return
}

// -----

#L = #smx_gpu.striped<rows = 32, columns = 4, vector = 17>

// P41
smx_gpu.kernel @adjacent_and_lasting(%x: memref<?x65xbf16>, %i: index) warps(4) {
  %n = arith.constant 65 : index
  // expected-error @+1 {{'smx_gpu.load' op expected adjacent rows to be neither lasting nor read again}}
  %t = smx_gpu.load %x[%i, %i] valid(%i, %n) dims [0, 1] lasting adjacent : memref<?x65xbf16> -> tensor<64x68xbf16, #L>
  smx_gpu.return
}
