//===- MaskConstants.cpp - masks that are added as constants --------------===//

#include "MaskConstants.h"
#include "Attention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/FoldUtils.h"

using namespace mlir;
using namespace mlir::smx;

static void separate(RewriterBase &rewriter, arith::ConstantOp constant) {
  auto data = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  if (!data || data.isSplat() || !isa<RankedTensorType>(data.getType()))
    return;
  std::optional<APFloat> hidden;
  SmallVector<bool> isVisible;
  for (const APFloat &value : data.getValues<APFloat>()) {
    isVisible.push_back(value.isZero());
    if (value.isZero())
      continue;
    if (!hidden && !hidesAlone(value))
      return;
    if (hidden && !hidden->bitwiseIsEqual(value))
      return;
    hidden = value;
  }
  if (!hidden)
    return;
  Location loc = constant.getLoc();
  auto type = cast<RankedTensorType>(data.getType());
  rewriter.setInsertionPointAfter(constant);
  auto make = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(rewriter, loc, value);
  };
  Value condition =
      make(DenseElementsAttr::get(type.clone(rewriter.getI1Type()), isVisible));
  Value zero = make(
      DenseElementsAttr::get(type, APFloat::getZero(hidden->getSemantics())));
  Value low = make(DenseElementsAttr::get(type, *hidden));
  auto choice = arith::SelectOp::create(rewriter, loc, condition, zero, low);
  constant->getResult(0).replaceAllUsesWith(choice.getResult());
}

void mlir::smx::separateMaskConstants(RewriterBase &rewriter, Operation *root) {
  SmallVector<arith::ConstantOp> constants;
  root->walk([&](arith::ConstantOp op) { constants.push_back(op); });
  for (arith::ConstantOp constant : constants)
    separate(rewriter, constant);
}

void mlir::smx::joinMaskConstants(Operation *root) {
  SmallVector<arith::SelectOp> choices;
  root->walk([&](arith::SelectOp op) {
    if (isa<RankedTensorType>(op.getType()))
      choices.push_back(op);
  });
  OperationFolder folder(root->getContext());
  for (arith::SelectOp choice : choices)
    (void)folder.tryToFold(choice);
}
