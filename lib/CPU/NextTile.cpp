//===- NextTile.cpp - fetching the tile that comes next -------------------===//

#include "NextTile.h"

#include "FillFolding.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::smx;

/// True for a view of a function argument of a known size of at most `bytes`.
static bool isSmallTile(Value value, int64_t bytes) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() ||
      !value.getDefiningOp<memref::SubViewOp>())
    return false;
  int64_t bytesOfOne = elementBytes(type);
  auto argument = dyn_cast<BlockArgument>(rootBuffer(value));
  return type.getNumElements() * bytesOfOne <= bytes && argument &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

LastLooks smx::findLastLooks(Operation *root, int64_t bytes) {
  llvm::MapVector<std::pair<Block *, Value>, SmallVector<OpOperand *>> looks;
  root->walk([&](linalg::GenericOp op) {
    if (!op.hasPureBufferSemantics())
      return;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isSmallTile(input->get(), bytes))
        looks[{op->getBlock(), input->get()}].push_back(input);
  });
  LastLooks found;
  for (auto &[place, inputs] : looks) {
    OpOperand *last = inputs.back();
    auto op = cast<linalg::GenericOp>(last->getOwner());
    if (inputs.front()->getOwner() != op &&
        op.getMatchingIndexingMap(last).isPermutation())
      found[op].push_back(last->getOperandNumber());
  }
  return found;
}

namespace {
/// One induction variable with its loop's bound and step.
struct Counter {
  OpFoldResult upper, step;
};
} // namespace

/// The loop that `value` counts, if it is an induction variable.
static std::optional<Counter> counterOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (loop.getInductionVar() == value)
      return Counter{loop.getUpperBound(), loop.getStep()};
    return std::nullopt;
  }
  auto forall = dyn_cast<scf::ForallOp>(parent);
  if (!forall || argument.getArgNumber() >= forall.getRank())
    return std::nullopt;
  return Counter{forall.getMixedUpperBound()[argument.getArgNumber()],
                 forall.getMixedStep()[argument.getArgNumber()]};
}

Value smx::nextTile(OpBuilder &b, Location loc, Value tile) {
  auto view = tile.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return {};
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  // The last offset that moves belongs to the innermost loop.
  for (OpFoldResult &offset : llvm::reverse(offsets)) {
    auto here = dyn_cast<Value>(offset);
    std::optional<Counter> counter =
        here ? counterOf(here) : std::optional<Counter>();
    if (!counter)
      continue;
    auto index = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(b, loc, value);
    };
    Value ahead = arith::AddIOp::create(b, loc, here, index(counter->step));
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           ahead, index(counter->upper));
    offset = arith::SelectOp::create(b, loc, isInside, ahead, here).getResult();
    return memref::SubViewOp::create(b, loc, view.getType(), view.getSource(),
                                     offsets, view.getMixedSizes(),
                                     view.getMixedStrides());
  }
  return {};
}
