//===- ClearedCounts.cpp - counts that begin at 0 -------------------------===//

#include "ClearedCounts.h"
#include "Indices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx::gpu;

void mlir::smx::gpu::clearCounts(LaunchOp launch, KernelOp kernel,
                                 Value counts) {
  constexpr int64_t warps = 4, threads = warps * ::smx::gpu::warpThreads;
  auto type = cast<MemRefType>(counts.getType());
  Indices b(launch.getLoc(), kernel);
  std::string name = (kernel.getName() + "_clear").str();
  auto clear =
      KernelOp::create(b, name, b.getFunctionType(type, {}),
                       /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr, warps,
                       /*cluster=*/1, kernel.getSharedLimit(),
                       /*min_blocks=*/1);
  SymbolTable(kernel->getParentOfType<ModuleOp>()).insert(clear);
  Value memory =
      b.createBlock(&clear.getBody(), {}, type, b.getLoc())->getArgument(0);
  auto layout = SliceAttr::get(
      b.getContext(), /*dim=*/0,
      StripedAttr::get(b.getContext(), /*rows=*/1, threads, /*vector=*/1));
  auto zeros = RankedTensorType::get(
      {llvm::divideCeilSigned(type.getDimSize(0), threads) * threads},
      type.getElementType(), layout);
  Value zero = arith::ConstantOp::create(
      b, DenseElementsAttr::get(zeros, b.getI32IntegerAttr(0)));
  Value valid = b.number(type.getDimSize(0));
  StoreOp::create(b, zero, memory, b.number(0), valid, ArrayRef<int64_t>{0},
                  /*aligned=*/0);
  ReturnOp::create(b);
  b.setInsertionPoint(launch);
  Value one = b.number(1);
  LaunchOp::create(b, clear.getSymName(), one, one, one, counts);
}
