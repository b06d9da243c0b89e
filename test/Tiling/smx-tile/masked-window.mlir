// RUN: softmax-opt %s --smx-online --smx-tile='rows=32 stream=32' --canonicalize --cse | FileCheck %s

// A sliding window: masked tiles in front, tiles seen whole, masked tiles behind, each loop where the one before it ends.

// CHECK-LABEL: @front_full_back
// CHECK: scf.forall
// CHECK: %[[A:.+]]:3 = scf.for {{.*}} = %[[BEGIN:.+]] to %[[FRONT:.+]] step %c32
// CHECK: smx.mask
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK: %[[B:.+]]:3 = scf.for {{.*}} = %[[FRONT]] to %[[BACK:.+]] step %c32 iter_args(%{{.+}} = %[[A]]#0
// CHECK-NOT: smx.mask
// CHECK: smx.update {{.*}}]{{$}}
// CHECK: scf.for {{.*}} = %[[BACK]] to %[[END:.+]] step %c32 iter_args(%{{.+}} = %[[B]]#0
// CHECK: smx.mask
// CHECK: smx.update {{.*}} masked{{$}}
// CHECK-NOT: scf.for %
// CHECK: smx.finish
func.func @front_full_back(%q: tensor<256x16xf32>, %k: tensor<256x16xf32>, %v: tensor<256x4xf32>) -> tensor<256x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.band<top_left, left = 99, right = 0>)
     : tensor<256x16xf32>, tensor<256x16xf32>, tensor<256x4xf32> -> tensor<256x4xf32>
  return %o : tensor<256x4xf32>
}

// A prefix that every row sees is a full tile for all of them: no front.
// CHECK-LABEL: @prefix
// CHECK: scf.for {{.*}} = %c0 to %[[BACK:.+]] step %c32
// CHECK-NOT: smx.mask
// CHECK: smx.update {{.*}}]{{$}}
// CHECK: scf.for {{.*}} = %[[BACK]] to
// CHECK: smx.mask %{{.+}} by #smx.prefix<top_left, length = 40>
// CHECK-NOT: scf.for %
// CHECK: smx.finish
func.func @prefix(%q: tensor<256x16xf32>, %k: tensor<256x16xf32>, %v: tensor<256x4xf32>) -> tensor<256x4xf32> {
  %o = smx.attention %q, %k, %v scale(0.25) mask(#smx.prefix<top_left, length = 40>)
     : tensor<256x16xf32>, tensor<256x16xf32>, tensor<256x4xf32> -> tensor<256x4xf32>
  return %o : tensor<256x4xf32>
}
