//===- MaskOp.cpp - smx.mask: folding, tiling, expansion ------------------===//

#include "IdentityTiling.h"
#include "SpecRules.h"
#include "smx/IR/ElementBits.h"
#include "smx/IR/IndexMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult MaskOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  // M1
  if (!isa<FloatType>(type.getElementType()))
    return emitOpError("expected floating-point elements, got ")
           << type.getElementType();
  // M2
  int64_t rank = type.getRank();
  if (getRowDim() == getKeyDim() || getRowDim() >= (uint64_t)rank ||
      getKeyDim() >= (uint64_t)rank)
    return emitOpError("expected two different dims below the rank ")
           << rank << ", got " << getRowDim() << " and " << getKeyDim();
  // How many blocks there are follows from `rows` and `keys`: a tile has all.
  bool hasBlocks = llvm::any_of(getMask().getDataSteps(),
                                [](DataSteps s) { return s.keys != 0; });
  int64_t rows =
      hasBlocks ? ShapedType::kDynamic : type.getDimSize(getRowDim());
  return verifyMaskData(
      *this, getMask(), getData(), // M3
      type.getShape().take_front(std::min(getRowDim(), getKeyDim())), rows,
      ShapedType::kDynamic);
}

SmallVector<int64_t> MaskOp::getDataDims(unsigned number) {
  DataSteps steps = getMask().getDataSteps()[number];
  ArrayRef<int64_t> shape = shapeOf(getData()[number]);
  ArrayRef<int64_t> scores = shapeOf(getInput());
  SmallVector<int64_t> dims;
  for (int64_t dim = 0, end = shape.size() - steps.count(); dim < end; ++dim)
    dims.push_back(shape[dim] == 1 && scores[dim] != 1 ? -1 : dim);
  assert((steps.keys != 0 || steps.rows <= 1) && "blocks have keys, too");
  // The numbers of rows are cut with them, blocks are not.
  if (steps.rows == 1 && steps.keys == 0)
    dims.push_back(getRowDim());
  return dims;
}

OpFoldResult MaskOp::fold(FoldAdaptor adaptor) {
  std::optional<int64_t> rows = getConstantIntValue(getRows());
  std::optional<int64_t> keys = getConstantIntValue(getKeys());
  if (getMask().isAllVisible(rows.value_or(ShapedType::kDynamic),
                             keys.value_or(ShapedType::kDynamic)))
    return getInput();
  return {};
}

/// The element of `tensor` for a block of rows and one of keys, at the place of
/// a body along `leading`.
static Value extractBlock(OpBuilder &b, Location loc, Value tensor,
                          ArrayRef<int64_t> leading,
                          ArrayRef<std::pair<Value, int64_t>> blocks) {
  IndexMath math{b, loc};
  SmallVector<Value> place;
  for (int64_t dim : leading)
    place.push_back(dim < 0 ? math.constant(0)
                            : linalg::IndexOp::create(b, loc, dim).getResult());
  for (auto [position, extent] : blocks)
    place.push_back(math.div(position, math.constant(extent)));
  return tensor::ExtractOp::create(b, loc, tensor, place);
}

