//===- TileArithmetic.cpp - linalg on tiles, written as arithmetic --------===//

#include "TileArithmetic.h"

using namespace mlir;
using namespace mlir::smx;

Value mlir::smx::emptyLike(OpBuilder &builder, Location loc, Value like,
                           Type elementType) {
  return tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, like), elementType);
}

Value mlir::smx::emptyFor(OpBuilder &builder, Location loc,
                          RankedTensorType type, Value source,
                          AffineMap sourceMap, AffineMap resultMap) {
  SmallVector<OpFoldResult> sizes;
  for (auto [expr, extent] :
       llvm::zip(resultMap.getResults(), type.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      sizes.push_back(builder.getIndexAttr(extent));
      continue;
    }
    std::optional<unsigned> position = sourceMap.getResultPosition(expr);
    assert(position && "every result dimension is one of the source");
    sizes.push_back(tensor::getMixedSize(builder, loc, source, *position));
  }
  return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
}

Value mlir::smx::filledTensor(OpBuilder &builder, Location loc,
                              RankedTensorType type, ValueRange extents,
                              double value) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType(), extents);
  Value scalar = ScalarMath{builder, loc}.constant(
      value, cast<FloatType>(type.getElementType()));
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value mlir::smx::filledLike(OpBuilder &builder, Location loc, Value like,
                            double value) {
  auto type = cast<RankedTensorType>(like.getType());
  Value empty = emptyLike(builder, loc, like, type.getElementType());
  Value scalar = ScalarMath{builder, loc}.constant(
      value, cast<FloatType>(type.getElementType()));
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

SmallVector<Value>
mlir::smx::filledState(OpBuilder &builder, IdentityOp op,
                       function_ref<double(unsigned)> valueOf) {
  SmallVector<Value> state;
  ValueRange extents = op.getExtents();
  for (auto [number, type] : llvm::enumerate(op.getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    state.push_back(filledTensor(builder, op.getLoc(), tensor,
                                 extents.take_front(tensor.getNumDynamicDims()),
                                 valueOf(number)));
    extents = extents.drop_front(tensor.getNumDynamicDims());
  }
  return state;
}

Value mlir::smx::streamExtent(OpBuilder &builder, Location loc,
                              const TileOperand &tile, unsigned stream,
                              FloatType type) {
  unsigned position = *tile.map.getResultPosition(
      getAffineDimExpr(stream, builder.getContext()));
  Value extent = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, tile.tensor, position));
  return arith::UIToFPOp::create(
      builder, loc, type,
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), extent));
}

LogicalResult
mlir::smx::verifyEpsilon(function_ref<InFlightDiagnostic()> emitError,
                         FloatAttr epsilon) {
  double value = epsilon.getValueAsDouble();
  if (epsilon.getValue().isFinite() && value >= 0)
    return success();
  return emitError() << "expected a finite epsilon of at least 0, got "
                     << value;
}

/// Builds one generic over the dimensions that its operands use.
static SmallVector<Value>
buildGeneric(OpBuilder &builder, Location loc, StringRef name,
             ArrayRef<TileOperand> inputs, ArrayRef<TileOperand> outputs,
             ArrayRef<unsigned> reduced, bool bodySeesOutputs,
             TileArithmetic::Body body) {
  loc = NameLoc::get(builder.getStringAttr(name), loc);
  SmallVector<Value> ins, outs;
  SmallVector<AffineMap> maps;
  for (TileOperand input : inputs) {
    ins.push_back(input.tensor);
    maps.push_back(input.map);
  }
  for (TileOperand output : outputs) {
    outs.push_back(output.tensor);
    maps.push_back(output.map);
  }
  llvm::SmallBitVector unused = getUnusedDimsBitVector(maps);
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim = 0, end = maps.front().getNumDims(); dim != end; ++dim)
    if (!unused.test(dim))
      iterators.push_back(llvm::is_contained(reduced, dim)
                              ? utils::IteratorType::reduction
                              : utils::IteratorType::parallel);
  maps = compressUnusedDims(maps);
  return linalg::GenericOp::create(
             builder, loc, TypeRange(ValueRange(outs)), ins, outs, maps,
             iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               if (!bodySeesOutputs)
                 args = args.take_front(ins.size());
               linalg::YieldOp::create(b, loc, body(ScalarMath{b, loc}, args));
             })
      .getResults();
}

SmallVector<Value> TileArithmetic::map(StringRef name,
                                       ArrayRef<TileOperand> inputs,
                                       ArrayRef<TileOperand> likes, Body body) {
  SmallVector<TileOperand> outputs;
  for (TileOperand like : likes) {
    bool isFresh = like.tensor.getDefiningOp<tensor::EmptyOp>() != nullptr;
    Value empty = isFresh
                      ? like.tensor
                      : emptyLike(builder, loc, like.tensor,
                                  getElementTypeOrSelf(like.tensor.getType()));
    outputs.push_back({empty, like.map});
  }
  return mapOnto(name, inputs, outputs, body);
}

SmallVector<Value> TileArithmetic::mapOnto(StringRef name,
                                           ArrayRef<TileOperand> inputs,
                                           ArrayRef<TileOperand> outputs,
                                           Body body) {
  return buildGeneric(builder, loc, name, inputs, outputs, {},
                      /*bodySeesOutputs=*/false, body);
}

Value TileArithmetic::mapInto(StringRef name, ArrayRef<TileOperand> inputs,
                              TileOperand output, Body body) {
  return buildGeneric(builder, loc, name, inputs, output, {},
                      /*bodySeesOutputs=*/true, body)[0];
}

SmallVector<Value> TileArithmetic::reduce(StringRef name,
                                          ArrayRef<TileOperand> inputs,
                                          ArrayRef<TileOperand> outputs,
                                          ArrayRef<unsigned> reduced,
                                          Body body) {
  return buildGeneric(builder, loc, name, inputs, outputs, reduced,
                      /*bodySeesOutputs=*/true, body);
}

bool mlir::smx::asksLittleOfRow(TileOperand row, AffineMap rows,
                                RankedTensorType results) {
  constexpr int64_t shortRow = 1024;
  auto type = cast<RankedTensorType>(row.tensor.getType());
  int64_t extent = 1;
  for (auto [dim, expr] : llvm::enumerate(row.map.getResults())) {
    if (llvm::is_contained(rows.getResults(), expr))
      continue;
    if (type.isDynamicDim(dim))
      return false;
    extent *= type.getDimSize(dim);
  }
  return results.getElementTypeBitWidth() < 32 && extent <= shortRow;
}
