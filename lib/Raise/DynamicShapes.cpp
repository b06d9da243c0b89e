//===- DynamicShapes.cpp - reshapes by computed sizes ---------------------===//
//
// With dynamic sizes front ends write `view` as `tensor.reshape` to sizes that
// they compute, and `expand` as a gather that asks of each size whether it
// is 1.
//
//===----------------------------------------------------------------------===//

#include "DynamicShapes.h"

#include "smx/IR/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

/// Groups of `fine` whose products are the sizes `coarse`.
static std::optional<SmallVector<ReassociationIndices>>
groupSizes(ArrayRef<Size> fine, ArrayRef<Size> coarse) {
  SmallVector<ReassociationIndices> groups;
  std::function<bool(size_t)> groupFrom = [&](size_t begin) {
    if (groups.size() == coarse.size())
      return begin == fine.size();
    const Size &wanted = coarse[groups.size()];
    Size product;
    for (size_t end = begin; end < fine.size(); ++end) {
      product = product * fine[end];
      if (!(product == wanted))
        continue;
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(begin, end + 1)));
      if (groupFrom(end + 1))
        return true;
      groups.pop_back();
    }
    return false;
  };
  if (!groupFrom(0))
    return std::nullopt;
  return groups;
}

static std::optional<SmallVector<Size>> getSizes(Value tensor) {
  SmallVector<Size> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto size = getSize(tensor, dim);
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

/// Replaces `op` by `result`, whose type may say more or less of its extents.
static void replaceByCast(RewriterBase &rewriter, tensor::ReshapeOp op,
                          Value result) {
  rewriter.replaceOp(op, rewriter.createOrFold<tensor::CastOp>(
                             op.getLoc(), op.getResult().getType(), result));
}

static void recoverCollapse(RewriterBase &rewriter, tensor::ReshapeOp op,
                            ArrayRef<Size> source, ArrayRef<Size> target) {
  auto groups = groupSizes(source, target);
  if (!groups)
    return;
  auto collapsed = tensor::CollapseShapeOp::inferCollapsedType(
      cast<RankedTensorType>(op.getSource().getType()), *groups);
  if (!tensor::CastOp::areCastCompatible(collapsed, op.getResult().getType()))
    return;
  replaceByCast(rewriter, op,
                tensor::CollapseShapeOp::create(
                    rewriter, op.getLoc(), collapsed, op.getSource(), *groups));
}

/// The product of `extents`, of which some may be open.
static int64_t productOf(ArrayRef<int64_t> extents) {
  return ShapedType::isDynamicShape(extents)
             ? ShapedType::kDynamic
             : ShapedType::getNumElements(extents);
}

/// `shape` has the sizes `target`.
static void recoverExpand(RewriterBase &rewriter, tensor::ReshapeOp op,
                          tensor::FromElementsOp shape, ArrayRef<Size> source,
                          ArrayRef<Size> target) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  auto groups = groupSizes(target, source);
  if (!groups || type.getRank() == sourceType.getRank())
    return;
  // Each size is as static as what computes it, and the sizes of the source as
  // what they are split into; the types of the reshape may say less, or more.
  SmallVector<int64_t> expanded, split;
  for (const Size &size : target)
    expanded.push_back(size.symbols.empty() ? size.factor
                                            : ShapedType::kDynamic);
  for (const ReassociationIndices &group : *groups)
    split.push_back(
        productOf(ArrayRef(expanded).slice(group.front(), group.size())));
  RankedTensorType expandedType = type.clone(expanded),
                   splitType = sourceType.clone(split);
  if (!tensor::CastOp::areCastCompatible(expandedType, type) ||
      !tensor::CastOp::areCastCompatible(sourceType, splitType))
    return;
  SmallVector<OpFoldResult> outputShape;
  for (auto [extent, element] : llvm::zip_equal(expanded, shape.getElements()))
    if (!ShapedType::isDynamic(extent))
      outputShape.push_back(rewriter.getIndexAttr(extent));
    else
      outputShape.push_back(IndexMath{rewriter, op.getLoc()}.asIndex(element));
  replaceByCast(
      rewriter, op,
      tensor::ExpandShapeOp::create(rewriter, op.getLoc(), expandedType,
                                    rewriter.createOrFold<tensor::CastOp>(
                                        op.getLoc(), splitType, op.getSource()),
                                    *groups, outputShape));
}

/// Makes a reshape to sizes that are products of those of its source, or the
/// other way round, one with groups of dimensions.
static void recoverReshape(RewriterBase &rewriter, tensor::ReshapeOp op) {
  auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
  auto sourceType = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!shape || !type || !sourceType)
    return;
  std::optional<SmallVector<Size>> source = getSizes(op.getSource());
  SmallVector<Size> target;
  for (Value element : shape.getElements()) {
    auto size = getSize(element);
    if (!size)
      return;
    target.push_back(*size);
  }
  if (!source)
    return;
  rewriter.setInsertionPoint(op);
  if (type.getRank() < sourceType.getRank())
    recoverCollapse(rewriter, op, *source, target);
  else
    recoverExpand(rewriter, op, shape, *source, target);
}

/// The loop that `index` runs along. `size == 1 ? 0 : loop` is the loop where
/// `size` is how far the loop runs: it is 0 then anyway.
static std::optional<int64_t> getLoop(Value index, ArrayRef<Size> loopSizes) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return loop.getDim();
  auto select = index.getDefiningOp<arith::SelectOp>();
  auto loop = select ? select.getFalseValue().getDefiningOp<linalg::IndexOp>()
                     : linalg::IndexOp();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  if (!loop || !compare || !matchPattern(select.getTrueValue(), m_Zero()) ||
      compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_One()))
    return std::nullopt;
  auto size = getSize(compare.getLhs());
  if (!size || !(*size == loopSizes[loop.getDim()]))
    return std::nullopt;
  return loop.getDim();
}

/// Drops a gather of every element of a tensor of the same sizes.
static void dropFullGather(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumDpsInputs() != 0 ||
      op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return;
  auto extract = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract.getTensor().getType() != op->getResult(0).getType())
    return;
  auto loopSizes = getSizes(op->getResult(0));
  auto sourceSizes = getSizes(extract.getTensor());
  if (!loopSizes || !sourceSizes)
    return;
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    bool isOnlyElement =
        matchPattern(index, m_Zero()) && (*sourceSizes)[dim].isOne();
    if (!((*sourceSizes)[dim] == (*loopSizes)[dim]) ||
        (!isOnlyElement && getLoop(index, *loopSizes) != (int64_t)dim))
      return;
  }
  rewriter.replaceOp(op, extract.getTensor());
}

/// True if `condition` compares sizes and always holds.
static bool alwaysHolds(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  auto lhs = getSize(compare.getLhs()), rhs = getSize(compare.getRhs());
  if (!lhs || !rhs)
    return false;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return *lhs == *rhs;
  case arith::CmpIPredicate::sge:
    return *lhs == *rhs || *rhs == Size{0, {}};
  case arith::CmpIPredicate::sle:
    return *lhs == *rhs;
  default:
    return false;
  }
}

void mlir::smx::recoverReshapes(RewriterBase &rewriter, Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<tensor::ReshapeOp, linalg::GenericOp>(op) ||
        (isa<cf::AssertOp>(op) && !op->getParentOfType<linalg::LinalgOp>()))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      recoverReshape(rewriter, reshape);
    else if (auto generic = dyn_cast<linalg::GenericOp>(op))
      dropFullGather(rewriter, generic);
    else if (alwaysHolds(cast<cf::AssertOp>(op).getArg()))
      rewriter.eraseOp(op);
  }
}
