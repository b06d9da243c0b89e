//===- OnlinePass.cpp - specification ops become states -------------------===//
//
// A row op over axis a of a tensor of rank n has the domain (rows..., stream):
// its rows are the other axes in order. Values add column dimensions at the
// end.
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"
#include "smx/Online/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx {
#define GEN_PASS_DEF_ONLINEPASS
#include "smx/Online/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {

/// Builds the state ops of one reduction from the maps of its tensors.
struct ReductionBuilder {
  OpBuilder &builder;
  Location loc;
  StateAlgebraAttrInterface algebra;
  unsigned rows, dims;

  AffineMap map(ArrayRef<unsigned> positions) {
    SmallVector<AffineExpr> exprs;
    for (unsigned position : positions)
      exprs.push_back(builder.getAffineDimExpr(position));
    return AffineMap::get(dims, 0, exprs, builder.getContext());
  }
  AffineMap rowMap() { return map(llvm::to_vector(llvm::seq(0u, rows))); }
  /// Rows, then columns: how an accumulator lies.
  AffineMap accumulatorMap() {
    SmallVector<unsigned> positions;
    for (unsigned dim = 0; dim < dims; ++dim)
      if (dim != rows)
        positions.push_back(dim);
    return map(positions);
  }

  /// `stateSizes` has the mixed sizes of every state component.
  SmallVector<Value> identity(ArrayRef<SmallVector<OpFoldResult>> stateSizes,
                              Type element) {
    SmallVector<Type> types;
    SmallVector<Value> extents;
    for (ArrayRef<OpFoldResult> sizes : stateSizes) {
      SmallVector<int64_t> shape;
      for (OpFoldResult size : sizes) {
        std::optional<int64_t> constant = getConstantIntValue(size);
        shape.push_back(constant.value_or(ShapedType::kDynamic));
        if (!constant)
          extents.push_back(cast<Value>(size));
      }
      types.push_back(RankedTensorType::get(shape, element));
    }
    return IdentityOp::create(builder, loc, types, algebra, extents)
        .getResults();
  }
  SmallVector<Value> update(ValueRange state, ValueRange inputs,
                            ArrayRef<AffineMap> maps, bool masked = false) {
    return UpdateOp::create(builder, loc, state.getTypes(), algebra, state,
                            inputs, builder.getAffineMapArrayAttr(maps), masked)
        .getResults();
  }
  Value finish(StringRef quantity, ValueRange state, ValueRange inputs,
               ArrayRef<AffineMap> maps, Type type) {
    return FinishOp::create(builder, loc, type, algebra, quantity, state,
                            inputs, builder.getAffineMapArrayAttr(maps));
  }
};

