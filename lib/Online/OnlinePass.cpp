//===- OnlinePass.cpp - specification ops become states -------------------===//
//
// The domain of a reduction is (rows..., stream); values add column dimensions
// at the end.
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"
#include "CrossEntropy.h"
#include "TopK.h"
#include "smx/Online/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::smx {
#define GEN_PASS_DEF_ONLINEPASS
#include "smx/Online/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {

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
        lowerNorm<MomentsAlgebraAttr>(norm);
      else if (auto norm = dyn_cast<RmsNormOp>(op))
        lowerNorm<MeanSquareAlgebraAttr>(norm);
      else if (auto top = dyn_cast<TopKSoftmaxOp>(op))
        lowerTopK(top);
      else if (auto loss = dyn_cast<CrossEntropyOp>(op))
        lowerCrossEntropy(loss);
      else if (auto gradient = dyn_cast<CrossEntropyBackwardOp>(op))
        buildCrossEntropyBackward(gradient);
      else if (auto gradient = dyn_cast<SoftmaxBackwardOp>(op))
        lowerBackward(gradient, Gradient::Softmax);
      else if (auto gradient = dyn_cast<LogSoftmaxBackwardOp>(op))
        lowerBackward(gradient, Gradient::LogSoftmax);
      else if (auto attention = dyn_cast<AttentionOp>(op))
        lowerAttention(attention);
    }
  }

  FloatAttr doubleAttr(const APFloat &value) {
    return FloatAttr::get(Float64Type::get(&getContext()), value);
  }

  SoftmaxAlgebraAttr algebraFor(bool prefersBase2, double scale,
                                MaskedRow maskedRow) {
    bool isBase2 = exp == "auto" ? prefersBase2 : exp == "exp2";
    return SoftmaxAlgebraAttr::get(
        &getContext(), isBase2 ? ExpBase::Exp2 : ExpBase::Exp,
        FloatAttr::get(Float64Type::get(&getContext()), scale), maskedRow);
  }

  template <typename OpT>
  void lowerRowOp(OpT op, StringRef quantity) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    double scale = op.getScale().convertToDouble();
    Value input = normalizedScores(builder, loc, op.getInput(), scale,
                                   getElementTypeOrSelf(op.getResult()));
    MaskedRow maskedRow = op.getMaskedRow().value_or(MaskedRow::NaN);
    lowerOverAxis(builder, op, input, op.getAxis(),
                  algebraFor(/*prefersBase2=*/false, scale, maskedRow),
                  quantity);
  }

  template <typename AlgebraT, typename OpT>
  void lowerNorm(OpT op) {
    OpBuilder builder(op);
    auto algebra = AlgebraT::get(&getContext(), op.getEpsilonAttr());
    Value input = widened(builder, op.getLoc(), op.getInput(), op.getType());
    lowerOverAxis(builder, op, input, op.getAxis(), algebra, "normalized");
  }

  /// A reduction of `input` over `axis` whose state components are one value
  /// per row.
  static void lowerOverAxis(OpBuilder &builder, Operation *op, Value input,
                            unsigned axis, StateAlgebraAttrInterface algebra,
                            StringRef quantity) {
    OnlineReduction rows(builder, op->getLoc(), algebra, input, axis);
    bool isStreamed = algebra.getFinishInputCount(quantity) != 0;
    op->getResult(0).replaceAllUsesWith(
        rows.finish(quantity, isStreamed ? ValueRange(input) : ValueRange(),
                    op->getResult(0).getType()));
    op->erase();
  }

  template <typename OpT>
  void lowerBackward(OpT op, Gradient of) {
    OpBuilder builder(op);
    auto algebra =
        GradientAlgebraAttr::get(&getContext(), of, doubleAttr(op.getScale()));
    SmallVector<Type> types(op->getOperandTypes());
    types.push_back(op.getType());
    SmallVector<Value> both{
        widened(builder, op.getLoc(), op.getOutput(), types),
        widened(builder, op.getLoc(), op.getGradient(), types)};
    OnlineReduction rows(builder, op.getLoc(), algebra,
                         ValueRange(both).take_back(algebra.getInputCount(1)),
                         op.getAxis());
    op.getResult().replaceAllUsesWith(
        rows.finish("gradient", both, op.getResult().getType()));
    op.erase();
  }

  void lowerTopK(TopKSoftmaxOp op) {
    OpBuilder builder(op);
    double scale = std::abs(op.getScale().convertToDouble());
    buildTopK(builder, op,
              TopKAlgebraAttr::get(
                  &getContext(),
                  algebraFor(/*prefersBase2=*/false, scale, MaskedRow::NaN),
                  op.getK()),
              shortSums);
  }

  void lowerCrossEntropy(CrossEntropyOp op) {
    OpBuilder builder(op);
    double scale = op.getScale().convertToDouble();
    buildCrossEntropy(
        builder, op,
        CrossEntropyAlgebraAttr::get(
            &getContext(),
            algebraFor(/*prefersBase2=*/false, std::abs(scale), MaskedRow::NaN),
            doubleAttr(op.getSmoothing())));
  }

  void lowerSoftmaxDot(SoftmaxDotOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    double scale = op.getScale().convertToDouble();
    Value scores = normalizedScores(builder, loc, op.getScores(), scale,
                                    getElementTypeOrSelf(op.getResult()));
    MaskedRow maskedRow = op.getMaskedRow().value_or(MaskedRow::NaN);
    unsigned rows = cast<RankedTensorType>(scores.getType()).getRank() - 1;
    unsigned dims = cast<RankedTensorType>(op.getValues().getType()).getRank();
    ReductionBuilder reduction{
        builder, loc, algebraFor(/*prefersBase2=*/false, scale, maskedRow),
        rows, dims};
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq(0u, dims));
    lowerAverage(reduction, scores, op.getValues(),
                 reduction.map(ArrayRef(all).take_front(rows + 1)),
                 reduction.map(all), /*masked=*/false, op.getResult(), Value(),
                 /*sinks=*/Value());
    op.erase();
  }

  /// Operands of 8 bits become those of the type that is multiplied: of
  /// queries with 16 bits, or f16, which has all their numbers as well.
  static void widenOperands(OpBuilder &builder, AttentionOp op) {
    auto isNarrow = [](Value tensor) {
      return isa<Float8E4M3FNType>(getElementTypeOrSelf(tensor.getType()));
    };
    Type wide = isNarrow(op.getQuery())
                    ? builder.getF16Type()
                    : getElementTypeOrSelf(op.getQuery().getType());
    Location loc = NameLoc::get(builder.getStringAttr("widen"), op.getLoc());
    for (OpOperand *operand :
         {&op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable()})
      if (isNarrow(operand->get()))
        operand->set(extended(builder, loc, operand->get(), wide));
  }

  void lowerAttention(AttentionOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    widenOperands(builder, op);
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
                 attention.masked, op.getResult(), op.getLogSumExp(),
                 op.getSinks());
    op.erase();
  }

  /// The weighted average of `values`, and the log-sum-exp of the scores where
  /// it is wanted. `sinks`, if any, are one more score for each element of the
  /// last dimension in front of the rows.
  static void lowerAverage(ReductionBuilder &reduction, Value scores,
                           Value values, AffineMap scoreMap, AffineMap valueMap,
                           bool masked, Value result, Value logSumExp,
                           Value sinks) {
    OpBuilder &builder = reduction.builder;
    Location loc = reduction.loc;
    SmallVector<OpFoldResult> rowSizes;
    for (unsigned row = 0; row < reduction.rows; ++row)
      rowSizes.push_back(getExtent(builder, loc, scores, row));
    SmallVector<OpFoldResult> accumulatorSizes = rowSizes;
    unsigned columns = reduction.dims - reduction.rows - 1;
    unsigned valueRank = cast<RankedTensorType>(values.getType()).getRank();
    for (unsigned column = 0; column < columns; ++column)
      accumulatorSizes.push_back(
          getExtent(builder, loc, values, valueRank - columns + column));
    Type element = getAccumulatorType(getElementTypeOrSelf(scores.getType()));
    SmallVector<Value> state = reduction.identity(
        {rowSizes, rowSizes, accumulatorSizes}, SmallVector<Type>(3, element));
    AffineMap row = reduction.rowMap(), acc = reduction.accumulatorMap();
    state = reduction.update(state, {scores, values},
                             {row, row, acc, scoreMap, valueMap}, masked);
    auto finish = [&](StringRef quantity, AffineMap map, Value old) {
      SmallVector<AffineMap> maps{row, row, acc};
      if (sinks)
        maps.push_back(reduction.map({reduction.rows - 2}));
      maps.push_back(map);
      old.replaceAllUsesWith(reduction.finish(
          sinks ? (quantity + "_with_sink").str() : quantity.str(), state,
          sinks ? ValueRange(sinks) : ValueRange(), maps, old.getType()));
    };
    finish("average", acc, result);
    if (logSumExp)
      finish("logsumexp", row, logSumExp);
  }
};
} // namespace
