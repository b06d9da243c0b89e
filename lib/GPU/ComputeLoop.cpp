//===- ComputeLoop.cpp - loops over tiles of rows that compute ------------===//

#include "ComputeLoop.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::smx::gpu {

/// The one op of a kind, or null.
template <typename OpTy>
static OpTy onlyOf(ArrayRef<Operation *> ops) {
  OpTy found;
  for (Operation *op : ops)
    if (auto candidate = dyn_cast<OpTy>(op)) {
      if (found)
        return {};
      found = candidate;
    }
  return found;
}

bool ComputeLoop::matchSum() {
  sum = onlyOf<MmaAsyncOp>(tail);
  sumDone = onlyOf<WaitOp>(tail);
  auto isOfTerms = [](Operation &op) {
    return isMemoryEffectFree(&op) || isa<MmaOp>(op);
  };
  for (Operation *op : tail) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || !branch.elseBlock() || sum)
      continue;
    auto product = dyn_cast<MmaAsyncOp>(branch.elseBlock()->front());
    auto done =
        dyn_cast_or_null<WaitOp>(product ? product->getNextNode() : nullptr);
    if (!done || done.getTile() != product.getResult() ||
        !isa<scf::YieldOp>(done->getNextNode()) ||
        branch.getNumResults() != 1 ||
        branch.elseYield().getOperand(0) != done.getResult() ||
        !llvm::all_of(*branch.thenBlock(), isOfTerms))
      continue;
    sum = product;
    sumDone = done;
    terms = branch;
  }
  return sum && sumDone && !sum.getUnless() && sumDone.getPending() == 0;
}

bool ComputeLoop::mayNeedTerms() {
  return llvm::any_of(tail, [](Operation *op) {
    return op->walk([](MmaOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

std::optional<ComputeLoop> ComputeLoop::match(RoleOp role) {
  std::optional<TileWalk> walk = TileWalk::match(role);
  if (!walk)
    return std::nullopt;
  ComputeLoop found;
  static_cast<TileWalk &>(found) = *walk;
  found.scores = onlyOf<MmaAsyncOp>(found.head);
  found.scoresDone = onlyOf<WaitOp>(found.head);
  if (!found.scores || !found.scoresDone || !found.matchSum())
    return std::nullopt;
  found.getRows = found.scores.getA().getDefiningOp<GetOp>();
  found.getKeys = found.scores.getB().getDefiningOp<GetOp>();
  if (!found.getRows || !found.getKeys)
    return std::nullopt;
  // What scores have from memory takes registers beside the last product's.
  if (llvm::any_of(found.head, [](Operation *op) {
        return !isMemoryEffectFree(op) &&
               !isa<GetOp, ReleaseOp, TakeTurnOp, PassTurnOp, MmaAsyncOp,
                    WaitOp>(op);
      }))
    return std::nullopt;
  for (Operation *op : found.tail)
    if (auto release = dyn_cast<ReleaseOp>(op))
      if (release.getChannel() == found.getRows.getChannel())
        found.releaseRows = release;
  if (!found.releaseRows ||
      !found.releaseRows->isBeforeInBlock(found.placeOfSum()))
    return std::nullopt;
  for (Operation *op : found.head)
    for (Value result : op->getResults())
      if (!isNumber(op))
        for (Operation *user : result.getUsers())
          if (!found.isOfHead(user))
            found.carried.insert(result);
  return found;
}

bool ComputeLoop::keepsTurns() {
  auto isDone = [](PassTurnOp pass) {
    auto wait = dyn_cast_or_null<WaitOp>(pass->getPrevNode());
    return wait && wait.getPending() == 0;
  };
  return llvm::any_of(rounds, [&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    return loop && llvm::any_of(loop.getBody()->getOps<PassTurnOp>(), isDone);
  });
}

/// Clones the head for the tile at `place`, but for `without`, and returns what
/// is carried of it; `between` is called with its product, and with the wait
/// for that.
template <typename Between>
SmallVector<Value> ComputeLoop::cloneHead(OpBuilder &builder,
                                          const Place &place,
                                          PassTurnOp without, Between between) {
  IRMapping mapping;
  enter(builder, mapping, place);
  for (Operation *op : head) {
    if (op == without)
      continue;
    Operation *copy = builder.clone(*op, mapping);
    if (op == scores || op == scoresDone)
      between(copy);
  }
  return llvm::map_to_vector(
      carried, [&](Value value) { return mapping.lookup(value); });
}

void ComputeLoop::addTerms(OpBuilder &builder, IRMapping &mapping) {
  Value done = mapping.lookup(sumDone.getResult());
  IRMapping ofTerms = mapping;
  ofTerms.map(sum.getAcc(), done);
  auto branch = scf::IfOp::create(
      builder, terms.getLoc(), terms.getResultTypes(),
      mapping.lookupOrDefault(terms.getCondition()), /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (Operation &op : *terms.thenBlock())
      builder.clone(op, ofTerms);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, terms.getLoc(), done);
  }
  mapping.map(terms.getResults(), branch.getResults());
}

void ComputeLoop::rewrite() {
  OpBuilder builder(loops.front());
  SmallVector<Value> state =
      cloneHead(builder, first(), /*without=*/{}, [](Operation *) {});
  // A turn that rounds keep until their products are done is kept here, too.
  PassTurnOp pass = keepsTurns() ? onlyOf<PassTurnOp>(head) : PassTurnOp();
  auto walk = [&](IRMapping &mapping, ValueRange arguments) {
    for (auto [value, argument] : llvm::zip(carried, arguments))
      mapping.map(value, argument);
    cloneNumbers(builder, mapping);
    for (Operation *op : rounds)
      builder.clone(*op, mapping);
    auto last = llvm::find(tail, placeOfSum());
    for (Operation *op : llvm::make_range(tail.begin(), last))
      builder.clone(*op, mapping);
    // Products end in the order in which they are issued.
    SmallVector<Value> following =
        cloneHead(builder, next(builder, mapping), pass, [&](Operation *copy) {
          if (auto wait = dyn_cast<WaitOp>(copy))
            return wait.setPending(1);
          auto product = cast<MmaAsyncOp>(builder.clone(*sum, mapping));
          if (terms)
            product.getUnlessMutable().assign(
                mapping.lookupOrDefault(terms.getCondition()));
        });
    auto finishSum = [&] {
      builder.clone(*sumDone, mapping);
      if (pass)
        builder.clone(*pass, mapping);
    };
    if (terms) {
      finishSum();
      addTerms(builder, mapping);
    }
    for (Operation *op : llvm::make_range(std::next(last), tail.end())) {
      if (op == sumDone)
        finishSum();
      else
        builder.clone(*op, mapping);
    }
    return following;
  };
  rebuild(builder, state, walk);
  builder.clone(*releaseRows);
  erase();
}

} // namespace mlir::smx::gpu
