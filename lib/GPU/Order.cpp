//===- Order.cpp - blocks that wait for others ----------------------------===//

#include "smx/GPU/SmxGpu.h"

using namespace mlir;
using namespace mlir::smx::gpu;

static LogicalResult verifyPlace(Operation *op, TypedValue<MemRefType> counts,
                                 ValueRange place) { // P35
  MemRefType type = counts.getType();
  if (!type.getElementType().isSignlessInteger(32))
    return op->emitOpError("expected counts of i32, got ") << type;
  if (static_cast<int64_t>(place.size()) != type.getRank())
    return op->emitOpError("expected ") << type.getRank() << " indices for "
                                        << type << ", got " << place.size();
  return success();
}

LogicalResult AnnounceOp::verify() {
  return verifyPlace(*this, cast<TypedValue<MemRefType>>(getCounts()),
                     getPlace());
}

LogicalResult AwaitOp::verify() {
  if (static_cast<int64_t>(getCount()) <= 0) // P36
    return emitOpError("waits for a count of ")
           << static_cast<int64_t>(getCount())
           << ", which is always there; expected a positive one";
  return verifyPlace(*this, cast<TypedValue<MemRefType>>(getCounts()),
                     getPlace());
}
