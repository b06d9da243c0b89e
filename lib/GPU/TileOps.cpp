//===- TileOps.cpp - tiles in registers and shared memory -----------------===//

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// An enumerator as a keyword, without the brackets of its attribute.
template <typename Attr, typename Symbolize>
static ParseResult parseKeywordOf(OpAsmParser &parser, Attr &attr,
                                  Symbolize symbolize, StringRef what) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  auto value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc)
           << "expected " << what << ", got '" << keyword << "'";
  attr = Attr::get(parser.getContext(), *value);
  return success();
}

static ParseResult parseCopyKind(OpAsmParser &parser, CopyKindAttr &copy) {
  return parseKeywordOf(
      parser, copy, [](StringRef name) { return symbolizeCopyKind(name); },
      "plain, async or tensor");
}
static void printCopyKind(OpAsmPrinter &printer, Operation *,
                          CopyKindAttr copy) {
  printer << stringifyCopyKind(copy.getValue());
}

static ParseResult parsePrecision(OpAsmParser &parser,
                                  PrecisionAttr &precision) {
  return parseKeywordOf(
      parser, precision,
      [](StringRef name) { return symbolizePrecision(name); },
      "exact or tf32x3");
}
static void printPrecision(OpAsmPrinter &printer, Operation *,
                           PrecisionAttr precision) {
  printer << stringifyPrecision(precision.getValue());
}

#define GET_OP_CLASSES
#include "smx/GPU/SmxGpuOps.cpp.inc"

