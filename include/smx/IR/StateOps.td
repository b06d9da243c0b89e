//===- StateOps.td - reductions over states -----------------*- tablegen -*-===//
#ifndef SMX_IR_STATEOPS_TD
#define SMX_IR_STATEOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "smx/IR/SmxAttrs.td"

class Smx_StateOp<string mnemonic, list<Trait> traits = []> : Op<Smx_Dialect, mnemonic, traits # [Pure]> {
  let hasVerifier = 1;
}

def Smx_IdentityOp : Smx_StateOp<"identity"> {
  let summary = "the state of an empty stream";
  let description = [{
    `merge(identity, s) = s`. Dynamic extents are given in the order in which the types show them.

    S1: the algebra takes this number of state components.
    S2: one extent is given per dynamic dimension of the results.
    S13: all tensors have floating-point elements.

    ```mlir
    %m, %l = smx.identity #smx.softmax<exp> (%n, %n) -> tensor<4x?xf32>, tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Smx_StateAlgebraAttrInterface:$algebra, Variadic<Index>:$extents);
  let results = (outs Variadic<AnyRankedTensor>:$states);
  let assemblyFormat = "$algebra (`(` $extents^ `)`)? attr-dict `->` type($states)";
}

def Smx_UpdateOp : Smx_StateOp<"update", [
    InferTypeOpAdaptor, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Smx_StreamingReductionOpInterface>]> {
  let summary = "a state advanced by a tile of the stream";
  let description = [{
    `update(s, tile) = merge(s, lift(tile))`. Domain `(rows..., stream, columns...)`; the maps say
    how each state component and each input is addressed in it.

    S1: the algebra takes this number of state components.
    S3: the algebra takes this number of inputs.
    S4: there is one map per operand, all over the same dimensions.
    S5: a map has one result per dimension of its operand.
    S6: the first state map is the identity on the rows.
    S7: no state map uses the stream dimension.
    S8: static extents agree wherever a dimension is used.
    S13: all tensors have floating-point elements.
    S14: the map of a state is a projected permutation: its results are different dimensions.

    ```mlir
    #row = affine_map<(i, j) -> (i)>
    #all = affine_map<(i, j) -> (i, j)>
    %m1, %l1 = smx.update #smx.softmax<exp> (%m, %l : tensor<64xf32>, tensor<64xf32>)
        with (%x : tensor<64x256xbf16>) maps [#row, #row, #all]
    ```
  }];
  let arguments = (ins Smx_StateAlgebraAttrInterface:$algebra, Variadic<AnyRankedTensor>:$states,
                       Variadic<AnyRankedTensor>:$inputs, AffineMapArrayAttr:$maps, UnitAttr:$masked);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $algebra `(` $states `:` type($states) `)` `with` `(` $inputs `:` type($inputs) `)` `maps` $maps
    (`masked` $masked^)? attr-dict
  }];
  let hasFolder = 1;
}

def Smx_MergeOp : Smx_StateOp<"merge", [InferTypeOpAdaptor, SameVariadicOperandSize]> {
  let summary = "two states of the same rows become one";
  let description = [{
    Associative and commutative up to rounding. The maps address the state components in the
    domain `(rows..., columns...)`, as in `smx.update` without the stream.

    S1: the algebra takes this number of state components.
    S9: both states have the same types.
    S4 to S6, S8, S13 and S14 as for `smx.update`.

    ```mlir
    %m, %l = smx.merge #smx.softmax<exp> (%m0, %l0 : tensor<64xf32>, tensor<64xf32>)
        and (%m1, %l1 : tensor<64xf32>, tensor<64xf32>) maps [#row, #row]
    ```
  }];
  let arguments = (ins Smx_StateAlgebraAttrInterface:$algebra, Variadic<AnyRankedTensor>:$lhs,
                       Variadic<AnyRankedTensor>:$rhs, AffineMapArrayAttr:$maps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $algebra `(` $lhs `:` type($lhs) `)` `and` `(` $rhs `:` type($rhs) `)` `maps` $maps attr-dict
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// One map per state component.
    ::llvm::SmallVector<::mlir::AffineMap> getOperandMaps();
  }];
}

def Smx_FinishOp : Smx_StateOp<"finish", [AttrSizedOperandSegments]> {
  let summary = "a quantity of the state that has seen the whole stream";
  let description = [{
    Some quantities are one value per row (`logsumexp`, `average`); others need the stream once
    more (`softmax`, `log_softmax`, `normalized`) and take it as an input. Maps: one per state
    component, one per input, one for the result, over the domain of the update: the rows, the
    stream, the columns of an accumulator.

    S1: the algebra takes this number of state components.
    S10: the quantity is one that the algebra gives.
    S11: the quantity takes this number of inputs.
    S12: the quantity needs this number of state components.
    S15: the domain of the maps is that of the update.
    S4 to S6, S8, S13 and S14 as for `smx.update`.

    ```mlir
    %y = smx.finish #smx.softmax<exp> "softmax" (%m, %l : tensor<64xf32>, tensor<64xf32>)
        with (%x : tensor<64x256xbf16>) maps [#row, #row, #all, #all] : tensor<64x256xbf16>
    %z = smx.finish #smx.softmax<exp> "logsumexp" (%m, %l : tensor<64xf32>, tensor<64xf32>) maps [#row, #row, #row] : tensor<64xf32>
    ```
  }];
  let arguments = (ins Smx_StateAlgebraAttrInterface:$algebra, StrAttr:$quantity, Variadic<AnyRankedTensor>:$states,
                       Variadic<AnyRankedTensor>:$inputs, AffineMapArrayAttr:$maps);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $algebra $quantity `(` $states `:` type($states) `)` (`with` `(` $inputs^ `:` type($inputs) `)`)?
    `maps` $maps attr-dict `:` type($result)
  }];
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// One map per state component and per input, and that of the result behind them.
    ::llvm::SmallVector<::mlir::AffineMap> getOperandMaps();
    ::mlir::AffineMap getResultMap() {
      return ::mlir::cast<::mlir::AffineMapAttr>(getMaps().getValue().back()).getValue();
    }
    /// True if the result has a value for every element of the stream.
    bool isStreamed();
    unsigned getNumRows();
  }];
}

#endif // SMX_IR_STATEOPS_TD
