//===- SpecOps.td - what is wanted --------------------------*- tablegen -*-===//
#ifndef SMX_IR_SPECOPS_TD
#define SMX_IR_SPECOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/RuntimeVerifiableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "smx/IR/SmxAttrs.td"

class Smx_Op<string mnemonic, list<Trait> traits = []> : Op<Smx_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

/// Rules on extents are verified where extents are static; where they are open, `generateRuntimeVerification` asserts
/// them.
class Smx_SpecOp<string mnemonic, list<Trait> traits = []>
    : Smx_Op<mnemonic, traits # [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
                                 DeclareOpInterfaceMethods<RuntimeVerifiableOpInterface>]>;

/// An op over one axis of one tensor.
class Smx_RowOp<string mnemonic> : Smx_SpecOp<mnemonic> {
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis,
                       DefaultValuedOptionalAttr<F64Attr, "1.0">:$scale,
                       OptionalAttr<Smx_MaskedRowAttr>:$masked_row);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` (`scale` `(` $scale^ `)`)? attr-dict `:` type($input) `->` type($result)
  }];
}

def Smx_SoftmaxOp : Smx_RowOp<"softmax"> {
  let summary = "softmax along one axis";
  let description = [{
    `result[.., j, ..] = exp(scale*x_j - m) / sum_k exp(scale*x_k - m)` with `m = max_k scale*x_k`.
    A row of which every element is -inf is NaN, or 0 with `masked_row = #smx.masked_row<zero>`.

    R1: the input has floating-point elements (f64, f32, f16, bf16 or of 8 bits) and a rank of at least 1.
    R2: the axis is in `[0, rank)`.
    R3: the result has the shape of the input, and floating-point elements of at least 16 bits.
    R4: the scale is finite and not 0, and so is its product with log2(e) in the type that scores are computed in.

    ```mlir
    %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def Smx_LogSoftmaxOp : Smx_RowOp<"log_softmax"> {
  let summary = "logarithm of softmax along one axis, without the exponential in between";
  let description = [{
    `result[.., j, ..] = scale*x_j - log(sum_k exp(scale*x_k))`. Rules R1 to R4 of `smx.softmax`.

    ```mlir
    %y = smx.log_softmax %x axis(0) : tensor<?x128xf16> -> tensor<?x128xf16>
    ```
  }];
}

def Smx_LogSumExpOp : Smx_RowOp<"logsumexp"> {
  let summary = "logarithm of the sum of exponentials along one axis";
  let description = [{
    `result = m + log(sum_k exp(scale*x_k - m))`, -inf for a row that is all -inf or empty, and inf for
    one that has inf and no NaN, as PyTorch's.
    Rules R1, R2 and R4 of `smx.softmax`.

    R5: the result has the shape of the input without the axis, and floating-point elements of at least 16 bits.

    ```mlir
    %y = smx.logsumexp %x axis(1) : tensor<8x128xf32> -> tensor<8xf32>
    ```
  }];
}

def Smx_SoftmaxDotOp : Smx_SpecOp<"softmax_dot"> {
  let summary = "the softmax-weighted sum of values";
  let description = [{
    `result[r.., d..] = sum_j softmax(scale*x[r.., :])_j * v[r.., j, d..]`: the last axis of the
    scores is reduced, and the values have the dimensions of the scores first.

    D1: scores and values have floating-point elements, and scores a rank of at least 1.
    D2: the shape of the values starts with the shape of the scores.
    D3: the result has the shape of the values without the reduced axis, and floating-point elements of at
        least 16 bits.
    D4: R4 of `smx.softmax`.

    ```mlir
    %y = smx.softmax_dot %x, %v : tensor<8x128xf32>, tensor<8x128x64xf32> -> tensor<8x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$scores, AnyRankedTensor:$values,
                       DefaultValuedOptionalAttr<F64Attr, "1.0">:$scale,
                       OptionalAttr<Smx_MaskedRowAttr>:$masked_row);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $scores `,` $values (`scale` `(` $scale^ `)`)? attr-dict
    `:` type($scores) `,` type($values) `->` type($result)
  }];
}

