//===- Passes.td - from what is wanted to states ------------*- tablegen -*-===//
#ifndef SMX_ONLINE_PASSES_TD
#define SMX_ONLINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def OnlinePass : Pass<"smx-online"> {
  let summary = "say every smx op as a reduction over an explicit state";
  let description = [{
    Replaces specification ops by `smx.identity`, `smx.update` and `smx.finish` over whole rows;
    attention becomes the softmax-weighted average of ordinary score tensors.

    ```mlir
    %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
    ```
    ==>
    ```mlir
    %i:2 = smx.identity #smx.softmax<exp> -> tensor<8xf32>, tensor<8xf32>
    %s:2 = smx.update #smx.softmax<exp> (%i#0, %i#1 : tensor<8xf32>, tensor<8xf32>)
        with (%x : tensor<8x128xf32>) maps [#row, #row, #all]
    %y = smx.finish #smx.softmax<exp> "softmax" (%s#0, %s#1 : tensor<8xf32>, tensor<8xf32>)
        with (%x : tensor<8x128xf32>) maps [#row, #row, #all, #all] : tensor<8x128xf32>
    ```

    Changes rounding: sums and products are carried in f32 (f64 for f64 elements), and in base 2
    the scale is folded into the exponent.
  }];
  let options = [
    Option<"exp", "exp", "std::string", "\"auto\"",
           "exponential of the states: exp (precise), exp2 (scale folded in, one fma), or auto "
           "(exp2 for attention below f64, exp otherwise)">,
    Option<"shortSums", "short-sums", "bool", "false",
           "a row along the fastest dimension is summed in many short sums, as by the threads of a block: "
           "scores of 16 bits are precise enough for the k largest probabilities in f32">,
  ];
  let dependentDialects = ["::mlir::smx::SmxDialect"];
}

