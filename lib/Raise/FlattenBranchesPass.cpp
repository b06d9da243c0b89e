//===- FlattenBranchesPass.cpp - branches in bodies become selects --------===//

#include "smx/Raise/Passes.h"

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::smx {
#define GEN_PASS_DEF_FLATTENBRANCHESPASS
#include "smx/Raise/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// True if `index` is below `extent` whichever branch is taken.
static bool isAlwaysBelow(Value index, int64_t extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant >= 0 && *constant < extent;
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  auto op = loop ? dyn_cast<linalg::LinalgOp>(loop->getParentOp())
                 : linalg::LinalgOp();
  if (!op)
    return false;
  int64_t range = op.getStaticLoopRanges()[loop.getDim()];
  return !ShapedType::isDynamic(range) && range <= extent;
}

/// True if all of a branch can be executed where it is not taken: elements are
/// read at a place that is there then.
static bool canAlwaysRun(Block &branch) {
  return llvm::all_of(branch.without_terminator(), [](Operation &op) {
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    return extract ? extract.getTensor().getType().hasStaticShape()
                   : op.getNumRegions() == 0 && isPure(&op);
  });
}

/// Has `extract`, of the branch that is taken where `condition` is `isThen`,
/// read a place that is there in any case.
static void readInside(OpBuilder &builder, tensor::ExtractOp extract,
                       Value condition, bool isThen) {
  Location loc = extract.getLoc();
  RankedTensorType type = extract.getTensor().getType();
  builder.setInsertionPoint(extract);
  if (type.getNumElements() == 0) {
    // Nothing is there: the branch is never taken.
    Value any = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    extract.replaceAllUsesWith(any);
    extract.erase();
    return;
  }
  Value first;
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    Value index = extract.getIndices()[d];
    if (isAlwaysBelow(index, extent))
      continue;
    if (!first)
      first = arith::ConstantIndexOp::create(builder, loc, 0);
    extract.getIndicesMutable()[d].set(
        isThen
            ? arith::SelectOp::create(builder, loc, condition, index, first)
            : arith::SelectOp::create(builder, loc, condition, first, index));
  }
}

static void flatten(scf::IfOp branches) {
  OpBuilder builder(branches);
  Value condition = branches.getCondition();
  for (Region *region : {&branches.getThenRegion(), &branches.getElseRegion()})
    for (Operation &op :
         llvm::make_early_inc_range(region->front().without_terminator())) {
      op.moveBefore(branches);
      if (auto extract = dyn_cast<tensor::ExtractOp>(op))
        readInside(builder, extract, condition,
                   region == &branches.getThenRegion());
    }
  builder.setInsertionPoint(branches);
  for (auto [result, yes, no] :
       llvm::zip(branches.getResults(), branches.thenYield().getOperands(),
                 branches.elseYield().getOperands()))
    result.replaceAllUsesWith(arith::SelectOp::create(
        builder, branches.getLoc(), condition, yes, no));
  branches.erase();
}

namespace {
struct FlattenBranchesPass
    : mlir::smx::impl::FlattenBranchesPassBase<FlattenBranchesPass> {
  using FlattenBranchesPassBase::FlattenBranchesPassBase;

  void runOnOperation() override {
    // Inner ones first.
    SmallVector<scf::IfOp> found;
    getOperation().walk([&](scf::IfOp branches) {
      if (isa<linalg::LinalgOp, AttentionOp>(branches->getParentOp()) ||
          branches->getParentOfType<scf::IfOp>())
        found.push_back(branches);
    });
    for (scf::IfOp branches : found) {
      bool isInBody = branches->getParentOfType<linalg::LinalgOp>() ||
                      branches->getParentOfType<AttentionOp>();
      if (isInBody && branches.getNumResults() != 0 &&
          canAlwaysRun(branches.getThenRegion().front()) &&
          canAlwaysRun(branches.getElseRegion().front()))
        flatten(branches);
    }
  }
};
} // namespace
