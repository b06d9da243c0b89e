//===- SmxInterfaces.td - streaming reductions --------------*- tablegen -*-===//
#ifndef SMX_IR_SMXINTERFACES_TD
#define SMX_IR_SMXINTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Smx_StreamingReductionOpInterface : OpInterface<"StreamingReductionOpInterface"> {
  let cppNamespace = "::mlir::smx";
  let description = [{
    An op that advances a state of a monoid by a tile of a stream:
    `update(s, tile) = merge(s, lift(tile))`. From associativity follow the two laws that the
    passes rest on, for every way to cut the stream:

        update(s, x ++ y)        = update(update(s, x), y)                          (tiling)
        update(identity, x ++ y) = merge(update(identity, x), update(identity, y))  (splitting)

    The iteration domain is `(rows..., stream, columns...)`: the first state component is
    indexed by all rows and by nothing else, the next dimension is the stream, and what follows
    are dimensions that only an accumulator has. Tensors are addressed by one affine map each:
    first the state components, then the inputs.

    Tiling, splitting and the back ends use this interface and nothing else.
  }];
  let methods = [
    InterfaceMethod<"The state that the tile is merged into.",
      "::mlir::ValueRange", "getStateOperands">,
    InterfaceMethod<"The tensors that are streamed.",
      "::mlir::ValueRange", "getInputOperands">,
    InterfaceMethod<"One map per state component, then one per input.",
      "::llvm::SmallVector<::mlir::AffineMap>", "getOperandMaps">,
    InterfaceMethod<"True if a mask may hide some places of the inputs.", "bool", "mayBeMasked">,
    InterfaceMethod<"Builds the identity for a block of rows; `sizes` has one entry per domain dimension.",
      "::llvm::SmallVector<::mlir::Value>", "buildIdentity",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>,
    InterfaceMethod<[{Builds the update of `state` by the tile `inputs`. `masked` says that a mask
        hides some places of the tile, and not what.}],
      "::llvm::SmallVector<::mlir::Value>", "buildUpdate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$state, "::mlir::ValueRange":$inputs, "bool":$masked)>,
    InterfaceMethod<"Builds the merge of two states of the same rows.",
      "::llvm::SmallVector<::mlir::Value>", "buildMerge",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$lhs, "::mlir::ValueRange":$rhs)>,
    InterfaceMethod<"Builds one quantity of the finished `state`, as `like` (a finish op of this reduction) computes it, for a tile.",
      "::mlir::Value", "buildFinish",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Operation *":$like, "::mlir::ValueRange":$state,
           "::mlir::ValueRange":$inputs, "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>,
  ];
  let extraClassDeclaration = [{
    /// Number of row dimensions, which is also the position of the stream dimension.
    unsigned getNumRows();
    /// Number of dimensions of the domain.
    unsigned getNumDims();
    /// Extent of each dimension of the domain, static where the operand types say it.
    ::llvm::SmallVector<::mlir::OpFoldResult>
    getDomainSizes(::mlir::OpBuilder &builder, ::mlir::Location loc);
  }];
}

