//===- TensorStores.cpp - verifiers of stores by the tensor engine --------===//

#include "Verify.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// P31
static LogicalResult verifyTiles(TensorStoreOp store, RoleOp role) {
  RankedTensorType tile = store.getTile().getType();
  SharedType shared = store.getShared().getType();
  if (!isa_and_nonnull<FragmentAttr>(tile.getEncoding()) ||
      !isa<FloatType>(tile.getElementType()) ||
      tile.getElementTypeBitWidth() != 16)
    return store.emitOpError("expected a fragment of a 16-bit type, got ")
           << tile << "; smx_gpu.store takes any tile";
  const int64_t groups = role.getWarps() / role.getGroup(),
                rows = groups * tile.getDimSize(0);
  if (shared.getShape()[0] != rows ||
      tile.getDimSize(1) % shared.getShape()[1] != 0 ||
      shared.getElementType() != tile.getElementType())
    return store.emitOpError("expected a shared tile of ")
           << rows << "x" << tile.getDimSize(1) << "x" << tile.getElementType()
           << ", the tiles of all " << groups << " groups of role '"
           << role.getName() << "', or of columns that divide these, got "
           << shared;
  if (shared.getSwizzle() == 0)
    return store.emitOpError("expected a shared tile with a swizzle of 32, 64 "
                             "or 128 bytes, got 0");
  return success();
}

/// P32, of the shared tile as `role` sees it.
static LogicalResult verifySharedUses(TensorStoreOp store, RoleOp role) {
  auto inside = dyn_cast<BlockArgument>(store.getShared());
  if (!inside || inside.getOwner() != &role.getBody().front())
    return store.emitOpError("expected a shared tile that the role captures");
  Value outside = role.getCaptures()[inside.getArgNumber()];
  if (!outside.getDefiningOp<AllocOp>())
    return store.emitOpError("expected a shared tile of smx_gpu.alloc, which "
                             "no channel fills");
  auto report = [&](Operation *user) -> LogicalResult {
    InFlightDiagnostic diagnostic = store.emitOpError(
        "expected a shared tile that such stores of one role use and nothing "
        "else does: nothing else waits until the engine has read it");
    diagnostic.attachNote(user->getLoc()) << "it is used here, too";
    return diagnostic;
  };
  for (OpOperand &use : outside.getUses())
    if (use.getOwner() != role ||
        use.getOperandNumber() != inside.getArgNumber())
      return report(use.getOwner());
  for (Operation *user : inside.getUsers())
    if (!isa<TensorStoreOp>(user))
      return report(user);
  return success();
}

LogicalResult TensorStoreOp::verify() {
  if (failed(verifyAccess(*this,
                          {getDestination().getType(),
                           static_cast<int64_t>(getOffsets().size()),
                           /*valid=*/0, getDims(),
                           static_cast<int64_t>(getAligned())},
                          /*rank=*/2, getTile().getType().getElementType())))
    return failure();
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role) // P32
    return emitOpError("expected to stand in a role, whose warps wait at their "
                       "end until shared memory has been read");
  if (failed(verifyTiles(*this, role)) || failed(verifySharedUses(*this, role)))
    return failure();
  if (getDims()[0] == -1 || // P33
      !hasDenseRows(getDestination().getType(), getDims()[1]))
    return emitOpError("expected two dimensions of the memref, the second one "
                       "of stride 1, got dims ")
           << getDims() << " of " << getDestination().getType();
  return success();
}
