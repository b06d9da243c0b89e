//===- TileReductions.cpp - what a generic does along its rows ------------===//

#include "TileReductions.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// `lhs > rhs` or the like.
struct Comparison {
  Value lhs, rhs;
  bool isGreater, orEqual;
};
} // namespace

/// A comparison by which one of two values is the larger or the smaller one;
/// NaN is neither.
static std::optional<Comparison> matchComparison(Value condition) {
  if (auto op = condition.getDefiningOp<arith::CmpFOp>())
    switch (op.getPredicate()) {
    case arith::CmpFPredicate::OGT:
      return Comparison{op.getLhs(), op.getRhs(), true, false};
    case arith::CmpFPredicate::OGE:
      return Comparison{op.getLhs(), op.getRhs(), true, true};
    case arith::CmpFPredicate::OLT:
      return Comparison{op.getLhs(), op.getRhs(), false, false};
    case arith::CmpFPredicate::OLE:
      return Comparison{op.getLhs(), op.getRhs(), false, true};
    default:
      return std::nullopt;
    }
  if (auto op = condition.getDefiningOp<arith::CmpIOp>())
    switch (op.getPredicate()) {
    case arith::CmpIPredicate::sgt:
      return Comparison{op.getLhs(), op.getRhs(), true, false};
    case arith::CmpIPredicate::sge:
      return Comparison{op.getLhs(), op.getRhs(), true, true};
    case arith::CmpIPredicate::slt:
      return Comparison{op.getLhs(), op.getRhs(), false, false};
    case arith::CmpIPredicate::sle:
      return Comparison{op.getLhs(), op.getRhs(), false, true};
    default:
      return std::nullopt;
    }
  return std::nullopt;
}

/// The comparison with `running` on its right side.
static std::optional<Comparison> matchBeats(Value condition, Value running) {
  std::optional<Comparison> found = matchComparison(condition);
  if (found && found->lhs == running) {
    std::swap(found->lhs, found->rhs);
    found->isGreater = !found->isGreater;
  }
  return found && found->rhs == running ? found : std::nullopt;
}

static BlockArgument runningOf(linalg::GenericOp op, unsigned number) {
  return op.getMatchingBlockArgument(op.getDpsInitOperand(number));
}

/// True if `value` is computed from what the results are so far: each element
/// then needs the ones before it, and they are not combined in any order.
static bool followsRunning(Value value, linalg::GenericOp generic) {
  auto isRunning = [&](Value of) {
    return llvm::is_contained(generic.getRegionOutputArgs(), of);
  };
  if (isRunning(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == generic.getBlock() &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return followsRunning(operand, generic);
         });
}

std::optional<RunningCombination>
mlir::smx::gpu::matchCombination(linalg::GenericOp generic, unsigned number) {
  Value yielded = generic.getBlock()->getTerminator()->getOperand(number);
  BlockArgument running = runningOf(generic, number);
  Operation *op = yielded.getDefiningOp();
  if (!op)
    return std::nullopt;
  std::optional<Combiner> kind =
      llvm::TypeSwitch<Operation *, std::optional<Combiner>>(op)
          .Case<arith::AddFOp, arith::AddIOp>(
              [](auto) { return Combiner::Add; })
          .Case<arith::MulFOp, arith::MulIOp>(
              [](auto) { return Combiner::Mul; })
          .Case<arith::MaximumFOp>([](auto) { return Combiner::Maximum; })
          .Case<arith::MaxNumFOp>([](auto) { return Combiner::MaxNum; })
          .Case<arith::MinimumFOp>([](auto) { return Combiner::Minimum; })
          .Case<arith::MinNumFOp>([](auto) { return Combiner::MinNum; })
          .Case<arith::MaxSIOp>([](auto) { return Combiner::MaxSI; })
          .Case<arith::MinSIOp>([](auto) { return Combiner::MinSI; })
          .Default([](auto) { return std::nullopt; });
  if (kind) {
    Value x = op->getOperand(0), y = op->getOperand(1);
    Value term = x == running ? y : x;
    if ((x != running && y != running) || followsRunning(term, generic))
      return std::nullopt;
    return RunningCombination{*kind, term};
  }
  // select(x > running, x, running): the larger, NaN of x passed over.
  auto select = dyn_cast<arith::SelectOp>(op);
  std::optional<Comparison> beats =
      select ? matchBeats(select.getCondition(), running) : std::nullopt;
  if (!beats || select.getTrueValue() != beats->lhs ||
      select.getFalseValue() != running || followsRunning(beats->lhs, generic))
    return std::nullopt;
  bool isFloat = isa<FloatType>(yielded.getType());
  Combiner extremum = beats->isGreater
                          ? (isFloat ? Combiner::MaxNum : Combiner::MaxSI)
                          : (isFloat ? Combiner::MinNum : Combiner::MinSI);
  return RunningCombination{extremum, beats->lhs};
}

