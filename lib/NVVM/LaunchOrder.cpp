//===- LaunchOrder.cpp - kernels that begin while another ends ------------===//

#include "LaunchOrder.h"

#include "smx/GPU/SmxGpu.h"
#include "smx/NVVM/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::smx {

LaunchOrder::LaunchOrder(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody()) {
      gpu::LaunchOp previous;
      for (Operation &op : block) {
        if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
          if (previous) {
            first.insert(previous.getKernel());
            second.insert(launch.getKernel());
          }
          previous = launch;
        } else if (isa<memref::CopyOp>(op) || op.getNumRegions() != 0) {
          previous = {};
        }
      }
    }
}

void LaunchOrder::addTo(mlir::gpu::GPUModuleOp device) const {
  for (auto kernel : device.getOps<LLVM::LLVMFuncOp>()) {
    bool follows = second.contains(kernel.getName()),
         leads = first.contains(kernel.getName());
    if (!(follows || leads) || !chipOf(kernel).hasDependentLaunches())
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    auto add = [&](NVVM::GridDepActionKind kind) {
      NVVM::GriddepcontrolOp::create(b, kernel.getLoc(), kind);
    };
    // Before that nothing of the launch in front may be read, nor anything
    // written that it reads. It has waited itself: all before it has ended.
    if (follows) {
      add(NVVM::GridDepActionKind::wait);
      kernel->setAttr(overlapsPreviousAttribute, b.getUnitAttr());
    }
    if (leads)
      add(NVVM::GridDepActionKind::launch_dependents);
  }
}

} // namespace mlir::smx
