//===- ArithmeticCount.cpp - flops and exponentials -----------------------===//
//
// Specification ops count as the textbook's passes over a row; everything else
// as the scalar arithmetic that it is made of, times the number of elements.
//
//===----------------------------------------------------------------------===//

#include "ArithmeticCount.h"
#include "smx/IR/Smx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::smx;
using ::smx::Work;

std::optional<int64_t> mlir::smx::domainSizeOf(linalg::LinalgOp op,
                                               IndexEvaluator &evaluator) {
  int64_t size = 1;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    std::optional<int64_t> extent;
    for (auto [operand, map] : llvm::zip(op->getOpOperands(), maps)) {
      std::optional<unsigned> position =
          map.getResultPosition(getAffineDimExpr(dim, op->getContext()));
      if (position && (extent = evaluator.extentOf(operand.get(), *position)))
        break;
    }
    if (!extent)
      return std::nullopt;
    std::optional<int64_t> product = llvm::checkedMul(size, *extent);
    if (!product)
      return std::nullopt;
    size = *product;
  }
  return size;
}

//===----------------------------------------------------------------------===//
// Scalar arithmetic
//===----------------------------------------------------------------------===//

namespace {
struct Cost {
  int64_t flops = 0;
  int64_t exponentials = 0;
};
} // namespace

/// True for `x > y ? x : y` and its like: a maximum or a minimum.
static bool isExtremum(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return false;
  Value x = compare.getLhs(), y = compare.getRhs();
  Value a = select.getTrueValue(), b = select.getFalseValue();
  return (a == x && b == y) || (a == y && b == x);
}

/// The cost of one scalar op; vectors cost one for each element.
static Cost costOf(Operation *op) {
  if (op->getNumResults() != 1)
    return {};
  Type type = op->getResult(0).getType();
  if (!isa<FloatType>(getElementTypeOrSelf(type)) || isa<TensorType>(type))
    return {};
  auto vector = dyn_cast<VectorType>(type);
  int64_t n = vector ? vector.getNumElements() : 1;
  return llvm::TypeSwitch<Operation *, Cost>(op)
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
            arith::RemFOp, arith::MaximumFOp, arith::MinimumFOp,
            arith::MaxNumFOp, arith::MinNumFOp>([&](auto) { return Cost{n}; })
      .Case<math::FmaOp, vector::FMAOp>([&](auto) { return Cost{2 * n}; })
      .Case<math::ExpOp, math::Exp2Op, math::ExpM1Op>([&](auto) {
        return Cost{0, n};
      })
      .Case<math::AbsFOp, math::CopySignOp>([](auto) { return Cost{}; })
      .Case([&](arith::SelectOp select) {
        return Cost{isExtremum(select) ? n : 0};
      })
      .Case<vector::ReductionOp, vector::MultiDimReductionOp>([](auto reduce) {
        auto source = cast<VectorType>(reduce->getOperand(0).getType());
        return Cost{source.getNumElements() - 1};
      })
      .Default([&](Operation *) {
        return Cost{isa<math::MathDialect>(op->getDialect()) ? n : 0};
      });
}

/// True if the sum `fma(x, y, addend)` is a step of an accumulation, which
/// starts from what a loop carries, from memory or from zero.
static bool isAccumulator(Value addend) {
  while (auto fma = addend.getDefiningOp<math::FmaOp>())
    addend = fma.getC();
  return isa<BlockArgument>(addend) || matchPattern(addend, m_AnyZeroFloat()) ||
         isa<vector::LoadOp, vector::MaskedLoadOp, memref::LoadOp>(
             addend.getDefiningOp());
}

/// The block argument that `value` comes from through casts and selects.
static BlockArgument factorOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto select = dyn_cast<arith::SelectOp>(op))
      value = isa_and_nonnull<arith::ConstantOp>(
                  select.getTrueValue().getDefiningOp())
                  ? select.getFalseValue()
                  : select.getTrueValue();
    else if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      value = op->getOperand(0);
    else
      return {};
  }
  return cast<BlockArgument>(value);
}

/// The factors of the product that `op` sums over a reduction dimension; none
/// if it has no such product.
static std::optional<std::pair<BlockArgument, BlockArgument>>
contractedFactors(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return std::nullopt;
  for (Value yielded : op.getBlock()->getTerminator()->getOperands()) {
    Operation *sum = yielded.getDefiningOp();
    Value x, y;
    if (isa_and_nonnull<math::FmaOp>(sum)) {
      x = sum->getOperand(0);
      y = sum->getOperand(1);
    } else if (isa_and_nonnull<arith::AddFOp>(sum)) {
      for (Value operand : sum->getOperands())
        if (auto product = operand.getDefiningOp<arith::MulFOp>()) {
          x = product.getLhs();
          y = product.getRhs();
        }
    }
    if (!x)
      continue;
    BlockArgument lhs = factorOf(x), rhs = factorOf(y);
    if (lhs && rhs && lhs != rhs && lhs.getOwner() == op.getBlock() &&
        rhs.getOwner() == op.getBlock())
      return std::pair{lhs, rhs};
  }
  return std::nullopt;
}

