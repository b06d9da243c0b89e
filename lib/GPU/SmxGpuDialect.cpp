//===- SmxGpuDialect.cpp - layouts, types and the dialect -----------------===//

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using ::smx::gpu::Coordinate;
using ::smx::gpu::FragmentLayout;
using ::smx::gpu::StripedLayout;

#include "smx/GPU/SmxGpuDialect.cpp.inc"
#include "smx/GPU/SmxGpuEnums.cpp.inc"

#include "smx/GPU/SmxGpuAttrInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "smx/GPU/SmxGpuAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "smx/GPU/SmxGpuTypes.cpp.inc"

void SmxGpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "smx/GPU/SmxGpuAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "smx/GPU/SmxGpuTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "smx/GPU/SmxGpuOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static FragmentLayout algebraOf(FragmentAttr attr) { return {attr.getWarps()}; }
static StripedLayout algebraOf(StripedAttr attr) {
  return {attr.getRowThreads(), attr.getColumnThreads(), attr.getVector()};
}

int64_t FragmentAttr::getThreads() const { return algebraOf(*this).threads(); }
int64_t StripedAttr::getThreads() const { return algebraOf(*this).threads(); }
int64_t FragmentAttr::getRegisters(ArrayRef<int64_t> shape) const {
  return algebraOf(*this).registers(shape[0], shape[1]);
}
int64_t StripedAttr::getRegisters(ArrayRef<int64_t> shape) const {
  return algebraOf(*this).registers(shape[0], shape[1]);
}
Coordinate FragmentAttr::getCoordinate(ArrayRef<int64_t> shape, int64_t thread,
                                       int64_t i) const {
  return algebraOf(*this).coordinate(shape[0], shape[1], thread, i);
}
Coordinate StripedAttr::getCoordinate(ArrayRef<int64_t> shape, int64_t thread,
                                      int64_t i) const {
  return algebraOf(*this).coordinate(shape[0], shape[1], thread, i);
}

LayoutAttrInterface mlir::smx::gpu::getLayout(Type tile) {
  auto tensor = dyn_cast<RankedTensorType>(tile);
  return tensor ? dyn_cast_or_null<LayoutAttrInterface>(tensor.getEncoding())
                : LayoutAttrInterface();
}

SliceAttr mlir::smx::gpu::getSlice(Type tile) {
  auto tensor = dyn_cast<RankedTensorType>(tile);
  return tensor ? dyn_cast_or_null<SliceAttr>(tensor.getEncoding())
                : SliceAttr();
}

/// A tile of which `slice` is the slice: as long along the reduced dimension as
/// its layout needs at least.
static SmallVector<int64_t, 2> parentShape(SliceAttr slice, int64_t extent) {
  int64_t other = 8;
  if (auto striped = dyn_cast<StripedAttr>(slice.getParent()))
    other = slice.getDim() == 1
                ? striped.getColumnThreads() * striped.getVector()
                : striped.getRowThreads();
  else if (slice.getDim() == 0)
    other = 16 * cast<FragmentAttr>(slice.getParent()).getWarps();
  return slice.getDim() == 1 ? SmallVector<int64_t, 2>{extent, other}
                             : SmallVector<int64_t, 2>{other, extent};
}

/// The registers of the parent tile that a thread's slice registers stand for:
/// the first one of every row (or column) that the thread has a part in.
static SmallVector<int64_t> sliceRegisters(SliceAttr slice, int64_t extent) {
  SmallVector<int64_t, 2> shape = parentShape(slice, extent);
  LayoutAttrInterface parent = slice.getParent();
  SmallVector<int64_t> registers, seen;
  for (int64_t i = 0, e = parent.getRegisters(shape); i < e; ++i) {
    Coordinate at = parent.getCoordinate(shape, 0, i);
    int64_t position = slice.getDim() == 1 ? at.row : at.column;
    if (!llvm::is_contained(seen, position)) {
      seen.push_back(position);
      registers.push_back(i);
    }
  }
  return registers;
}

int64_t mlir::smx::gpu::getRegisterCount(RankedTensorType tile) {
  if (LayoutAttrInterface layout = getLayout(tile))
    return layout.getRegisters(tile.getShape());
  return sliceRegisters(getSlice(tile), tile.getDimSize(0)).size();
}