static RankedTensorType tileType(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

LogicalResult PositionOp::verify() { // P5
  RankedTensorType tile = tileType(getTile());
  int64_t dim = getDim();
  if (dim < 0 || dim >= tile.getRank())
    return emitOpError("expected a dimension from 0 to ")
           << tile.getRank() - 1 << ", got " << dim;
  if (!tile.getElementType().isIndex())
    return emitOpError("expected index elements, got ")
           << tile.getElementType();
  return success();
}

/// The slice of `tile` along `dim`; null if it has no layout or no such
/// dimension.
static RankedTensorType sliceOf(RankedTensorType tile, int64_t dim) {
  LayoutAttrInterface layout = getLayout(tile);
  if (!layout || tile.getRank() != 2 || dim < 0 || dim > 1)
    return {};
  return RankedTensorType::get({tile.getDimSize(1 - dim)},
                               tile.getElementType(),
                               SliceAttr::get(tile.getContext(), dim, layout));
}

static LogicalResult verifyCombiner(Operation *op, Combiner kind,
                                    Type element) {
  bool anyElement = llvm::is_contained({Combiner::Add, Combiner::Mul}, kind);
  bool ofIntegers =
      llvm::is_contained({Combiner::MaxSI, Combiner::MinSI}, kind);
  if (!anyElement && isa<FloatType>(element) == ofIntegers)
    return op->emitOpError(ofIntegers ? "expected integer elements for "
                                      : "expected floating-point elements for ")
           << stringifyCombiner(kind) << ", got " << element;
  return success();
}

LogicalResult ReduceOp::verify() { // P6
  RankedTensorType tile = tileType(getTile());
  int64_t dim = getDim();
  RankedTensorType slice = sliceOf(tile, dim);
  if (!slice)
    return emitOpError("expected a two-dimensional tile with a layout, and "
                       "dimension 0 or 1 of it, got dimension ")
           << dim << " of " << tile;
  if (getResult().getType() != slice)
    return emitOpError("expected the slice of the operand, ")
           << slice << ", got " << getResult().getType();
  return verifyCombiner(*this, getKind(), tile.getElementType());
}

RankedTensorType LargestOp::getSliceType() {
  return sliceOf(tileType(getTile()), 1);
}

LogicalResult LargestOp::verify() { // P27
  RankedTensorType tile = tileType(getTile());
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(tile));
  Type element = tile.getElementType();
  if (!striped || !striped.fitsWarps() ||
      !(element.isF32() || element.isF16() || element.isBF16()))
    return emitOpError("expected a striped tile of f32, f16 or bf16 whose rows "
                       "whole warps or equal parts of a warp hold, got ")
           << tile;
  int64_t count = getCount(), length = tile.getDimSize(1);
  if (getValid() && !getMemory())
    return emitOpError("expected all of a row that is in no memory");
  if (getMemory()) {
    auto memory = cast<MemRefType>(getMemory().getType());
    int64_t extent = getExtent();
    if (memory.getElementType() != element ||
        memory.getRank() != int64_t(getOffsets().size()))
      return emitOpError("expected memory with elements of ")
             << element << " and an offset for each of its dimensions, got "
             << memory << " and " << getOffsets().size() << " offsets";
    if (tile.getDimSize(0) != 1 ||
        length != striped.getColumnThreads() * striped.getVector() ||
        extent < length)
      return emitOpError(
                 "expected maxima of one row, a vector for each thread, "
                 "and an extent that is not less than their number, got ")
             << tile << " and an extent of " << extent;
    length = extent;
  }
  if (getStarts()) {
    RankedTensorType starts = tileType(getStarts()),
                     seconds = tileType(getSeconds());
    const int64_t threads = striped.getColumnThreads(), span = getSpan();
    auto ofThreads = SliceAttr::get(getContext(), 1,
                                    StripedAttr::get(getContext(), threads,
                                                     /*columnThreads=*/1,
                                                     striped.getVector()));
    auto second = RankedTensorType::get(threads, element, ofThreads);
    if (!getMemory() ||
        starts != second.clone(IntegerType::get(getContext(), 32)) ||
        seconds != second || span < 1 ||
        span % (threads * striped.getVector()) != 0)
      return emitOpError("expected rounds of a row in memory, an i32 and an "
                         "element of each of ")
             << threads << " threads, and a span that is a multiple of "
             << threads * striped.getVector() << ", got " << starts << ", "
             << seconds << " and " << span;
  }
  if (count < 1 || count > length)
    return emitOpError("expected 1 to ") << length << " results, got " << count;
  RankedTensorType value = getSliceType();
  if (getRanks()) {
    auto found = tileType(getValues().front());
    int64_t threads = striped.getColumnThreads();
    if (getValues().size() != 1 || found.getRank() != 2 ||
        found.getDimSize(1) < count)
      return emitOpError("expected a tile of values with a column for each of ")
             << count << " ranks, got " << getValues().getTypes();
    value = RankedTensorType::get(
        {tile.getDimSize(0), found.getDimSize(1)}, element,
        StripedAttr::get(getContext(), striped.getRowThreads(), threads,
                         /*vector=*/1));
  }
  RankedTensorType column = value.clone(IndexType::get(getContext()));
  for (auto [results, type] :
       {std::pair(getValues(), value), {getColumns(), column}})
    for (Value result : results)
      if (result.getType() != type)
        return emitOpError("expected results of ")
               << value << " and " << column << ", got " << result.getType();
  return success();
}

/// Columns after which the same thread has elements again.
static int64_t columnsOfThreads(Attribute layout) {
  if (auto striped = dyn_cast<StripedAttr>(layout))
    return striped.getColumnThreads() * striped.getVector();
  return 8;
}

LogicalResult PartialReduceOp::verify() { // P25
  RankedTensorType tile = tileType(getTile()), result = tileType(getResult());
  auto hasPartOf = [&] {
    int64_t columns = result.getDimSize(1);
    return tile.getDimSize(0) == result.getDimSize(0) &&
           columns % columnsOfThreads(tile.getEncoding()) == 0 &&
           tile.getDimSize(1) % columns == 0;
  };
  if (tile.getRank() != 2 || result.getRank() != 2 ||
      !isa_and_nonnull<FragmentAttr, StripedAttr>(tile.getEncoding()) ||
      tile.getEncoding() != result.getEncoding() ||
      tile.getElementType() != result.getElementType() || !hasPartOf())
    return emitOpError("expected two tiles of one layout, and as many columns "
                       "of the second as divide those of the first and are a "
                       "multiple of what a row of its threads holds, got ")
           << tile << " and " << result;
  return verifyCombiner(*this, getKind(), tile.getElementType());
}

LogicalResult AnyOp::verify() { // P26
  Type elements = tileType(getElements()).getElementType();
  if (elements.isInteger(1))
    return success();
  return emitOpError("expected elements of i1, got ") << elements;
}

