//===- ParallelFunctionsPass.cpp - a function for each parallel region ----===//

#include "smx/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUPARALLELFUNCTIONSPASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;

namespace {
struct ParallelFunctionsPass
    : smx::impl::SmxCPUParallelFunctionsPassBase<ParallelFunctionsPass> {
  using SmxCPUParallelFunctionsPassBase::SmxCPUParallelFunctionsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>())) {
      SmallVector<omp::ParallelOp> regions;
      function.walk<WalkOrder::PreOrder>([&](omp::ParallelOp region) {
        regions.push_back(region);
        return WalkResult::skip();
      });
      if (regions.size() > 1)
        for (omp::ParallelOp region : regions)
          moveOut(region, function, symbols);
    }
  }

  static void moveOut(omp::ParallelOp region, LLVM::LLVMFuncOp function,
                      SymbolTable &symbols) {
    Location loc = region.getLoc();
    llvm::SetVector<Value> captures(region->operand_begin(),
                                    region->operand_end());
    getUsedValuesDefinedAbove(region.getRegion(), captures);
    SmallVector<Value> arguments, constants;
    for (Value capture : captures) {
      Operation *source = capture.getDefiningOp();
      const bool isConstant =
          source && (source->hasTrait<OpTrait::ConstantLike>() ||
                     isa<LLVM::AddressOfOp>(source));
      (isConstant ? constants : arguments).push_back(capture);
    }

    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()),
        llvm::to_vector(ValueRange(arguments).getTypes()));
    auto outlined = LLVM::LLVMFuncOp::create(
        builder, loc, (function.getName() + ".parallel").str(), type,
        LLVM::Linkage::Internal);
    symbols.insert(outlined);
    Block *body = outlined.addEntryBlock(builder);

    builder.setInsertionPoint(region);
    LLVM::CallOp::create(builder, loc, outlined, arguments);
    builder.setInsertionPointToStart(body);
    IRMapping inside;
    inside.map(arguments, body->getArguments());
    for (Value constant : constants)
      inside.map(constant,
                 builder.clone(*constant.getDefiningOp())->getResult(0));
    region->moveBefore(body, body->end());
    region->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(inside.lookupOrDefault(operand.get()));
    });
    builder.setInsertionPointToEnd(body);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  }
};
} // namespace
