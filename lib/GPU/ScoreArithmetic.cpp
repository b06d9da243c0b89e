//===- ScoreArithmetic.cpp - what passes on scores have in common ---------===//

#include "ScoreArithmetic.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"

namespace mlir::smx::gpu {

std::optional<double> splatValue(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
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
