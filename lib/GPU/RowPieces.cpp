//===- RowPieces.cpp - a long row's tile, in pieces -----------------------===//

#include "RowPieces.h"

#include "PartialStates.h"
#include "TileReductions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx::gpu;

RowPieces::RowPieces(KernelOp kernel, ArrayRef<LoadOp> some, int64_t bytes)
    : kernel(kernel), loads(some) {
  auto type = cast<RankedTensorType>(loads.front().getTile().getType());
  auto striped = cast<StripedAttr>(getLayout(type));
  columns = type.getDimSize(1);
  int64_t stripe = striped.getColumnThreads() * striped.getVector(),
          elementBytes = 0;
  for (LoadOp load : loads)
    elementBytes +=
        llvm::divideCeil(load.getTile().getType().getElementTypeBitWidth(), 8);
  int64_t most =
      std::max<int64_t>(bytes / (striped.getVector() * elementBytes), 1);
  // What is read from shared memory takes the fewest registers in stripes.
  for (int64_t first = 0; first < columns;) {
    Piece piece;
    piece.first = first;
    piece.columns = first == 0 ? std::min(most * stripe, columns) : stripe;
    first += piece.columns;
    pieces.push_back(std::move(piece));
  }
}

static bool isWidenedSum(PartialReduceOp op) {
  return op.getKind() == Combiner::Add && op->hasOneUse() &&
         isa<arith::ExtFOp>(*op->user_begin());
}

bool RowPieces::isKnown(Operation *op) const {
  bool isWholeOp =
      llvm::any_of(llvm::concat<Value>(op->getOperands(), op->getResults()),
                   [&](Value value) { return isWhole(value.getType()); });
  if (!isWholeOp)
    return true;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getDim() == 1;
  if (auto reduce = dyn_cast<PartialReduceOp>(op))
    return isWidenedSum(reduce) && reduce.getResult().getType() ==
                                       typeOf(pieces.back(), reduce.getTile());
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getDims().back() >= 0;
  if (auto load = dyn_cast<LoadOp>(op))
    return llvm::is_contained(loads, load);
  if (op->hasTrait<OpTrait::ConstantLike>())
    return isSplat(op->getResult(0));
  return isa<PositionOp, BroadcastOp, PartsOp, HoldOp, tensor::SplatOp>(op) ||
         (OpTrait::hasElementwiseMappableTraits(op) && isMemoryEffectFree(op));
}

template <typename OpTy>
void RowPieces::moveTo(OpBuilder &builder, const Piece &piece, OpTy op) {
  if (piece.first == 0)
    return;
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value first = arith::ConstantIndexOp::create(builder, loc, piece.first);
  MutableOperandRange offsets = op.getOffsetsMutable();
  OpOperand &offset = offsets[op.getDims().back()];
  offset.set(arith::AddIOp::create(builder, loc, offset.get(), first));
  if (op.getValid().empty())
    return;
  OpOperand &valid = op.getValidMutable()[1];
  Value left = arith::SubIOp::create(builder, loc, valid.get(), first);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  valid.set(arith::MaxSIOp::create(builder, loc, left, zero));
}

void RowPieces::load(OpBuilder &builder, Piece &piece, bool isShared) {
  for (LoadOp load : loads) {
    RankedTensorType type = typeOf(piece, load.getTile());
    OpBuilder::InsertionGuard guard(builder);
    if (!isShared) {
      builder.setInsertionPoint(load);
      auto part = cast<LoadOp>(builder.clone(*load));
      part.getTile().setType(type);
      moveTo(builder, piece, part);
      piece.loaded[load.getTile()] = part.getTile();
      continue;
    }
    auto sharedType = SharedType::get(kernel.getContext(), type.getShape(),
                                      type.getElementType(), 0);
    Value shared = AllocOp::create(builder, load.getLoc(), sharedType);
    auto copy = CopyOp::create(builder, load.getLoc(), load.getSource(),
                               load.getOffsets(), load.getValid(), shared,
                               load.getDims(), load.getAligned());
    moveTo(builder, piece, copy);
    piece.loaded[load.getTile()] = shared;
  }
}