/// A row normalised by its own statistics; weights and biases are elementwise ops behind it.
class Smx_NormOp<string mnemonic> : Smx_SpecOp<mnemonic> {
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` `epsilon` `(` $epsilon `)` attr-dict `:` type($input) `->` type($result)
  }];
}

def Smx_LayerNormOp : Smx_NormOp<"layer_norm"> {
  let summary = "normalise rows to mean 0 and variance 1";
  let description = [{
    `result = (x - mean) / sqrt(variance + epsilon)` along one axis, with the population
    variance: the same streaming reduction as softmax with another monoid (`#smx.moments`).
    Squares of differences, and the sum of a row, have to be finite: in f32 a row that spreads over 1e19 is NaN. With an
    epsilon of 0 they must not all be 0: a row of f32 that spreads over no more than 1e-23 has +-inf.
    Rules R1 to R3 of `smx.softmax`.

    R6: epsilon is finite and not negative.

    ```mlir
    %y = smx.layer_norm %x axis(1) epsilon(1.0e-05) : tensor<8x128xf32> -> tensor<8x128xf32>
    ```
  }];
}

def Smx_RmsNormOp : Smx_NormOp<"rms_norm"> {
  let summary = "normalise rows to mean square 1";
  let description = [{
    `result = x / sqrt(mean(x^2) + epsilon)` along one axis (`#smx.mean_square`). No finite
    row is too large for its squares, or too small.
    Rules R1 to R3 of `smx.softmax`, R6 of `smx.layer_norm`.

    ```mlir
    %y = smx.rms_norm %x axis(1) epsilon(1.0e-06) : tensor<8x128xbf16> -> tensor<8x128xbf16>
    ```
  }];
}

def Smx_CrossEntropyOp : Smx_SpecOp<"cross_entropy"> {
  let summary = "cross entropy of integer targets, one loss per row";
  let description = [{
    With `lse = log(sum_k exp(scale*x_k))`, `t` the target of the row and `e` the smoothing,

        loss = lse - (1 - e)*scale*x_t - e*mean_k(scale*x_k)

    along one axis of the logits: both results come from one read of them. A row whose target is
    the ignored index has the loss 0, whatever its logits are. Any other target outside of
    `[0, extent)` makes the loss NaN: nothing is read at its place. A row with NaN or +inf is NaN, as
    for `smx.log_softmax`.
    Rules R1, R2 and R4 of `smx.softmax`.

    C1: the targets have the shape of the logits without the axis, and signless integers of more than 1 bit or
        index as elements.
    C2: the results have that shape too, and floating-point elements of at least 16 bits.
    C3: the smoothing is in `[0, 1)`.
    C4: the ignored index is a value that a target can have.

    ```mlir
    %loss, %lse = smx.cross_entropy %x, %t axis(1) smoothing(1.000000e-01) ignore(-100)
        : tensor<8x128xbf16>, tensor<8xi64> -> tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$targets, I64Attr:$axis,
                       DefaultValuedOptionalAttr<F64Attr, "1.0">:$scale,
                       DefaultValuedOptionalAttr<F64Attr, "0.0">:$smoothing,
                       OptionalAttr<I64Attr>:$ignored);
  let results = (outs AnyRankedTensor:$loss, Optional<AnyRankedTensor>:$log_sum_exp);
  let assemblyFormat = [{
    $input `,` $targets `axis` `(` $axis `)` (`scale` `(` $scale^ `)`)? (`smoothing` `(` $smoothing^ `)`)?
    (`ignore` `(` $ignored^ `)`)? attr-dict
    `:` type($input) `,` type($targets) `->` type($loss) (`,` type($log_sum_exp)^)?
  }];
}

def Smx_CrossEntropyBackwardOp : Smx_SpecOp<"cross_entropy_backward"> {
  let summary = "gradient of the cross entropy with respect to the logits";
  let description = [{
    With the log-sum-exp that the forward op gave, every element is computed on its own:

        result_j = scale * gradient * (exp(scale*x_j - lse) - (1 - e)*[j = t] - e/extent)

    where `gradient` is that of the row's loss. Rows of the ignored index are 0, whatever the logits and
    the gradient are; rows with another target outside of `[0, extent)` are NaN.
    Rules R1 to R4 of `smx.softmax`, C1, C3 and C4 of `smx.cross_entropy`.

    C5: log-sum-exp and gradient have the shape of the targets, and floating-point elements of at least 16 bits.

    ```mlir
    %dx = smx.cross_entropy_backward %x, %t, %lse, %dloss axis(1) ignore(-100)
        : tensor<8x128xbf16>, tensor<8xi64>, tensor<8xf32>, tensor<8xf32> -> tensor<8x128xbf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$targets, AnyRankedTensor:$log_sum_exp,
                       AnyRankedTensor:$gradient, I64Attr:$axis,
                       DefaultValuedOptionalAttr<F64Attr, "1.0">:$scale,
                       DefaultValuedOptionalAttr<F64Attr, "0.0">:$smoothing,
                       OptionalAttr<I64Attr>:$ignored);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `,` $targets `,` $log_sum_exp `,` $gradient `axis` `(` $axis `)` (`scale` `(` $scale^ `)`)?
    (`smoothing` `(` $smoothing^ `)`)? (`ignore` `(` $ignored^ `)`)? attr-dict
    `:` type($input) `,` type($targets) `,` type($log_sum_exp) `,` type($gradient) `->` type($result)
  }];
}

