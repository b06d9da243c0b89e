//===- NumberSweep.cpp - numbers for every place of a tile ----------------===//

#include "NumberSweep.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::smx::gpu;

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  // A truth is 0 or 1.
  return value.getType().isInteger(1)
             ? static_cast<int64_t>(constant.getZExtValue())
             : constant.getSExtValue();
}

std::optional<int64_t> NumberSweep::boundOf(Value value) {
  if (std::optional<int64_t> constant = constantOf(value))
    return constant;
  if (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    std::optional<int64_t> one = boundOf(choice.getTrueValue()),
                           other = boundOf(choice.getFalseValue());
    if (one && other)
      return std::max(*one, *other);
  }
  return std::nullopt;
}

std::optional<NumberSweep::Range> NumberSweep::rangeOf(Value value) {
  if (auto rest = value.getDefiningOp<arith::RemUIOp>())
    if (std::optional<int64_t> divisor = constantOf(rest.getRhs());
        divisor && *divisor > 0)
      return Range{0, *divisor, 1};
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument != loop.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> lower = constantOf(loop.getLowerBound()),
                         step = constantOf(loop.getStep()),
                         upper = boundOf(loop.getUpperBound());
  if (!lower || !step || *step <= 0 || !upper)
    return std::nullopt;
  return Range{*lower, *upper, *step};
}

bool NumberSweep::collectOperands(Operation *op) {
  return op && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isMemoryEffectFree(op) && op->getResult(0).getType().isIntOrIndex() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collect(operand); });
}

bool NumberSweep::collect(Value value) {
  if (values.contains(value))
    return true;
  if (std::optional<int64_t> constant = constantOf(value)) {
    values[value] = *constant;
    return true;
  }
  if (std::optional<Range> range = rangeOf(value)) {
    values[value] = range->lower;
    given[value] = *range;
    return true;
  }
  if (Operation *op = value.getDefiningOp(); collectOperands(op)) {
    values[value] = 0;
    ops.push_back(op);
    return true;
  }
  constexpr size_t mostTruths = 8;
  if (!value.getType().isInteger(1) || truths.size() == mostTruths)
    return false;
  values[value] = 0;
  given[value] = Range{0, 2, 1};
  truths.push_back(value);
  return true;
}

uint64_t NumberSweep::getTruths() const {
  uint64_t bits = 0;
  for (auto [i, truth] : llvm::enumerate(truths))
    bits |= uint64_t(values.lookup(truth)) << i;
  return bits;
}

std::optional<NumberSweep> NumberSweep::of(ValueRange numbers,
                                           int64_t mostCases) {
  NumberSweep sweep;
  llvm::append_range(sweep.numbers, numbers);
  if (!llvm::all_of(numbers, [&](Value value) { return sweep.collect(value); }))
    return std::nullopt;
  int64_t cases = 1;
  for (auto [value, range] : sweep.given) {
    cases *= std::max<int64_t>(1, (range.upper - range.lower) / range.step + 1);
    if (cases > mostCases)
      return std::nullopt;
  }
  return sweep;
}

std::optional<int64_t> NumberSweep::compute(Operation *op) {
  auto value = [&](unsigned i) { return values.lookup(op->getOperand(i)); };
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, value(0)),
                                    APInt(64, value(1)));
  if (isa<arith::SelectOp>(op))
    return value(0) ? value(1) : value(2);
  // All others are folded as they are of constants.
  Builder builder(op->getContext());
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        builder.getIntegerAttr(operand.getType(), values.lookup(operand)));
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return std::nullopt;
  if (auto operand = dyn_cast<Value>(results.front()))
    return values.lookup(operand);
  auto number = dyn_cast_or_null<IntegerAttr>(cast<Attribute>(results.front()));
  if (!number)
    return std::nullopt;
  return number.getType().isInteger(1)
             ? static_cast<int64_t>(number.getValue().getZExtValue())
             : number.getValue().getSExtValue();
}

bool NumberSweep::forAll(llvm::function_ref<bool(ArrayRef<int64_t>)> holds) {
  for (auto [value, range] : given)
    values[value] = range.lower;
  while (true) {
    for (Operation *op : ops) {
      std::optional<int64_t> result = compute(op);
      if (!result)
        return false;
      values[op->getResult(0)] = *result;
    }
    if (!holds(llvm::map_to_vector(
            numbers, [&](Value value) { return values.lookup(value); })))
      return false;
    // The next case, as an odometer counts.
    auto digit = given.begin();
    for (; digit != given.end(); ++digit) {
      int64_t &number = values[digit->first];
      number += digit->second.step;
      if (number < digit->second.upper)
        break;
      number = digit->second.lower;
    }
    if (digit == given.end())
      return true;
  }
}

std::optional<RoundCount> mlir::smx::gpu::countRounds(Value lower, Value upper,
                                                      Value step) {
  std::optional<NumberSweep> bounds = NumberSweep::of({lower, upper, step});
  int64_t least = std::numeric_limits<int64_t>::max();
  struct Sum {
    int64_t rounds = 0, cases = 0;
  };
  llvm::SmallMapVector<uint64_t, Sum, 2> sums;
  if (!bounds || !bounds->forAll([&](ArrayRef<int64_t> values) {
        if (values[2] <= 0)
          return false;
        int64_t rounds = llvm::divideCeil(
            std::max<int64_t>(0, values[1] - values[0]), values[2]);
        least = std::min(least, rounds);
        Sum &sum = sums[bounds->getTruths()];
        sum.rounds += rounds;
        ++sum.cases;
        return true;
      }))
    return std::nullopt;
  double mean = 0;
  for (auto [truths, sum] : sums)
    mean = std::max(mean, double(sum.rounds) / sum.cases);
  return RoundCount{least, mean};
}