/// `tile` in the other form: the row, or the parts of warps.
static Value inForm(OpBuilder &builder, Value tile, RankedTensorType type) {
  if (tile.getType() == type)
    return tile;
  return PartsOp::create(builder, tile.getLoc(), type, tile);
}

Value RowPieces::pieceOf(OpBuilder &builder, Piece &piece, Value tile,
                         IRMapping &made) {
  if (!isWhole(tile.getType()))
    return tile;
  if (Value known = made.lookupOrNull(tile))
    return known;
  Location loc = tile.getLoc();
  RankedTensorType type = typeOf(piece, tile);
  Operation *op = tile.getDefiningOp();
  Value result;
  SplatElementsAttr splat;
  if (Value &loaded = piece.loaded[tile]) {
    if (isa<SharedType>(loaded.getType())) {
      loaded = HoldOp::create(builder, loc, loaded.getType(), loaded);
      Value source = isa<LoadOp>(op) ? tile : loads.front().getTile();
      Value row = ReadOp::create(builder, loc, typeOf(piece, source), loaded);
      result = inForm(builder, row, type);
    } else {
      result = loaded;
    }
  } else if (matchPattern(op, m_Constant(&splat))) {
    result =
        arith::ConstantOp::create(builder, loc, type, splat.resizeSplat(type));
  } else {
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, pieceOf(builder, piece, operand, made));
    Operation *copy = builder.clone(*op, operands);
    copy->getResult(0).setType(type);
    result = copy->getResult(0);
    if (auto position = dyn_cast<PositionOp>(op);
        position && position.getDim() == 1 && piece.first != 0) {
      Value first = arith::ConstantOp::create(
          builder, loc, type,
          DenseElementsAttr::get(type,
                                 Attribute(builder.getIndexAttr(piece.first))));
      result = arith::AddIOp::create(builder, loc, result, first);
    }
  }
  made.map(tile, result);
  return result;
}

void RowPieces::collect(Value value, llvm::SetVector<Value> &chain) const {
  if (!isWhole(value.getType()) || !chain.insert(value))
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    collect(operand, chain);
}

/// `tile`, whichever of its forms it is in.
static Value ofAnyForm(Value tile) {
  while (auto parts = tile.getDefiningOp<PartsOp>())
    tile = parts->getOperand(0);
  return tile;
}

void RowPieces::findKept(ArrayRef<Operation *> roots) {
  if (loads.size() != 1)
    return;
  Value loaded = loads.front().getTile();
  for (auto [i, root] : llvm::enumerate(roots)) {
    if (!isa<ReduceOp, PartialReduceOp>(root))
      continue;
    llvm::SetVector<Value> now, later;
    collect(root->getOperand(0), now);
    for (Operation *other : roots.drop_front(i + 1))
      collect(other->getOperand(0), later);
    // Where the later chains leave this one.
    llvm::SetVector<Value> shared;
    for (Value value : later)
      if (!now.contains(value))
        for (Value operand : value.getDefiningOp()->getOperands())
          if (now.contains(operand) && !isSplat(operand) &&
              !isa<BroadcastOp>(operand.getDefiningOp()))
            shared.insert(operand);
    if (shared.size() == 1 && ofAnyForm(shared.front()) != loaded &&
        getElementTypeOrSelf(shared.front()) == getElementTypeOrSelf(loaded))
      keptBy[root] = shared.front();
  }
}

void RowPieces::keep(OpBuilder &builder, Piece &piece, Value tile, Value made) {
  Value shared = piece.loaded.lookup(loads.front().getTile());
  Value row = inForm(builder, made, typeOf(piece, loads.front().getTile()));
  WriteOp::create(builder, tile.getLoc(), row, shared);
  piece.loaded[tile] = shared;
}

/// A thread's elements of the first piece, combined into as many as it has of
/// another one: there is one exchange for all.
Value RowPieces::firstStripe(OpBuilder &builder, Operation *reduction,
                             Combiner kind) {
  Value whole = reduction->getOperand(0);
  Value tile = pieceOf(builder, pieces.front(), whole, inRegisters);
  RankedTensorType stripe = typeOf(pieces.back(), whole);
  if (tile.getType() == stripe)
    return tile;
  return PartialReduceOp::create(builder, reduction->getLoc(), stripe, kind,
                                 tile);
}

