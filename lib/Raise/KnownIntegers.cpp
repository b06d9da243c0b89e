//===- KnownIntegers.cpp - sizes that are computed in tensors -------------===//
//
// Shapes are tensors in ONNX: those that a model repeats or reshapes by are put
// together from constants, by concatenation, slices and elementwise ops, and
// extracted one by one. Seen from one element that is arithmetic on constants.
//
//===----------------------------------------------------------------------===//

#include "KnownIntegers.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx;

using Places = SmallVector<int64_t, 4>;

static Attribute elementOf(Value tensor, const Places &at);

static Attribute constantOf(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) ? constant : Attribute();
}

/// Of a tensor of other dimensions, with the elements in the same order.
static Attribute elementOfReshaped(Value source, RankedTensorType type,
                                   const Places &at) {
  auto from = cast<RankedTensorType>(source.getType());
  if (!from.hasStaticShape() || !type.hasStaticShape())
    return {};
  int64_t number = linearize(at, computeStrides(type.getShape()));
  return elementOf(
      source, Places(delinearize(number, computeStrides(from.getShape()))));
}

static Attribute elementOfSlice(tensor::ExtractSliceOp slice,
                                const Places &at) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  Places from;
  const int64_t *kept = at.begin();
  for (auto [dim, offset, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
    std::optional<int64_t> begin = getConstantIntValue(offset),
                           step = getConstantIntValue(stride);
    if (!begin || !step)
      return {};
    from.push_back(dropped.test(dim) ? *begin : *begin + *kept++ * *step);
  }
  return elementOf(slice.getSource(), from);
}

static Attribute elementOfConcat(tensor::ConcatOp concat, Places at) {
  int64_t &place = at[concat.getDim()];
  for (Value input : concat.getInputs()) {
    int64_t extent =
        cast<RankedTensorType>(input.getType()).getDimSize(concat.getDim());
    if (ShapedType::isDynamic(extent))
      return {};
    if (place < extent)
      return elementOf(input, at);
    place -= extent;
  }
  return {};
}

/// What the body of an elementwise op yields for one element.
static Attribute elementOfGeneric(linalg::GenericOp op, unsigned result,
                                  const Places &at) {
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(result)).isIdentity())
    return {};
  DenseMap<Value, Attribute> known;
  auto valueOf = [&](Value value) {
    auto found = known.find(value);
    return found != known.end() ? found->second : constantOf(value);
  };
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!argument.use_empty() && isa<RankedTensorType>(input->get().getType()))
      known[argument] = elementOf(
          input->get(), Places(op.getMatchingIndexingMap(input).compose(at)));
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      known[index] = IntegerAttr::get(index.getType(), at[index.getDim()]);
      continue;
    }
    auto operands = llvm::map_to_vector(inner.getOperands(), valueOf);
    SmallVector<OpFoldResult> folded;
    if (inner.getNumResults() != 1 || inner.getNumRegions() != 0 ||
        !llvm::all_of(operands, [](Attribute each) { return bool(each); }) ||
        failed(inner.fold(operands, folded)) || folded.size() != 1)
      continue;
    auto value = dyn_cast<Value>(folded[0]);
    known[inner.getResult(0)] =
        value ? valueOf(value) : cast<Attribute>(folded[0]);
  }
  return valueOf(op.getBody()->getTerminator()->getOperand(result));
}

/// The element of `tensor` at `at`, if it is the same whatever the inputs are;
/// else null.
static Attribute elementOf(Value tensor, const Places &at) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {};
  // Beyond the end nothing is known; the reader is undefined there.
  for (auto [place, extent] : llvm::zip_equal(at, type.getShape()))
    if (place < 0 || (!ShapedType::isDynamic(extent) && place >= extent))
      return {};
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(constantOf(tensor)))
    return constant
        .getValues<Attribute>()[SmallVector<uint64_t>(at.begin(), at.end())];
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case(
          [&](tensor::CastOp cast) { return elementOf(cast.getSource(), at); })
      .Case([&](tensor::ExtractSliceOp slice) {
        return elementOfSlice(slice, at);
      })
      .Case(
          [&](tensor::ConcatOp concat) { return elementOfConcat(concat, at); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto reshape) {
        return elementOfReshaped(reshape.getSrc(), type, at);
      })
      .Case([&](tensor::FromElementsOp from) {
        return constantOf(
            from.getElements()[linearize(at, computeStrides(type.getShape()))]);
      })
      .Case(
          [&](linalg::FillOp fill) { return constantOf(fill.getInputs()[0]); })
      .Case([&](linalg::GenericOp generic) {
        return elementOfGeneric(generic,
                                cast<OpResult>(tensor).getResultNumber(), at);
      })
      .Default([](Operation *) { return Attribute(); });
}