Coordinate mlir::smx::gpu::getElement(RankedTensorType tile, int64_t thread,
                                      int64_t i) {
  if (LayoutAttrInterface layout = getLayout(tile))
    return layout.getCoordinate(tile.getShape(), thread, i);
  SliceAttr slice = getSlice(tile);
  int64_t extent = tile.getDimSize(0);
  Coordinate at = slice.getParent().getCoordinate(
      parentShape(slice, extent), thread, sliceRegisters(slice, extent)[i]);
  return {slice.getDim() == 1 ? at.row : at.column, 0};
}

//===----------------------------------------------------------------------===//
// Tiles in memory
//===----------------------------------------------------------------------===//

int64_t SharedType::getBytes() const {
  return getShape()[0] * getShape()[1] *
         (getElementType().getIntOrFloatBitWidth() / 8);
}

static LogicalResult
verifyTileInMemory(function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<int64_t> shape, Type elementType, int64_t swizzle) {
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1 ||
      !elementType.isIntOrFloat() ||
      !llvm::is_contained({8u, 16u, 32u, 64u},
                          elementType.getIntOrFloatBitWidth())) // T1
    return emitError() << "a shared tile has two static dimensions of a type "
                          "of 1, 2, 4 or 8 bytes, got "
                       << shape.size() << " dimensions of " << elementType;
  int64_t rowBytes = shape[1] * elementType.getIntOrFloatBitWidth() / 8;
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle) ||
      (swizzle && rowBytes % swizzle)) // T2
    return emitError() << "a swizzle is 0, 32, 64 or 128 bytes and divides the "
                          "bytes of a row, got "
                       << swizzle << " for rows of " << rowBytes << " bytes";
  return success();
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 int64_t swizzle) {
  return verifyTileInMemory(emitError, shape, elementType, swizzle);
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType,
                                  int64_t swizzle, int64_t depth, bool dealt) {
  if (depth < 1) // T3
    return emitError() << "a channel has at least one stage, got " << depth;
  return verifyTileInMemory(emitError, shape, elementType, swizzle);
}

LogicalResult TurnsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t count) {
  if (count >= 2 && count <= 7) // T4
    return success();
  return emitError() << "2 to 7 groups take turns, got " << count;
}

static ParseResult parseTileInMemory(AsmParser &parser,
                                     SmallVectorImpl<int64_t> &shape,
                                     Type &elementType, int64_t &swizzle) {
  return failure(parser.parseLess() ||
                 parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(elementType) || parser.parseComma() ||
                 parser.parseKeyword("swizzle") || parser.parseEqual() ||
                 parser.parseInteger(swizzle));
}

static void printTileInMemory(AsmPrinter &printer, ArrayRef<int64_t> shape,
                              Type elementType, int64_t swizzle) {
  printer << "<";
  printer.printDimensionList(shape);
  printer << "x" << elementType << ", swizzle = " << swizzle;
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  int64_t swizzle = 0;
  if (parseTileInMemory(parser, shape, elementType, swizzle) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<SharedType>(parser.getContext(), shape, elementType,
                                       swizzle);
}

void SharedType::print(AsmPrinter &printer) const {
  printTileInMemory(printer, getShape(), getElementType(), getSwizzle());
  printer << ">";
}

Type ChannelType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  int64_t swizzle = 0, depth = 0;
  if (parseTileInMemory(parser, shape, elementType, swizzle) ||
      parser.parseComma() || parser.parseKeyword("depth") ||
      parser.parseEqual() || parser.parseInteger(depth))
    return {};
  bool dealt = succeeded(parser.parseOptionalComma());
  if ((dealt && parser.parseKeyword("dealt")) || parser.parseGreater())
    return {};
  return parser.getChecked<ChannelType>(parser.getContext(), shape, elementType,
                                        swizzle, depth, dealt);
}

void ChannelType::print(AsmPrinter &printer) const {
  printTileInMemory(printer, getShape(), getElementType(), getSwizzle());
  printer << ", depth = " << getDepth() << (getDealt() ? ", dealt>" : ">");
}
