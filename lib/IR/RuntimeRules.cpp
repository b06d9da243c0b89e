//===- RuntimeRules.cpp - rules of open extents, as assertions ------------===//
//
// What a verifier can not say of an open extent, a call has to satisfy. The
// rule numbers are those of the td descriptions; what the types decide leaves
// nothing behind.
//
//===----------------------------------------------------------------------===//

#include "SpecRules.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

using MessageMaker = function_ref<std::string(Operation *, StringRef)>;

namespace {
/// An extent, and how errors call it.
struct NamedExtent {
  OpFoldResult extent;
  std::string name;
};

/// Builds the assertions of one op.
class RuntimeRules {
public:
  RuntimeRules(Operation *op, OpBuilder &builder, Location loc,
               MessageMaker makeMessage)
      : op(op), builder(builder), loc(loc), makeMessage(makeMessage) {}

  NamedExtent extentOf(StringRef name, Value tensor, int64_t dim) {
    return {tensor::getMixedSize(builder, loc, tensor, dim),
            ("dimension " + Twine(dim) + " of " + name).str()};
  }

  void requireSame(const NamedExtent &a, const NamedExtent &b) {
    require(arith::CmpIPredicate::eq, a.extent, b.extent,
            "expected " + a.name + " and " + b.name + " to be the same");
  }
  void requireAtLeast(const NamedExtent &a, const NamedExtent &b) {
    require(arith::CmpIPredicate::uge, a.extent, b.extent,
            "expected " + a.name + " to be at least " + b.name);
  }

  /// The number of blocks of `step` that an extent has.
  NamedExtent blocksOf(const NamedExtent &extent, int64_t step) {
    if (step == 1)
      return extent;
    AffineExpr blocks = builder.getAffineDimExpr(0).ceilDiv(step);
    return {affine::makeComposedFoldedAffineApply(builder, loc, blocks,
                                                  {extent.extent}),
            "the blocks of " + std::to_string(step) + " in " + extent.name};
  }

  /// All of `tensor` is as long as what `extents` name.
  void requireShape(StringRef name, Value tensor,
                    ArrayRef<NamedExtent> extents) {
    for (auto [d, extent] : llvm::enumerate(extents))
      requireSame(extentOf(name, tensor, d), extent);
  }

  SmallVector<NamedExtent> shapeOf(StringRef name, Value tensor) {
    SmallVector<NamedExtent> extents;
    for (int64_t d : llvm::seq(cast<ShapedType>(tensor.getType()).getRank()))
      extents.push_back(extentOf(name, tensor, d));
    return extents;
  }

  /// Static extents of results are those that the operands give.
  void requireResults() {
    ReifiedRankedShapedTypeDims shapes;
    if (failed(cast<ReifyRankedShapedTypeOpInterface>(op).reifyResultShapes(
            builder, shapes)))
      return;
    for (auto [result, shape] : llvm::zip(op->getResults(), shapes))
      for (auto [d, extent] : llvm::enumerate(shape)) {
        int64_t size = smx::shapeOf(result)[d];
        if (!ShapedType::isDynamic(size))
          require(arith::CmpIPredicate::eq, extent, builder.getIndexAttr(size),
                  "expected operands that give dimension " + Twine(d) +
                      " of the result, " + Twine(size));
      }
  }

private:
  void require(arith::CmpIPredicate predicate, OpFoldResult a, OpFoldResult b,
               const Twine &message) {
    if (isEqualConstantIntOrValue(a, b))
      return;
    Value holds = builder.createOrFold<arith::CmpIOp>(
        loc, predicate, getValueOrCreateConstantIndexOp(builder, loc, a),
        getValueOrCreateConstantIndexOp(builder, loc, b));
    if (!matchPattern(holds, m_One()))
      cf::AssertOp::create(builder, loc, holds, makeMessage(op, message.str()));
  }

  Operation *op;
  OpBuilder &builder;
  Location loc;
  MessageMaker makeMessage;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// For ops that have no rules but those of their results.
static void requireResults(Operation *op, OpBuilder &builder, Location loc,
                           MessageMaker makeMessage) {
  RuntimeRules(op, builder, loc, makeMessage).requireResults();
}

void SoftmaxOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                            MessageMaker makeMessage) {
  requireResults(*this, builder, loc, makeMessage); // R3
}
void LogSoftmaxOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                               MessageMaker makeMessage) {
  requireResults(*this, builder, loc, makeMessage); // R3
}
void LogSumExpOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                              MessageMaker makeMessage) {
  requireResults(*this, builder, loc, makeMessage); // R5
}
void LayerNormOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                              MessageMaker makeMessage) {
  requireResults(*this, builder, loc, makeMessage); // R3
}
void RmsNormOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                            MessageMaker makeMessage) {
  requireResults(*this, builder, loc, makeMessage); // R3
}

void TopKSoftmaxOp::generateRuntimeVerification(OpBuilder &builder,
                                                Location loc,
                                                MessageMaker makeMessage) {
  RuntimeRules rules(*this, builder, loc, makeMessage);
  rules.requireAtLeast({builder.getIndexAttr(mostPlaces), // T2
                        "the limit, " + std::to_string(mostPlaces) + ","},
                       rules.extentOf("the input", getInput(), getAxis()));
  rules.requireResults(); // T3, T4
}

void SoftmaxDotOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                               MessageMaker makeMessage) {
  RuntimeRules rules(*this, builder, loc, makeMessage);
  rules.requireShape("the values", getValues(), // D2
                     rules.shapeOf("the scores", getScores()));
  rules.requireResults(); // D3
}