static Cost costOfBody(Region &region) {
  Cost cost;
  region.walk([&](Operation *op) {
    Cost one = costOf(op);
    cost.flops += one.flops;
    cost.exponentials += one.exponentials;
  });
  return cost;
}

static void addProducts(Work &work, int64_t flops, Type lhs, Type rhs) {
  bool isNarrow =
      std::max(lhs.getIntOrFloatBitWidth(), rhs.getIntOrFloatBitWidth()) <= 16;
  (isNarrow ? work.narrowProductFlops : work.wideProductFlops) += flops;
}

static void addLinalg(linalg::LinalgOp op, int64_t points, Work &work) {
  Cost body = costOfBody(op->getRegion(0));
  if (auto factors = contractedFactors(op)) {
    addProducts(work, 2 * points, factors->first.getType(),
                factors->second.getType());
    body.flops -= 2;
  }
  work.otherFlops += points * body.flops;
  work.exponentials += points * body.exponentials;
}

//===----------------------------------------------------------------------===//
// Specification ops
//===----------------------------------------------------------------------===//

/// Pairs of a query and a key in a `rows` x `keys` score matrix that `mask`
/// lets through.
static int64_t countVisible(MaskAttrInterface mask, Location loc, int64_t rows,
                            int64_t keys) {
  Block block;
  OpBuilder builder(mask.getContext());
  builder.setInsertionPointToStart(&block);
  Value row = block.addArgument(builder.getIndexType(), loc);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // What data say is not known.
  SmallVector<IndexRange> data;
  for (size_t i = 0; i < mask.getDataSteps().size(); ++i) {
    Value number = block.addArgument(builder.getIndexType(), loc);
    data.push_back({number, number});
  }
  VisibleKeys visible = mask.buildVisibleKeys(
      builder, loc, row, constant(1), constant(rows), constant(keys), data);
  IndexEvaluator evaluator;
  int64_t pairs = 0;
  for (int64_t i = 0; i < rows; ++i) {
    size_t mark = evaluator.mark();
    evaluator.bind(row, i);
    int64_t begin = evaluator.evaluate(visible.begin).value_or(0);
    int64_t end = evaluator.evaluate(visible.end).value_or(keys);
    pairs += std::max<int64_t>(end - begin, 0);
    evaluator.forgetSince(mark);
  }
  return pairs;
}

static LogicalResult addAttention(AttentionOp op, IndexEvaluator &evaluator,
                                  Work &work) {
  int64_t batchDims = op.getNumBatchDims();
  std::optional<int64_t> rows = evaluator.extentOf(op.getQuery(), batchDims),
                         depth =
                             evaluator.extentOf(op.getQuery(), batchDims + 1),
                         keys = evaluator.extentOf(op.getKey(), batchDims),
                         columns =
                             evaluator.extentOf(op.getValue(), batchDims + 1);
  int64_t heads = 1;
  for (int64_t dim = 0; dim < batchDims; ++dim) {
    std::optional<int64_t> extent = evaluator.extentOf(op.getQuery(), dim);
    if (!extent)
      return failure();
    heads *= *extent;
  }
  if (!rows || !depth || !keys || !columns)
    return failure();
  int64_t pairs = *rows * *keys;
  if (auto mask = dyn_cast_if_present<MaskAttrInterface>(op.getMaskAttr()))
    pairs = countVisible(mask, op.getLoc(), *rows, *keys);
  pairs *= heads;
  Type type = op.getQuery().getType().getElementType();
  addProducts(work, 2 * pairs * (*depth + *columns), type, type);
  Cost score;
  for (Region *region : {&op.getScore(), &op.getVisible()}) {
    Cost one = costOfBody(*region);
    score.flops += one.flops;
    score.exponentials += one.exponentials;
  }
  // Scale, maximum, difference and sum for each pair, one quotient for each
  // result.
  work.otherFlops += pairs * (4 + score.flops) + heads * *rows * *columns;
  work.exponentials += pairs * (1 + score.exponentials);
  return success();
}

