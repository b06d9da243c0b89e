//===- DealtTiles.cpp - tiles of which each group has its rows ------------===//

#include "DealtTiles.h"

#include "Swizzle.h"
#include "smx/IR/ElementBits.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {

TensorCopy DealtTiles::Tile::getCopy() const {
  LoadOp from = load;
  // Rows that are not valid are those of results that are not stored. Columns
  // of a term that are not valid are those of scores that are hidden.
  return {from.getSource(),
          from.getOffsets(),
          isTerm ? ValueRange() : ValueRange(from.getValid()),
          from.getDims(),
          type.getShape(),
          type.getSwizzle(),
          static_cast<int64_t>(from.getAligned())};
}

/// Says why the threads read what scores read.
static void remarkUnfetched(Operation *read, StringRef reason) {
  remark::missed(read->getLoc(),
                 remark::RemarkOpts::name("Terms").category("smx-gpu-roles"))
      << ("what scores read is read by the threads: " + reason).str();
}

bool DealtTiles::add(LoadOp load, int64_t swizzle, Operation *last,
                     bool isTerm) {
  RankedTensorType whole = load.getTile().getType();
  SmallVector<int64_t> part{shape.rows, whole.getDimSize(1)};
  Tile tile{load,
            ChannelType::get(load.getContext(), part, whole.getElementType(),
                             swizzle, /*depth=*/shape.groups, /*dealt=*/true),
            last,
            isTerm,
            {}};
  StringRef reason = whyNoTensorCopy(tile.getCopy());
  if (reason.empty())
    tiles.push_back(tile);
  else if (isTerm)
    remarkUnfetched(load, reason);
  return reason.empty();
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

void DealtTiles::addFirstOperand(LoadOp load) {
  std::optional<int64_t> swizzle = swizzleOfPartners(load.getTile());
  if (!swizzle)
    return;
  Operation *last = load;
  for (Operation *user : load.getTile().getUsers()) {
    Operation *beside = load->getBlock()->findAncestorOpInBlock(*user);
    if (last->isBeforeInBlock(beside))
      last = beside;
  }
  add(load, *swizzle, last, /*isTerm=*/false);
}

/// True if `tile` is read for the scores of a product in the same block: one
/// for each, after that.
static bool isOfScores(Operation *read, RankedTensorType tile) {
  return llvm::any_of(read->getBlock()->getOps<MmaOp>(), [&](MmaOp product) {
    return product.getTransposeB() && product->isBeforeInBlock(read) &&
           product.getResult().getType().getShape() == tile.getShape();
  });
}

void DealtTiles::addTerm(LoadOp load) {
  RankedTensorType tile = load.getTile().getType();
  // A branch has no puts. Other elements than those of 16 and 32 bits are rare,
  // and their tiles have not been measured.
  int64_t bits = elementBits(tile);
  if (!getLayout(tile) || (bits != 16 && bits != 32) ||
      !isOfScores(load, tile) ||
      !isa<scf::ForOp, KernelOp>(load->getParentOp()))
    return;
  add(load, widestSwizzle(tile.getDimSize(1) * bits / 8),
      load->getBlock()->getTerminator(),
      /*isTerm=*/true);
}

DealtTiles::DealtTiles(KernelOp kernel, const GroupShape &shape, bool terms)
    : shape(shape) {
  kernel.walk([&](LoadOp load) {
    if (load.getTile().getType().getRank() != 2)
      return;
    addFirstOperand(load);
    if (terms && !contains(*load))
      addTerm(load);
  });
  if (terms)
    kernel.walk([&](GatherOp gather) {
      if (isOfScores(gather, gather.getTile().getType()))
        remarkUnfetched(gather, "its elements are no tile of memory");
    });
}

void DealtTiles::makeChannels(OpBuilder &builder) {
  for (Tile &tile : tiles) {
    // Loops that follow each other put to one, as they do of keys.
    for (const Tile &other : ArrayRef<Tile>(tiles.begin(), &tile))
      if (tile.isTerm && other.isTerm && tile.type == other.type &&
          tile.load->getBlock() != other.load->getBlock())
        tile.channel = other.channel;
    if (!tile.channel)
      tile.channel =
          MakeChannelOp::create(builder, tile.load.getLoc(), tile.type);
  }
}

void DealtTiles::eraseChannels() {
  for (Value channel : getChannels())
    channel.getDefiningOp()->erase();
}

SmallVector<Value> DealtTiles::getChannels() const {
  llvm::SetVector<Value> channels;
  for (Tile tile : tiles)
    channels.insert(tile.channel.getChannel());
  return channels.takeVector();
}

const DealtTiles::Tile *DealtTiles::find(Operation &op) const {
  auto found =
      llvm::find_if(tiles, [&](const Tile &tile) { return tile.load == &op; });
  return found == tiles.end() ? nullptr : &*found;
}

LogicalResult DealtTiles::put(Operation &load, FetchCode &code) const {
  const Tile *tile = find(load);
  MakeChannelOp channel = tile->channel;
  for (int64_t group : llvm::seq(shape.groups))
    if (failed(code.put(load.getLoc(), tile->getCopy(), channel.getChannel(),
                        group * shape.rows)))
      return failure();
  return success();
}

void DealtTiles::get(Operation &load, GroupCode &code) const {
  const Tile *tile = find(load);
  MakeChannelOp channel = tile->channel;
  Value channelOfRole = code.mapping.lookup(channel.getChannel());
  // Stages may have become more.
  auto type = cast<ChannelType>(channelOfRole.getType());
  Value group = GetOp::create(code.getBuilder(), load.getLoc(),
                              type.getStageType(), channelOfRole);
  if (tile->isTerm)
    group = ReadOp::create(code.getBuilder(), load.getLoc(),
                           code.convert(load.getResult(0).getType()), group);
  code.mapping.map(load.getResult(0), group);
}

void DealtTiles::releaseAfter(Operation &op, GroupCode &code) const {
  for (Tile tile : tiles)
    if (tile.last == &op)
      ReleaseOp::create(code.getBuilder(), op.getLoc(),
                        code.mapping.lookup(tile.channel.getChannel()));
}

} // namespace mlir::smx::gpu
