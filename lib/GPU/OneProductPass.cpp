//===- OneProductPass.cpp - an exponential by one multiply-add ------------===//
//
// With y the reference of a row, and L what differences from it are multiplied
// by, c = y F as it rounds, and r = y F - c, which is exact:
//
//   2^((x - y) F) = 2^(x F - c) 2^-r
//
// where x F - c is one multiply-add. The last factor is the row's: the sum of
// its weights takes it instead of each of them.
//
// F is L, or the power of two below it where |y L| is at least 2^30. There
// numbers of 16 bits are 2^21 or more apart, so that either gives 1 and 0; y F
// is finite and exact, and r is 0. Elsewhere |r| is at most 2^5.
//
//===----------------------------------------------------------------------===//

#include "ScoreArithmetic.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_ONEPRODUCTPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// Elements of a row that a thread has at least: what is computed of the row
/// itself takes as many instructions.
constexpr int64_t fewestElements = 8;

namespace {
/// exp2((x - y) L) of each element x of a tile, where y is the row's.
struct Weights {
  static std::optional<Weights> match(math::Exp2Op power);

  math::Exp2Op power;
  RankedTensorType type;
  Value x, y;
  double scale;
};

/// Weights by the same reference and factor.
class Row {
public:
  void add(const Weights &weights) { all.push_back(weights); }
  int64_t size() const { return all.size(); }
  /// A thread has enough elements, and weights are summed up and nothing else:
  /// where they are written no register is left for F.
  bool canFold();
  void fold();

private:
  /// Follows `value`, a multiple of weights, to their sums; false if there is
  /// another use.
  bool findSums(Value value);
  /// Computes what is the row's, behind its reference.
  void makeFactors();

  RankedTensorType getType() const {
    return cast<RankedTensorType>(all.front().y.getType());
  }

  SmallVector<Weights> all;
  llvm::SetVector<Value> multiples, sums;
  SmallVector<arith::AddFOp> additions;
  /// F, -c and 2^-r.
  Value factor, origin, rest;
};
} // namespace

/// The row values that `tile` has in all columns; null if it is anything else.
static Value rowOf(Value tile) {
  auto broadcast = tile.getDefiningOp<BroadcastOp>();
  if (!broadcast || getSlice(broadcast.getValues().getType()).getDim() != 1)
    return {};
  return broadcast.getValues();
}

/// True for numbers of 16 bits, and what stands for places without one.
static bool isWidened(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto widened = dyn_cast<arith::ExtFOp>(op))
      return getElementTypeOrSelf(widened.getIn()).getIntOrFloatBitWidth() <=
             16;
    if (auto choice = dyn_cast<arith::SelectOp>(op)) {
      if (!matchPattern(choice.getFalseValue(), m_NegInfFloat()))
        return false;
      value = choice.getTrueValue();
    } else if (isa<HoldOp, PartsOp>(op)) {
      value = op->getOperand(0);
    } else {
      return false;
    }
  }
  return false;
}

std::optional<Weights> Weights::match(math::Exp2Op power) {
  auto type = dyn_cast<RankedTensorType>(power.getType());
  auto exponent = power.getOperand().getDefiningOp<arith::MulFOp>();
  if (!type || !getLayout(type) || !type.getElementType().isF32() ||
      !arith::bitEnumContainsAll(power.getFastmath(),
                                 arith::FastMathFlags::afn) ||
      !exponent || !exponent->hasOneUse())
    return std::nullopt;
  auto difference = exponent.getLhs().getDefiningOp<arith::SubFOp>();
  std::optional<double> scale = splatValue(exponent.getRhs());
  if (!difference || !difference->hasOneUse() || !scale || !(*scale > 0) ||
      *scale >= 2)
    return std::nullopt;
  // A reference that is not infinite.
  Value x = difference.getLhs(), y = rowOf(difference.getRhs());
  if (!y || !behindGuard(y) || !isWidened(x))
    return std::nullopt;
  return Weights{power, type, x, y, *scale};
}

