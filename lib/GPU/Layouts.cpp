//===- Layouts.cpp - which shapes and threads a layout is for -------------===//

#include "Verify.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// As a type prints it: 128x64.
static std::string printed(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, "x");
  return text;
}

static bool isTile(ArrayRef<int64_t> shape) {
  return shape.size() == 2 && shape[0] > 0 && shape[1] > 0;
}

LogicalResult FragmentAttr::acceptsShape( // L1
    ArrayRef<int64_t> shape,
    function_ref<InFlightDiagnostic()> emitError) const {
  ::smx::gpu::FragmentLayout layout{getWarps()};
  if (isTile(shape) && layout.accepts(shape[0], shape[1]))
    return success();
  return emitError() << "layout " << *this
                     << " needs two dimensions, rows a multiple of "
                     << 16 * getWarps()
                     << " (16 a warp) and columns a multiple of 8, got "
                     << printed(shape);
}

LogicalResult StripedAttr::acceptsShape( // L2
    ArrayRef<int64_t> shape,
    function_ref<InFlightDiagnostic()> emitError) const {
  ::smx::gpu::StripedLayout layout{getRowThreads(), getColumnThreads(),
                                   getVector()};
  if (isTile(shape) && layout.accepts(shape[0], shape[1]))
    return success();
  return emitError() << "layout " << *this
                     << " needs two dimensions, rows a multiple of "
                     << getRowThreads() << " and columns a multiple of "
                     << getColumnThreads() * getVector() << ", got "
                     << printed(shape);
}

LogicalResult FragmentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t warps) {
  if (warps >= 1 && warps <= 32)
    return success();
  return emitError() << "a fragment layout has 1 to 32 warps, got " << warps;
}

LogicalResult StripedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t rows, int64_t columns,
                                  int64_t vector) {
  // So that no product of them overflows.
  constexpr int64_t longest = 1 << 16;
  if (rows >= 1 && columns >= 1 && rows <= 1024 && columns <= 1024 &&
      rows * columns <= 1024 && vector >= 1 && vector <= longest)
    return success();
  return emitError() << "a striped layout has 1 to 1024 threads and vectors of "
                        "1 to "
                     << longest << " elements, got " << rows << " x " << columns
                     << " threads and vectors of " << vector;
}

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t dim, LayoutAttrInterface parent) {
  if (dim == 0 || dim == 1) // L3
    return success();
  return emitError() << "a slice reduces dimension 0 or 1, got " << dim;
}

LogicalResult FragmentAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return acceptsShape(shape, emitError);
}

LogicalResult StripedAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return acceptsShape(shape, emitError);
}

/// The extents that tiles of `layout` have along `dim` are multiples of this.
static int64_t granule(LayoutAttrInterface layout, int64_t dim) {
  if (auto fragment = dyn_cast<FragmentAttr>(layout))
    return dim == 0 ? 16 * fragment.getWarps() : 8;
  auto striped = cast<StripedAttr>(layout);
  return dim == 0 ? striped.getRowThreads()
                  : striped.getColumnThreads() * striped.getVector();
}

LogicalResult SliceAttr::verifyEncoding( // L3
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  int64_t multiple = granule(getParent(), 1 - getDim());
  if (shape.size() == 1 && shape[0] > 0 && shape[0] % multiple == 0)
    return success();
  return emitError() << "layout " << *this
                     << " needs one dimension, a multiple of " << multiple
                     << ", got " << printed(shape);
}

//===----------------------------------------------------------------------===//
// L4
//===----------------------------------------------------------------------===//

/// Threads over which a tile that `op` computes is spread.
static int64_t threadsComputing(Operation *op, KernelOp kernel) {
  auto role = op->getParentOfType<RoleOp>();
  return ::smx::gpu::warpThreads * (role ? role.getGroup() : kernel.getWarps());
}

static LogicalResult verifyTile(Operation *op, Type type, int64_t threads) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return success();
  LayoutAttrInterface layout = getLayout(tile);
  if (SliceAttr slice = getSlice(tile))
    layout = slice.getParent();
  if (!layout)
    return op->emitOpError("expected tensors with a layout in a kernel, got ")
           << tile << "; a layout says which thread holds which element";
  if (layout.getThreads() == threads)
    return success();
  return op->emitOpError("expected a layout of ")
         << threads << " threads, which compute the tile here, got "
         << layout.getThreads() << " in " << tile;
}

LogicalResult mlir::smx::gpu::verifyTileThreads(KernelOp kernel) {
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    int64_t threads = threadsComputing(op, kernel);
    for (Type type : op->getResultTypes())
      if (failed(verifyTile(op, type, threads)))
        return WalkResult::interrupt();
    // What a kernel takes is K4's; what a role takes is seen by its threads.
    if (isa<KernelOp>(op))
      return WalkResult::advance();
    if (auto role = dyn_cast<RoleOp>(op))
      threads = ::smx::gpu::warpThreads * role.getGroup();
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        if (failed(verifyTile(op, type, threads)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
