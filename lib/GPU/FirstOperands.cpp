//===- FirstOperands.cpp - first operands in shared memory ----------------===//

#include "FirstOperands.h"

namespace mlir::smx::gpu {

TensorCopy FirstOperands::Operand::getCopy() const {
  LoadOp from = load;
  // Rows that are not valid are those of results that are not stored.
  return {from.getSource(),
          from.getOffsets(),
          from.getValid(),
          from.getDims(),
          type.getShape(),
          type.getSwizzle(),
          static_cast<int64_t>(from.getAligned())};
}

/// The swizzle of a second operand whose rows are as long as those of `tile`,
/// if `tile` is used by products with such operands and by nothing else.
static std::optional<int64_t> swizzleOfPartners(Value tile) {
  std::optional<int64_t> swizzle;
  for (Operation *user : tile.getUsers()) {
    auto product = dyn_cast<MmaOp>(user);
    if (!product || product.getA() != tile || product.getAcc() == tile ||
        !product.getTransposeB() || product.getGuarded())
      return std::nullopt;
    swizzle = product.getB().getType().getSwizzle();
  }
  return swizzle;
}

FirstOperands::FirstOperands(KernelOp kernel, const GroupShape &shape)
    : shape(shape) {
  kernel.walk([&](LoadOp load) {
    RankedTensorType tile = load.getTile().getType();
    std::optional<int64_t> swizzle = swizzleOfPartners(load.getTile());
    if (!swizzle || tile.getRank() != 2)
      return;
    SmallVector<int64_t> part{shape.rows, tile.getDimSize(1)};
    Operand operand;
    operand.load = load;
    operand.type =
        ChannelType::get(kernel.getContext(), part, tile.getElementType(),
                         *swizzle, /*depth=*/shape.groups, /*dealt=*/true);
    operand.last = load;
    for (Operation *user : load.getTile().getUsers()) {
      Operation *beside = load->getBlock()->findAncestorOpInBlock(*user);
      if (operand.last->isBeforeInBlock(beside))
        operand.last = beside;
    }
    if (whyNoTensorCopy(operand.getCopy()).empty())
      operands.push_back(operand);
  });
}

void FirstOperands::makeChannels(OpBuilder &builder) {
  for (Operand &operand : operands)
    operand.channel =
        MakeChannelOp::create(builder, operand.load.getLoc(), operand.type);
}

void FirstOperands::eraseChannels() {
  for (Operand &operand : operands)
    operand.channel.erase();
}

SmallVector<Value> FirstOperands::getChannels() const {
  return llvm::map_to_vector(operands, [](Operand operand) -> Value {
    return operand.channel.getChannel();
  });
}

const FirstOperands::Operand *FirstOperands::find(Operation &op) const {
  auto found = llvm::find_if(
      operands, [&](const Operand &operand) { return operand.load == &op; });
  return found == operands.end() ? nullptr : &*found;
}

LogicalResult FirstOperands::put(Operation &load, FetchCode &code) const {
  const Operand *operand = find(load);
  MakeChannelOp channel = operand->channel;
  for (int64_t group : llvm::seq(shape.groups))
    if (failed(code.put(load.getLoc(), operand->getCopy(), channel.getChannel(),
                        group * shape.rows)))
      return failure();
  return success();
}

void FirstOperands::get(Operation &load, GroupCode &code) const {
  const Operand *operand = find(load);
  MakeChannelOp channel = operand->channel;
  auto tile = GetOp::create(code.getBuilder(), load.getLoc(),
                            operand->type.getStageType(),
                            code.mapping.lookup(channel.getChannel()));
  code.mapping.map(load.getResult(0), tile.getTile());
}

void FirstOperands::releaseAfter(Operation &op, GroupCode &code) const {
  for (Operand operand : operands)
    if (operand.last == &op)
      ReleaseOp::create(code.getBuilder(), op.getLoc(),
                        code.mapping.lookup(operand.channel.getChannel()));
}

} // namespace mlir::smx::gpu
