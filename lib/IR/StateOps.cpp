//===- StateOps.cpp - verifiers and folds of the state ops ----------------===//
//
// The rule numbers are those of the td descriptions.
//
//===----------------------------------------------------------------------===//

#include "TileArithmetic.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::smx;

/// S1
static LogicalResult verifyStateCount(Operation *op,
                                      StateAlgebraAttrInterface algebra,
                                      unsigned count) {
  auto [least, most] = algebra.getStateCount();
  if (count >= least && count <= most)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("expected ") << least;
  if (most != least)
    diagnostic << " to " << most;
  return diagnostic << " state components for " << Attribute(algebra)
                    << ", got " << count;
}

/// S13
static LogicalResult verifyElements(Operation *op, RankedTensorType type) {
  if (isa<FloatType>(type.getElementType()))
    return success();
  return op->emitOpError("expected floating-point elements, got ") << type;
}

/// S4 to S8, S13 and S14, for `values` addressed by `maps`, the first `states`
/// of them being state components.
static LogicalResult verifyMaps(Operation *op, ArrayRef<Value> values,
                                unsigned states, ArrayRef<AffineMap> maps) {
  if (maps.size() != values.size()) // S4
    return op->emitOpError("expected one map per tensor, ")
           << values.size() << ", got " << maps.size();
  unsigned dims = maps.front().getNumDims();
  SmallVector<std::optional<int64_t>> extents(dims);
  for (auto [index, value, map] : llvm::enumerate(values, maps)) {
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(verifyElements(op, type)))
      return failure();
    if (map.getNumDims() != dims || map.getNumSymbols() != 0) // S4
      return op->emitOpError("expected every map over ")
             << dims << " dims, got " << AffineMapAttr::get(map);
    if (map.getNumResults() != type.getRank()) // S5
      return op->emitOpError("expected map ")
             << index << " to have one result per dimension of " << type
             << ", got " << AffineMapAttr::get(map);
    if (index < states && !map.isProjectedPermutation()) // S14
      return op->emitOpError("expected map ")
             << index << " of a state to be a projected permutation, got "
             << AffineMapAttr::get(map);
    for (auto [expr, extent] : llvm::zip(map.getResults(), type.getShape())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || ShapedType::isDynamic(extent))
        continue;
      std::optional<int64_t> &known = extents[dim.getPosition()];
      if (known && *known != extent) // S8
        return op->emitOpError("expected dim ")
               << dim.getPosition() << " of extent " << *known
               << " everywhere, got " << extent << " in " << type;
      known = extent;
    }
  }
  for (auto [row, expr] : llvm::enumerate(maps.front().getResults()))
    if (expr != getAffineDimExpr(row, op->getContext())) // S6
      return op->emitOpError("expected the first map to be the identity on the "
                             "rows, got ")
             << AffineMapAttr::get(maps.front());
  return success();
}

//===----------------------------------------------------------------------===//
// smx.identity
//===----------------------------------------------------------------------===//

LogicalResult IdentityOp::verify() {
  if (failed(verifyStateCount(*this, getAlgebra(), getNumResults())))
    return failure();
  size_t dynamic = 0;
  for (Type type : getResultTypes()) {
    if (failed(verifyElements(*this, cast<RankedTensorType>(type))))
      return failure();
    dynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  }
  if (dynamic != getExtents().size()) // S2
    return emitOpError("expected one extent per dynamic dimension, ")
           << dynamic << ", got " << getExtents().size();
  return success();
}

//===----------------------------------------------------------------------===//
// smx.update
//===----------------------------------------------------------------------===//

LogicalResult UpdateOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getStates().getTypes());
  return success();
}

LogicalResult UpdateOp::verify() {
  unsigned states = getStates().size();
  if (failed(verifyStateCount(*this, getAlgebra(), states)))
    return failure();
  unsigned inputs = getAlgebra().getInputCount(states);
  if (inputs != getInputs().size()) // S3
    return emitOpError("expected ")
           << inputs << " inputs for " << Attribute(getAlgebra()) << " with "
           << states << " state components, got " << getInputs().size();
  SmallVector<AffineMap> maps = getOperandMaps();
  if (failed(
          verifyMaps(*this, SmallVector<Value>(getOperands()), states, maps)))
    return failure();
  unsigned stream = maps.front().getNumResults();
  for (AffineMap map : ArrayRef(maps).take_front(states))
    if (map.isFunctionOfDim(stream)) // S7
      return emitOpError("expected no state to be indexed by the stream, d")
             << stream << ", got " << AffineMapAttr::get(map);
  return success();
}

