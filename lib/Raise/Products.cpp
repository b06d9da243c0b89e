//===- Products.cpp - contractions and the tensors they read --------------===//

#include "Attention.h"
#include "RowReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx;

static Value stripConversions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isConversion(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<Product> mlir::smx::matchProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1)
    return std::nullopt;
  Value running = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  Value lhs = op.getMatchingBlockArgument(op.getDpsInputOperand(0));
  Value rhs = op.getMatchingBlockArgument(op.getDpsInputOperand(1));
  auto sum = stripConversions(op.getBlock()->getTerminator()->getOperand(0))
                 .getDefiningOp<arith::AddFOp>();
  if (!sum)
    return std::nullopt;
  Value addends[] = {stripConversions(sum.getLhs()),
                     stripConversions(sum.getRhs())};
  if (addends[1] == running)
    std::swap(addends[0], addends[1]);
  auto term = addends[1].getDefiningOp<arith::MulFOp>();
  if (addends[0] != running || !term)
    return std::nullopt;
  Value factors[] = {stripConversions(term.getLhs()),
                     stripConversions(term.getRhs())};
  if (!(factors[0] == lhs && factors[1] == rhs) &&
      !(factors[0] == rhs && factors[1] == lhs))
    return std::nullopt;

  Value init = op.getDpsInitOperand(0)->get();
  Positions positions(op.getContext(),
                      cast<RankedTensorType>(init.getType()).getShape());
  ElementReader reader(positions);
  if (reader.constant(reader.identityElement(init)) != 0.0)
    return std::nullopt;
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  auto reduction = llvm::find(types, utils::IteratorType::reduction);
  return Product{op, (unsigned)std::distance(types.begin(), reduction)};
}

/// True if `e` reads a tensor in the order `order`, except that dimension
/// `dimOfHeads` may hold one head for a group of them.
static bool readsInOrder(const Positions &positions, const Element &e,
                         ArrayRef<AffineExpr> order, int64_t dimOfHeads) {
  auto type = dyn_cast<RankedTensorType>(e.value.getType());
  if (!type || type.getRank() != (int64_t)order.size())
    return false;
  for (auto [k, at, extent] : llvm::enumerate(e.at, type.getShape())) {
    auto dim = cast<AffineDimExpr>(order[k]);
    int64_t wanted = positions.extent(dim.getPosition());
    if (e.covers(k, wanted) &&
        positions.normalize(at) == positions.normalize(dim))
      continue;
    if ((int64_t)k != dimOfHeads || ShapedType::isDynamic(extent) ||
        ShapedType::isDynamic(wanted) || extent == 0 || wanted == 0 ||
        wanted % extent != 0)
      return false;
    AffineExpr group =
        extent == 1 ? positions.constant(0) : dim.floorDiv(wanted / extent);
    if (positions.normalize(at) != positions.normalize(group))
      return false;
  }
  return true;
}

SmallVector<std::pair<Element, double>>
mlir::smx::findStoredForms(ElementReader &reader, Element e, bool allowFactor) {
  SmallVector<std::pair<Element, double>> forms;
  double factor = 1;
  while (true) {
    if (e.isTensor())
      forms.push_back({e, factor});
    if (std::optional<Element> next = reader.step(e)) {
      e = std::move(*next);
      continue;
    }
    Operation *op = reader.arithmetic(e);
    // Rounding down is kept: only what a narrower tensor holds exactly is read
    // from it.
    if (isa_and_nonnull<arith::ExtFOp>(op) && !e.getType().isF64()) {
      e = reader.operand(e, 0);
      continue;
    }
    if (!allowFactor || isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(op) ||
        !dropConstantFactor(reader, e, factor))
      return forms;
  }
}

SmallVector<OperandChoice> mlir::smx::findOperands(ElementReader &reader,
                                                   const Element &e,
                                                   ArrayRef<AffineExpr> order,
                                                   int64_t dimOfHeads,
                                                   bool allowFactor) {
  SmallVector<OperandChoice> choices;
  for (auto &[form, factor] : findStoredForms(reader, e, allowFactor))
    if (readsInOrder(reader.getPositions(), form, order, dimOfHeads))
      choices.push_back({form.value, factor});
  return choices;
}
