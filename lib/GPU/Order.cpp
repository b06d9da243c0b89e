//===- Order.cpp - blocks that wait for others ----------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace mlir::smx::gpu;

LogicalResult mlir::smx::gpu::verifyPlaceOfCount(Operation *op, Value counts,
                                                 ValueRange place) { // P35
  auto type = cast<MemRefType>(counts.getType());
  if (!type.getElementType().isSignlessInteger(32))
    return op->emitOpError("expected counts of i32, got ") << type;
  if (static_cast<int64_t>(place.size()) != type.getRank())
    return op->emitOpError("expected ") << type.getRank() << " indices for "
                                        << type << ", got " << place.size();
  return success();
}

LogicalResult AnnounceOp::verify() {
  return verifyPlaceOfCount(*this, getCounts(), getPlace());
}

LogicalResult AwaitOp::verify() {
  if (static_cast<int64_t>(getCount()) <= 0) // P36
    return emitOpError("waits for a count of ")
           << static_cast<int64_t>(getCount())
           << ", which is always there; expected a positive one";
  return verifyPlaceOfCount(*this, getCounts(), getPlace());
}
