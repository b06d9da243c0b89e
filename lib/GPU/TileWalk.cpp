//===- TileWalk.cpp - loops of a role over tiles of rows ------------------===//

#include "TileWalk.h"

#include "NumberSweep.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::smx::gpu;

bool TileWalk::isNumber(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::none_of(op->getResultTypes(),
                       [](Type type) { return isa<RankedTensorType>(type); });
}

bool TileWalk::isOfHead(Operation *op) const {
  Operation *ofBody =
      head.empty() ? nullptr
                   : head.front()->getBlock()->findAncestorOpInBlock(*op);
  return ofBody && llvm::is_contained(head, ofBody);
}

/// True if a loop that is entered has a round, whichever tile it is.
static bool hasRoundAtEveryTile(scf::ForOp loop) {
  std::optional<NumberSweep> bounds =
      NumberSweep::of({loop.getLowerBound(), loop.getUpperBound()});
  return bounds && bounds->forAll([](ArrayRef<int64_t> values) {
    return values[0] < values[1];
  });
}

std::optional<TileWalk> TileWalk::match(RoleOp role) {
  TileWalk found;
  auto loops = llvm::to_vector(role.getBody().getOps<scf::ForOp>());
  if (loops.size() != 1 || loops[0].getNumRegionIterArgs())
    return std::nullopt;
  found.loops.push_back(loops[0]);
  Block *body = loops[0].getBody();
  auto inner =
      dyn_cast_or_null<scf::ForOp>(body->getTerminator()->getPrevNode());
  if (inner && !inner.getNumRegionIterArgs() && hasRoundAtEveryTile(inner) &&
      inner.getBody()->getOps<scf::ForOp>().begin() !=
          inner.getBody()->getOps<scf::ForOp>().end() &&
      loops[0].isDefinedOutsideOfLoop(inner.getLowerBound()) &&
      llvm::all_of(body->without_terminator(), [&](Operation &op) {
        return &op == inner || isNumber(&op);
      })) {
    found.loops.push_back(inner);
    body = inner.getBody();
  }
  Operation *last = nullptr;
  for (auto loop : body->getOps<scf::ForOp>())
    last = loop;
  if (!last)
    return std::nullopt;
  for (Operation &op : body->without_terminator()) {
    bool isLoop = isa<scf::ForOp>(op);
    if (isLoop || (!found.rounds.empty() && op.isBeforeInBlock(last))) {
      if (!isLoop && !isNumber(&op))
        return std::nullopt;
      found.rounds.push_back(&op);
    } else if (op.getNumRegions() &&
               !(isa<scf::IfOp>(op) &&
                 (!found.rounds.empty() || isMemoryEffectFree(&op)))) {
      return std::nullopt;
    } else {
      (found.rounds.empty() ? found.head : found.tail).push_back(&op);
    }
  }
  return found;
}

void TileWalk::enter(OpBuilder &builder, IRMapping &mapping,
                     const Place &place) {
  for (auto [loop, counter] : llvm::zip_equal(loops, place)) {
    mapping.map(loop.getInductionVar(), counter);
    if (loop != loops.back())
      for (Operation &op : loop.getBody()->without_terminator())
        if (isNumber(&op))
          builder.clone(op, mapping);
  }
}

void TileWalk::cloneNumbers(OpBuilder &builder, IRMapping &mapping) {
  for (Operation *op : head)
    if (isNumber(op))
      builder.clone(*op, mapping);
}

TileWalk::Place TileWalk::first() {
  return llvm::map_to_vector<2>(
      loops, [](scf::ForOp loop) -> Value { return loop.getLowerBound(); });
}

TileWalk::Place TileWalk::next(OpBuilder &builder, const IRMapping &mapping) {
  Location loc = loops.front().getLoc();
  // Behind the last one of the inner loop there is its first one, of the next
  // one of the outer loop.
  Place place;
  Value isWithin;
  for (scf::ForOp loop : llvm::reverse(loops)) {
    Value here = mapping.lookup(loop.getInductionVar());
    Value after = arith::AddIOp::create(builder, loc, here, loop.getStep());
    Value isRound =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, after,
                              mapping.lookupOrDefault(loop.getUpperBound()));
    Value moved = arith::SelectOp::create(builder, loc, isRound, after, here);
    if (isWithin) {
      Value again = arith::SelectOp::create(
          builder, loc, isRound, loops.back().getLowerBound(),
          mapping.lookup(loops.back().getInductionVar()));
      place.front() =
          arith::SelectOp::create(builder, loc, isWithin, place.front(), again);
      moved = arith::SelectOp::create(builder, loc, isWithin, here, moved);
    }
    place.insert(place.begin(), moved);
    isWithin = isRound;
  }
  return place;
}

void TileWalk::rebuild(
    OpBuilder &builder, ValueRange state,
    function_ref<SmallVector<Value>(IRMapping &mapping, ValueRange state)>
        body) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = loops.front().getLoc();
  IRMapping mapping;
  SmallVector<scf::ForOp, 2> copies;
  for (scf::ForOp loop : loops) {
    auto copy = scf::ForOp::create(
        builder, loc, mapping.lookupOrDefault(loop.getLowerBound()),
        mapping.lookupOrDefault(loop.getUpperBound()), loop.getStep(), state);
    copies.push_back(copy);
    builder.setInsertionPointToStart(copy.getBody());
    state = copy.getRegionIterArgs();
    mapping.map(loop.getInductionVar(), copy.getInductionVar());
    if (loop != loops.back())
      for (Operation &op : loop.getBody()->without_terminator())
        if (isNumber(&op))
          builder.clone(op, mapping);
  }
  SmallVector<Value> results = body(mapping, state);
  for (scf::ForOp copy : llvm::reverse(copies)) {
    Block *block = copy.getBody();
    if (!results.empty()) {
      builder.setInsertionPointToEnd(block);
      scf::YieldOp::create(builder, loc, results);
    }
    results.assign(copy->result_begin(), copy->result_end());
  }
}