def PackHeadsPass : Pass<"smx-pack-heads"> {
  let summary = "heads that share keys become rows of one tile, where queries are few";
  let description = [{
    With few queries a tile of rows is mostly empty, and every head of a group reads the keys for itself. As many heads
    of a group as `rows` queries have room for become one head whose rows are their queries, one head behind the
    other. The mask is asked for a row's own query (`#smx.packed`), and so are the regions.

    Attention stays as it is if its mask has numbers or blocks for each row, or differs from head to head by data, or
    with sinks; where nothing is packed, a remark says why.

    ```mlir
    %o = smx.attention %q, %k, %v scale(1.250000e-01) mask(#smx.band<bottom_right, right = 0>)
       : tensor<8x4x64xbf16>, tensor<2x512x64xbf16>, tensor<2x512x64xbf16> -> tensor<8x4x64xbf16>
    ```
    ==>
    ```mlir
    %p = linalg.generic {..} outs(%e : tensor<2x16x64xbf16>) { %q[h * 4 + r / 4, r mod 4, d] }
    %y = smx.attention %p, %k, %v scale(1.250000e-01) mask(#smx.packed<#smx.band<bottom_right, right = 0>, queries = 4>)
       : tensor<2x16x64xbf16>, tensor<2x512x64xbf16>, tensor<2x512x64xbf16> -> tensor<2x16x64xbf16>
    %o = linalg.generic {..} outs(%x : tensor<8x4x64xbf16>) { %y[h / 4, (h mod 4) * 4 + i, d] }
    ```
  }];
  let options = [Option<"rows", "rows", "int64_t", "16", "rows of a tile that heads are packed into, at least 1">];
  let dependentDialects = ["::mlir::smx::SmxDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FlattenColumnsPass : Pass<"smx-flatten-columns"> {
  let summary = "values of a softmax-weighted sum get one dimension of columns";
  let description = [{
    A tile has rows, a stream and columns. Where the values of `smx.softmax_dot` have more dimensions behind the stream
    they become one, and the result gets them back. No element is changed; arguments, whose strides are known in a
    call only, are copied, and so is the result.

    ```mlir
    %y = smx.softmax_dot %x, %v : tensor<8x128xf32>, tensor<8x128x4x16xf32> -> tensor<8x4x16xf32>
    ```
    ==>
    ```mlir
    %c = tensor.collapse_shape %v [[0], [1], [2, 3]] : tensor<8x128x4x16xf32> into tensor<8x128x64xf32>
    %f = smx.softmax_dot %x, %c : tensor<8x128xf32>, tensor<8x128x64xf32> -> tensor<8x64xf32>
    %y = tensor.expand_shape %f [[0], [1, 2]] output_shape [8, 4, 16] : tensor<8x64xf32> into tensor<8x4x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::smx::SmxDialect", "::mlir::tensor::TensorDialect"];
}

def TabulatePass : Pass<"smx-tabulate"> {
  let summary = "functions of captured elements are computed once for each element, not for each score";
  let description = [{
    A region of attention is computed for every score. What it computes from an element of a captured tensor alone, such
    as a bounded bias by distance, is the same for all scores that read this element: it becomes a tensor of its own,
    in front of attention, where the region reads the result. Rounding is as it was: the same operations, in the same type.

    That is done where it saves a function of `math` or a division (a product or a conversion costs less than a kernel
    more), and where the scores are at least `reuse` times as many as the elements. An extent that is not known
    counts as 256. The element may be combined with constants and with values from in front of attention, but not with the
    score, a position or another element.

    ```mlir
    %o = smx.attention %q, %k, %v scale(1.250000e-01) score {
    ^bb0(%s: f32, %h: index, %i: index, %j: index):
      %x = tensor.extract %table[%h, %j] : tensor<8x512xf32>
      %y = math.tanh %x : f32
      %t = arith.addf %s, %y : f32
      smx.yield %t : f32
    } : tensor<8x256x64xbf16>, tensor<8x512x64xbf16>, tensor<8x512x64xbf16> -> tensor<8x256x64xbf16>
    ```
    ==>
    ```mlir
    %f = linalg.generic {..} ins(%table : tensor<8x512xf32>) outs(%e : tensor<8x512xf32>) { math.tanh }
    %o = smx.attention %q, %k, %v scale(1.250000e-01) score {
    ^bb0(%s: f32, %h: index, %i: index, %j: index):
      %y = tensor.extract %f[%h, %j] : tensor<8x512xf32>
      %t = arith.addf %s, %y : f32
      smx.yield %t : f32
    } : tensor<8x256x64xbf16>, tensor<8x512x64xbf16>, tensor<8x512x64xbf16> -> tensor<8x256x64xbf16>
    ```
  }];
  let options = [Option<"reuse", "reuse", "int64_t", "16", "scores for each element of a table at least, at least 1">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SplitPass : Pass<"smx-split"> {
  let summary = "cut every stream into partial states that are merged in a tree";
  let description = [{
    Uses `update(identity, x ++ y) = merge(update(identity, x), update(identity, y))`. Streams
    shorter than `parts` elements, and streams whose extent is not static, stay whole. With `longest-bytes`, rows without
    an accumulator are cut into as many parts, at least, as leave none longer: a sum that is rounded once a tile would lose
    a bit for every doubling of a long row. A row of up to `held-bytes` that is computed from nothing else and read again for
    its result stays whole: it will be one tile. With `part-bytes`, a row in memory without a streamed result that is two
    to four times as long is cut into such parts: each will be a tile, which is loaded while the one before is computed. Of
    so few rows that `slots` blocks of threads are two for each or more, smx-tile gives these a part each, and rows stay
    whole where it can (softmax); so does a row that a cluster of up to `held-blocks` blocks reads once, as a tile.

    ```mlir
    %s:2 = smx.update #a (%i#0, %i#1 : ..) with (%x : tensor<8x128xf32>) maps [..]
    ```
    ==> (`parts=2`)
    ```mlir
    %x0 = tensor.extract_slice %x[0, 0] [8, 64] [1, 1]
    %s0:2 = smx.update #a (%i0#0, %i0#1 : ..) with (%x0 : tensor<8x64xf32>) maps [..]
    %x1 = tensor.extract_slice %x[0, 64] [8, 64] [1, 1]
    %s1:2 = smx.update #a (%i1#0, %i1#1 : ..) with (%x1 : tensor<8x64xf32>) maps [..]
    %s:2 = smx.merge #a (%s0#0, %s0#1 : ..) and (%s1#0, %s1#1 : ..) maps [..]
    ```

    Changes rounding: the order of the additions changes.
  }];
  let options = [Option<"parts", "parts", "int64_t", "2", "number of partial states, at least 1">,
                 Option<"longestBytes", "longest-bytes", "int64_t", "0",
                        "bytes of a row that one state sees at most, if it has no accumulator; 0 is no limit">,
                 Option<"accumulators", "accumulators", "bool", "true", "states with an accumulator are cut, too">,
                 Option<"heldBytes", "held-bytes", "int64_t", "0", "bytes of a row that will be one tile">,
                 Option<"heldBlocks", "held-blocks", "int64_t", "1",
                        "blocks of a cluster that hold a whole row of 16-bit elements which is read once; 1: no row">,
                 Option<"partBytes", "part-bytes", "int64_t", "0",
                        "bytes of parts of a row that will be tiles of their own; 0 is for rows that stay whole">,
                 Option<"slots", "slots", "int64_t", "1", "blocks of threads that run at once">];
  let dependentDialects = ["::mlir::smx::SmxDialect"];
}

#endif // SMX_ONLINE_PASSES_TD
