//===- SmxDialect.td - the tensor-level dialect -------------*- tablegen -*-===//
#ifndef SMX_IR_SMXDIALECT_TD
#define SMX_IR_SMXDIALECT_TD

include "mlir/IR/DialectBase.td"

def Smx_Dialect : Dialect {
  let name = "smx";
  let cppNamespace = "::mlir::smx";
  let summary = "what softmax and attention mean, and the state that computes them online";
  let description = [{
    A softmax row is one reduction over a monoid whose element is `(m, l, acc)`:

        identity        (-inf, 0, 0)
        lift(s, v)      (s, 1, v)
        merge(a, b)     m = max(a.m, b.m);  ca = exp(a.m - m), cb = exp(b.m - m)
                        (m, ca*a.l + cb*b.l, ca*a.acc + cb*b.acc)
        finish(a)       acc / l,   log-sum-exp = m + log(l)

    `merge` is associative and commutative, so a row may be streamed tile by tile, split
    into partial states that are merged in a tree, or both. The dialect has two levels:

    * *specification ops* (`softmax`, `log_softmax`, `logsumexp`, `softmax_dot`, `attention`,
      `cross_entropy`, `topk_softmax`, `layer_norm`, `rms_norm`, and gradients) say what is wanted;
    * *state ops* (`identity`, `update`, `merge`, `finish`) say it as a reduction over states.
      They are generic: an attribute, the *algebra*, gives the four operations their meaning.

    ### Design decisions

    *Why is the algebra an attribute of four generic ops, and not an op per family?*
    Tiling and splitting need only the shape of the reduction, which indexing maps give. With
    one `update` op behind `StreamingReductionOpInterface`, those passes can not know a family
    even by accident. A new family is one attribute that implements
    `StateAlgebraAttrInterface`; `#smx.moments` (layer norm) is the proof. Rejected: an op per
    family and role (four ops and four verifiers for every family), and a region per role
    (bodies must be polymorphic in the tile shape, which types can not express).

    *Why are state components plain tensors, and not one opaque state type?* They become
    `iter_args` as they are, so the running maximum, the running sum and the accumulator can
    be read in the loop, and bufferization needs no type conversion.

    *Why does attention have no update op of its own?* Attention is `softmax_dot` of scores.
    Scores are ordinary `linalg.generic` producers that upstream tiling already knows how to
    slice and fuse; only the mask is an op (`smx.mask`), because loop bounds are derived from it.

    *Why do indexing maps stand on the state ops?* A back end may want the rows of a tile in
    the fastest dimension (vector lanes on a CPU). With maps that is a change of maps and not
    of passes.

    *Which representative does a state hold?* With `exp2` the maximum is kept already scaled,
    `m = max(s) * scale * log2(e)`, so that `exp2(fma(s, c, -m))` rounds once; with `exp` it is
    the plain maximum. Only differences of representatives are ever exponentiated.

    *Why is a target's logit gathered, and not summed under a mask?* A comparison of every place
    with the target costs instructions per element, which rows at memory's speed do not have left
    over; a gather costs 32 bytes per row, and those have just been read. It is an operand of the
    finish, so no tile, split or layout of the stream knows of it. Only where the extent is open,
    and a row may have no place at all, it is the masked sum.

    *Why does the state of a cross entropy hold distances?* Label smoothing wants the mean of the
    scores below the maximum, and in f32 a sum of scores near 1e4 has lost that: `#smx.cross_entropy`
    has softmax's components, advanced by softmax's own algebra, and beside them the count of the
    scores and the mean of their distances from the maximum, which moves with it.

    *Why are the keys of a top-k numbers?* An f64 holds a score of 32 bits and its place, and compares
    like the pair: the k largest are k reductions by maximum that know nothing of places, and no two
    keys are equal. A list of pairs would want reductions with two results in every back end.

    *Why do gradients of rows have an algebra?* Theirs is the smallest one, a sum; with it they get
    the schedules of rows, in which what is summed is still there when the result is computed. The
    gradient of a cross entropy needs no sum once the log-sum-exp is given: it is elementwise.

    *Why is NaN not handled by the maximum?* A NaN score gives `exp(NaN - m) = NaN` in the
    running sum whatever the maximum did with it, so the maximum may be the one-instruction
    compare and select.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasCanonicalizer = 1;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // SMX_IR_SMXDIALECT_TD
