//===- SmxAttrs.td - algebras and masks ---------------------*- tablegen -*-===//
#ifndef SMX_IR_SMXATTRS_TD
#define SMX_IR_SMXATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "smx/IR/SmxDialect.td"
include "smx/IR/SmxInterfaces.td"

class Smx_Enum<string name, string doc, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, doc, cases> {
  let cppNamespace = "::mlir::smx";
  let genSpecializedAttr = 0;
}

def Smx_ExpBase : Smx_Enum<"ExpBase", "the exponential that a state is kept in", [
  I32EnumAttrCase<"Exp", 0, "exp">,
  I32EnumAttrCase<"Exp2", 1, "exp2">]>;

def Smx_MaskedRow : Smx_Enum<"MaskedRow", "the result of a row in which nothing is visible", [
  I32EnumAttrCase<"NaN", 0, "nan">,
  I32EnumAttrCase<"Zero", 1, "zero">]>;

def Smx_MaskedRowAttr : EnumAttr<Smx_Dialect, Smx_MaskedRow, "masked_row"> {
  let assemblyFormat = "`<` $value `>`";
}

def Smx_Anchor : Smx_Enum<"Anchor", "the corner of the score matrix that a diagonal starts from", [
  I32EnumAttrCase<"TopLeft", 0, "top_left">,
  I32EnumAttrCase<"BottomRight", 1, "bottom_right">]>;

class Smx_Attr<string name, string mnemonic_, list<Trait> traits> : AttrDef<Smx_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def Smx_SoftmaxAlgebraAttr : Smx_Attr<"SoftmaxAlgebra", "softmax",
    [DeclareAttrInterfaceMethods<Smx_StateAlgebraAttrInterface, ["getDeferred", "getDoubleSum", "hasParts", "expandParts"]>]> {
  let summary = "running maximum, running sum and, if there are values, the accumulator";
  let description = [{
    State `(m, l)` or `(m, l, acc)`; inputs are the scores and, with an accumulator, the values.
    Scores are multiplied by `scale` (> 0). With `exp` the state keeps the maximum of the scores as
    they are, and the scale is applied to differences; with `exp2` it is kept in base 2, scaled:

        m' = max(m, scale*log2(e) * max(s));   a = 2^(m - m')
        l' = a*l + sum 2^(scale*log2(e)*s - m')
        acc' = a*acc + 2^(scale*log2(e)*s - m') v

    Quantities of a finish: `softmax`, `log_softmax` (take the scores again), `logsumexp`, and
    `average` (`acc / l`); the last two also `_with_sink`: they take one more score, without a value. `masked_row` says what `softmax` and `average` give for `l = 0`;
    `log_softmax` gives the logarithm of that.
    `softmax` can be deferred: `weights` (`w = exp(s - m)`, by the maximum so far) when a tile
    passes, and `softmax_of_weights` (`w exp(m_tile - m) / l`) at the end, which is an
    exponential per tile instead of a second one per element. States of parts `p` are merged by

        m' = max(m, max m_p);   l' = l exp(m - m') + sum l_p exp(m_p - m');   acc' likewise

    Maxima and sums stay apart: `m + log(l)`, which says as much of a part, loses `l` beside a large maximum.

    ```mlir
    #smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>
    ```
  }];
  let parameters = (ins
    EnumParameter<Smx_ExpBase>:$base,
    DefaultValuedParameter<"::mlir::FloatAttr", "::mlir::FloatAttr::get(::mlir::Float64Type::get($_ctxt), 1.0)">:$scale,
    DefaultValuedParameter<"::mlir::smx::MaskedRow", "::mlir::smx::MaskedRow::NaN">:$maskedRow);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    double getScaleValue() const { return getScale().getValueAsDouble(); }
  }];
}

