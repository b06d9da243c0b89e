//===- SharedOperands.cpp - rows that registers have no room for ----------===//

#include "SharedOperands.h"

#include "LoopRegisters.h"
#include "Swizzle.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// Registers that the tiles of a loop take, without those that it is given from
/// outside: what it carries, and products that it does not carry on.
static int64_t registersOfLoop(scf::ForOp loop) {
  int64_t count = 0;
  for (Type type : loop.getResultTypes())
    count += registersOf(type);
  loop.walk([&](MmaOp product) {
    if (!llvm::any_of(product->getUsers(), llvm::IsaPred<scf::YieldOp>))
      count += registersOf(product.getType());
  });
  return count;
}

/// The products are in the operand's own type, by the threads.
static bool isOffMatrixUnit(MmaOp product) {
  Type type = product.getB().getType().getElementType();
  return type.isF64() ||
         (type.isF32() && product.getPrecision() == Precision::Exact);
}

/// All uses are first operands of products.
static bool isOnlyMultiplied(Operation *read) {
  return !read->use_empty() &&
         llvm::all_of(read->getUses(), [](OpOperand &use) {
           auto product = dyn_cast<MmaOp>(use.getOwner());
           return product && &use == &product.getAMutable();
         });
}

/// Registers of a thread for `tile` and for a loop that multiplies it, of
/// `loops` that do.
static int64_t registersFor(Value tile, MmaOp product, scf::ForOp loop,
                            int64_t loops) {
  int64_t ofLoop = registersOfLoop(loop);
  if (product.getPrecision() != Precision::TF32x3)
    return registersOf(tile.getType()) + ofLoop;
  // What the unit takes of an element is computed in front of all loops: both
  // of its parts, and the addresses of every loop.
  constexpr int64_t parts = 2, addressesOfLoop = 32;
  return parts * registersOf(tile.getType()) + ofLoop +
         addressesOfLoop * (loops - 1);
}

static bool wantsShared(Value tile, int64_t registers) {
  llvm::SmallSetVector<scf::ForOp, 4> loops;
  for (Operation *user : tile.getUsers())
    if (auto loop = user->getParentOfType<scf::ForOp>())
      loops.insert(loop);
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto loop = user->getParentOfType<scf::ForOp>();
    auto product = cast<MmaOp>(user);
    return loop &&
           (isOffMatrixUnit(product) ||
            registersFor(tile, product, loop, loops.size()) > registers);
  });
}

SmallVector<SharedOperand>
mlir::smx::gpu::findSharedOperands(KernelOp kernel, int64_t registers) {
  SmallVector<SharedOperand> found;
  for (Operation &read : kernel.getBody().getOps()) {
    if (!isa<LoadOp, GatherOp>(read) || !isOnlyMultiplied(&read) ||
        !wantsShared(read.getResult(0), registers))
      continue;
    auto tile = cast<RankedTensorType>(read.getResult(0).getType());
    int64_t rowBytes = tile.getDimSize(1) * tile.getElementTypeBitWidth() / 8;
    found.push_back({&read, SharedType::get(tile.getContext(), tile.getShape(),
                                            tile.getElementType(),
                                            widestSwizzle(rowBytes))});
  }
  return found;
}
