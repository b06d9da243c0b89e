// Sums of 16-bit floats are f32, and rounded once.
// RUN: softmax-opt %s --smx-widen-sums | FileCheck %s
// RUN: softmax-run %s --entry=product --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=product --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=onto_argument --target=emulator --chip=sm_90a --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// RUN: softmax-run %s --entry=row_sums --target=emulator --check=naive --repeat=0 | FileCheck %s --check-prefix=GOOD
// GOOD: against naive: pass

// CHECK-LABEL: @product
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[F:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.+}} : tensor<20x24xf32>)
// CHECK: %[[S:.+]] = linalg.generic {{.+}} "reduction"]} ins(%arg0, %arg1 : tensor<20x72xbf16>, tensor<72x24xbf16>) outs(%[[F]] : tensor<20x24xf32>)
// CHECK: ^bb0(%[[A:.+]]: bf16, %[[B:.+]]: bf16, %[[SUM:.+]]: f32):
// CHECK-DAG: %[[U:.+]] = arith.extf %[[A]] : bf16 to f32
// CHECK-DAG: %[[V:.+]] = arith.extf %[[B]] : bf16 to f32
// CHECK: %[[T:.+]] = arith.mulf %[[U]], %[[V]] : f32
// CHECK: arith.addf %[[T]], %[[SUM]] : f32
// CHECK: linalg.generic {{.+}} ins(%[[S]] : tensor<20x24xf32>) outs(%{{.+}} : tensor<20x24xbf16>)
// CHECK: arith.truncf
func.func @product(%a: tensor<20x72xbf16>, %b: tensor<72x24xbf16>) -> tensor<20x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<20x24xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<20x24xbf16>) -> tensor<20x24xbf16>
  %y = linalg.matmul ins(%a, %b : tensor<20x72xbf16>, tensor<72x24xbf16>) outs(%f : tensor<20x24xbf16>) -> tensor<20x24xbf16>
  return %y : tensor<20x24xbf16>
}

// What a sum begins with is widened, too.
// CHECK-LABEL: @onto_argument
// CHECK: %[[I:.+]] = linalg.generic {{.+}} ins(%arg2 : tensor<2x20x24xf16>) outs(%{{.+}} : tensor<2x20x24xf32>)
// CHECK: arith.extf
// CHECK: linalg.generic {{.+}} "reduction"]} {{.+}} outs(%[[I]] : tensor<2x20x24xf32>)
func.func @onto_argument(%a: tensor<2x20x72xf16>, %b: tensor<2x72x24xf16>, %c: tensor<2x20x24xf16>) -> tensor<2x20x24xf16> {
  %y = linalg.batch_matmul ins(%a, %b : tensor<2x20x72xf16>, tensor<2x72x24xf16>) outs(%c : tensor<2x20x24xf16>) -> tensor<2x20x24xf16>
  return %y : tensor<2x20x24xf16>
}

// CHECK-LABEL: @row_sums
// CHECK: linalg.generic {{.+}} "reduction"]} ins(%arg0 : tensor<20x72xbf16>) outs(%{{.+}} : tensor<20xf32>)
func.func @row_sums(%x: tensor<20x72xbf16>) -> tensor<20xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<20xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<20xbf16>) -> tensor<20xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x72xbf16>) outs(%f : tensor<20xbf16>) {
  ^bb0(%a: bf16, %s: bf16):
    %r = arith.addf %s, %a : bf16
    linalg.yield %r : bf16
  } -> tensor<20xbf16>
  return %y : tensor<20xbf16>
}

// CHECK-LABEL: @named
// CHECK: linalg.generic {{.+}} "reduction"]} ins(%arg0 : tensor<20x72xbf16>) outs(%{{.+}} : tensor<20xf32>)
func.func @named(%x: tensor<20x72xbf16>) -> tensor<20xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<20xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<20xbf16>) -> tensor<20xbf16>
  %y = linalg.reduce { arith.addf } ins(%x : tensor<20x72xbf16>) outs(%f : tensor<20xbf16>) dimensions = [1]
  return %y : tensor<20xbf16>
}

// A maximum is exact, sums in f32 are as wide as they get, and a sum of what is computed first is left as it is.
// CHECK-LABEL: @others
// CHECK: linalg.reduce
// CHECK-NOT: arith.extf
// CHECK: return
func.func @others(%x: tensor<20x72xbf16>, %y: tensor<20x72xf32>, %f: tensor<20xbf16>, %g: tensor<20xf32>)
    -> (tensor<20xbf16>, tensor<20xf32>, tensor<20xbf16>, tensor<20xbf16>) {
  %n = linalg.reduce { arith.maxnumf } ins(%x : tensor<20x72xbf16>) outs(%f : tensor<20xbf16>) dimensions = [1]
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x72xbf16>) outs(%f : tensor<20xbf16>) {
  ^bb0(%a: bf16, %s: bf16):
    %r = arith.maxnumf %s, %a : bf16
    linalg.yield %r : bf16
  } -> tensor<20xbf16>
  %l = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<20x72xf32>) outs(%g : tensor<20xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.addf %s, %a : f32
    linalg.yield %r : f32
  } -> tensor<20xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x72xbf16>) outs(%f : tensor<20xbf16>) {
  ^bb0(%a: bf16, %s: bf16):
    %e = math.exp %a : bf16
    %r = arith.addf %s, %e : bf16
    linalg.yield %r : bf16
  } -> tensor<20xbf16>
  return %m, %l, %k, %n : tensor<20xbf16>, tensor<20xf32>, tensor<20xbf16>, tensor<20xbf16>
}

// What writes memory has no result to be rounded.
// CHECK-LABEL: @memory
// CHECK: linalg.generic {{.+}} ins(%arg0, %arg1 : memref<20x72xbf16>, memref<72x24xbf16>) outs(%arg2 : memref<20x24xbf16>)
func.func @memory(%a: memref<20x72xbf16>, %b: memref<72x24xbf16>, %s: memref<20x24xbf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (d, j)>, affine_map<(i, j, d) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<20x72xbf16>, memref<72x24xbf16>) outs(%s : memref<20x24xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %p = arith.mulf %x, %y : bf16
    %t = arith.addf %o, %p : bf16
    linalg.yield %t : bf16
  }
  return
}
