//===- TileViews.cpp - generics that only move a window of memory ---------===//
//
// A generic that reads one element for each of its own, at places that run
// along its loops, computes nothing: its result is the memory, seen along other
// dimensions. `x[size == 1 ? 0 : i]`, which is how front ends write a broadcast
// of an extent that is open, is memory that does not move along `i` where the
// size is 1: a stride of 0.
//
//===----------------------------------------------------------------------===//

#include "TileConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// Where a read is along one dimension of memory: `loop + offset`, or 0 where
/// `isFixed` holds.
struct Place {
  std::optional<int64_t> loop;
  OpFoldResult offset;
  Value isFixed;
};
} // namespace

static std::optional<Place> placeOf(Value index, Block *body) {
  Builder builder(index.getContext());
  auto isOutside = [&](Value value) { return value.getParentBlock() != body; };
  if (isOutside(index))
    return Place{std::nullopt, index, {}};
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return Place{loop.getDim(), builder.getIndexAttr(0), {}};
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    for (auto [x, y] : {std::pair(add.getLhs(), add.getRhs()),
                        std::pair(add.getRhs(), add.getLhs())})
      if (auto loop = x.getDefiningOp<linalg::IndexOp>(); loop && isOutside(y))
        return Place{loop.getDim(), y, {}};
  auto select = index.getDefiningOp<arith::SelectOp>();
  if (!select || !isOutside(select.getCondition()) ||
      !matchPattern(select.getTrueValue(), m_Zero()))
    return std::nullopt;
  std::optional<Place> place = placeOf(select.getFalseValue(), body);
  if (!place || place->isFixed)
    return std::nullopt;
  place->isFixed = select.getCondition();
  return place;
}

/// `isOpen ? 0 : offset` without a loop is a place that may be fixed as well.
static std::optional<Place> outerPlaceOf(Value index, Block *body) {
  auto select = index.getDefiningOp<arith::SelectOp>();
  if (index.getParentBlock() != body && select &&
      matchPattern(select.getTrueValue(), m_Zero()))
    return Place{std::nullopt, select.getFalseValue(), select.getCondition()};
  return placeOf(index, body);
}

/// True if each element of the only result is yielded for its own place.
static bool isElementwise(linalg::GenericOp op) {
  return op->getNumResults() == 1 && op.getNumReductionLoops() == 0 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
}

OpOperand *TileConverter::movedInput(linalg::GenericOp op) {
  auto argument =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!isElementwise(op) || !argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return nullptr;
  OpOperand *input = op.getDpsInputOperand(argument.getArgNumber());
  bool isMoved = isa<RankedTensorType>(input->get().getType()) &&
                 op.getMatchingIndexingMap(input).isProjectedPermutation(
                     /*allowZeroInResults=*/true);
  return isMoved ? input : nullptr;
}

std::optional<GlobalView> TileConverter::viewOfRead(linalg::GenericOp op) {
  if (OpOperand *input = movedInput(op)) {
    AffineMap map = op.getMatchingIndexingMap(input);
    GlobalView *of = splatOf(input->get()) ? nullptr : viewOf(input->get());
    if (!of)
      return std::nullopt;
    GlobalView view = *of;
    view.dims.assign(op.getNumLoops(), -1);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        view.dims[loop.getPosition()] = of->dims[dim];
    return view;
  }

  Block *body = op.getBlock();
  auto extract =
      body->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!extract || !isElementwise(op))
    return std::nullopt;
  SmallVector<Place> places;
  SmallVector<Value> fixed;
  for (Value index : extract.getIndices()) {
    std::optional<Place> place = outerPlaceOf(index, body);
    if (!place)
      return std::nullopt;
    places.push_back(*place);
    fixed.push_back(place->isFixed);
  }
  // Two dimensions along one loop are a diagonal, and no window.
  SmallVector<int64_t> dims(op.getNumLoops(), -1);
  for (auto [dim, place] : llvm::enumerate(places))
    if (place.loop && std::exchange(dims[*place.loop], dim) != -1)
      return std::nullopt;
  GlobalView view = outsideTensor(extract.getTensor(), fixed);
  if (!view.memref)
    return std::nullopt;
  view.dims = dims;
  for (auto [offset, place] : llvm::zip_equal(view.offsets, places))
    if (!isConstantIntValue(place.offset, 0))
      offset = indexOf(place.offset);
  return view;
}
