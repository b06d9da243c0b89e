//===- LoopRegisters.cpp - what tiles take of a thread --------------------===//

#include "LoopRegisters.h"

#include "smx/IR/ElementBits.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx::gpu;

int64_t mlir::smx::gpu::registersOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || (!getLayout(tile) && !getSlice(tile)))
    return 0;
  return llvm::divideCeil(
      getRegisterCount(tile) * std::max<int64_t>(elementBits(tile), 16), 32);
}

int64_t mlir::smx::gpu::registersOfRounds(scf::ForOp loop) {
  int64_t count = 0;
  for (Value carried : loop.getRegionIterArgs())
    count += registersOf(carried.getType());
  for (auto product : loop.getBody()->getOps<MmaAsyncOp>())
    if (!llvm::is_contained(loop.getRegionIterArgs(), product.getAcc()))
      count += registersOf(product.getResult().getType());
  return count;
}