/// The gradient of a row op, from its result and the gradient of that.
class Smx_RowBackwardOp<string mnemonic> : Smx_SpecOp<mnemonic> {
  let arguments = (ins AnyRankedTensor:$output, AnyRankedTensor:$gradient, I64Attr:$axis,
                       DefaultValuedOptionalAttr<F64Attr, "1.0">:$scale);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $output `,` $gradient `axis` `(` $axis `)` (`scale` `(` $scale^ `)`)? attr-dict
    `:` type($output) `,` type($gradient) `->` type($result)
  }];
}

def Smx_SoftmaxBackwardOp : Smx_RowBackwardOp<"softmax_backward"> {
  let summary = "gradient of softmax with respect to its input";
  let description = [{
    `result_j = scale * y_j * (g_j - sum_k y_k*g_k)` along one axis, where `y` is what `smx.softmax` gave
    and `g` the gradient with respect to it. Rules R1 to R4 of `smx.softmax`, for `y`.

    G1: the gradient has the shape of the first operand, and floating-point elements of at least 16 bits.

    ```mlir
    %dx = smx.softmax_backward %y, %dy axis(1) : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<8x128xf32>
    ```
  }];
}

def Smx_LogSoftmaxBackwardOp : Smx_RowBackwardOp<"log_softmax_backward"> {
  let summary = "gradient of log-softmax with respect to its input";
  let description = [{
    `result_j = scale * (g_j - exp(y_j) * sum_k g_k)` along one axis, where `y` is what `smx.log_softmax`
    gave and `g` the gradient with respect to it. Rules R1 to R4 of `smx.softmax`, for `y`, and G1.

    ```mlir
    %dx = smx.log_softmax_backward %y, %dy axis(0) : tensor<?x128xf16>, tensor<?x128xf16> -> tensor<?x128xf16>
    ```
  }];
}