static Attribute knownResult(tensor::ExtractOp extract) {
  Places at;
  for (Value index : extract.getIndices()) {
    std::optional<int64_t> place = getConstantIntValue(index);
    if (!place)
      return {};
    at.push_back(*place);
  }
  return elementOf(extract.getTensor(), at);
}

/// A shape to reshape by, all of which is known, is put together from
/// constants.
static void nameShape(RewriterBase &rewriter, tensor::ReshapeOp op) {
  auto type = cast<RankedTensorType>(op.getShape().getType());
  if (!type.hasStaticShape() ||
      op.getShape().getDefiningOp<tensor::FromElementsOp>())
    return;
  SmallVector<Value> sizes;
  rewriter.setInsertionPoint(op);
  for (int64_t place : llvm::seq(type.getNumElements())) {
    auto size =
        dyn_cast_or_null<IntegerAttr>(elementOf(op.getShape(), {place}));
    if (!size)
      return;
    sizes.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), size));
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.getShapeMutable().assign(
        tensor::FromElementsOp::create(rewriter, op.getLoc(), type, sizes));
  });
}

/// Types say of the results of `ops`, and of what is computed from these, what
/// sizes that have become constants say.
static void narrowTypes(MLIRContext *context, ArrayRef<Operation *> ops) {
  ForwardSliceOptions options;
  options.inclusive = true;
  llvm::SetVector<Operation *> slice;
  for (Operation *op : ops)
    getForwardSlice(op, &slice, options);
  slice.remove_if([](Operation *op) {
    return !isa<tensor::TensorDialect, linalg::LinalgDialect>(op->getDialect());
  });
  RewritePatternSet patterns(context);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
  context->getLoadedDialect<tensor::TensorDialect>()
      ->getCanonicalizationPatterns(patterns);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  // What does not settle is right all the same.
  (void)applyOpPatternsGreedily(
      slice.getArrayRef(), std::move(patterns),
      GreedyRewriteConfig().setStrictness(
          GreedyRewriteStrictness::ExistingAndNewOps));
}

void mlir::smx::foldKnownIntegers(RewriterBase &rewriter, Operation *root) {
  SmallVector<tensor::ExtractOp> extracts;
  SmallVector<tensor::ReshapeOp> reshapes;
  root->walk([&](Operation *op) {
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      reshapes.push_back(reshape);
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (extract && extract.getType().isIntOrIndex())
      extracts.push_back(extract);
  });
  for (tensor::ReshapeOp reshape : reshapes)
    nameShape(rewriter, reshape);
  SetVector<Operation *> users;
  auto replace = [&](Operation *op, ValueRange values) {
    users.remove(op);
    users.insert_range(op->getUsers());
    rewriter.replaceOp(op, values);
  };
  for (tensor::ExtractOp extract : extracts)
    if (auto known = dyn_cast_or_null<IntegerAttr>(knownResult(extract))) {
      rewriter.setInsertionPoint(extract);
      replace(extract,
              arith::ConstantOp::create(rewriter, extract.getLoc(), known)
                  .getResult());
    }
  SmallVector<Operation *> sized;
  while (!users.empty()) {
    Operation *op = users.pop_back_val();
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      if (matchPattern(assertion.getArg(), m_One()))
        rewriter.eraseOp(op);
      continue;
    }
    SmallVector<Value> results;
    rewriter.setInsertionPoint(op);
    if (isa<arith::ArithDialect>(op->getDialect()) &&
        succeeded(rewriter.tryFold(op, results)) && !results.empty())
      replace(op, results);
    else if (isa<tensor::TensorDialect>(op->getDialect()))
      sized.push_back(op);
  }
  narrowTypes(rewriter.getContext(), sized);
}
