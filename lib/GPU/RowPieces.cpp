//===- RowPieces.cpp - a long row's tile, in pieces -----------------------===//

#include "RowPieces.h"

#include "PartialStates.h"
#include "TileReductions.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::smx::gpu;

RowPieces::RowPieces(KernelOp kernel, ArrayRef<LoadOp> some, int64_t bytes,
                     int64_t accesses, int64_t states)
    : kernel(kernel), loads(some), states(states) {
  auto type = cast<RankedTensorType>(loads.front().getTile().getType());
  auto striped = cast<StripedAttr>(getLayout(type));
  columns = type.getDimSize(1);
  int64_t stripe = striped.getColumnThreads() * striped.getVector(),
          bytesOfColumn = 0;
  for (LoadOp load : loads)
    bytesOfColumn += elementBytes(load.getTile().getType());
  int64_t most =
      std::max<int64_t>(bytes / (striped.getVector() * bytesOfColumn), 1);
  // What is read from shared memory takes the fewest registers in stripes.
  for (int64_t first = 0; first < columns;) {
    Piece piece;
    piece.first = first;
    int64_t left = std::min(most * stripe, columns) - first;
    piece.isShared = left <= 0;
    piece.columns = piece.isShared ? stripe : std::min(left, accesses * stripe);
    first += piece.columns;
    pieces.push_back(std::move(piece));
  }
}

static bool isWidenedSum(PartialReduceOp op) {
  return op.getKind() == Combiner::Add && op->hasOneUse() &&
         isa<arith::ExtFOp>(*op->user_begin());
}

RankedTensorType RowPieces::stripeOf(Value tile) const {
  Piece common = pieces.back();
  for (const Piece &piece : pieces)
    common.columns = std::gcd(common.columns, piece.columns);
  return typeOf(common, tile);
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
    return isWidenedSum(reduce) &&
           reduce.getResult().getType() == stripeOf(reduce.getTile());
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getDims().back() >= 0;
  if (auto load = dyn_cast<LoadOp>(op))
    return llvm::is_contained(loads, load) || isOfAllRows(load);
  if (op->hasTrait<OpTrait::ConstantLike>())
    return isSplat(op->getResult(0));
  return isa<PositionOp, BroadcastOp, PartsOp, HoldOp, tensor::SplatOp>(op) ||
         (OpTrait::hasElementwiseMappableTraits(op) && isMemoryEffectFree(op));
}

Value RowPieces::weighed(OpBuilder &builder, Piece &piece, Operation *product) {
  Location loc = product->getLoc();
  Value factor = piece.factor;
  if (auto share = dyn_cast<arith::MulFOp>(product))
    factor = arith::MulFOp::create(
        builder, loc, share.getRhs().getDefiningOp<BroadcastOp>().getValues(),
        factor);
  RankedTensorType type = typeOf(piece, product->getResult(0));
  return arith::MulFOp::create(builder, loc,
                               loadedOf(builder, piece, state->weights()),
                               BroadcastOp::create(builder, loc, type, factor));
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
  auto isKept = [&](Value value) {
    return piece.factor && value == state->weights();
  };
  Value result;
  SplatElementsAttr splat;
  if (auto product = dyn_cast<arith::MulFOp>(op);
      isKept(tile) || (product && isKept(product.getLhs()) &&
                       product.getRhs().getDefiningOp<BroadcastOp>())) {
    result = weighed(builder, piece, op);
  } else if (piece.loaded.contains(tile)) {
    result = loadedOf(builder, piece, tile);
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    result = loadPiece(builder, piece, load);
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

Value RowPieces::pieceFor(OpBuilder &builder, Piece &piece,
                          Operation *reduction, Value reference) {
  Location loc = reduction->getLoc();
  Value whole = reduction->getOperand(0);
  IRMapping local;
  IRMapping &made = reference ? local : madeBefore(piece, local);
  if (reference)
    made.map(state->reference(),
             BroadcastOp::create(builder, loc,
                                 typeOf(piece, state->reference()), reference));
  Value tile = pieceOf(builder, piece, whole, made);
  if (Value kept = keptBy.lookup(reduction)) {
    if (piece.isShared)
      keep(builder, piece, kept, made.lookup(kept));
    else if (reference)
      piece.loaded[kept] = made.lookup(kept);
  }
  RankedTensorType stripe = stripeOf(whole);
  if (tile.getType() == stripe)
    return tile;
  auto reduce = dyn_cast<ReduceOp>(reduction);
  return PartialReduceOp::create(
      builder, loc, stripe, reduce ? reduce.getKind() : Combiner::Add, tile);
}

Value RowPieces::combined(OpBuilder &builder, Pieces some, ReduceOp reduction,
                          Value reference) {
  Location loc = reduction.getLoc();
  Value running;
  for (Piece &piece : some) {
    Value tile = pieceFor(builder, piece, reduction, reference);
    running =
        running ? combineTiles(builder, loc, reduction.getKind(), running, tile)
                : tile;
    if (piece.isShared || reference)
      running = HoldOp::create(builder, loc, running.getType(), running);
  }
  return running;
}

Value RowPieces::combined(OpBuilder &builder, Pieces some, PartialReduceOp sum,
                          Value reference) {
  Location loc = sum.getLoc();
  Type type = sum->user_begin()->getResult(0).getType();
  Value running, pair;
  for (Piece &piece : some) {
    Value tile = pieceFor(builder, piece, sum, reference);
    bool isLast = &piece == &some.back();
    // Two sums of positive numbers round as little as the numbers did.
    if (pair)
      tile = arith::AddFOp::create(builder, loc, pair, tile);
    if (!pair && piece.isShared && !isLast) {
      pair = HoldOp::create(builder, loc, tile.getType(), tile);
      continue;
    }
    pair = {};
    Value wide = arith::ExtFOp::create(builder, loc, type, tile);
    running =
        running ? arith::AddFOp::create(builder, loc, running, wide) : wide;
    if (piece.isShared || reference)
      running = HoldOp::create(builder, loc, type, running);
  }
  return running;
}

void RowPieces::convertReduction(Operation *op) {
  OpBuilder builder(op);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    reduce.getTileMutable().assign(combined(builder, pieces, reduce, Value()));
    return;
  }
  auto sum = cast<PartialReduceOp>(op);
  Operation *widened = *sum->user_begin();
  Value sums = combined(builder, pieces, sum, Value());
  widened->getResult(0).replaceAllUsesWith(sums);
  widened->erase();
  sum.erase();
}

void RowPieces::convertStore(StoreOp op) {
  for (Piece &piece : pieces) {
    OpBuilder builder(op);
    IRMapping local;
    Value tile =
        pieceOf(builder, piece, op.getTile(), madeBefore(piece, local));
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
  findKept(roots);
  if (states > 1 && !(state = matchState(roots)))
    return failure();
  for (LoadOp load : loads)
    if (roots.front()->isBeforeInBlock(load))
      load->moveBefore(roots.front());
  OpBuilder builder(roots.front());
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    load(builder, piece);
    // The first state begins with what is in registers; the assembler would put
    // the copies, which nothing waits for, before its loads.
    if (i == 0 && state)
      BarrierOp::create(builder, kernel.getLoc());
  }
  ArrayRef<Operation *> left = roots;
  if (state) {
    convertState();
    left = left.drop_front(2);
  }
  for (Operation *root : left) {
    if (auto store = dyn_cast<StoreOp>(root))
      convertStore(store);
    else
      convertReduction(root);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.use_empty() && op.getNumResults() == 1 &&
        isWhole(op.getResult(0).getType()))
      op.erase();
  return success();
}