LogicalResult AssertOp::verify() { // P20
  Type elements = tileType(getHolds()).getElementType();
  if (elements.isInteger(1))
    return success();
  return emitOpError("expected elements of type i1, got ") << elements;
}

/// True for the slice of `tile` along dimension 1, but for vectors of the
/// layout.
static bool holdsSameRows(RankedTensorType values, RankedTensorType tile) {
  SliceAttr slice = getSlice(values);
  auto from = dyn_cast<StripedAttr>(slice.getParent()),
       to = dyn_cast<StripedAttr>(getLayout(tile));
  return slice.getDim() == 1 && from && to &&
         from.getRowThreads() == to.getRowThreads() &&
         from.getColumnThreads() == to.getColumnThreads() &&
         values.getDimSize(0) == tile.getDimSize(0) &&
         values.getElementType() == tile.getElementType();
}

LogicalResult BroadcastOp::verify() { // P7
  RankedTensorType values = tileType(getValues()), tile = tileType(getTile());
  SliceAttr slice = getSlice(values);
  RankedTensorType expected =
      slice ? sliceOf(tile, slice.getDim()) : RankedTensorType();
  if (!expected)
    return emitOpError("expected values with a slice layout and a "
                       "two-dimensional tile with a layout, got ")
           << values << " and " << tile;
  if (values == expected || holdsSameRows(values, tile))
    return success();
  return emitOpError("expected the slice of the result, ")
         << expected << ", got " << values << "; convert to its layout first";
}

LogicalResult RescaleOp::verify() { // P21
  RankedTensorType expected = sliceOf(tileType(getTile()), 1);
  if (expected && expected == getFactors().getType())
    return success();
  return emitOpError("expected a two-dimensional tile with a layout, and its "
                     "slice along dimension 1, got ")
         << getTile().getType() << " and " << getFactors().getType();
}

LogicalResult ConvertOp::verify() { // P8
  RankedTensorType from = tileType(getSource()), to = tileType(getResult());
  if (from.getShape() == to.getShape() &&
      from.getElementType() == to.getElementType())
    return success();
  return emitOpError("expected only the layout to change, got ")
         << from << " to " << to;
}

/// P9
static LogicalResult verifySharedAccess(Operation *op, RankedTensorType tile,
                                        SharedType shared) {
  if (tile.getShape() == shared.getShape() &&
      tile.getElementType() == shared.getElementType())
    return success();
  return op->emitOpError("expected tiles of one shape and element type, got ")
         << tile << " and " << shared;
}

LogicalResult ReadOp::verify() {
  return verifySharedAccess(*this, tileType(getTile()), getShared().getType());
}

LogicalResult WriteOp::verify() {
  return verifySharedAccess(*this, tileType(getTile()), getShared().getType());
}

LogicalResult ClusterReduceOp::verify() { // P16
  if (getSlice(getValues().getType()))
    return success();
  return emitOpError("expected values with a slice layout, got ")
         << getValues().getType() << "; reduce the tile in the block first";
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// The same constant everywhere stays one in any layout.
static OpFoldResult foldSplat(Attribute operand, Type result) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(operand);
  return splat ? splat.resizeSplat(cast<ShapedType>(result)) : OpFoldResult();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getValues(), getTile().getType());
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  return foldSplat(adaptor.getSource(), getResult().getType());
}

/// A cluster of one block is no cluster.
static bool isAloneInCluster(Operation *op) {
  return op->getParentOfType<KernelOp>().getCluster() == 1;
}

OpFoldResult ClusterReduceOp::fold(FoldAdaptor) {
  return isAloneInCluster(*this) ? OpFoldResult(getValues()) : OpFoldResult();
}

OpFoldResult ClusterRankOp::fold(FoldAdaptor) {
  if (!isAloneInCluster(*this))
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), 0);
}

LogicalResult ClusterBarrierOp::canonicalize(ClusterBarrierOp op,
                                             PatternRewriter &rewriter) {
  if (!isAloneInCluster(op))
    return failure();
  // What it orders besides, accesses of the block's own warps, a barrier does.
  rewriter.replaceOpWithNewOp<BarrierOp>(op);
  return success();
}

Operation *SmxGpuDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
