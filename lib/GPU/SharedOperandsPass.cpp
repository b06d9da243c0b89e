//===- SharedOperandsPass.cpp - rows that registers have no room for ------===//

#include "Swizzle.h"
#include "smx/GPU/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SHAREDOPERANDSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// Registers of 32 bits that a thread holds of a value; 0 unless it is a tile.
static int64_t registersOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || (!getLayout(tile) && !getSlice(tile)))
    return 0;
  Type element = tile.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return llvm::divideCeil(getRegisterCount(tile) * bits, 32);
}

/// Registers that the tiles of a loop take, without those that it is given from
/// outside: what it carries, and products that it does not carry on.
static int64_t registersOf(scf::ForOp loop) {
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

namespace {
struct SharedOperandsPass
    : mlir::smx::gpu::impl::SharedOperandsPassBase<SharedOperandsPass> {
  using SharedOperandsPassBase::SharedOperandsPassBase;

  void runOnOperation() override {
    SmallVector<LoadOp> loads;
    for (LoadOp load : getOperation().getBody().getOps<LoadOp>())
      if (isOnlyMultiplied(load) && wantsShared(load))
        loads.push_back(load);
    for (LoadOp load : loads)
      share(load);
  }

  /// All uses are first operands of products.
  static bool isOnlyMultiplied(LoadOp load) {
    return !load->use_empty() &&
           llvm::all_of(load->getUses(), [](OpOperand &use) {
             auto product = dyn_cast<MmaOp>(use.getOwner());
             return product && &use == &product.getAMutable();
           });
  }

  bool wantsShared(LoadOp load) {
    return llvm::any_of(load->getUsers(), [&](Operation *user) {
      auto loop = user->getParentOfType<scf::ForOp>();
      return loop &&
             (isOffMatrixUnit(cast<MmaOp>(user)) ||
              registersOf(load.getType()) + registersOf(loop) > registers);
    });
  }

  /// The first op that needs the tile, or that may write what it is read from:
  /// late, so that the copies that a loop waits for first are under way.
  static Operation *whereNeeded(LoadOp load) {
    Operation *op = load->getNextNode();
    auto mayWrite = [](Operation *inner) {
      return isa<StoreOp>(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
    };
    auto uses = [&](Operation *user) { return op->isAncestor(user); };
    while (!llvm::any_of(load->getUsers(), uses) &&
           !op->walk(mayWrite).wasInterrupted())
      op = op->getNextNode();
    return op;
  }

  void share(LoadOp load) {
    auto tile = cast<RankedTensorType>(load.getType());
    int64_t rowBytes = tile.getDimSize(1) * tile.getElementTypeBitWidth() / 8;
    auto type = SharedType::get(load.getContext(), tile.getShape(),
                                tile.getElementType(), widestSwizzle(rowBytes));
    // Beside the tiles: barriers, and room to exchange values between warps.
    constexpr int64_t reserve = 1024;
    KernelOp kernel = getOperation();
    int64_t needed = kernel.getSharedBytes() + type.getBytes() + reserve;
    bool fits = needed <= int64_t(kernel.getSharedLimit());
    auto opts = remark::RemarkOpts::name("SharedOperand")
                    .category("smx-gpu-shared-operands");
    if (!fits) {
      remark::missed(load.getLoc(), opts)
          << remark::metric("needed", needed)
          << remark::metric("limit", int64_t(kernel.getSharedLimit()));
      return;
    }
    remark::passed(load.getLoc(), opts)
        << remark::metric("bytes", type.getBytes());

    OpBuilder builder(load);
    Value shared = AllocOp::create(builder, load.getLoc(), type);
    builder.setInsertionPoint(whereNeeded(load));
    CopyOp::create(builder, load.getLoc(), load.getSource(), load.getOffsets(),
                   load.getValid(), shared, load.getDims(), load.getAligned());
    load.getTile().replaceAllUsesWith(shared);
    load.erase();
  }
};
} // namespace
