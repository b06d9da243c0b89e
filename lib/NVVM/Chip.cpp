//===- Chip.cpp - what the chip that is lowered for can do ----------------===//

#include "Chip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

smx::Chip mlir::smx::chipOf(Operation *op) {
  Chip chip;
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : ArrayAttr();
  if (!targets)
    return chip;
  for (auto target : targets.getAsRange<NVVM::NVVMTargetAttr>()) {
    StringRef name = target.getChip();
    if (name.consume_front("sm_") && !name.consumeInteger(10, chip.version))
      chip.isSpecific = name == "a";
  }
  return chip;
}
