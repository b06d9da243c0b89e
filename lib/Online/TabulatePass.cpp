//===- TabulatePass.cpp - functions of captured elements as tables --------===//

#include "smx/IR/OptionBounds.h"
#include "smx/IR/Smx.h"
#include "smx/Online/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx {
#define GEN_PASS_DEF_TABULATEPASS
#include "smx/Online/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {
/// What a region of attention computes from elements of captured tensors alone.
class ElementFunctions {
public:
  explicit ElementFunctions(Region &region);
  /// Values that are computed from an element, and needed by what is not.
  ArrayRef<Value> getResults() const { return results; }
  /// The read of the element that a result is computed from.
  tensor::ExtractOp readOf(Value result) const { return reads.lookup(result); }
  /// The ops that compute a result from its element, in order.
  llvm::SetVector<Operation *> bodyOf(Value result) const;

private:
  tensor::ExtractOp sourceOf(Operation &op) const;

  Region &region;
  llvm::MapVector<Value, tensor::ExtractOp> reads;
  SmallVector<Value> results;
};
} // namespace

static bool isDefinedInside(Value value, Region &region) {
  return region.isAncestor(value.getParentRegion());
}

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

/// The only element that `op` depends on; null if there are others, or none.
tensor::ExtractOp ElementFunctions::sourceOf(Operation &op) const {
  if (auto read = dyn_cast<tensor::ExtractOp>(op))
    return isDefinedInside(read.getTensor(), region) ? tensor::ExtractOp()
                                                     : read;
  // What is not a float may be cheaper to compute than to read.
  if (!isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) ||
      op.getNumResults() != 1 || !isMemoryEffectFree(&op) ||
      !isa<FloatType>(op.getResult(0).getType()))
    return {};
  tensor::ExtractOp source;
  for (Value operand : op.getOperands()) {
    tensor::ExtractOp read = reads.lookup(operand);
    if (!read && (isConstant(operand) || !isDefinedInside(operand, region)))
      continue;
    if (!read || (source && source != read))
      return {};
    source = read;
  }
  return source;
}

ElementFunctions::ElementFunctions(Region &region) : region(region) {
  for (Operation &op : region.front())
    if (tensor::ExtractOp read = sourceOf(op))
      reads[op.getResult(0)] = read;
  for (auto [value, read] : reads)
    if (value != read.getResult() &&
        llvm::any_of(value.getUsers(), [&](Operation *user) {
          return user->getNumResults() != 1 ||
                 reads.lookup(user->getResult(0)) != read;
        }))
      results.push_back(value);
}

llvm::SetVector<Operation *> ElementFunctions::bodyOf(Value result) const {
  llvm::SetVector<Operation *> body;
  auto visit = [&](auto &&visit, Value value) -> void {
    Operation *op = value.getDefiningOp();
    if (value == readOf(result).getResult() || !isDefinedInside(value, region))
      return;
    for (Value operand : op->getOperands())
      visit(visit, operand);
    body.insert(op);
  };
  visit(visit, result);
  return body;
}

/// True if the op takes more than a few cycles.
static bool isCostly(Operation *op) {
  if (isa<math::AbsFOp, math::CopySignOp, math::FmaOp>(op))
    return false;
  return isa<math::MathDialect>(op->getDialect()) ||
         isa<arith::DivFOp, arith::RemFOp>(op);
}

/// Elements of a shape, those of an extent that is not known being 256.
static uint64_t countElements(ArrayRef<int64_t> shape) {
  constexpr uint64_t openExtent = 256;
  uint64_t count = 1;
  for (int64_t extent : shape)
    count = llvm::SaturatingMultiply(
        count, ShapedType::isDynamic(extent) ? openExtent : uint64_t(extent));
  return count;
}

static uint64_t countScores(AttentionOp op) {
  auto queries = cast<ShapedType>(op.getQuery().getType()),
       keys = cast<ShapedType>(op.getKey().getType());
  SmallVector<int64_t> shape(queries.getShape().drop_back());
  shape.push_back(keys.getDimSize(keys.getRank() - 2));
  return countElements(shape);
}

/// The function of all elements that `read` may read.
static Value tabulate(OpBuilder &builder, tensor::ExtractOp read, Value result,
                      const llvm::SetVector<Operation *> &body) {
  Location loc = read.getLoc();
  Value table = read.getTensor();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, table);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, result.getType());
  AffineMap map = builder.getMultiDimIdentityMap(sizes.size());
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), table, empty,
             ArrayRef<AffineMap>{map, map}, iterators,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               IRMapping mapping;
               mapping.map(read.getResult(), arguments[0]);
               for (Operation *op : body)
                 b.clone(*op, mapping);
               linalg::YieldOp::create(b, loc, mapping.lookup(result));
             })
      .getResult(0);
}

namespace {
struct TabulatePass : mlir::smx::impl::TabulatePassBase<TabulatePass> {
  using TabulatePassBase::TabulatePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"reuse", reuse, /*least=*/1}});
  }

  void runOnOperation() override {
    getOperation()->walk([&](AttentionOp op) {
      for (Region *region : {&op.getScore(), &op.getVisible()})
        if (!region->empty())
          rewrite(op, *region);
    });
  }

  void rewrite(AttentionOp op, Region &region) {
    ElementFunctions functions(region);
    for (Value result : functions.getResults()) {
      llvm::SetVector<Operation *> body = functions.bodyOf(result);
      if (llvm::none_of(body, isCostly))
        continue;
      tensor::ExtractOp read = functions.readOf(result);
      uint64_t elements = countElements(read.getTensor().getType().getShape()),
               scores = countScores(op);
      auto options =
          remark::RemarkOpts::name("Tabulate").category("smx-tabulate");
      if (scores / uint64_t(reuse) < elements) {
        remark::missed(read.getLoc(), options)
            << "a table is not much smaller than the scores: "
            << remark::metric("elements", int64_t(elements))
            << remark::metric("scores", int64_t(scores));
        continue;
      }
      remark::passed(read.getLoc(), options)
          << "a function of an element is computed in front of attention: "
          << remark::metric("elements", int64_t(elements))
          << remark::metric("scores", int64_t(scores));
      OpBuilder builder(op);
      Value table = tabulate(builder, read, result, body);
      builder.setInsertionPointAfterValue(result);
      Value element = tensor::ExtractOp::create(builder, read.getLoc(), table,
                                                read.getIndices());
      // Users that compute another result of the same element keep what they
      // have: each result has a table of its own.
      result.replaceUsesWithIf(element, [&](OpOperand &use) {
        Operation *user = use.getOwner();
        return user->getNumResults() != 1 ||
               functions.readOf(user->getResult(0)) != read;
      });
    }
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(region.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
