//===- SmallTanhPass.cpp - tanh of small numbers by a polynomial ----------===//

#include "ScoreArithmetic.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SMALLTANHPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// tanh x = x P(x^2) for |x| <= 1: the best P of so many coefficients, lowest
/// power first, and how far off it is of tanh x.
struct Series {
  double error;
  SmallVector<double> coefficients;
};

/// A term of the exponent of a weight, fma(tanh(scale x), factor, rest), in a
/// loop that asks whether a weight is too large:
///
///   tanh(scale x) factor = x Q(x^2),   Q(z) = scale factor P(scale^2 z)
class SmallTanh {
public:
  /// Nothing where the weights do not decide a branch, or tanh is not to be
  /// approximated.
  static std::optional<SmallTanh> match(math::FmaOp weight);
  void rewrite();
  /// tanh and the products in front of it.
  const SmallVector<Operation *> &getArithmetic() const { return arithmetic; }

private:
  bool collectScale();
  bool collectQuestion();
  /// Q, if its coefficients are far from the ends of f32.
  bool collectCoefficients();
  Value splat(OpBuilder &builder, double value, Value like);

  math::FmaOp weight;
  math::TanhOp tanh;
  Value x;
  double scale = 1, factor = 1;
  SmallVector<double> coefficients;
  SmallVector<Operation *> arithmetic;
  PartialReduceOp sums;
  arith::CmpFOp isLarge;
};
} // namespace

/// The fewest coefficients with which an exponent, a power of two, is off by at
/// most 2^-11, as weights in f16 are; null if there are none.
static const Series *seriesFor(double factor) {
  static const Series all[] = {
      {0x1.56p-14,
       {0x1.fff5532855ff5p-1, -0x1.529708c52271cp-2, 0x1.e7010e6828ae4p-4,
        -0x1.b44ccdff7468p-6}},
      {0x1.cfep-18,
       {0x1.ffff181be4c49p-1, -0x1.54f8e10905a77p-2, 0x1.0afe6d7ea2a04p-3,
        -0x1.6f252b41e4424p-5, 0x1.281ae9861a31p-7}},
      {0x1.3aep-21,
       {0x1.ffffec529c903p-1, -0x1.554a15adbcc6p-2, 0x1.1000f640f1881p-3,
        -0x1.a6c0ebc0cd244p-5, 0x1.1251aae116a7cp-6, -0x1.920151ba9688p-9}}};
  constexpr double mostOff = 0x1p-11, tanhOne = 0x1.85efab514f394p-1;
  for (const Series &series : all)
    if (std::abs(factor) * tanhOne * series.error <= mostOff)
      return &series;
  return nullptr;
}

bool SmallTanh::collectScale() {
  arithmetic.push_back(tanh);
  x = tanh.getOperand();
  while (Operation *op = x.getDefiningOp()) {
    if (!isa<arith::MulFOp, arith::DivFOp>(op))
      break;
    bool isProduct = isa<arith::MulFOp>(op);
    std::optional<double> left = isProduct ? splatValue(op->getOperand(0))
                                           : std::optional<double>(),
                          right = splatValue(op->getOperand(1));
    if (!left && !right)
      break;
    if (right)
      scale *= isProduct ? *right : 1 / *right;
    else
      scale *= *left;
    x = op->getOperand(right ? 0 : 1);
    arithmetic.push_back(op);
  }
  return scale != 0;
}

/// The question is about sums of the weights that `weight` is the exponent of.
bool SmallTanh::collectQuestion() {
  auto power = dyn_cast<math::Exp2Op>(*weight->getUsers().begin());
  if (!power || !weight->hasOneUse())
    return false;
  for (Operation *user : power->getUsers())
    if (auto reduced = dyn_cast<PartialReduceOp>(user))
      for (Operation *reader : reduced->getUsers())
        if (auto compared = dyn_cast<arith::CmpFOp>(reader))
          if (compared->hasOneUse() &&
              isa<AnyOp>(*compared->getUsers().begin())) {
            sums = reduced;
            isLarge = compared;
          }
  return isLarge && isLarge.getPredicate() == arith::CmpFPredicate::UGT &&
         isLarge.getLhs() == sums.getResult();
}