Value MaskOp::expand(OpBuilder &builder) {
  Location loc = NameLoc::get(builder.getStringAttr("mask"), getLoc());
  auto type = cast<RankedTensorType>(getInput().getType());
  Value minusInfinity = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(
          type.getElementType(),
          extremeOf(cast<FloatType>(type.getElementType()), /*isLeast=*/true)));
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, getInput()),
      type.getElementType());
  SmallVector<Value> inputs{getInput()};
  SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(type.getRank())};
  SmallVector<DataSteps> steps = getMask().getDataSteps();
  for (auto [number, tensor] : llvm::enumerate(getData())) {
    if (steps[number].keys != 0)
      continue;
    auto exprs = llvm::map_to_vector(getDataDims(number), [&](int64_t dim) {
      return dim < 0 ? builder.getAffineConstantExpr(0)
                     : builder.getAffineDimExpr(dim);
    });
    inputs.push_back(tensor);
    maps.push_back(
        AffineMap::get(type.getRank(), 0, exprs, builder.getContext()));
  }
  maps.push_back(maps.front());
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value row = arith::AddIOp::create(
        b, loc, linalg::IndexOp::create(b, loc, getRowDim()), getFirstRow());
    Value key = arith::AddIOp::create(
        b, loc, linalg::IndexOp::create(b, loc, getKeyDim()), getFirstKey());
    SmallVector<Value> data;
    ValueRange numbers = args.drop_front().drop_back();
    for (auto [number, tensor] : llvm::enumerate(getData())) {
      Value element;
      if (steps[number].keys == 0) {
        element = numbers.front();
        numbers = numbers.drop_front();
      } else {
        element = extractBlock(
            b, loc, tensor, getDataDims(number),
            {{row, steps[number].rows}, {key, steps[number].keys}});
      }
      data.push_back(IndexMath{b, loc}.asIndex(element));
    }
    Value seen =
        getMask().buildIsVisible(b, loc, row, key, getRows(), getKeys(), data);
    Value score = arith::SelectOp::create(b, loc, seen, args[0], minusInfinity);
    linalg::YieldOp::create(b, loc, score);
  };
  return linalg::GenericOp::create(builder, loc, type, inputs, empty, maps,
                                   parallelLoops(type.getRank()), body)
      .getResult(0);
}

namespace {
/// Lets upstream tiling slice a mask: the slice remembers where it was cut.
struct MaskTiling : IdentityTiling<MaskTiling, MaskOp> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return parallelLoops(cast<MaskOp>(op).getInput().getType().getRank());
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    return wholeDomain(
        b, tensor::getMixedSizes(b, op->getLoc(), cast<MaskOp>(op).getInput()));
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &b,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    auto mask = cast<MaskOp>(op);
    Location loc = op->getLoc();
    SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(b, loc, mask.getInput(),
                                                offsets, sizes, strides);
    SmallVector<Operation *> slices{slice};
    SmallVector<Value> data;
    for (auto [number, tensor] : llvm::enumerate(mask.getData())) {
      SmallVector<OpFoldResult> dataOffsets, dataSizes;
      for (int64_t dim : mask.getDataDims(number)) {
        dataOffsets.push_back(dim < 0 ? b.getIndexAttr(0) : offsets[dim]);
        dataSizes.push_back(dim < 0 ? b.getIndexAttr(1) : sizes[dim]);
      }
      // All blocks: they are told by the absolute position.
      for (int64_t dim = dataSizes.size(), rank = shapeOf(tensor).size();
           dim < rank; ++dim) {
        dataOffsets.push_back(b.getIndexAttr(0));
        dataSizes.push_back(tensor::getMixedSize(b, loc, tensor, dim));
      }
      SmallVector<OpFoldResult> ones(dataSizes.size(), b.getIndexAttr(1));
      slices.push_back(tensor::ExtractSliceOp::create(
          b, loc, tensor, dataOffsets, dataSizes, ones));
      data.push_back(slices.back()->getResult(0));
    }
    auto shifted = [&](Value first, uint64_t dim) {
      AffineExpr d0, d1;
      bindDims(b.getContext(), d0, d1);
      return getValueOrCreateConstantIndexOp(
          b, loc,
          affine::makeComposedFoldedAffineApply(
              b, loc, d0 + d1, {OpFoldResult(first), offsets[dim]}));
    };
    auto tiled = MaskOp::create(b, loc, slice.getType(), slice, mask.getMask(),
                                mask.getRowDim(), mask.getKeyDim(),
                                shifted(mask.getFirstRow(), mask.getRowDim()),
                                shifted(mask.getFirstKey(), mask.getKeyDim()),
                                mask.getRows(), mask.getKeys(), data);
    return TilingResult{{tiled}, {tiled.getResult()}, slices};
  }
};
} // namespace

void mlir::smx::registerTilingInterfaceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SmxDialect *) {
    MaskOp::attachInterface<MaskTiling>(*context);
    attachPagedTiling(*context);
  });
}
