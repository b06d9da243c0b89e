//===- LanesOfRow.cpp - the largest keys of the lanes of a row ------------===//

#include "LanesOfRow.h"

#include "Candidates.h"
#include "WarpExchange.h"
#include "smx/IR/FallingKeys.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

int64_t LanesOfRow::placesFor(int64_t count, int64_t registers,
                              int64_t threads) {
  int64_t places = std::min(count, mostPlaces);
  // Of 16 lanes with random elements, one has two more than its share once
  // in many rows.
  if (threads >= 16 && registers >= 16)
    places =
        std::min<int64_t>(places, 2 + llvm::divideCeil(2 * count, threads));
  return places;
}

SmallVector<Value> LanesOfRow::list(Value before) {
  auto larger = [&](Value a, Value b) -> Value {
    return LLVM::UMaxOp::create(code, a, b);
  };
  auto order = [&](Value &first, Value &second) {
    Value least = LLVM::UMinOp::create(code, first, second);
    first = larger(first, second);
    second = least;
  };
  size_t batch = llvm::PowerOf2Ceil(std::min(places, mostPlaces));
  SmallVector<Value> list;
  for (size_t first = 0; first < all.size(); first += batch) {
    SmallVector<Value> some;
    for (Value key : ArrayRef(all).slice(first).take_front(batch)) {
      if (before)
        key = LLVM::SelectOp::create(
            code,
            LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ult, key, before),
            key, keys.constant(0));
      some.push_back(key);
    }
    sortFalling(some, order);
    some.truncate(std::min<size_t>(some.size(), places));
    list = first == 0 ? some : mergeFalling(list, some, places, larger, order);
  }
  return list;
}

Value LanesOfRow::largestOfLanes(Value key) {
  if (threads == warpThreads)
    return key.getType().isInteger(32) ? warpMaximum(code, key)
                                       : warpMaximumOfCandidates(code, key);
  for (int64_t step = 1; step < threads; step *= 2)
    key = LLVM::UMaxOp::create(code, key, exchange(code, key, step));
  return key;
}

SmallVector<Value> LanesOfRow::without(ValueRange list, Value first) {
  SmallVector<Value> left(list.drop_front());
  left.push_back(keys.constant(0));
  if (threads == 1)
    return left;
  Value isMine = isEqual(list.front(), first);
  for (auto [place, held] : llvm::zip_equal(left, list))
    place = LLVM::SelectOp::create(code, isMine, place, held);
  return left;
}

SmallVector<Value> LanesOfRow::refilled(ValueRange list, Value before) {
  Value isOut = isAnyOfWarp(code, {isEqual(list.front(), keys.constant(0))});
  auto branch = scf::IfOp::create(code, list.getTypes(), isOut,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(code);
  code.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(code, this->list(before));
  code.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(code, list);
  return SmallVector<Value>(branch.getResults());
}

LanesOfRow::Ranks LanesOfRow::findAll() {
  SmallVector<Value> list = this->list(/*before=*/{});
  Ranks ranks;
  for (int64_t rank = 0; rank < count; ++rank) {
    ranks.keys.push_back(largestOfLanes(list.front()));
    list = without(list, ranks.keys.back());
  }
  ranks.next = list.front();
  return ranks;
}

SmallVector<Value> LanesOfRow::ofLane(ArrayRef<Value> ranks, int64_t results) {
  Value lane = code.remainder(code.thread(), threads);
  SmallVector<Value> found;
  for (int64_t i = 0; i < results; ++i) {
    int64_t first = std::min(i * threads, count - 1),
            end = std::min(first + threads, count);
    Value mine = ranks[first];
    for (int64_t rank = first + 1; rank < end; ++rank)
      mine = LLVM::SelectOp::create(
          code, code.less(lane, code.i32(rank - first)), mine, ranks[rank]);
    found.push_back(mine);
  }
  return found;
}

SmallVector<Value> LanesOfRow::find(int64_t results, bool inLanes) {
  // Unrolled, a round knows which result it has.
  if (!isCut() && count <= mostUnrolled) {
    SmallVector<Value> ranks = findAll().keys;
    return inLanes ? ofLane(ranks, results) : ranks;
  }
  Value lane = code.remainder(code.thread(), threads);
  SmallVector<Value> list = this->list(/*before=*/{});
  SmallVector<Value> carried(list);
  carried.append(results, keys.constant(0));
  auto rounds = scf::ForOp::create(code, code.i32(0), code.i32(count),
                                   code.i32(1), carried);
  {
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(rounds.getBody());
    Value round = rounds.getInductionVar();
    ValueRange held = rounds.getRegionIterArgs();
    ValueRange before = held.take_front(places),
               ranks = held.drop_front(places);
    Value first = largestOfLanes(before.front());
    SmallVector<Value> next = without(before, first);
    if (isCut())
      next = refilled(next, first);
    for (auto [i, rank] : llvm::enumerate(ranks)) {
      // From the last rank on the last one again.
      Value number =
          inLanes ? code.add(lane, code.i32(i * threads)) : code.i32(i);
      next.push_back(
          LLVM::SelectOp::create(code, code.less(number, round), rank, first));
    }
    scf::YieldOp::create(code, next);
  }
  return SmallVector<Value>(rounds.getResults().drop_front(places));
}

} // namespace mlir::smx
