//===- RowCopy.cpp - rows that threads copy for themselves ----------------===//

#include "smx/GPU/RowCopy.h"

using namespace mlir;
using namespace mlir::smx::gpu;

static int64_t vectorOf(CopyOp copy) {
  int64_t bits =
      copy.getShared().getType().getElementType().getIntOrFloatBitWidth();
  return rowCopyBytes / llvm::divideCeil(bits, 8);
}

bool mlir::smx::gpu::copiesByThreads(CopyOp copy, int64_t threads) {
  SharedType type = copy.getShared().getType();
  return type.getShape()[0] == 1 && type.getSwizzle() == 0 &&
         int64_t(copy.getAligned()) >= rowCopyBytes &&
         type.getShape()[1] % (vectorOf(copy) * threads) == 0;
}

bool mlir::smx::gpu::accessesOwnCopy(CopyOp copy, Operation *access,
                                     int64_t threads) {
  Value tile;
  if (auto read = dyn_cast<ReadOp>(access))
    tile = read.getTile();
  else if (auto write = dyn_cast<WriteOp>(access))
    tile = write.getTile();
  auto striped = tile ? dyn_cast_or_null<StripedAttr>(
                            getLayout(cast<RankedTensorType>(tile.getType())))
                      : StripedAttr();
  return striped && copiesByThreads(copy, threads) &&
         striped.getRowThreads() == 1 &&
         striped.getColumnThreads() == threads &&
         striped.getVector() == vectorOf(copy);
}

SmallVector<Operation *> mlir::smx::gpu::getAccesses(CopyOp copy) {
  SmallVector<Operation *> accesses;
  SmallVector<Value> handles{copy.getShared()};
  for (size_t i = 0; i < handles.size(); ++i)
    for (Operation *user : handles[i].getUsers()) {
      if (isa<HoldOp>(user))
        handles.push_back(user->getResult(0));
      else if (user != copy)
        accesses.push_back(user);
    }
  return accesses;
}
