//===- Parts.cpp - rows that warps hold in parts --------------------------===//

#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

/// The rows of a striped layout that has a row for each warp, or 0.
static int64_t warpRows(Attribute layout) {
  auto striped = dyn_cast_or_null<StripedAttr>(layout);
  return striped && striped.getColumnThreads() == warpThreads
             ? striped.getRowThreads()
             : 0;
}

/// The warps that have one value each; 0 for other values.
static int64_t warpValues(Type type) {
  SliceAttr slice = getSlice(type);
  int64_t warps =
      slice && slice.getDim() == 1 ? warpRows(slice.getParent()) : 0;
  return cast<RankedTensorType>(type).getNumElements() == warps ? warps : 0;
}

/// The threads of a layout whose rows have one value each, and lie in warps; 0
/// for other values.
static int64_t threadsOfValues(RankedTensorType type) {
  SliceAttr slice = getSlice(type);
  auto striped =
      slice ? dyn_cast<StripedAttr>(slice.getParent()) : StripedAttr();
  bool isInWarps = striped && slice.getDim() == 1 &&
                   warpThreads % striped.getColumnThreads() == 0 &&
                   type.getNumElements() == striped.getRowThreads();
  int64_t threads =
      isInWarps ? striped.getRowThreads() * striped.getColumnThreads() : 0;
  return threads % warpThreads == 0 ? threads : 0;
}

/// True for a row that whole warps hold.
static bool isRowOfWarps(RankedTensorType type) {
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(type));
  return striped && type.getDimSize(0) == 1 && striped.getRowThreads() == 1 &&
         striped.getColumnThreads() % warpThreads == 0;
}

/// The type of the parts of such a row, of so many threads each.
static RankedTensorType partsOf(RankedTensorType row, int64_t threads) {
  auto striped = cast<StripedAttr>(getLayout(row));
  int64_t parts = striped.getColumnThreads() / threads;
  return RankedTensorType::get(
      {parts, row.getDimSize(1) / parts}, row.getElementType(),
      StripedAttr::get(row.getContext(), parts, threads, striped.getVector()));
}

LogicalResult PartsOp::verify() { // P22
  auto from = cast<RankedTensorType>(getTile().getType()),
       to = cast<RankedTensorType>(getResult().getType());
  // One of each thread.
  if (int64_t threads = threadsOfValues(from);
      threads != 0 && threads == from.getNumElements()) {
    int64_t warps = threads / warpThreads;
    auto rows = RankedTensorType::get(
        {warps, warpThreads}, from.getElementType(),
        StripedAttr::get(getContext(), warps, warpThreads, /*vector=*/1));
    if (to == rows)
      return success();
    return emitOpError("expected the values of each warp in a row, ")
           << rows << ", got " << to;
  }
  // Back to the row, where the result is one.
  bool isBack = !isRowOfWarps(from) && isRowOfWarps(to);
  RankedTensorType row = isBack ? to : from, other = isBack ? from : to;
  if (!isRowOfWarps(row))
    return emitOpError("expected one row in a striped layout of whole warps, "
                       "got ")
           << from;
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(other));
  const bool isForThreads = striped && striped.getColumnThreads() == 1;
  RankedTensorType parts = partsOf(row, isForThreads ? 1 : warpThreads);
  if (other == parts)
    return success();
  return emitOpError("expected a row for each ")
         << (isForThreads ? "thread, " : "warp, ") << parts << ", got "
         << other;
}

/// The warps that have one value each, or one together; 0 for other values.
static int64_t warpsOfValue(RankedTensorType type) {
  if (int64_t warps = warpValues(type))
    return warps;
  SliceAttr slice = getSlice(type);
  auto striped =
      slice ? dyn_cast<StripedAttr>(slice.getParent()) : StripedAttr();
  bool isOfBlock = striped && slice.getDim() == 1 &&
                   striped.getRowThreads() == 1 && type.getNumElements() == 1 &&
                   striped.getColumnThreads() % warpThreads == 0;
  return isOfBlock ? striped.getColumnThreads() / warpThreads : 0;
}

RankedTensorType CollectOp::typeOf(Type element, int64_t values,
                                   int64_t warps) {
  int64_t columns = values <= warpThreads ? llvm::PowerOf2Ceil(values)
                                          : llvm::alignTo(values, warpThreads);
  int64_t lanes = std::min<int64_t>(columns, warpThreads),
          rows = warps * warpThreads / lanes;
  return RankedTensorType::get(
      {rows, columns}, element,
      StripedAttr::get(element.getContext(), rows, lanes, /*vector=*/1));
}

int64_t CollectOp::getBlocks() {
  return getInBlock() ? 1 : (*this)->getParentOfType<KernelOp>().getCluster();
}

LogicalResult CollectOp::verify() { // P23
  if (getValues().size() != getCollected().size() ||
      getValues().size() != getFill().size() || getValues().empty())
    return emitOpError("expected one or more values, each with a result and an "
                       "element of 'fill', got ")
           << getValues().size() << " values, " << getCollected().size()
           << " results and " << getFill().size() << " elements";
  int64_t blocks = getBlocks();
  for (auto [value, result, fill] :
       llvm::zip(getValues(), getCollected(), getFill())) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t warps = warpsOfValue(type);
    if (warps == 0 || type.getNumElements() != getValuesOfBlock())
      return emitOpError("expected one value for each warp, or of each block, "
                         "got ")
             << type;
    RankedTensorType expected =
        typeOf(type.getElementType(), type.getNumElements() * blocks, warps);
    if (result.getType() != expected)
      return emitOpError("expected the values of ")
             << blocks << " blocks in a row for every "
             << warps * warpThreads / expected.getDimSize(0) << " threads, "
             << expected << ", got " << result.getType();
    auto typed = dyn_cast<TypedAttr>(fill);
    if (!typed || typed.getType() != type.getElementType())
      return emitOpError("expected 'fill' of type ")
             << type.getElementType() << ", got " << fill;
  }
  return success();
}

LogicalResult AgreedOp::verify() { // P24
  auto type = cast<RankedTensorType>(getValues().getType()),
       result = cast<RankedTensorType>(getResult().getType());
  int64_t threads = threadsOfValues(type), warps = threads / warpThreads;
  if (threads == 0)
    return emitOpError("expected one value for each row of a number of threads "
                       "that divides 32, got ")
           << type;
  SliceAttr slice = getSlice(result);
  auto striped =
      slice ? dyn_cast<StripedAttr>(slice.getParent()) : StripedAttr();
  bool isOfThreads =
      striped && slice.getDim() == 1 &&
      striped.getRowThreads() * striped.getColumnThreads() == threads &&
      result.getNumElements() == striped.getRowThreads() &&
      (striped.getRowThreads() == 1 || warpRows(striped) == warps);
  if (isOfThreads && result.getElementType() == type.getElementType())
    return success();
  return emitOpError("expected the value of one row of ")
         << threads << " threads, or of one for each warp, of type "
         << type.getElementType() << ", got " << result;
}
