//===- Chip.cpp - what the chip that is lowered for can do ----------------===//

#include "smx/NVVM/Chip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

mlir::smx::Chip mlir::smx::Chip::named(StringRef name) {
  Chip chip;
  if (name.consume_front("sm_") && !name.consumeInteger(10, chip.version))
    chip.isSpecific = name == "a";
  return chip;
}

int64_t mlir::smx::Chip::sharedLimit() const {
  if (version >= 90 && version < 120)
    return 227 * 1024;
  return version == 80 || version == 87 ? 163 * 1024 : 99 * 1024;
}

mlir::smx::Chip mlir::smx::chipOf(Operation *op) {
  Chip chip;
  auto module = op->getParentOfType<mlir::gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : ArrayAttr();
  if (!targets)
    return chip;
  for (auto target : targets.getAsRange<NVVM::NVVMTargetAttr>())
    chip = Chip::named(target.getChip());
  return chip;
}