LogicalResult UpdateOp::fold(FoldAdaptor,
                             SmallVectorImpl<OpFoldResult> &results) {
  // A tile of extent 0 leaves the state as it is.
  SmallVector<AffineMap> maps = getOperandMaps();
  unsigned stream = maps.front().getNumResults();
  for (auto [input, map] :
       llvm::zip(getInputs(), ArrayRef(maps).drop_front(getStates().size())))
    for (auto [expr, extent] :
         llvm::zip(map.getResults(),
                   cast<RankedTensorType>(input.getType()).getShape()))
      if (extent == 0 && expr == getAffineDimExpr(stream, getContext())) {
        llvm::append_range(results, getStates());
        return success();
      }
  return failure();
}

//===----------------------------------------------------------------------===//
// smx.merge
//===----------------------------------------------------------------------===//

SmallVector<AffineMap> MergeOp::getOperandMaps() {
  return llvm::to_vector(getMaps().getAsValueRange<AffineMapAttr>());
}

LogicalResult MergeOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getLhs().getTypes());
  return success();
}

LogicalResult MergeOp::verify() {
  if (failed(verifyStateCount(*this, getAlgebra(), getLhs().size())))
    return failure();
  if (getLhs().getTypes() != getRhs().getTypes()) // S9
    return emitOpError("expected two states of the same types, got (")
           << getLhs().getTypes() << ") and (" << getRhs().getTypes() << ")";
  return verifyMaps(*this, SmallVector<Value>(getLhs()), getLhs().size(),
                    getOperandMaps());
}

LogicalResult MergeOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  // merge(identity, s) = merge(s, identity) = s
  auto isIdentity = [](ValueRange state) {
    auto identity = state.front().getDefiningOp<IdentityOp>();
    return identity && ValueRange(identity.getResults()) == state;
  };
  if (isIdentity(getLhs()))
    llvm::append_range(results, getRhs());
  else if (isIdentity(getRhs()))
    llvm::append_range(results, getLhs());
  return success(!results.empty());
}

//===----------------------------------------------------------------------===//
// smx.finish
//===----------------------------------------------------------------------===//

SmallVector<AffineMap> FinishOp::getOperandMaps() {
  return llvm::to_vector(getMaps().getAsValueRange<AffineMapAttr>());
}

unsigned FinishOp::getNumRows() {
  return getOperandMaps().front().getNumResults();
}

bool FinishOp::isStreamed() {
  return getResultMap().isFunctionOfDim(getNumRows());
}

LogicalResult FinishOp::verify() {
  if (failed(verifyStateCount(*this, getAlgebra(), getStates().size())))
    return failure();
  SmallVector<StringRef> quantities = getAlgebra().getQuantities();
  if (!llvm::is_contained(quantities, getQuantity())) { // S10
    InFlightDiagnostic diagnostic = emitOpError("expected a quantity out of {");
    llvm::interleaveComma(quantities, diagnostic);
    return diagnostic << "} for " << Attribute(getAlgebra()) << ", got \""
                      << getQuantity() << "\"";
  }
  unsigned inputs = getAlgebra().getFinishInputCount(getQuantity());
  if (inputs != getInputs().size()) // S11
    return emitOpError("expected ")
           << inputs << " inputs for \"" << getQuantity() << "\", got "
           << getInputs().size();
  unsigned states = getAlgebra().getFinishStateCount(getQuantity());
  if (getStates().size() < states) // S12
    return emitOpError("expected at least ")
           << states << " state components for \"" << getQuantity()
           << "\", got " << getStates().size();
  SmallVector<Value> tensors(getOperands());
  tensors.push_back(getResult());
  SmallVector<AffineMap> maps = getOperandMaps();
  if (failed(verifyMaps(*this, tensors, getStates().size(), maps)))
    return failure();
  unsigned rows = getNumRows(), columns = 0;
  for (AffineMap map : ArrayRef(maps).take_front(getStates().size()))
    columns = std::max(columns, map.getNumResults() - rows);
  if (unsigned dims = maps.front().getNumDims();
      dims != rows + 1 + columns) // S15
    return emitOpError("expected maps over ")
           << rows << " dimensions of rows, that of the stream and " << columns
           << " of columns, got " << dims << " dimensions";
  return success();
}

LogicalResult FinishOp::canonicalize(FinishOp op, PatternRewriter &rewriter) {
  // Of a stream of extent 0 there is nothing to give.
  AffineMap result = op.getResultMap();
  RankedTensorType type = op.getResult().getType();
  std::optional<unsigned> stream = result.getResultPosition(
      getAffineDimExpr(op.getNumRows(), op.getContext()));
  if (!stream || type.getDimSize(*stream) != 0 || op.getInputs().empty())
    return failure();
  AffineMap input = op.getOperandMaps()[op.getStates().size()];
  if (!llvm::all_of(result.getResults(), [&](AffineExpr dim) {
        return input.getResultPosition(dim).has_value();
      }))
    return failure();
  Value empty =
      emptyFor(rewriter, op.getLoc(), type, op.getInputs()[0], input, result);
  // The input may know more extents than the result.
  rewriter.replaceOp(
      op, rewriter.createOrFold<tensor::CastOp>(op.getLoc(), type, empty));
  return success();
}
