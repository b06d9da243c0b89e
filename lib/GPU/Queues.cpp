//===- Queues.cpp - numbers that blocks take in turn ----------------------===//

#include "Verify.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx::gpu;

static bool isOneNumber(ArrayRef<int64_t> shape, Type element) {
  return llvm::equal(shape, ArrayRef<int64_t>{1, 1}) &&
         element.isSignlessInteger(32);
}

/// A number that was drawn is a count of i32, not negative.
static void setRangeOfNumber(Value number, SetIntRangeFn setRange) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(number.getType());
  setRange(number, ConstantIntRanges::fromSigned(
                       APInt(width, 0),
                       APInt(width, std::numeric_limits<int32_t>::max())));
}

LogicalResult DrawOp::verify() {
  ChannelType channel = getChannel().getType();
  if (!isOneNumber(channel.getShape(), channel.getElementType()) ||
      channel.getDealt()) // P37
    return emitOpError("expected a channel of 1x1xi32 that is not dealt, got ")
           << channel;
  return verifyPlaceOfCount(*this, getCounts(), getPlace());
}

void DrawOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                               SetIntRangeFn setRange) {
  setRangeOfNumber(getNumber(), setRange);
}

LogicalResult NumberInOp::verify() {
  SharedType tile = getTile().getType();
  if (isOneNumber(tile.getShape(), tile.getElementType()) &&
      getTile().getDefiningOp<GetOp>()) // P38
    return success();
  return emitOpError("expected a tile of 1x1xi32 that was got from a channel, "
                     "got ")
         << tile;
}

void NumberInOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                   SetIntRangeFn setRange) {
  setRangeOfNumber(getNumber(), setRange);
}
