//===- WidenSumsPass.cpp - sums of narrow floats are f32 ------------------===//

#include "smx/IR/MapElements.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx {
#define GEN_PASS_DEF_WIDENSUMSPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {
/// An op whose result is a sum of its first operand's elements, or of their
/// products with those of its second one, rounded to a float of 16 bits or
/// fewer whenever a term is added.
struct NarrowSum {
  linalg::GenericOp op;
  bool isOfProducts;

  static std::optional<NarrowSum> match(linalg::GenericOp op);
  void rewrite(RewriterBase &rewriter);
};
} // namespace

static bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 16;
}

std::optional<NarrowSum> NarrowSum::match(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
      op.getNumDpsInits() != 1 ||
      !isNarrowFloat(getElementTypeOrSelf(op.getResult(0).getType())))
    return std::nullopt;
  Block *body = op.getBody();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value sum = op.getRegionOutputArgs()[0];
  if (!add || (add.getLhs() != sum && add.getRhs() != sum))
    return std::nullopt;
  Value term = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  auto inputs = op.getRegionInputArgs();
  // With the one that yields.
  const auto ops = std::distance(body->begin(), body->end());
  if (inputs.size() == 1 && ops == 2 && term == inputs[0])
    return NarrowSum{op, /*isOfProducts=*/false};
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (inputs.size() != 2 || !product || ops != 3 ||
      !llvm::is_contained(inputs, product.getLhs()) ||
      !llvm::is_contained(inputs, product.getRhs()) ||
      product.getLhs() == product.getRhs())
    return std::nullopt;
  return NarrowSum{op, /*isOfProducts=*/true};
}

void NarrowSum::rewrite(RewriterBase &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Type narrow = getElementTypeOrSelf(op.getResult(0).getType()),
       wide = rewriter.getF32Type();
  Value init = op.getDpsInits()[0], wideInit;
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Value value =
        rewriter.createOrFold<arith::ExtFOp>(loc, wide, fill.getInputs()[0]);
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, init), wide);
    wideInit = linalg::FillOp::create(rewriter, loc, value, empty).getResult(0);
  } else {
    wideInit = extended(rewriter, loc, init, wide);
  }
  auto sum = linalg::GenericOp::create(
      rewriter, loc, wideInit.getType(), op.getDpsInputs(), wideInit,
      op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        auto widened = [&](Value value) -> Value {
          return value.getType() == wide
                     ? value
                     : arith::ExtFOp::create(builder, loc, wide, value);
        };
        Value term = widened(values[0]);
        if (isOfProducts)
          term = arith::MulFOp::create(builder, loc, term, widened(values[1]));
        linalg::YieldOp::create(
            builder, loc,
            arith::AddFOp::create(builder, loc, term, values.back())
                .getResult());
      });
  rewriter.replaceOp(op, truncated(rewriter, loc, sum.getResult(0), narrow));
}

/// True for ops with names that are sums of products or of elements.
static bool isNamedSum(linalg::LinalgOp op) {
  auto reduce = dyn_cast<linalg::ReduceOp>(op.getOperation());
  return reduce ? isa<arith::AddFOp>(reduce.getCombiner().front().front())
                : linalg::isaContractionOpInterface(op);
}

namespace {
struct WidenSumsPass : mlir::smx::impl::WidenSumsPassBase<WidenSumsPass> {
  using WidenSumsPassBase::WidenSumsPassBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops(
        getOperation().getBody().front().getOps<linalg::LinalgOp>());
    for (linalg::LinalgOp op : ops) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic && isNamedSum(op) && op->getNumResults() == 1 &&
          isNarrowFloat(getElementTypeOrSelf(op->getResult(0).getType()))) {
        rewriter.setInsertionPoint(op);
        if (auto general = linalg::generalizeNamedOp(rewriter, op);
            succeeded(general))
          generic = *general;
      }
      if (!generic)
        continue;
      if (std::optional<NarrowSum> sum = NarrowSum::match(generic))
        sum->rewrite(rewriter);
    }
  }
};
} // namespace
