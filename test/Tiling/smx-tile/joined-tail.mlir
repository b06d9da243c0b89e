// Blocks of threads visit what is left over at the end in the loop over masked tiles; a CPU has a copy for it.
// RUN: softmax-opt %s --smx-online --smx-tile="blocks rows=64 stream=64" --canonicalize | FileCheck %s
// RUN: softmax-opt %s --smx-online --smx-tile="rows=64 stream=64" --canonicalize | FileCheck %s --check-prefix=APART

// 200 keys: three tiles of 64 and 8 more.
// CHECK-DAG: #[[SIZE:.+]] = affine_map<(d0) -> (-d0 + 200, 64)>
// CHECK-DAG: #[[UP:.+]] = affine_map<(d0) -> ((d0 ceildiv 64) * 64)>
// CHECK-LABEL: @causal
// CHECK-DAG: %[[C256:.+]] = arith.constant 256 : index
// CHECK: scf.for %{{.+}} iter_args
// CHECK: %[[SEEN:.+]] = affine.apply #[[UP]]
// CHECK: %[[END:.+]] = arith.minsi %[[SEEN]], %[[C256]]
// CHECK: scf.for %[[J:.+]] = %{{.+}} to %[[END]] step
// CHECK: %[[N:.+]] = affine.min #[[SIZE]](%[[J]])
// CHECK: tensor.extract_slice %{{.+}}[%[[J]], 0] [%[[N]], 64]
// CHECK: smx.update {{.*}} masked
// CHECK-NOT: scf.for %
// CHECK: smx.finish

// APART-LABEL: @causal
// APART-COUNT-3: scf.for %{{.+}} iter_args
// APART: tensor.extract_slice {{.*}} [8, 64]
// APART: smx.finish
func.func @causal(%q: tensor<200x64xbf16>, %k: tensor<200x64xbf16>, %v: tensor<200x64xbf16>) -> tensor<200x64xbf16> {
  %o = smx.attention %q, %k, %v scale(0.125) mask(#smx.band<top_left, right = 0>)
      : tensor<200x64xbf16>, tensor<200x64xbf16>, tensor<200x64xbf16> -> tensor<200x64xbf16>
  return %o : tensor<200x64xbf16>
}