def Smx_MomentsAlgebraAttr : Smx_Attr<"MomentsAlgebra", "moments",
    [DeclareAttrInterfaceMethods<Smx_StateAlgebraAttrInterface, ["hasParts", "expandParts"]>]> {
  let summary = "count, mean and sum of squared deviations (Welford; Chan et al. for the merge)";
  let description = [{
    State `(n, mean, m2)` per row; the input is the row itself. With `d = b.mean - a.mean`,

        merge(a, b) = (a.n + b.n, a.mean + d*b.n/n, a.m2 + b.m2 + d^2*a.n*b.n/n)

    The finish `normalized` is `(x - mean) / sqrt(m2/n + epsilon)`, and `mean` and `variance` are
    the statistics.

    ```mlir
    #smx.moments<epsilon = 1.000000e-05 : f64>
    ```
  }];
  let parameters = (ins "::mlir::FloatAttr":$epsilon);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` `epsilon` `=` $epsilon `>`";
}

def Smx_MeanSquareAlgebraAttr : Smx_Attr<"MeanSquareAlgebra", "mean_square",
    [DeclareAttrInterfaceMethods<Smx_StateAlgebraAttrInterface, ["getDoubleSum", "hasParts", "expandParts"]>]> {
  let summary = "count, scale and sum of scaled squares";
  let description = [{
    State `(n, s, q)` per row with `q = sum (s*x)^2`; the input is the row itself. The scale `s` is a power
    of two that brings the largest magnitude between 1 and 4, so that no square overflows and those that vanish
    are of no weight; it is the representative of the state, as the maximum is for `softmax`:

        merge(a, b): s = min(a.s, b.s);   (a.n + b.n, s, a.q*(s/a.s)^2 + b.q*(s/b.s)^2)

    Of elements whose squares, and sums of them, are numbers of the state's type (f16 in f32) the scale is at most 1, and
    nothing looks for the largest one.

    The finish `normalized` is `x*s / sqrt(q/n + epsilon*s^2)`.

    ```mlir
    #smx.mean_square<epsilon = 1.000000e-06 : f64>
    ```
  }];
  let parameters = (ins "::mlir::FloatAttr":$epsilon);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` `epsilon` `=` $epsilon `>`";
}

def Smx_PartsAlgebraAttr : Smx_Attr<"PartsAlgebra", "parts",
    [DeclareAttrInterfaceMethods<Smx_StateAlgebraAttrInterface>]> {
  let summary = "the states of another algebra, merged many at a time";
  let description = [{
    States, quantities and merges are those of `whole`; the inputs of an update are the components of states of parts of a stream.

    Q1: `whole` can merge many states at a time: all can, top k up to k = 8.

    ```mlir
    #smx.parts<#smx.softmax<exp2, scale = 1.250000e-01, masked_row = zero>>
    ```
  }];
  let parameters = (ins "::mlir::smx::StateAlgebraAttrInterface":$whole);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` qualified($whole) `>`";
}

def Smx_CrossEntropyAlgebraAttr : Smx_Attr<"CrossEntropyAlgebra", "cross_entropy",
    [DeclareAttrInterfaceMethods<Smx_StateAlgebraAttrInterface, ["getDoubleSum", "hasParts", "expandParts"]>]> {
  let summary = "softmax's state and, with label smoothing, count and mean distance of the scores";
  let description = [{
    State `(m, l)` of `softmax` without smoothing, `(m, l, n, t)` with it, where `n` counts the scores
    and `t` is the mean of their distances `s - m` (in units of 2^32, so that none overflows). A larger maximum
    moves `t` to `t + m - m'` as it rescales `l`; where two states merge, each mean is moved so, and weighs what
    it counts. Nothing cancels, however large the scores are: no distance is positive. The input is the scores.

    The finish `loss` takes the target's score and a weight for each row, with `e` the smoothing:

        loss = log l - (1 - e)*scale*(x_t - m) - e*scale*t;   0 where the weight is 0

    `logsumexp` is that of softmax.

    ```mlir
    #smx.cross_entropy<#smx.softmax<exp>, smoothing = 1.000000e-01 : f64>
    ```
  }];
  let parameters = (ins "::mlir::smx::SoftmaxAlgebraAttr":$softmax, "::mlir::FloatAttr":$smoothing);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` qualified($softmax) `,` `smoothing` `=` $smoothing `>`";
  let extraClassDeclaration = [{
    double getSmoothingValue() const { return getSmoothing().getValueAsDouble(); }
  }];
}

def Smx_TopKAlgebraAttr : Smx_Attr<"TopKAlgebra", "topk",
    [DeclareAttrInterfaceMethods<Smx_StateAlgebraAttrInterface,
                                 ["getDoubleSum", "hasParts", "getMergeBytes", "expandParts"]>]> {
  let summary = "softmax's state and the k largest keys so far";
  let description = [{
    State `(m, l, key_0, .., key_{k-1})`: softmax's, beside a falling list of f64 keys. The inputs are the
    scores and their keys. A key is the score with its place in the 29 bits that f32 leaves free in f64, so that
    equal scores are ordered by their places and no two keys of a row are equal. Two lists merge into the k
    largest of both: `c_r = max(a_r, b_{k-1-r})`, sorted by a bitonic network.

    Quantities: `probability_r` and `place_r` for `r < k`; the latter is -1 where there is no such key.

    ```mlir
    #smx.topk<#smx.softmax<exp>, k = 5>
    ```
  }];
  let parameters = (ins "::mlir::smx::SoftmaxAlgebraAttr":$softmax, "int64_t":$k);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` qualified($softmax) `,` `k` `=` $k `>`";
}

