//===- Conversions.cpp - a register tile in another layout ----------------===//

#include "WarpExchange.h"

namespace mlir::smx {

/// Bytes between rows in scratch: 16 more than the row, so that rows begin in
/// different banks.
static int64_t pitch(RankedTensorType tile, int64_t elementBytes) {
  return llvm::alignTo(tile.getShape().back() * elementBytes, 16) +
         (tile.getRank() == 2 ? 16 : 0);
}

/// Every thread already holds what it needs, in the same registers.
static bool movesNothing(RankedTensorType from, RankedTensorType to) {
  if (from == to)
    return true;
  int64_t count = gpu::getRegisterCount(from);
  gpu::SliceAttr slice = gpu::getSlice(from);
  auto layout = slice ? slice.getParent() : gpu::getLayout(from);
  if (count != gpu::getRegisterCount(to))
    return false;
  for (int64_t thread : llvm::seq(layout.getThreads()))
    for (int64_t i : llvm::seq(count))
      if (gpu::getElement(from, thread, i) != gpu::getElement(to, thread, i))
        return false;
  return true;
}

int64_t convertScratchBytes(Operation *op) {
  auto convert = dyn_cast<gpu::ConvertOp>(op);
  if (!convert)
    return 0;
  auto from = cast<RankedTensorType>(convert.getSource().getType());
  auto to = cast<RankedTensorType>(convert.getResult().getType());
  if (movesNothing(from, to))
    return 0;
  int64_t rows = from.getRank() == 2 ? from.getDimSize(0) : 1;
  return rows * pitch(from, elementBytes(from.getElementType()));
}

namespace {
/// A tile in scratch, as one thread sees it in a layout.
struct ScratchTile {
  ScratchTile(ThreadCode &code, RankedTensorType type, Value start)
      : code(code), type(type),
        elementBytes(mlir::smx::elementBytes(type.getElementType())),
        rowBytes(pitch(type, elementBytes)) {
    ThreadCoordinate at = code.threadPart(type);
    base = start;
    if (at.column)
      base = code.advance(base, code.mul(at.row, code.i32(rowBytes)));
    base = code.advance(
        base, code.mul(at.column ? at.column : at.row, code.i32(elementBytes)));
    run = std::min(16 / elementBytes, neighbouringRegisters(type));
  }

  Value address(int64_t i) {
    ::smx::gpu::Coordinate at = gpu::getElement(type, 0, i);
    return code.advance(base, type.getRank() == 2
                                  ? at.row * rowBytes + at.column * elementBytes
                                  : at.row * elementBytes);
  }

  ThreadCode &code;
  RankedTensorType type;
  int64_t elementBytes, rowBytes;
  /// Elements of an access.
  int64_t run;
  Value base;
};

struct LowerConvert : TilePattern<gpu::ConvertOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::ConvertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto from = cast<RankedTensorType>(op.getSource().getType());
    auto to = cast<RankedTensorType>(op.getResult().getType());
    if (movesNothing(from, to)) {
      rewriter.replaceOp(op, adaptor.getSource());
      return success();
    }
    ThreadCode code(rewriter, op, plan);
    Value start = code.scratch(plan, op);
    auto type = cast<VectorType>(adaptor.getSource().getType());
    Type stored = type.getElementType().isInteger(1)
                      ? Type(rewriter.getI8Type())
                      : type.getElementType();
    Value source = adaptor.getSource();
    if (stored != type.getElementType())
      source = LLVM::ZExtOp::create(code, type.clone(stored), source);

    code.groupBarrier();
    ScratchTile writer(code, from, start);
    auto write = [&] {
      for (int64_t i = 0, e = gpu::getRegisterCount(from); i < e;
           i += writer.run)
        LLVM::StoreOp::create(code, code.getRegisters(source, i, writer.run),
                              writer.address(i),
                              writer.run * writer.elementBytes);
    };
    if (Value owner = code.isOwner(from))
      code.when(owner, write);
    else
      write();
    code.groupBarrier();

    ScratchTile reader(code, to, start);
    SmallVector<Value> vectors;
    for (int64_t i = 0, e = gpu::getRegisterCount(to); i < e; i += reader.run)
      vectors.push_back(LLVM::LoadOp::create(
          code, VectorType::get(reader.run, stored), reader.address(i),
          reader.run * reader.elementBytes));
    Value result = code.fromVectors(vectors);
    if (stored != type.getElementType())
      result = LLVM::TruncOp::create(code, getTypeConverter()->convertType(to),
                                     result);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void populateConvertPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns) {
  patterns.add<LowerConvert>(converter, plan);
}

} // namespace mlir::smx