bool Row::findSums(Value value) {
  if (!multiples.insert(value))
    return true;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
        .Case([&](arith::SelectOp choice) {
          return choice.getTrueValue() == value &&
                 matchPattern(choice.getFalseValue(), m_AnyZeroFloat()) &&
                 findSums(choice);
        })
        .Case([&](arith::AddFOp addition) {
          additions.push_back(addition);
          return findSums(addition);
        })
        .Case([&](PartialReduceOp partial) {
          return partial.getKind() == Combiner::Add && findSums(partial);
        })
        .Case([&](HoldOp hold) { return findSums(hold.getResult()); })
        .Case([&](ReduceOp sum) {
          sums.insert(sum);
          return sum.getKind() == Combiner::Add && sum.getType() == getType();
        })
        .Default(false);
  });
}

bool Row::canFold() {
  int64_t registers = 0;
  for (const Weights &weights : all)
    registers += getRegisterCount(weights.type);
  return registers >= fewestElements * getRegisterCount(getType()) &&
         llvm::all_of(
             all, [&](Weights &weights) { return findSums(weights.power); }) &&
         llvm::all_of(additions, [&](arith::AddFOp addition) {
           return multiples.contains(addition.getLhs()) &&
                  multiples.contains(addition.getRhs());
         });
}

void Row::makeFactors() {
  Value y = all.front().y;
  double scale = all.front().scale;
  ImplicitLocOpBuilder b(y.getLoc(), y.getContext());
  b.setInsertionPointAfterValue(y);
  RankedTensorType rows = getType();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               rows, b.getFloatAttr(rows.getElementType(), value)));
  };
  Value whole = constant(scale);
  Value size = math::AbsFOp::create(b, arith::MulFOp::create(b, y, whole));
  Value isNear = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, size,
                                       constant(0x1p30));
  factor = arith::SelectOp::create(
      b, isNear, whole, constant(std::exp2(std::floor(std::log2(scale)))));
  origin = arith::NegFOp::create(b, arith::MulFOp::create(b, y, factor));
  Value rounded = math::FmaOp::create(b, y, factor, origin);
  rest = math::Exp2Op::create(b, arith::NegFOp::create(b, rounded),
                              arith::FastMathFlags::afn);
}

void Row::fold() {
  makeFactors();
  for (auto [power, type, x, y, scale] : all) {
    ImplicitLocOpBuilder b(power.getLoc(), power);
    auto exponent = power.getOperand().getDefiningOp<arith::MulFOp>();
    auto difference = exponent.getLhs().getDefiningOp<arith::SubFOp>();
    Operation *reference = difference.getRhs().getDefiningOp();
    Value factors = BroadcastOp::create(b, type, factor);
    Value origins = BroadcastOp::create(b, type, origin);
    power.getOperandMutable().assign(
        math::FmaOp::create(b, x, factors, origins));
    exponent->erase();
    difference->erase();
    if (reference->use_empty())
      reference->erase();
  }
  for (Value sum : sums) {
    ImplicitLocOpBuilder b(sum.getLoc(), sum.getContext());
    b.setInsertionPointAfterValue(sum);
    auto whole = arith::MulFOp::create(b, sum, rest);
    sum.replaceAllUsesExcept(whole, whole);
  }
}

namespace {
struct OneProductPass
    : mlir::smx::gpu::impl::OneProductPassBase<OneProductPass> {
  using OneProductPassBase::OneProductPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    llvm::MapVector<std::pair<Value, uint64_t>, Row> rows;
    kernel.walk([&](math::Exp2Op power) {
      if (std::optional<Weights> weights = Weights::match(power))
        rows[{weights->y, llvm::bit_cast<uint64_t>(weights->scale)}].add(
            *weights);
    });
    int64_t count = 0;
    for (auto &[key, row] : rows)
      if (row.canFold()) {
        count += row.size();
        row.fold();
      }
    if (count == 0)
      return;
    remark::passed(
        kernel.getLoc(),
        remark::RemarkOpts::name("OneProduct").category("smx-gpu-one-product"))
        << "exponentials are of one multiply-add: "
        << remark::metric("exponentials", count);
  }
};
} // namespace