def Smx_TopKSoftmaxOp : Smx_SpecOp<"topk_softmax"> {
  let summary = "the k largest probabilities of a row and their places";
  let description = [{
    Softmax over the whole row along one axis, then its `k` largest, falling, from one read of the row. Of
    equal scores the one of the lowest place comes first. A row with NaN or +inf is NaN at places 0 to
    `k - 1`; a row that is shorter than `k` is filled up with probability 0 at place -1.
    Rules R1, R2 and R4 of `smx.softmax`.

    T1: k is in `[1, 64]`, and not above the extent of the axis.
    T2: the elements of the input have at most 32 bits, and the axis has at most 2^29 of them.
    T3: the probabilities have the shape of the input with `k` along the axis, and floating-point elements
        of at most 32 bits: they are as exact as the scores.
    T4: the places have that shape too, and signless integers of at least 32 bits.

    ```mlir
    %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<8x128xf32> -> tensor<8x5xf32>, tensor<8x5xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis, I64Attr:$k,
                       DefaultValuedOptionalAttr<F64Attr, "1.0">:$scale);
  let results = (outs AnyRankedTensor:$probabilities, AnyRankedTensor:$places);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` `k` `(` $k `)` (`scale` `(` $scale^ `)`)? attr-dict
    `:` type($input) `->` type($probabilities) `,` type($places)
  }];
}

