//===- PartialMoments.cpp - one exchange for a row's moments --------------===//
//
// The second moment of a row about a reference r that follows from its sum. Let
// warp w have n_w elements, their mean c_w and m2_w = sum (x - c_w)^2, then
//
//   sum x = sum n_w c_w,  sum (x - r)^2 = sum m2_w + n_w (c_w - r)^2
//
// for any r: no warp has to know it before the warps meet, and all terms are
// positive.
//
//===----------------------------------------------------------------------===//

#include "PartialStates.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// The tile of `squares` is the square of the distance of `elements` from a
/// reference; its values, or null.
static Value matchReference(Value squares, Value elements) {
  auto product = squares.getDefiningOp<arith::MulFOp>();
  if (!product || product.getLhs() != product.getRhs())
    return {};
  auto distance = product.getLhs().getDefiningOp<arith::SubFOp>();
  if (!distance || distance.getLhs() != elements)
    return {};
  auto reference = distance.getRhs().getDefiningOp<BroadcastOp>();
  return reference ? reference.getValues() : Value();
}

/// Where nobody meets between the two sums, the assembler keeps the elements
/// widened, which registers have room for, or shared memory instead of them.
static bool hasRoom(KernelOp kernel, RowValue sum) {
  using namespace mlir::smx;
  auto ext = sum.reduce.getTile().getDefiningOp<arith::ExtFOp>();
  if (!ext)
    return true;
  auto tile = cast<RankedTensorType>(ext.getIn().getType());
  int64_t left = getRegisterCount(tile) * tile.getElementTypeBitWidth() / 8 -
                 widenedThreadBytes;
  auto load = ext.getIn().getDefiningOp<LoadOp>();
  int64_t threads = kernel.getWarps() * ::smx::gpu::warpThreads;
  return left <= 0 ||
         (load && load.getAligned() >= 16 &&
          left * threads + besidesRowBytes <= int64_t(kernel.getSharedLimit()));
}

bool mlir::smx::gpu::convertMoments(KernelOp kernel, RowValue sum,
                                    RowValue moment) {
  Value elements = sum.reduce.getTile();
  Value reference = matchReference(moment.reduce.getTile(), elements);
  if (!reference || isSplat(reference) || !isOfValues(reference, sum.get()) ||
      !hasRoom(kernel, sum))
    return false;
  auto tile = cast<RankedTensorType>(elements.getType());
  Type element = tile.getElementType();
  OpBuilder builder(sum.last()->getNextNode());
  Location loc = moment.reduce.getLoc();
  PartBuilder parts(kernel, cast<StripedAttr>(getLayout(tile)).getVector(),
                    builder, loc);
  RankedTensorType value = parts.partValue(element);
  auto reduced = [&](Value tile, Type type) -> Value {
    return ReduceOp::create(builder, loc, type, Combiner::Add, tile, /*dim=*/1);
  };

  Value ofPart =
      PartsOp::create(builder, loc, parts.partTile(elements), elements);
  Value count = arith::ConstantOp::create(
      builder, loc, value,
      DenseElementsAttr::get(
          value, Attribute(builder.getFloatAttr(
                     element, tile.getDimSize(1) / kernel.getWarps()))));
  Value mean =
      arith::DivFOp::create(builder, loc, reduced(ofPart, value), count);
  Value distance = arith::SubFOp::create(
      builder, loc, ofPart,
      BroadcastOp::create(builder, loc, ofPart.getType(), mean));
  Value ofWarp =
      reduced(arith::MulFOp::create(builder, loc, distance, distance), value);

  SmallVector<Value> all =
      parts.collect({count, mean, ofWarp}, {0.0, 0.0, 0.0}, /*inBlock=*/false);
  RankedTensorType collected = PartBuilder::collectedValue(all[0]);
  Value sumOfAll =
      reduced(arith::MulFOp::create(builder, loc, all[0], all[1]), collected);
  Value fromReference = arith::SubFOp::create(
      builder, loc, all[1],
      BroadcastOp::create(builder, loc, all[1].getType(),
                          parts.ofValue(reference, sum.get(), sumOfAll)));
  Value square =
      arith::MulFOp::create(builder, loc, fromReference, fromReference);
  Value moved = arith::MulFOp::create(builder, loc, all[0], square);
  Value momentOfAll =
      reduced(arith::AddFOp::create(builder, loc, all[2], moved), collected);
  for (auto [row, merged] :
       {std::pair(&sum, sumOfAll), std::pair(&moment, momentOfAll)}) {
    Value agreed = AgreedOp::create(builder, loc, row->get().getType(), merged);
    row->get().replaceAllUsesWith(agreed);
    if (row->cluster)
      row->cluster->erase();
    row->reduce->erase();
  }
  return true;
}
