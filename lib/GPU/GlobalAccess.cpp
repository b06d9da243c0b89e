//===- GlobalAccess.cpp - verifiers of tiles in global memory -------------===//

#include "Verify.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::elementBytes;

LogicalResult mlir::smx::gpu::verifyAccess(Operation *op,
                                           const GlobalAccess &access,
                                           int64_t rank, Type elementType) {
  auto [memory, offsets, valid, dims, aligned] = access;
  if (offsets != memory.getRank()) // P1
    return op->emitOpError("expected one offset per dimension of the memref, ")
           << memory.getRank() << ", got " << offsets;
  if (static_cast<int64_t>(dims.size()) != rank) // P1
    return op->emitOpError("expected one entry of dims per dimension of the "
                           "tile, ")
           << rank << ", got " << dims.size();
  for (auto [position, dim] : llvm::enumerate(dims)) { // P2
    if (dim < -1 || dim >= memory.getRank())
      return op->emitOpError("expected entries of dims from -1 to ")
             << memory.getRank() - 1 << ", got " << dim;
    if (dim != -1 && llvm::is_contained(dims.take_front(position), dim))
      return op->emitOpError("expected dims to name different dimensions of "
                             "the memref, got ")
             << dim << " twice";
  }
  if (valid != 0 && valid != rank) // P3
    return op->emitOpError("expected no valid extents or one per dimension of "
                           "the tile, ")
           << rank << ", got " << valid;
  if (memory.getElementType() != elementType) // P4
    return op->emitOpError("expected the tile and the memref to have one "
                           "element type, got ")
           << elementType << " and " << memory.getElementType();
  int64_t bytes = elementBytes(elementType);
  if (aligned != 0 && (!llvm::isPowerOf2_64(aligned) || aligned < 0 ||
                       aligned % bytes != 0)) // P17
    return op->emitOpError("expected aligned to be 0 or a power of two from ")
           << bytes << ", the bytes of an element, got " << aligned;
  return success();
}

template <typename AccessOp>
static GlobalAccess accessOf(AccessOp op, MemRefType memory) {
  return {memory, static_cast<int64_t>(op.getOffsets().size()),
          static_cast<int64_t>(op.getValid().size()), op.getDims(),
          static_cast<int64_t>(op.getAligned())};
}

/// P39
template <typename AccessOp>
static LogicalResult verifySlide(AccessOp op, MemRefType memory) {
  if (!op.getSlide())
    return success();
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(tile));
  if (!striped || striped.getRowThreads() != tile.getDimSize(0))
    return op.emitOpError("expected what is slid to be a striped tile with as "
                          "many rows as threads along them, got ")
           << tile;
  if (op.getValid().empty())
    return op.emitOpError("expected valid extents of what is slid");
  if (!hasDenseRows(memory, op.getDims()[1]))
    return op.emitOpError("expected what is slid to run along a dimension of "
                          "stride 1, got dims ")
           << op.getDims() << " of " << memory;
  auto rows = RankedTensorType::get(
      {tile.getDimSize(0)}, IndexType::get(op.getContext()),
      SliceAttr::get(op.getContext(), /*dim=*/1, striped));
  if (op.getSlide().getType() != rows)
    return op.emitOpError("expected a slide of ")
           << rows << ", got " << op.getSlide().getType();
  return success();
}

/// P41
template <typename AccessOp>
static LogicalResult verifyAdjacent(AccessOp op, MemRefType memory) {
  if (!op.getAdjacent())
    return success();
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  if (!isa_and_nonnull<StripedAttr>(getLayout(tile)) ||
      !isa<KernelOp>(op->getParentOp()))
    return op.emitOpError("expected adjacent rows to be a striped tile of the "
                          "kernel's own body, got ")
           << tile;
  ArrayRef<int64_t> dims = op.getDims();
  if (dims[0] == -1 || !hasDenseRows(memory, dims[1]))
    return op.emitOpError(
               "expected adjacent rows along a dimension of the "
               "memref, and columns along one of stride 1, got dims ")
           << dims << " of " << memory;
  int64_t columns = op.getAdjacentColumns();
  if (columns < 1 || columns > tile.getDimSize(1))
    return op.emitOpError("expected adjacent rows to have a constant number of "
                          "valid columns, from 1 to ")
           << tile.getDimSize(1);
  if (op.getSlide())
    return op.emitOpError("expected adjacent rows not to be slid");
  return success();
}

/// P39 and P41.
template <typename AccessOp>
static LogicalResult verifyRows(AccessOp op, MemRefType memory) {
  if (failed(verifySlide(op, memory)))
    return failure();
  return verifyAdjacent(op, memory);
}

/// Columns of what is adjacent; 0 if their number is no constant.
template <typename AccessOp>
static int64_t columnsOfAdjacent(AccessOp op) {
  if (op.getValid().empty())
    return cast<RankedTensorType>(op.getTile().getType()).getShape().back();
  return getConstantIntValue(op.getValid().back()).value_or(0);
}

MemRefType LoadOp::getMemoryType() { return getSource().getType(); }
MemRefType StoreOp::getMemoryType() { return getDestination().getType(); }

int64_t LoadOp::getAdjacentColumns() { return columnsOfAdjacent(*this); }
int64_t StoreOp::getAdjacentColumns() { return columnsOfAdjacent(*this); }