/// Flops and exponentials for each element of a row, as the textbook computes
/// it.
static LogicalResult addRow(Value input, Cost element,
                            IndexEvaluator &evaluator, Work &work) {
  std::optional<int64_t> elements = evaluator.elementsOf(input);
  if (!elements)
    return failure();
  work.otherFlops += *elements * element.flops;
  work.exponentials += *elements * element.exponentials;
  return success();
}

static LogicalResult addOp(Operation *op, IndexEvaluator &evaluator,
                           Work &work) {
  auto scaling = [](APFloat scale) {
    return scale.isExactlyValue(1.0) ? 0 : 1;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](linalg::LinalgOp linalgOp) -> LogicalResult {
        std::optional<int64_t> points = domainSizeOf(linalgOp, evaluator);
        if (points)
          addLinalg(linalgOp, *points, work);
        return success(points.has_value());
      })
      .Case([&](linalg::SoftmaxOp softmax) {
        return addRow(softmax.getInput(), {4, 1}, evaluator, work);
      })
      // Maximum, difference, sum, and quotient or second difference.
      .Case<SoftmaxOp, LogSoftmaxOp>([&](auto row) {
        return addRow(row.getInput(), {4 + scaling(row.getScale()), 1},
                      evaluator, work);
      })
      .Case([&](LogSumExpOp row) {
        return addRow(row.getInput(), {3 + scaling(row.getScale()), 1},
                      evaluator, work);
      })
      // Sum, difference, square, its sum, and the product with
      // 1/sqrt(variance).
      .Case([&](LayerNormOp row) {
        return addRow(row.getInput(), {5, 0}, evaluator, work);
      })
      // Square, its sum, and the product with 1/sqrt(mean).
      .Case([&](RmsNormOp row) {
        return addRow(row.getInput(), {3, 0}, evaluator, work);
      })
      // As the log-sum-exp, and a comparison for each of the k.
      .Case([&](TopKSoftmaxOp top) {
        int comparisons = top.getK();
        return addRow(top.getInput(),
                      {3 + comparisons + scaling(top.getScale()), 1}, evaluator,
                      work);
      })
      // As the log-sum-exp, and the sum of the scores; what is done for each
      // row is left out.
      .Case([&](CrossEntropyOp loss) {
        int smoothing = loss.getSmoothing().isZero() ? 0 : 1;
        return addRow(loss.getInput(),
                      {3 + smoothing + scaling(loss.getScale()), 1}, evaluator,
                      work);
      })
      // Difference, difference from the target, and product.
      .Case([&](CrossEntropyBackwardOp gradient) {
        int smoothing = gradient.getSmoothing().isZero() ? 0 : 1;
        return addRow(gradient.getInput(),
                      {3 + smoothing + scaling(gradient.getScale()), 1},
                      evaluator, work);
      })
      // Product, sum, difference, product.
      .Case([&](SoftmaxBackwardOp gradient) {
        return addRow(gradient.getOutput(),
                      {4 + scaling(gradient.getScale()), 0}, evaluator, work);
      })
      // Sum, product, difference.
      .Case([&](LogSoftmaxBackwardOp gradient) {
        return addRow(gradient.getOutput(),
                      {3 + scaling(gradient.getScale()), 1}, evaluator, work);
      })
      .Case([&](SoftmaxDotOp dot) -> LogicalResult {
        std::optional<int64_t> values = evaluator.elementsOf(dot.getValues());
        if (!values)
          return failure();
        addProducts(work, 2 * *values,
                    dot.getScores().getType().getElementType(),
                    dot.getValues().getType().getElementType());
        return addRow(dot.getScores(), {4 + scaling(dot.getScale()), 1},
                      evaluator, work);
      })
      .Case([&](AttentionOp attention) {
        return addAttention(attention, evaluator, work);
      })
      .Default([&](Operation *) {
        Cost cost = costOf(op);
        if (auto fma = dyn_cast<math::FmaOp>(op))
          if (isAccumulator(fma.getC())) {
            Type type = getElementTypeOrSelf(fma.getType());
            addProducts(work, cost.flops, type, type);
            return success();
          }
        work.otherFlops += cost.flops;
        work.exponentials += cost.exponentials;
        return success();
      });
}

void mlir::smx::countArithmetic(func::FuncOp function, LoopRounds &rounds,
                                Work &work) {
  rounds.run([&](Block &block, int64_t times) {
    Work once;
    for (Operation &op : block)
      if (failed(addOp(&op, rounds.getEvaluator(), once)))
        rounds.leaveOut("tensors of dynamic extents");
    work.narrowProductFlops += times * once.narrowProductFlops;
    work.wideProductFlops += times * once.wideProductFlops;
    work.otherFlops += times * once.otherFlops;
    work.exponentials += times * once.exponentials;
  });
}
