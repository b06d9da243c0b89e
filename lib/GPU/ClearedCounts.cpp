//===- ClearedCounts.cpp - counts that begin at 0 -------------------------===//

#include "ClearedCounts.h"
#include "Indices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// Makes the first `valid` counts 0, by all threads of a block.
static void storeZeros(Indices &b, int64_t warps, Value counts, Value valid) {
  const int64_t threads = warps * ::smx::gpu::warpThreads;
  auto type = cast<MemRefType>(counts.getType());
  auto layout = SliceAttr::get(
      b.getContext(), /*dim=*/0,
      StripedAttr::get(b.getContext(), /*rows=*/1, threads, /*vector=*/1));
  auto zeros = RankedTensorType::get(
      {llvm::divideCeilSigned(type.getDimSize(0), threads) * threads},
      type.getElementType(), layout);
  Value zero = arith::ConstantOp::create(
      b, DenseElementsAttr::get(zeros, b.getI32IntegerAttr(0)));
  StoreOp::create(b, zero, counts, b.number(0), valid,
                  /*slide=*/Value(), ArrayRef<int64_t>{0},
                  /*aligned=*/0);
}

static KernelOp kernelOf(LaunchOp launch) {
  return SymbolTable::lookupNearestSymbolFrom<KernelOp>(launch,
                                                        launch.getKernelAttr());
}

/// Whether the first block of `launch` can clear counts beside its own work: it
/// is there, and its kernel has no other launch and no roles.
static bool canClear(LaunchOp launch) {
  KernelOp kernel = kernelOf(launch);
  return kernel && kernel.getCluster() == 1 &&
         isConstantIntValue(launch.getGridY(), 1) &&
         isConstantIntValue(launch.getGridZ(), 1) &&
         getConstantIntValue(launch.getGridX()).value_or(0) > 0 &&
         kernel.getBody().front().getOps<WarpSpecializeOp>().empty() &&
         llvm::hasSingleElement(*SymbolTable::getSymbolUses(
             kernel, kernel->getParentOfType<ModuleOp>()));
}

/// The launch in front of `launch`, null if there is none, or if that can not
/// clear counts for it.
static LaunchOp launchInFront(LaunchOp launch) {
  Operation *op = launch->getPrevNode();
  while (op && !isa<LaunchOp>(op))
    op = op->getPrevNode();
  auto front = dyn_cast_or_null<LaunchOp>(op);
  return front && canClear(front) ? front : LaunchOp();
}

/// As a part of what `launch` does.
static void clearBy(LaunchOp launch, Value counts) {
  KernelOp kernel = kernelOf(launch);
  counts.getDefiningOp()->moveBefore(launch);
  launch.getArgumentsMutable().append(counts);
  Value memory = kernel.appendArgument(counts.getType());
  Indices b(launch.getLoc(), kernel);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value block = ::mlir::gpu::BlockIdOp::create(b, ::mlir::gpu::Dimension::x);
  int64_t size = cast<MemRefType>(counts.getType()).getDimSize(0);
  storeZeros(
      b, kernel.getWarps(), memory,
      b.choose(b.isEqual(block, b.number(0)), b.number(size), b.number(0)));
}

void mlir::smx::gpu::clearCounts(LaunchOp launch, KernelOp kernel,
                                 Value counts) {
  if (LaunchOp front = launchInFront(launch))
    return clearBy(front, counts);
  constexpr int64_t warps = 4;
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
  storeZeros(b, warps, memory, b.number(type.getDimSize(0)));
  ReturnOp::create(b);
  b.setInsertionPoint(launch);
  Value one = b.number(1);
  LaunchOp::create(b, clear.getSymName(), one, one, one, counts);
}