LogicalResult LoadOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (getAgain() && getLasting()) // P34
    return emitOpError("expected what is read again not to be lasting");
  if (getAdjacent() && (getAgain() || getLasting())) // P41
    return emitOpError("expected adjacent rows to be neither lasting nor read "
                       "again");
  if (getUnordered() && !getAdjacent()) // P41
    return emitOpError("expected only adjacent rows to be unordered");
  if (failed(verifyAccess(*this, accessOf(*this, getSource().getType()),
                          tile.getRank(), tile.getElementType())))
    return failure();
  return verifyRows(*this, getSource().getType());
}

LogicalResult StoreOp::verify() {
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (failed(verifyAccess(*this, accessOf(*this, getDestination().getType()),
                          tile.getRank(), tile.getElementType())))
    return failure();
  return verifyRows(*this, getDestination().getType());
}

int64_t SlideOp::getUnit() {
  SliceAttr slice = getSlice(getRows().getType());
  return cast<StripedAttr>(slice.getParent()).getVector();
}

LogicalResult SlideOp::verify() {
  MemRefType memory = getSource().getType();
  GlobalAccess access{memory, static_cast<int64_t>(getOffsets().size()),
                      /*valid=*/0, getDims(), /*aligned=*/0};
  if (failed(verifyAccess(*this, access, /*rank=*/2, memory.getElementType())))
    return failure();
  if (!hasDenseRows(memory, getDims()[1])) // P40
    return emitOpError("expected columns along a dimension of stride 1, got "
                       "dims ")
           << getDims() << " of " << memory;
  auto rows = cast<RankedTensorType>(getRows().getType());
  SliceAttr slice = getSlice(rows);
  if (!rows.getElementType().isIndex() || !slice || slice.getDim() != 1 ||
      !isa<StripedAttr>(slice.getParent())) // P40
    return emitOpError("expected an index for each row of a striped tile, "
                       "got ")
           << rows;
  return success();
}

LogicalResult CopyOp::verify() {
  return verifyAccess(*this, accessOf(*this, getSource().getType()),
                      /*rank=*/2, getShared().getType().getElementType());
}

//===----------------------------------------------------------------------===//
// put
//===----------------------------------------------------------------------===//

bool mlir::smx::gpu::hasDenseRows(MemRefType memory, int64_t columnDim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return columnDim != -1 &&
         succeeded(memory.getStridesAndOffset(strides, offset)) &&
         strides[columnDim] == 1;
}

/// C1
static LogicalResult verifyAsyncCopy(PutOp put) {
  ChannelType channel = put.getChannel().getType();
  int64_t rowBytes =
      channel.getShape()[1] * elementBytes(channel.getElementType());
  int64_t aligned = put.getAligned();
  if (aligned < 16)
    return put.emitOpError("expected rows aligned to at least 16 bytes for "
                           "copy(async), got aligned = ")
           << aligned << "; copy(plain) takes any alignment";
  if (rowBytes % 16 != 0)
    return put.emitOpError("expected rows of a multiple of 16 bytes for "
                           "copy(async), got ")
           << rowBytes << " bytes; copy(plain) takes any width";
  if (!hasDenseRows(put.getSource().getType(), put.getDims()[1]))
    return put.emitOpError("expected copy(async) to run along a dimension of "
                           "stride 1, got dims ")
           << put.getDims() << " of " << put.getSource().getType()
           << "; copy(plain) takes any stride";
  return success();
}

/// C3
static LogicalResult verifyTensorCopy(PutOp put) {
  ChannelType channel = put.getChannel().getType();
  if (channel.getSwizzle() == 0)
    return put.emitOpError("expected a channel with a swizzle of 32, 64 or 128 "
                           "bytes for copy(tensor), got 0");
  int64_t rows = channel.getShape()[0];
  if (rows > 256)
    return put.emitOpError("expected at most 256 rows for copy(tensor), got ")
           << rows << "; put two tiles of half the rows";
  // The pattern of a swizzle repeats after 8 rows, and every panel of columns
  // must start with a new one.
  if (rows % 8 != 0)
    return put.emitOpError("expected a multiple of 8 rows for copy(tensor), "
                           "got ")
           << rows;
  if (put.getDims()[0] == -1 ||
      !hasDenseRows(put.getSource().getType(), put.getDims()[1]))
    return put.emitOpError("expected copy(tensor) along two dimensions, the "
                           "second one of stride 1, got dims ")
           << put.getDims() << " of " << put.getSource().getType();
  if (!put.getValid().empty())
    return put.emitOpError("expected no valid extents for copy(tensor), which "
                           "gives 0 outside of the memref, got ")
           << put.getValid().size();
  return success();
}

/// C4
static LogicalResult verifyMulticast(PutOp put) {
  if (!put.getMulticast())
    return success();
  if (put.getCopy() != CopyKind::Tensor)
    return put.emitOpError("expected copy(tensor) for a multicast, got copy(")
           << stringifyCopyKind(put.getCopy()) << ")";
  const int64_t cluster = put->getParentOfType<KernelOp>().getCluster(),
                rows = put.getChannel().getType().getShape()[0];
  if (cluster > 1 && rows % (8 * cluster) == 0)
    return success();
  return put.emitOpError("expected a multicast of a multiple of 8 rows by each "
                         "of several blocks, got ")
         << rows << " rows and a cluster of " << cluster;
}

LogicalResult PutOp::verify() {
  if (failed(verifyAccess(*this, accessOf(*this, getSource().getType()),
                          /*rank=*/2, getChannel().getType().getElementType())))
    return failure();
  if (getCopy() == CopyKind::Async && failed(verifyAsyncCopy(*this)))
    return failure();
  if (getCopy() == CopyKind::Tensor && failed(verifyTensorCopy(*this)))
    return failure();
  return verifyMulticast(*this);
}