std::optional<RunningPlace> mlir::smx::gpu::matchPlace(linalg::GenericOp op,
                                                       unsigned number) {
  auto select = op.getBlock()
                    ->getTerminator()
                    ->getOperand(number)
                    .getDefiningOp<arith::SelectOp>();
  if (!select || select.getFalseValue() != runningOf(op, number))
    return std::nullopt;
  for (unsigned other = 0; other < op.getNumDpsInits(); ++other) {
    if (other == number)
      continue;
    std::optional<Comparison> beats =
        matchBeats(select.getCondition(), runningOf(op, other));
    std::optional<RunningCombination> extremum =
        beats ? matchCombination(op, other) : std::nullopt;
    if (!extremum || extremum->value != beats->lhs ||
        isMaximum(extremum->kind) != beats->isGreater)
      continue;
    return RunningPlace{beats->lhs, select.getTrueValue(), other,
                        extremum->kind, beats->orEqual};
  }
  return std::nullopt;
}

bool mlir::smx::gpu::isMaximum(Combiner kind) {
  return llvm::is_contained(
      {Combiner::Maximum, Combiner::MaxNum, Combiner::MaxSI}, kind);
}

TypedAttr mlir::smx::gpu::identityOf(Combiner kind, Type type) {
  Builder builder(type.getContext());
  if (auto floats = dyn_cast<FloatType>(type)) {
    if (kind == Combiner::Add || kind == Combiner::Mul)
      return builder.getFloatAttr(type, kind == Combiner::Add ? 0.0 : 1.0);
    return builder.getFloatAttr(type,
                                extremeOf(floats, /*isLeast=*/isMaximum(kind)));
  }
  unsigned bits = elementBits(type);
  if (kind == Combiner::Add || kind == Combiner::Mul)
    return builder.getIntegerAttr(type, kind == Combiner::Add ? 0 : 1);
  return builder.getIntegerAttr(type, isMaximum(kind)
                                          ? APInt::getSignedMinValue(bits)
                                          : APInt::getSignedMaxValue(bits));
}

Value mlir::smx::gpu::combineTiles(OpBuilder &builder, Location loc,
                                   Combiner kind, Value x, Value y) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (kind) {
  case Combiner::Add:
    return isFloat ? Value(arith::AddFOp::create(builder, loc, x, y))
                   : arith::AddIOp::create(builder, loc, x, y);
  case Combiner::Mul:
    return isFloat ? Value(arith::MulFOp::create(builder, loc, x, y))
                   : arith::MulIOp::create(builder, loc, x, y);
  case Combiner::Maximum:
    return arith::MaximumFOp::create(builder, loc, x, y);
  case Combiner::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, x, y);
  case Combiner::Minimum:
    return arith::MinimumFOp::create(builder, loc, x, y);
  case Combiner::MinNum:
    return arith::MinNumFOp::create(builder, loc, x, y);
  case Combiner::MaxSI:
    return arith::MaxSIOp::create(builder, loc, x, y);
  case Combiner::MinSI:
    return arith::MinSIOp::create(builder, loc, x, y);
  }
  llvm_unreachable("all combiners are listed");
}