bool SmallTanh::collectCoefficients() {
  const Series *series = seriesFor(factor);
  if (!series)
    return false;
  double power = scale * factor;
  for (double coefficient : series->coefficients) {
    coefficients.push_back(coefficient * power);
    power *= scale * scale;
  }
  return llvm::all_of(coefficients, [](double value) {
    return std::abs(value) > 0x1p-100 && std::abs(value) < 0x1p100;
  });
}

std::optional<SmallTanh> SmallTanh::match(math::FmaOp weight) {
  SmallTanh found;
  found.weight = weight;
  found.tanh = weight.getA().getDefiningOp<math::TanhOp>();
  std::optional<double> factor = splatValue(weight.getB());
  if (!found.tanh || !factor ||
      !arith::bitEnumContainsAll(found.tanh.getFastmath(),
                                 arith::FastMathFlags::afn) ||
      found.tanh->getBlock() != weight->getBlock() ||
      !getElementTypeOrSelf(weight.getType()).isF32())
    return std::nullopt;
  // Else it is computed all the same.
  for (Operation *user : found.tanh->getUsers())
    if (user != weight && user->getBlock() == weight->getBlock())
      return std::nullopt;
  found.factor = *factor;
  if (!found.collectScale() || !found.collectQuestion() ||
      !found.collectCoefficients())
    return std::nullopt;
  return found;
}

Value SmallTanh::splat(OpBuilder &builder, double value, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  FloatAttr element = builder.getFloatAttr(type.getElementType(), value);
  return arith::ConstantOp::create(builder, weight.getLoc(),
                                   DenseElementsAttr::get(type, element));
}

void SmallTanh::rewrite() {
  OpBuilder builder(weight);
  Location loc = weight.getLoc();
  Value square = arith::MulFOp::create(builder, loc, x, x);
  Value quotient = splat(builder, coefficients.back(), x);
  for (double coefficient : llvm::reverse(ArrayRef(coefficients).drop_back()))
    quotient = math::FmaOp::create(builder, loc, quotient, square,
                                   splat(builder, coefficient, x));
  Value exponent =
      math::FmaOp::create(builder, loc, x, quotient, weight.getC());
  weight.replaceAllUsesWith(exponent);
  weight.erase();
  // What is not a number shows in the sums.
  builder.setInsertionPointAfter(isLarge);
  Value largest = PartialReduceOp::create(
      builder, loc, sums.getResult().getType(), Combiner::MaxNum, square);
  Value isFar =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, largest,
                            splat(builder, 1 / (scale * scale), largest));
  Value isEither = arith::OrIOp::create(builder, loc, isLarge, isFar);
  isLarge->replaceUsesWithIf(ValueRange(isEither), [&](OpOperand &use) {
    return use.getOwner() != isEither.getDefiningOp();
  });
}

namespace {
struct SmallTanhPass : mlir::smx::gpu::impl::SmallTanhPassBase<SmallTanhPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<math::FmaOp> weights;
    kernel.walk([&](math::FmaOp fma) {
      if (isa<scf::ForOp>(fma->getParentOp()))
        weights.push_back(fma);
    });
    llvm::SmallPtrSet<Operation *, 4> arithmetic;
    for (math::FmaOp weight : weights) {
      std::optional<SmallTanh> found = SmallTanh::match(weight);
      if (!found)
        continue;
      remark::passed(
          weight.getLoc(),
          remark::RemarkOpts::name("SmallTanh").category("smx-gpu-small-tanh"))
          << "tanh is a polynomial where it is of at most 1";
      arithmetic.insert_range(found->getArithmetic());
      found->rewrite();
    }
    // The branches compute tanh as it stands.
    if (!arithmetic.empty())
      sinkIntoBranches(kernel, getAnalysis<DominanceInfo>(),
                       [&](Operation *op) { return arithmetic.contains(op); });
  }
};
} // namespace
