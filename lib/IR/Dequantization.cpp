//===- Dequantization.cpp - tiles that are widened as they are read -------===//

#include "smx/IR/Dequantization.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::smx;

OpOperand *mlir::smx::findQuantized(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return nullptr;
  Type wide = getElementTypeOrSelf(op.getResult(0).getType());
  if (!isa<FloatType>(wide) || wide.getIntOrFloatBitWidth() != 16)
    return nullptr;
  bool isElementwise =
      llvm::all_of(op.getBlock()->without_terminator(), [](Operation &inner) {
        return OpTrait::hasElementwiseMappableTraits(&inner) &&
               isMemoryEffectFree(&inner);
      });
  if (!isElementwise || !op.getRegionOutputArgs().front().use_empty())
    return nullptr;
  OpOperand *quantized = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation())
      return nullptr;
    bool isNarrow =
        isa<Float8E4M3FNType>(getElementTypeOrSelf(input->get().getType()));
    if (!isNarrow || !map.isIdentity())
      continue;
    if (quantized)
      return nullptr;
    quantized = input;
  }
  return quantized;
}