def Smx_AttentionOp : Smx_SpecOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "scaled dot-product attention";
  let description = [{
    For every batch, head `h` and query `i`, with `kv = h / (Hq / Hkv)`:

        s_j = score(scale * sum_d q[h, i, d] * k[kv, j, d])       where the masks let j be seen
        result[h, i, :] = sum_j softmax(s)_j * v[kv, j, :],   lse[h, i] = log(sum_j exp(s_j))

    Operands are `[batch.., Hq, Sq, D]`, `[batch.., Hkv, Sk, D]`, `[batch.., Hkv, Sk, Dv]`; the
    leading dimensions may be missing altogether. Scores are f32 (f64 for f64 operands). A query
    that sees no key gives 0, and -inf as its log-sum-exp. What is masked is selected away: NaN
    in a masked key, value or bias does not reach the result. A score of -inf that is seen has the
    weight 0, by which a value that is not finite gives NaN, as IEEE has it: `visible` hides it, -inf in
    `score` does not.

    Scores are kept times log2(e), or large ones times a power of two above it: one beyond a third of the largest number
    (1.1e38 in f32) may be infinite, and so is a sum of values that exceeds the type of the result's accumulator.

    A sink is one more score of each query of its head, which has no value: it takes weight away
    from the others, and counts in the log-sum-exp.

    `score` changes a score in any way, from the score and its position; `visible` says with an i1
    whether a position is seen. Both may capture values, `tensor.extract` from captured tensors
    included. An analysable mask (`mask(#smx.band<..>)`) also limits the loops; tensors that it reads follow it.

    Operands of f8E4M3FN are widened, which is exact: to the type of the queries, or to f16 where these are f8E4M3FN
    themselves. Scales of quantised tensors are ordinary IR: of queries and keys in `score`, of values, where they
    are of a tensor or head, behind the result; of any granularity in front, where `arith.extf` and `arith.mulf` are
    computed with the tiles.

    A1: query, key and value have the same rank, at least 2, and the same floating-point element type; or keys and
        values have f8E4M3FN, and queries f16 or bf16.
    A2: the head dims of query and key agree; none, nor that of the value, is 0.
    A3: key and value have the same number of keys and heads.
    A4: leading dimensions agree, but the number of query heads may be a multiple of that of key heads where both
        are static. Where one is open, there are as many of both.
    A5: the result is `[batch.., Hq, Sq, Dv]`, with floating-point elements of at least 16 bits.
    A6: the log-sum-exp is `[batch.., Hq, Sq]`, with f32 elements (f64 for f64 operands).
    A7: R4 of `smx.softmax`.
    A8: `score` takes the score (f32, or f64) and one index per dimension of the scores, and yields a score;
        `visible` takes the indices and yields an i1. Neither has memrefs.
    A9: there is one tensor of signless integers or index for each that the mask reads, of the first few leading
        dimensions of the scores or of extents of 1 (and, where it has numbers for rows and for keys, or for
        blocks of them, these behind them). Numbers of keys have more than 1 bit: integers are signed, and i1
        has no 1. Marks of blocks may be i1.
    A10: sinks are one element of the type of scores for each query head.

    ```mlir
    %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.band<bottom_right, right = 0>)
       : tensor<2x8x128x64xf32>, tensor<2x2x256x64xf32>, tensor<2x2x256x32xf32> -> tensor<2x8x128x32xf32>
    %p, %lse = smx.attention %q, %k, %v scale(1.250000e-01) score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %t = math.tanh %s : f32
      smx.yield %t : f32
    } : tensor<2x8x128x64xf32>, tensor<2x2x256x64xf32>, tensor<2x2x256x32xf32>
      -> tensor<2x8x128x32xf32>, tensor<2x8x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key, AnyRankedTensor:$value,
                       Variadic<AnyRankedTensor>:$mask_data, Optional<AnyRankedTensor>:$sinks,
                       F64Attr:$scale, OptionalAttr<Smx_MaskAttrInterface>:$mask);
  let results = (outs AnyRankedTensor:$result, Optional<AnyRankedTensor>:$log_sum_exp);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$visible);
  let assemblyFormat = [{
    $query `,` $key `,` $value `scale` `(` $scale `)` (`mask` `(` $mask^ `)`)?
    (`reads` `(` $mask_data^ `:` type($mask_data) `)`)? (`sinks` `(` $sinks^ `:` type($sinks) `)`)?
    (`score` $score^)? (`visible` $visible^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) `->` type($result) (`,` type($log_sum_exp)^)?
  }];
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Number of leading dimensions in front of the queries (batches and heads).
    int64_t getNumBatchDims() { return getQuery().getType().getRank() - 2; }
    /// Query heads for each key head (1 where there are no heads, or one of the numbers is open).
    int64_t getGroupSize();
    /// The type that scores are computed in: f64 for f64 operands, f32 otherwise.
    ::mlir::Type getScoreType();
  }];
}

def Smx_MaskOp : Smx_Op<"mask", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "-inf where a mask hides a score";
  let description = [{
    `result[.., i, .., j, ..] = input[.., i, .., j, ..]` where row `i + firstRow` sees key
    `j + firstKey` of `rows x keys` scores, and -inf elsewhere. `row_dim` and `key_dim` say which
    dimensions of the tensor are `i` and `j`.

    M1: the input has floating-point elements.
    M2: `row_dim` and `key_dim` are different dimensions of the input.
    M3: there is one tensor of signless integers or index, as in A9, for each that the mask reads: its dimensions
        are the first ones of the input or of extent 1, and the rows behind them where it has one for each row;
        or all blocks of rows and of keys where it has these.

    ```mlir
    %z = smx.mask %w by #smx.key_lengths reads(%n : tensor<2xi32>) dims(1, 2) at(%i0, %j0) of(%rows, %keys) : tensor<2x64x128xf32>
    %y = smx.mask %s by #smx.band<top_left, right = 0> dims(0, 1) at(%i0, %j0) of(%rows, %keys) : tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Smx_MaskAttrInterface:$mask,
                       I64Attr:$row_dim, I64Attr:$key_dim, Index:$firstRow, Index:$firstKey,
                       Index:$rows, Index:$keys, Variadic<AnyRankedTensor>:$data);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `by` $mask (`reads` `(` $data^ `:` type($data) `)`)? `dims` `(` $row_dim `,` $key_dim `)` `at` `(` $firstRow `,` $firstKey `)`
    `of` `(` $rows `,` $keys `)` attr-dict `:` type($input)
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The select that the mask stands for, as one elementwise op.
    ::mlir::Value expand(::mlir::OpBuilder &builder);
    /// The dimensions of the input that those of `data` are, without its blocks; -1 for one that is
    /// the same for all.
    ::llvm::SmallVector<int64_t> getDataDims(unsigned number);
  }];
}

def Smx_YieldOp : Op<Smx_Dialect, "yield", [Pure, Terminator, ReturnLike, HasParent<"AttentionOp">]> {
  let summary = "the value of a `score` or `visible` region";
  let description = [{
    ```mlir
    smx.yield %s : f32
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // SMX_IR_SPECOPS_TD