def Smx_StateAlgebraAttrInterface : AttrInterface<"StateAlgebraAttrInterface"> {
  let cppNamespace = "::mlir::smx";
  let description = [{
    The meaning of the four state ops for one family of reductions, as arithmetic on tiles.
    Each method takes the state op of its name and returns, as `linalg` on tensors, the values of
    its results. A finish may return its own result: the expansion of the update that made its
    state then replaces it.
  }];
  let methods = [
    InterfaceMethod<"Arithmetic for the identity.", "::llvm::SmallVector<::mlir::Value>",
      "expandIdentity", (ins "::mlir::OpBuilder &":$builder, "::mlir::Operation *":$op)>,
    InterfaceMethod<"Arithmetic for an update.", "::llvm::SmallVector<::mlir::Value>",
      "expandUpdate", (ins "::mlir::OpBuilder &":$builder, "::mlir::Operation *":$op)>,
    InterfaceMethod<"Arithmetic for a merge.", "::llvm::SmallVector<::mlir::Value>",
      "expandMerge", (ins "::mlir::OpBuilder &":$builder, "::mlir::Operation *":$op)>,
    InterfaceMethod<"Arithmetic for a finish.", "::llvm::SmallVector<::mlir::Value>",
      "expandFinish", (ins "::mlir::OpBuilder &":$builder, "::mlir::Operation *":$op)>,
    InterfaceMethod<"The quantities that a finish may name.",
      "::llvm::SmallVector<::llvm::StringRef>", "getQuantities">,
    InterfaceMethod<"Smallest and largest number of state components.",
      "std::pair<unsigned, unsigned>", "getStateCount">,
    InterfaceMethod<"Number of inputs of an update on a state of `states` components.",
      "unsigned", "getInputCount", (ins "unsigned":$states)>,
    InterfaceMethod<"Number of inputs of a finish for `quantity`.",
      "unsigned", "getFinishInputCount", (ins "::llvm::StringRef":$quantity)>,
    InterfaceMethod<"Smallest number of state components that `quantity` is computed from.",
      "unsigned", "getFinishStateCount", (ins "::llvm::StringRef":$quantity)>,
    InterfaceMethod<[{The two steps in which a streamed `quantity` can be had with one look at the
        stream; none where a second look costs no more.}],
      "std::optional<::mlir::smx::DeferredQuantity>", "getDeferred", (ins "::llvm::StringRef":$quantity),
      /*methodBody=*/[{}], /*defaultImplementation=*/[{ return std::nullopt; }]>,
    InterfaceMethod<[{The component of the state of an update that is a sum of f64 terms, and should be f64 where a loop
        carries it. `expandUpdate` takes it in both types, and gives it in the one it had.}],
      "std::optional<unsigned>", "getDoubleSum", (ins "::mlir::Operation *":$op),
      /*methodBody=*/[{}], /*defaultImplementation=*/[{ return std::nullopt; }]>,
    InterfaceMethod<"Whether `expandParts` can merge many states at a time, for `#smx.parts`.",
      "bool", "hasParts", (ins),
      /*methodBody=*/[{}], /*defaultImplementation=*/[{ return false; }]>,
    InterfaceMethod<[{Bytes of a row that a block of threads of a GPU reads while states of parts are merged, where that
        is much: blocks share rows that leave each of them more than so many fewer.}],
      "int64_t", "getMergeBytes", (ins),
      /*methodBody=*/[{}], /*defaultImplementation=*/[{ return 0; }]>,
    InterfaceMethod<[{The tile ops that an update by states of parts stands for: its inputs are the components of the
        states, which lie along the stream.}],
      "::llvm::SmallVector<::mlir::Value>", "expandParts",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Operation *":$op),
      /*methodBody=*/[{}], /*defaultImplementation=*/[{ return {}; }]>,
  ];
}

def Smx_MaskAttrInterface : AttrInterface<"MaskAttrInterface"> {
  let cppNamespace = "::mlir::smx";
  let description = [{
    A mask whose shape can be analysed: which keys a block of query rows sees at all, and which
    of them every row of the block sees. All positions are absolute, in elements.

    Where data decide, the mask reads integers from tensors that the op has beside it: one for
    each head (or for several: a tensor has the first few leading dimensions of the scores, and
    one of extent 1 is the same for all), or, behind these, one for each row, or for blocks of rows
    and of keys. The mask itself sees numbers: those of one row, or the smallest and the largest of
    several rows.
  }];
  let methods = [
    InterfaceMethod<"For each tensor of integers that the mask reads, what it has behind its leading dimensions.",
      "::llvm::SmallVector<::mlir::smx::DataSteps>", "getDataSteps", (ins),
      /*methodBody=*/[{}], /*defaultImplementation=*/[{ return {}; }]>,
    InterfaceMethod<[{The key ranges of rows `[firstRow, firstRow + numRows)` out of `rows` x `keys`
        scores: any row sees keys only in `[begin, end)`, every row sees all of `[fullBegin, fullEnd)`.
        `fullBegin` may exceed `fullEnd`: then no key is seen by all rows. `data` has what lies
        between the smallest and the largest number of these rows, for each tensor (nothing for one
        that has blocks of keys).}],
      "::mlir::smx::VisibleKeys", "buildVisibleKeys",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$firstRow, "::mlir::Value":$numRows,
           "::mlir::Value":$rows, "::mlir::Value":$keys,
           "::llvm::ArrayRef<::mlir::smx::IndexRange>":$data)>,
    InterfaceMethod<"An i1 that is true where row `row`, whose numbers are `data`, sees key `key`.",
      "::mlir::Value", "buildIsVisible",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$row, "::mlir::Value":$key,
           "::mlir::Value":$rows, "::mlir::Value":$keys, "::mlir::ValueRange":$data)>,
    InterfaceMethod<"True if a `rows` x `keys` score tile is seen whole (extents may be dynamic).",
      "bool", "isAllVisible", (ins "int64_t":$rows, "int64_t":$keys)>,
  ];
}

#endif // SMX_IR_SMXINTERFACES_TD
