//===- Masks.cpp - masks of the dialect for the reference -----------------===//

#include "Masks.h"

#include "BodyProgram.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx;
namespace reference = ::smx::reference;

static reference::BandAnchor toReference(Anchor anchor) {
  return anchor == Anchor::TopLeft ? reference::BandAnchor::TopLeft
                                   : reference::BandAnchor::BottomRight;
}

std::vector<reference::Tensor>
mlir::smx::spreadOverHeads(MaskAttrInterface mask,
                           ArrayRef<reference::Tensor> data,
                           ArrayRef<int64_t> leading) {
  std::vector<reference::Tensor> spread;
  for (auto [steps, tensor] : llvm::zip(mask.getDataSteps(), data)) {
    size_t own = tensor.rank() - steps.count();
    reference::Shape shape(leading.begin(), leading.begin() + own);
    shape.insert(shape.end(), tensor.shape().begin() + own,
                 tensor.shape().end());
    spread.push_back(tensor.broadcastTo(shape));
  }
  return spread;
}

llvm::Expected<reference::Visible>
mlir::smx::readMask(Operation *op, Attribute mask, ArrayRef<Tensor> data) {
  using Result = llvm::Expected<reference::Visible>;
  return llvm::TypeSwitch<Attribute, Result>(mask)
      .Case([&](BandAttr band) -> Result {
        return reference::inBand(
            {toReference(band.getAnchor()), band.getLeft(), band.getRight()});
      })
      .Case([&](PrefixAttr prefix) -> Result {
        return reference::inPrefixOrBand(
            prefix.getLength(),
            reference::Band::causal(toReference(prefix.getAnchor())));
      })
      .Case([&](ChunksAttr chunks) -> Result {
        return reference::inChunk(toReference(chunks.getAnchor()),
                                  chunks.getSize());
      })
      .Case([&](KeyLengthsAttr lengths) -> Result {
        return reference::beforeLength(data[0], lengths.getCausal());
      })
      .Case([&](BlocksAttr blocks) -> Result {
        return reference::inBlocks(data[0], blocks.getRows(), blocks.getKeys());
      })
      .Case([&](PackedAttr packed) -> Result {
        auto once = readMask(op, packed.getMask(), data);
        if (!once)
          return once.takeError();
        return reference::repeated(std::move(*once), packed.getQueries());
      })
      .Case([&](KeyRangesAttr) -> Result {
        return reference::inRange(data[0], data[1]);
      })
      .Case([&](AllOfAttr all) -> Result {
        std::vector<reference::Visible> conditions;
        ArrayRef<Tensor> left = data;
        for (Attribute part : all.getMasks()) {
          size_t count = cast<MaskAttrInterface>(part).getDataSteps().size();
          auto condition = readMask(op, part, left.take_front(count));
          if (!condition)
            return condition.takeError();
          conditions.push_back(std::move(*condition));
          left = left.drop_front(count);
        }
        return reference::inAll(std::move(conditions));
      })
      .Default([&](Attribute) -> Result {
        return errorAt(op, "has a mask that the reference does not know");
      });
}
