//===- ScoreArithmetic.cpp - what passes on scores have in common ---------===//

#include "ScoreArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"

namespace mlir::smx::gpu {

std::optional<double> splatValue(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return std::nullopt;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().convertToDouble();
  return double(splat.getSplatValue<APInt>().getSExtValue());
}

Value behindGuard(Value value) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  if (!choice || !matchPattern(choice.getTrueValue(), m_AnyZeroFloat()))
    return {};
  Value reference = choice.getFalseValue();
  auto isInfinite = choice.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!isInfinite || isInfinite.getPredicate() != arith::CmpFPredicate::OEQ ||
      !matchPattern(isInfinite.getRhs(), m_PosInfFloat()))
    return {};
  auto magnitude = isInfinite.getLhs().getDefiningOp<math::AbsFOp>();
  return magnitude && magnitude.getOperand() == reference ? reference : Value();
}

Value withoutBound(Value exponent) {
  auto least = exponent.getDefiningOp<arith::MinNumFOp>();
  return least && matchPattern(least.getRhs(), m_AnyZeroFloat())
             ? least.getLhs()
             : exponent;
}

void sinkIntoBranches(KernelOp kernel, DominanceInfo &dominance,
                      llvm::function_ref<bool(Operation *)> isToSink) {
  kernel.walk([&](scf::IfOp branch) {
    controlFlowSink(
        branch->getRegions(), dominance,
        [&](Operation *op, Region *) { return isToSink(op); },
        [](Operation *op, Region *region) {
          op->moveBefore(&region->front(), region->front().begin());
        });
  });
}

} // namespace mlir::smx::gpu