struct OnlinePass : mlir::smx::impl::OnlinePassBase<OnlinePass> {
  using OnlinePassBase::OnlinePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (exp == "auto" || exp == "exp" || exp == "exp2")
      return success();
    return emitError(UnknownLoc::get(context))
           << "unknown value '" << exp
           << "' of option 'exp', expected auto, exp or exp2";
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (auto softmax = dyn_cast<SoftmaxOp>(op))
        lowerRowOp(softmax, "softmax");
      else if (auto logSoftmax = dyn_cast<LogSoftmaxOp>(op))
        lowerRowOp(logSoftmax, "log_softmax");
      else if (auto logSumExp = dyn_cast<LogSumExpOp>(op))
        lowerRowOp(logSumExp, "logsumexp");
      else if (auto dot = dyn_cast<SoftmaxDotOp>(op))
        lowerSoftmaxDot(dot);
      else if (auto norm = dyn_cast<LayerNormOp>(op))
        lowerLayerNorm(norm);
      else if (auto attention = dyn_cast<AttentionOp>(op))
        lowerAttention(attention);
    }
  }

  SoftmaxAlgebraAttr algebraFor(bool prefersBase2, double scale,
                                MaskedRow maskedRow) {
    bool isBase2 = exp == "auto" ? prefersBase2 : exp == "exp2";
    return SoftmaxAlgebraAttr::get(
        &getContext(), isBase2 ? ExpBase::Exp2 : ExpBase::Exp,
        FloatAttr::get(Float64Type::get(&getContext()), scale), maskedRow);
  }

  /// What `body` makes of each score, with elements of type `element`.
  static Value
  mapScores(OpBuilder &builder, Location loc, Value scores, Type element,
            function_ref<Value(OpBuilder &, Location, Value)> body) {
    auto type = cast<RankedTensorType>(scores.getType());
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, scores), element);
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, empty.getType(), scores, empty,
               ArrayRef<AffineMap>{map, map}, iterators,
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 linalg::YieldOp::create(b, loc, body(b, loc, args[0]));
               })
        .getResult(0);
  }

  /// The scores as they are reduced; `scale` becomes its magnitude.
  static Value normalizedScores(OpBuilder &builder, Location loc, Value scores,
                                double &scale, Type result) {
    Type element = getElementTypeOrSelf(scores.getType());
    Type wanted = getElementTypeOrSelf(result);
    // How exact a weight has to be is decided by the type of its score: a
    // result with more bits than the scores has weights of as many.
    if (wanted.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth())
      scores = mapScores(builder, loc, scores, wanted,
                         [&](OpBuilder &b, Location loc, Value x) -> Value {
                           return arith::ExtFOp::create(b, loc, wanted, x);
                         });
    if (scale > 0)
      return scores;
    // Only a positive scale commutes with the maximum; -scores is exact.
    scale = -scale;
    return mapScores(builder, loc, scores,
                     getElementTypeOrSelf(scores.getType()),
                     [](OpBuilder &b, Location loc, Value x) -> Value {
                       return arith::NegFOp::create(b, loc, x);
                     });
  }

  template <typename OpT>
  void lowerRowOp(OpT op, StringRef quantity) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    double scale = op.getScale().convertToDouble();
    Value input = normalizedScores(builder, loc, op.getInput(), scale,
                                   op.getResult().getType());
    MaskedRow maskedRow = op.getMaskedRow().value_or(MaskedRow::NaN);
    lowerOverAxis(builder, op, input, op.getAxis(),
                  algebraFor(/*prefersBase2=*/false, scale, maskedRow),
                  quantity, /*stateCount=*/2);
  }

  void lowerLayerNorm(LayerNormOp op) {
    OpBuilder builder(op);
    auto algebra = MomentsAlgebraAttr::get(&getContext(), op.getEpsilonAttr());
    lowerOverAxis(builder, op, op.getInput(), op.getAxis(), algebra,
                  "normalized", /*stateCount=*/3);
  }

  /// A reduction of `input` over `axis` whose state components are one value
  /// per row.
  static void lowerOverAxis(OpBuilder &builder, Operation *op, Value input,
                            unsigned axis, StateAlgebraAttrInterface algebra,
                            StringRef quantity, unsigned stateCount) {
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(input.getType());
    unsigned rows = type.getRank() - 1;
    ReductionBuilder reduction{builder, loc, algebra, rows, rows + 1};
    SmallVector<unsigned> positions;
    SmallVector<OpFoldResult> rowSizes;
    for (unsigned dim = 0; dim <= rows; ++dim) {
      positions.push_back(dim == axis ? rows : rowSizes.size());
      if (dim != axis)
        rowSizes.push_back(getExtent(builder, loc, input, dim));
    }
    AffineMap all = reduction.map(positions), row = reduction.rowMap();
    SmallVector<Value> state = reduction.identity(
        SmallVector<SmallVector<OpFoldResult>>(stateCount, rowSizes),
        getAccumulatorType(type.getElementType()));
    SmallVector<AffineMap> maps(stateCount, row);
    maps.push_back(all);
    state = reduction.update(state, input, maps);
    bool isStreamed = algebra.getFinishInputCount(quantity) != 0;
    if (!isStreamed)
      maps.pop_back();
    maps.push_back(isStreamed ? all : row);
    Value result = reduction.finish(
        quantity, state, isStreamed ? ValueRange(input) : ValueRange(), maps,
        op->getResult(0).getType());
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

  void lowerSoftmaxDot(SoftmaxDotOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    double scale = op.getScale().convertToDouble();
    Value scores = normalizedScores(builder, loc, op.getScores(), scale,
                                    op.getResult().getType());
    MaskedRow maskedRow = op.getMaskedRow().value_or(MaskedRow::NaN);
    unsigned rows = cast<RankedTensorType>(scores.getType()).getRank() - 1;
    unsigned dims = cast<RankedTensorType>(op.getValues().getType()).getRank();
    ReductionBuilder reduction{
        builder, loc, algebraFor(/*prefersBase2=*/false, scale, maskedRow),
        rows, dims};
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq(0u, dims));
    lowerAverage(reduction, scores, op.getValues(),
                 reduction.map(ArrayRef(all).take_front(rows + 1)),
                 reduction.map(all), /*masked=*/false, op.getResult(), Value());
    op.erase();
  }

  void lowerAttention(AttentionOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    AttentionScores attention = buildAttentionScores(builder, op);
    unsigned rows = op.getNumBatchDims() + 1, dims = rows + 2;
    bool isDouble = op.getScoreType().isF64();
    ReductionBuilder reduction{builder, loc,
                               algebraFor(/*prefersBase2=*/!isDouble,
                                          attention.scale, MaskedRow::Zero),
                               rows, dims};
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq(0u, dims));
    SmallVector<AffineExpr> value = getKeyBatchExprs(op);
    value.append(
        {builder.getAffineDimExpr(rows), builder.getAffineDimExpr(rows + 1)});
    lowerAverage(reduction, attention.scores, op.getValue(),
                 reduction.map(ArrayRef(all).take_front(rows + 1)),
                 AffineMap::get(dims, 0, value, &getContext()),
                 attention.masked, op.getResult(), op.getLogSumExp());
    op.erase();
  }

  /// The weighted average of `values`, and the log-sum-exp of the scores where
  /// it is wanted.
  static void lowerAverage(ReductionBuilder &reduction, Value scores,
                           Value values, AffineMap scoreMap, AffineMap valueMap,
                           bool masked, Value result, Value logSumExp) {
    OpBuilder &builder = reduction.builder;
    Location loc = reduction.loc;
    SmallVector<OpFoldResult> rowSizes;
    for (unsigned row = 0; row < reduction.rows; ++row)
      rowSizes.push_back(getExtent(builder, loc, scores, row));
    SmallVector<OpFoldResult> accumulatorSizes = rowSizes;
    unsigned columns = reduction.dims - reduction.rows - 1;
    unsigned valueRank = cast<RankedTensorType>(values.getType()).getRank();
    for (unsigned column = 0; column < columns; ++column)
      accumulatorSizes.push_back(tensor::getMixedSize(
          builder, loc, values, valueRank - columns + column));
    Type element = getAccumulatorType(getElementTypeOrSelf(scores.getType()));
    SmallVector<Value> state =
        reduction.identity({rowSizes, rowSizes, accumulatorSizes}, element);
    AffineMap row = reduction.rowMap(), acc = reduction.accumulatorMap();
    state = reduction.update(state, {scores, values},
                             {row, row, acc, scoreMap, valueMap}, masked);
    result.replaceAllUsesWith(reduction.finish(
        "average", state, {}, {row, row, acc, acc}, result.getType()));
    if (logSumExp)
      logSumExp.replaceAllUsesWith(reduction.finish(
          "logsumexp", state, {}, {row, row, acc, row}, logSumExp.getType()));
  }
};
} // namespace