def Smx_Gradient : Smx_Enum<"Gradient", "what a gradient is taken of", [
  I32EnumAttrCase<"Softmax", 0, "softmax">,
  I32EnumAttrCase<"LogSoftmax", 1, "log_softmax">]>;

def Smx_GradientAlgebraAttr : Smx_Attr<"GradientAlgebra", "gradient",
    [DeclareAttrInterfaceMethods<Smx_StateAlgebraAttrInterface, ["hasParts", "expandParts"]>]> {
  let summary = "the sum that the gradient of a normalised row needs";
  let description = [{
    State `(s)`: a sum, which merges by addition. For `softmax` the inputs are its result `y` and the
    gradient `g` of that, and `s = sum y*g`; for `log_softmax` the input is `g`, and `s = sum g`.
    The finish `gradient` takes `y` and `g`:

        softmax: scale * y * (g - s)        log_softmax: scale * (g - exp(y)*s)

    ```mlir
    #smx.gradient<softmax, scale = 1.000000e+00 : f64>
    ```
  }];
  let parameters = (ins EnumParameter<Smx_Gradient>:$of, "::mlir::FloatAttr":$scale);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $of `,` `scale` `=` $scale `>`";
}

def Smx_BandAttr : Smx_Attr<"Band", "band", [DeclareAttrInterfaceMethods<Smx_MaskAttrInterface>]> {
  let summary = "a band around a diagonal: causal masks and sliding windows";
  let description = [{
    Row `i` sees key `j` iff `i + off - left <= j <= i + off + right`, where `off` is 0 for
    `top_left` and `keys - rows` for `bottom_right`. A side that is left out is unbounded;
    one that is given is between -2^62 and 2^62, so that its sum with a place is an index.

    ```mlir
    #smx.band<bottom_right, right = 0>              // causal, aligned to the last key
    #smx.band<top_left, left = 127, right = 0>      // causal sliding window of 128 keys
    ```
  }];
  let parameters = (ins
    EnumParameter<Smx_Anchor>:$anchor,
    OptionalParameter<"std::optional<int64_t>">:$left,
    OptionalParameter<"std::optional<int64_t>">:$right);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Smx_PrefixAttr : Smx_Attr<"Prefix", "prefix", [DeclareAttrInterfaceMethods<Smx_MaskAttrInterface>]> {
  let summary = "causal, but a prefix of the keys is seen by every row";
  let description = [{
    Row `i` sees key `j` iff `j < length` or `j <= i + off`, with `off` as for `#smx.band`.

    ```mlir
    #smx.prefix<top_left, length = 64>
    ```
  }];
  let parameters = (ins EnumParameter<Smx_Anchor>:$anchor, "int64_t":$length);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $anchor `,` `length` `=` $length `>`";
}

def Smx_ChunksAttr : Smx_Attr<"Chunks", "chunks", [DeclareAttrInterfaceMethods<Smx_MaskAttrInterface>]> {
  let summary = "keys are cut into chunks, and a row sees that of its own diagonal";
  let description = [{
    Row `i` sees key `j` iff `floor(j / size) = floor((i + off) / size)`, with `off` as for `#smx.band`.

    ```mlir
    #smx.all_of<[#smx.chunks<top_left, size = 8192>, #smx.band<top_left, right = 0>]>   // causal within chunks
    ```
  }];
  let parameters = (ins EnumParameter<Smx_Anchor>:$anchor, "int64_t":$size);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $anchor `,` `size` `=` $size `>`";
}

class Smx_DataMaskAttr<string name, string mnemonic>
    : Smx_Attr<name, mnemonic, [DeclareAttrInterfaceMethods<Smx_MaskAttrInterface, ["getDataSteps"]>]>;

def Smx_KeyLengthsAttr : Smx_DataMaskAttr<"KeyLengths", "key_lengths"> {
  let summary = "a head sees the first keys, as many as a tensor says";
  let description = [{
    Reads one tensor: the number of keys for each of its leading dimensions. Every row sees the keys `j < length`.

    ```mlir
    %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.key_lengths) reads(%lengths : tensor<2xi32>)
       : tensor<2x8x128x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x32xf32> -> tensor<2x8x128x32xf32>
    ```

    With `causal` the queries are the last ones of that many keys: row `i` of `rows` sees the keys
    `j < length - (rows - 1 - i)`, the last row all of them.

    ```mlir
    #smx.key_lengths<causal>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$causal);
  let hasCustomAssemblyFormat = 1;
}

def Smx_KeyRangesAttr : Smx_DataMaskAttr<"KeyRanges", "key_ranges"> {
  let summary = "a row sees a range of keys that tensors give";
  let description = [{
    Reads two tensors: for each row the first key that it sees, and the one behind the last. Documents
    that are packed into one sequence are seen like this: each row has the bounds of its document.
    Any ranges are right; tiles are skipped where the rows of a tile see keys that lie together.

    ```mlir
    %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.key_ranges)
         reads(%begin, %end : tensor<2x128xi32>, tensor<2x128xi32>)
       : tensor<2x8x128x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x32xf32> -> tensor<2x8x128x32xf32>
    ```
  }];
}

def Smx_BlocksAttr : Smx_DataMaskAttr<"Blocks", "blocks"> {
  let summary = "blocks of rows see the blocks of keys that a tensor marks";
  let description = [{
    Reads one tensor of `[leading.., ceil(Sq / rows), ceil(Sk / keys)]`: row `i` sees key `j` iff its element at
    `[.., i / rows, j / keys]` is not 0. Tiles of keys in which no row of a tile sees a block are left out: the
    tiles that are visited are listed in front of the loops. Blocks need not be as large as tiles; where tiles
    do not divide them, they are masked element by element.

    ```mlir
    %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.blocks<rows = 64, keys = 128>)
         reads(%blocks : tensor<2x1x2x2xi8>)
       : tensor<2x8x128x64xf32>, tensor<2x8x256x64xf32>, tensor<2x8x256x32xf32> -> tensor<2x8x128x32xf32>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$keys);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` `rows` `=` $rows `,` `keys` `=` $keys `>`";
}

def Smx_PackedAttr : Smx_DataMaskAttr<"Packed", "packed"> {
  let summary = "the same queries several times, one behind the other";
  let description = [{
    Row `i` sees what row `i mod queries` of `queries` sees by the mask, which reads nothing for each row. Heads
    that share keys are rows of one tile like this (`smx-pack-heads`).

    ```mlir
    #smx.packed<#smx.band<bottom_right, right = 0>, queries = 4>
    ```
  }];
  let parameters = (ins "::mlir::smx::MaskAttrInterface":$mask, "int64_t":$queries);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $mask `,` `queries` `=` $queries `>`";
}

def Smx_AllOfAttr : Smx_DataMaskAttr<"AllOf", "all_of"> {
  let summary = "what several masks let be seen";
  let description = [{
    A row sees a key iff it does so by each of the masks. What they read follows in their order.

    ```mlir
    #smx.all_of<[#smx.band<top_left, right = 0>, #smx.key_ranges]>   // causal within documents
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$masks);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` `[` $masks `]` `>`";
}

#endif // SMX_IR_SMXATTRS_TD
