//===- StreamingStores.cpp - when an output goes past the caches ----------===//

#include "StreamingStores.h"

#include "FillFolding.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::smx;

/// True when nothing under `value` (an argument or a view of one) reads its
/// elements.
static bool isOnlyWritten(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<memref::DimOp>(user))
      return true;
    if (isa<ViewLikeOpInterface>(user))
      return isOnlyWritten(user->getResult(0));
    if (auto copy = dyn_cast<memref::CopyOp>(user))
      return use.get() == copy.getTarget() && use.get() != copy.getSource();
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return generic && generic.isDpsInit(&use) &&
           !generic.payloadUsesValueFromOperand(&use);
  });
}

Value smx::streamingCondition(OpBuilder &b, linalg::GenericOp op,
                              const LanePlan &plan, int64_t bytes) {
  if (bytes == 0 || plan.isScalar() || plan.crossed || op.getNumDpsInits() != 1)
    return {};
  OpOperand &output = *op.getDpsInitOperand(0);
  Value buffer = rootBuffer(output.get());
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) ||
      !isOnlyWritten(buffer))
    return {};
  if (classifyAccess(op, output, plan.lane) != LaneAccess::UnitStride)
    return {};
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(output.get().getType());
  int64_t bytesOfOne = elementBytes(type);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };

  Value size = index(bytesOfOne);
  for (int64_t dim = 0; dim < cast<MemRefType>(buffer.getType()).getRank();
       ++dim)
    size = arith::MulIOp::create(
        b, loc, size, memref::DimOp::create(b, loc, buffer, dim).getResult());
  Value isLarge = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, size,
                                        index(bytes));

  // The address of the first element and the distance of every line, in bytes,
  // must be multiples of a vector.
  auto metadata =
      memref::ExtractStridedMetadataOp::create(b, loc, output.get());
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      b, loc, metadata.getBaseBuffer());
  Value offset =
      arith::MulIOp::create(b, loc, metadata.getOffset(), index(bytesOfOne));
  Value bits = arith::AddIOp::create(b, loc, address, offset);
  for (Value stride : metadata.getStrides().drop_back())
    bits = arith::OrIOp::create(
        b, loc, bits, arith::MulIOp::create(b, loc, stride, index(bytesOfOne)));
  Value low =
      arith::AndIOp::create(b, loc, bits, index(plan.lanes * bytesOfOne - 1));
  Value isAligned =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, low, index(0));
  return arith::AndIOp::create(b, loc, isLarge, isAligned);
}