Value RowPieces::pieceFor(OpBuilder &builder, Piece &piece,
                          Operation *reduction) {
  IRMapping made;
  Value tile = pieceOf(builder, piece, reduction->getOperand(0), made);
  if (Value kept = keptBy.lookup(reduction))
    keep(builder, piece, kept, made.lookup(kept));
  return tile;
}

void RowPieces::convertReduce(ReduceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value running = firstStripe(builder, op, op.getKind());
  for (Piece &piece : MutableArrayRef(pieces).drop_front()) {
    Value tile = pieceFor(builder, piece, op);
    running = combineTiles(builder, loc, op.getKind(), running, tile);
    running = HoldOp::create(builder, loc, running.getType(), running);
  }
  op.getTileMutable().assign(running);
}

void RowPieces::convertSum(PartialReduceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto widened = cast<arith::ExtFOp>(*op->user_begin());
  auto widen = [&](Value tile) -> Value {
    return arith::ExtFOp::create(builder, loc, widened.getType(), tile);
  };
  Value running = widen(firstStripe(builder, op, op.getKind()));
  MutableArrayRef rest = MutableArrayRef(pieces).drop_front();
  // Two sums of positive numbers round as little as the numbers did.
  for (size_t i = 0; i < rest.size(); i += 2) {
    Value tile = pieceFor(builder, rest[i], op);
    if (i + 1 < rest.size()) {
      tile = HoldOp::create(builder, loc, tile.getType(), tile);
      tile = arith::AddFOp::create(builder, loc, tile,
                                   pieceFor(builder, rest[i + 1], op));
    }
    running = arith::AddFOp::create(builder, loc, running, widen(tile));
    running = HoldOp::create(builder, loc, running.getType(), running);
  }
  widened.replaceAllUsesWith(running);
  widened.erase();
  op.erase();
}

void RowPieces::convertStore(StoreOp op) {
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    OpBuilder builder(op);
    IRMapping made;
    Value tile =
        pieceOf(builder, piece, op.getTile(), i == 0 ? inRegisters : made);
    auto store = cast<StoreOp>(builder.clone(*op));
    store.getTileMutable().assign(tile);
    moveTo(builder, piece, store);
  }
  op.erase();
}

/// Nothing that the load needs, and nothing that is written, is behind `op`.
static bool comesBefore(LoadOp load, Operation *op) {
  for (Value operand : load->getOperands())
    if (Operation *source = operand.getDefiningOp();
        source && source->getBlock() == op->getBlock() &&
        !source->isBeforeInBlock(op))
      return false;
  return llvm::none_of(
      llvm::make_range(op->getIterator(), load->getIterator()),
      [](Operation &between) { return isa<StoreOp>(between); });
}

LogicalResult RowPieces::run() {
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> roots;
  for (Operation &op : body) {
    if (!isKnown(&op) || op.getNumRegions() != 0)
      return failure();
    bool isRoot = llvm::any_of(op.getOperandTypes(),
                               [&](Type type) { return isWhole(type); }) &&
                  isa<ReduceOp, PartialReduceOp, StoreOp>(op);
    if (isRoot)
      roots.push_back(&op);
  }
  // All is copied before the first reduction.
  if (roots.empty() || llvm::any_of(loads, [&](LoadOp load) {
        return roots.front()->isBeforeInBlock(load) &&
               !comesBefore(load, roots.front());
      }))
    return failure();
  for (LoadOp load : loads)
    if (roots.front()->isBeforeInBlock(load))
      load->moveBefore(roots.front());
  findKept(roots);
  OpBuilder builder(roots.front());
  for (auto [i, piece] : llvm::enumerate(pieces))
    load(builder, piece, /*isShared=*/i != 0);
  for (Operation *root : roots) {
    if (auto reduce = dyn_cast<ReduceOp>(root))
      convertReduce(reduce);
    else if (auto sum = dyn_cast<PartialReduceOp>(root))
      convertSum(sum);
    else
      convertStore(cast<StoreOp>(root));
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.use_empty() && op.getNumResults() == 1 &&
        isWhole(op.getResult(0).getType()))
      op.erase();
  return success();
}