/// C1, C2 and C5.
template <typename OpT>
static void requireTargets(OpT op, RuntimeRules rules,
                           ArrayRef<std::pair<StringRef, Value>> alike) {
  SmallVector<NamedExtent> rows = rules.shapeOf("the logits", op.getInput());
  rows.erase(rows.begin() + op.getAxis());
  for (auto [name, tensor] : alike)
    rules.requireShape(name, tensor, rows);
  rules.requireResults();
}

void CrossEntropyOp::generateRuntimeVerification(OpBuilder &builder,
                                                 Location loc,
                                                 MessageMaker makeMessage) {
  requireTargets(*this, {*this, builder, loc, makeMessage},
                 {{"the targets", getTargets()}});
}

void CrossEntropyBackwardOp::generateRuntimeVerification(
    OpBuilder &builder, Location loc, MessageMaker makeMessage) {
  requireTargets(*this, {*this, builder, loc, makeMessage},
                 {{"the targets", getTargets()},
                  {"the log-sum-exp", getLogSumExp()},
                  {"the gradient", getGradient()}});
}

template <typename OpT>
static void requireRowBackward(OpT op, RuntimeRules rules) {
  rules.requireShape("the gradient", op.getGradient(), // G1
                     rules.shapeOf("the forward result", op.getOutput()));
  rules.requireResults();
}

void SoftmaxBackwardOp::generateRuntimeVerification(OpBuilder &builder,
                                                    Location loc,
                                                    MessageMaker makeMessage) {
  requireRowBackward(*this, {*this, builder, loc, makeMessage});
}

void LogSoftmaxBackwardOp::generateRuntimeVerification(
    OpBuilder &builder, Location loc, MessageMaker makeMessage) {
  requireRowBackward(*this, {*this, builder, loc, makeMessage});
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// A9: what the mask reads is there for all scores. An extent that is 1 by its
/// type is the same for all.
static void requireMaskData(AttentionOp op, RuntimeRules &rules,
                            ArrayRef<NamedExtent> scores) {
  if (!op.getMask())
    return;
  size_t batchDims = op.getNumBatchDims();
  for (auto [number, steps, tensor] :
       llvm::enumerate(op.getMask()->getDataSteps(), op.getMaskData())) {
    std::string name = ("mask tensor " + Twine(number)).str();
    ArrayRef<int64_t> shape = shapeOf(tensor);
    for (size_t d = 0, leading = shape.size() - steps.count(); d < leading; ++d)
      if (shape[d] != 1)
        rules.requireSame(rules.extentOf(name, tensor, d), scores[d]);
    int64_t dim = shape.size() - steps.count();
    if (steps.rows != 0)
      rules.requireSame(rules.extentOf(name, tensor, dim++),
                        rules.blocksOf(scores[batchDims], steps.rows));
    if (steps.keys != 0)
      rules.requireSame(rules.extentOf(name, tensor, dim),
                        rules.blocksOf(scores[batchDims + 1], steps.keys));
  }
}

/// A captured tensor that is read at a position has all positions. Left out
/// are places that are computed, and reads that a branch need not reach.
static void requireCaptured(Region &region, RuntimeRules &rules,
                            ArrayRef<NamedExtent> scores) {
  if (region.empty())
    return;
  for (auto extract : region.front().getOps<tensor::ExtractOp>()) {
    Value tensor = extract.getTensor();
    if (region.isAncestor(tensor.getParentRegion()))
      continue;
    for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
      auto position = dyn_cast<BlockArgument>(index);
      if (!position || position.getParentRegion() != &region)
        continue;
      // The score, if there is one, is in front of the position.
      unsigned dim =
          position.getArgNumber() + scores.size() - region.getNumArguments();
      rules.requireAtLeast(rules.extentOf("a tensor that is read", tensor, d),
                           scores[dim]);
    }
  }
}

void AttentionOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                              MessageMaker makeMessage) {
  RuntimeRules rules(*this, builder, loc, makeMessage);
  SmallVector<NamedExtent> queries = rules.shapeOf("the queries", getQuery()),
                           keys = rules.shapeOf("the keys", getKey()),
                           values = rules.shapeOf("the values", getValue());
  size_t batchDims = getNumBatchDims();
  rules.requireSame(queries.back(), keys.back()); // A2
  for (const NamedExtent &headDim : {keys.back(), values.back()})
    rules.requireAtLeast(headDim, {builder.getIndexAttr(1), "1"});
  for (size_t d = 0; d <= batchDims; ++d) // A3
    rules.requireSame(keys[d], values[d]);
  for (size_t d = 0; d < batchDims; ++d) // A4
    if (d + 1 < batchDims || getGroupSize() == 1)
      rules.requireSame(queries[d], keys[d]);
  if (Value sinks = getSinks()) // A10
    rules.requireSame(rules.extentOf("the sinks", sinks, 0),
                      queries[batchDims - 1]);
  rules.requireResults(); // A5, A6

  SmallVector<NamedExtent> scores(ArrayRef(queries).drop_back());
  scores.push_back(keys[batchDims]);
  requireMaskData(*this, rules, scores);
  requireCaptured(getScore(), rules, scores);
  requireCaptured(getVisible(), rules, scores);
}

void PagedOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                          MessageMaker makeMessage) {
  RuntimeRules rules(*this, builder, loc, makeMessage);
  rules.requireSame(rules.extentOf("the lengths", getLengths(), 0), // B2
                    rules.extentOf("the table", getTable(), 0));
  rules.requireResults(); // B3
}
