//===- Passes.td --------------------------------------------*- tablegen -*-===//
#ifndef SMX_RAISE_PASSES_TD
#define SMX_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FlattenBranchesPass : Pass<"smx-flatten-branches", "::mlir::func::FuncOp"> {
  let summary = "have bodies of loops compute both branches and choose";
  let description = [{
    A branch in the body of a `linalg` op, or in a region of an attention, becomes a choice between what both branches
    compute, as front ends write a concatenation; elements are read at a place that is there whichever branch is taken:

    ```mlir
    %r = scf.if %isFirst -> (f32) {
      %x = tensor.extract %a[%i, %j] : tensor<4x8xf32>
      scf.yield %x : f32
    } else {
      %x = tensor.extract %b[%i, %k] : tensor<4x8xf32>
      scf.yield %x : f32
    }
    ```
    ==>
    ```mlir
    %here = arith.select %isFirst, %j, %c0 : index
    %x = tensor.extract %a[%i, %here] : tensor<4x8xf32>
    %there = arith.select %isFirst, %c0, %k : index
    %y = tensor.extract %b[%i, %there] : tensor<4x8xf32>
    %r = arith.select %isFirst, %x, %y : f32
    ```

    A branch stays if it divides by a number that may be 0, or reads a tensor of open sizes, which may have no place.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RaisePass : Pass<"smx-raise", "::mlir::func::FuncOp"> {
  let summary = "recognise softmax and attention written as textbook linalg";
  let description = [{
    Replaces what front ends write for softmax, log-softmax, log-sum-exp, layer norm, RMS norm and
    attention by `smx` ops:

    ```mlir
    func.func @head(%q: tensor<32x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x8xf32>) -> tensor<32x8xf32> {
      %zero = arith.constant 0.0 : f32
      %hidden = arith.constant 0xFF800000 : f32
      %scale = arith.constant 0.25 : f32
      %es = tensor.empty() : tensor<32x48xf32>
      %eo = tensor.empty() : tensor<32x8xf32>
      %et = tensor.empty() : tensor<16x48xf32>
      %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x48xf32>) -> tensor<32x48xf32>
      %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<32x8xf32>) -> tensor<32x8xf32>
      %kt = linalg.transpose ins(%k : tensor<48x16xf32>) outs(%et : tensor<16x48xf32>) permutation = [1, 0]
      %s = linalg.matmul ins(%q, %kt : tensor<32x16xf32>, tensor<16x48xf32>) outs(%zs : tensor<32x48xf32>) -> tensor<32x48xf32>
      %m = linalg.map ins(%s : tensor<32x48xf32>) outs(%es : tensor<32x48xf32>)
        (%a: f32, %out: f32) {
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %t = arith.mulf %a, %scale : f32
          %seen = arith.cmpi sle, %j, %i : index
          %r = arith.select %seen, %t, %hidden : f32
          linalg.yield %r : f32
        }
      %p = linalg.softmax dimension(1) ins(%m : tensor<32x48xf32>) outs(%es : tensor<32x48xf32>) -> tensor<32x48xf32>
      %o = linalg.matmul ins(%p, %v : tensor<32x48xf32>, tensor<48x8xf32>) outs(%zo : tensor<32x8xf32>) -> tensor<32x8xf32>
      return %o : tensor<32x8xf32>
    }
    ```
    ==>
    ```mlir
    func.func @head(%q: tensor<32x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x8xf32>) -> tensor<32x8xf32> {
      %o = smx.attention %q, %k, %v scale(2.500000e-01) mask(#smx.band<top_left, right = 0>)
         : tensor<32x16xf32>, tensor<48x16xf32>, tensor<48x8xf32> -> tensor<32x8xf32>
      return %o : tensor<32x8xf32>
    }
    ```

    What is matched is the scalar expression of one element, traced back through generics and named
    ops, broadcasts, transposes, reshapes, unit dimensions and conversions of float types. How it is
    cut into ops and in which order they stand does not matter.

    * `linalg.softmax`, and `exp(x - max(x)) / sum(exp(x - max(x)))` along any axis, with `exp2` and
      log2(e), with the reciprocal of the sum, with constant factors. The maximum may be a
      `maximumf`, a `maxnumf` or a select, come with its index, and be clamped by -inf, or by 0 where it is -inf; with
      a sum of 0 replaced, too, masked rows are 0. It may be subtracted in front of the softmax once more. A sum
      without a maximum overflows where a softmax does not, and is not raised.
    * `(x - max(x)) - log(sum)`, `max(x) + log(sum)`, and the select of 0 for rows of -inf.
    * `(x - mean(x)) / sqrt(variance(x) + epsilon)`, with the variance as a mean of squares or as
      `mean(x^2) - mean(x)^2`, which may be clamped at 0, and `x / sqrt(mean(x^2) + epsilon)`, with squares and roots as
      products or as powers; weights stay, or become, elementwise ops.
    * Attention: a product, any function of each score and its position, softmax, a product, with a dimension of
      queries or, as decoding has it, without.
      Constant factors of scores, queries and keys become the scale. Selected or added -inf hides
      keys: a comparison of positions or a constant that is exactly a band, chunks, or a band with a prefix of keys
      becomes the mask attribute, any other condition the `visible` region. The rest becomes the `score` region,
      which captures the tensors that it reads. Repeated key and value heads are looked through. The sums may be divided
      behind the product. A log-sum-exp of the same scores is a result of the attention, and one more score of each head
      whose weight is dropped is its sink.
      A finite value in the place of -inf is a mask only where every row certainly sees a key. Where
      a row may be hidden whole it stays in the `score` region, as a power of two, so that such a
      row is weighed evenly.
    * Comparisons of positions that have one outcome are constants, and a constant row of integers in
      even steps is a position: models count from the end where an index is negative, and hold tables of positions.
      What integer operations make of one position is tried place by place: a floor division, however it is spelled, is
      even steps.
    * `tensor.reshape` to sizes that are provably products of other sizes, as front ends write it
      for dynamic shapes, becomes a reshape with groups on the way, and assertions about such sizes
      that always hold are dropped.
    * `tensor.splat` and `tensor.from_elements` that are no constants, `tensor.generate`, and `tensor.insert` outside of
      loops become ops of `linalg`, which have loops and kernels.
    * Integers extracted from tensors that are put together from constants (ONNX's shapes) are constants, and types
      say what they say of sizes.

    What starts like one of these but is none is left as it is, and a remark at its last op says
    why: also where an intermediate value has another use than by what is raised, as it would be computed anyway.
    Ops that nothing needs any more are erased, and with them the assertions in their bodies.

    Changes rounding: sums and products are in f32 at least, and what was rounded in between (f16
    scores, exponentials or weights) is not. A query that sees no key gives 0 and not NaN. Where 0
    replaces weights that are NaN, or those of rows that a mask hides, rows of -inf are 0 and one
    with a NaN stays NaN. A log-sum-exp of a row with +inf is +inf, and one of -inf alone -inf, where the naive form
    without a guard is NaN.
  }];
  let dependentDialects = [
    "::mlir::smx::SmxDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // SMX_RAISE_PASSES_TD
