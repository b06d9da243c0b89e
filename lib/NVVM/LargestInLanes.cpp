//===- LargestInLanes.cpp - the largest elements of a row of lanes --------===//
//
// Each lane lists the largest keys (LaneKeys.h) of its elements, falling: it
// sorts some at a time, and merges them with those before. A result is the
// largest of the first keys of the lanes, and the lane that had it moves its
// list up. Lists may be shorter than the results are many, as few lanes have
// several of these: where one is out of keys, all lanes list theirs again that
// are below the last result.
//
//===----------------------------------------------------------------------===//

#include "LargestInLanes.h"

#include "Candidates.h"
#include "LaneKeys.h"
#include "WarpExchange.h"
#include "smx/IR/FallingKeys.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

namespace {

/// Code for one row.
class LanesOfRow {
public:
  LanesOfRow(ThreadCode &code, LaneKeys &keys, SmallVector<Value> all,
             int64_t threads, int64_t count)
      : code(code), keys(keys), all(std::move(all)), threads(threads),
        count(count) {
    int64_t registers = this->all.size();
    places = std::min({count, registers, mostPlaces});
    // Of 16 lanes with random elements, one has two more than its share once
    // in many rows.
    if (threads >= 16 && registers >= 16)
      places =
          std::min<int64_t>(places, 2 + llvm::divideCeil(2 * count, threads));
  }

  /// Those of the ranks `threads * i + lane`, of so many `i`; or where all
  /// lanes have all ranks, of the ranks `i`.
  SmallVector<Value> find(int64_t results, bool inLanes);

private:
  static constexpr int64_t mostPlaces = 8;

  bool isCut() { return places < std::min<int64_t>(count, all.size()); }
  Value isEqual(Value a, Value b) {
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, a, b);
  }
  /// The list of all keys, or of those below `before`.
  SmallVector<Value> list(Value before);
  Value largestOfLanes(Value key);
  /// Takes `first` from the list of the lane that has it.
  SmallVector<Value> without(ValueRange list, Value first);
  /// A list that is not empty where keys below `before` are left.
  SmallVector<Value> refilled(ValueRange list, Value before);

  ThreadCode &code;
  LaneKeys &keys;
  SmallVector<Value> all;
  int64_t threads, count, places;
};

} // namespace

bool isLargestInLanes(gpu::LargestOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  int64_t threads =
      cast<gpu::StripedAttr>(gpu::getLayout(tile)).getColumnThreads();
  // A whole warp has more of a row than registers for keys of 64 bits.
  return !op.getMemory() &&
         (threads < warpThreads ||
          (threads == warpThreads && LaneKeys::areWords(tile)));
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
  size_t batch = llvm::PowerOf2Ceil(places);
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

SmallVector<Value> LanesOfRow::find(int64_t results, bool inLanes) {
  Value lane = code.remainder(code.thread(), threads);
  SmallVector<Value> list = this->list(/*before=*/{}), found;
  // Unrolled, a round knows which result it has.
  if (!isCut() && count <= mostPlaces) {
    SmallVector<Value> ranks;
    for (int64_t rank = 0; rank < count; ++rank) {
      ranks.push_back(largestOfLanes(list.front()));
      list = without(list, ranks.back());
    }
    if (!inLanes)
      return ranks;
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

namespace {
struct LowerLargestInLanes : TilePattern<gpu::LargestOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::LargestOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isLargestInLanes(op))
      return failure();
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    int64_t threads =
        cast<gpu::StripedAttr>(gpu::getLayout(tile)).getColumnThreads();
    ThreadCode code(rewriter, op, plan);
    LaneKeys keys(code, tile);
    Value firstColumn = code.threadPart(tile).column;
    int64_t rows = gpu::getRegisterCount(op.getSliceType()),
            registers = gpu::getRegisterCount(tile) / rows;
    int64_t tiles = op.getValues().size();
    bool inLanes = bool(op.getRanks());
    int64_t perRow = inLanes ? gpu::getRegisterCount(cast<RankedTensorType>(
                                   op.getValues().front().getType())) /
                                   rows
                             : tiles;
    SmallVector<SmallVector<Value>> results(2 * tiles);
    for (int64_t row : llvm::seq(rows)) {
      SmallVector<Value> columns;
      for (int64_t i : llvm::seq(row * registers, (row + 1) * registers))
        columns.push_back(code.add(
            firstColumn, code.i32(gpu::getElement(tile, 0, i).column)));
      Value ofRowRegisters =
          code.getRegisters(adaptor.getTile(), row * registers, registers);
      LanesOfRow ofRow(code, keys, keys.of(ofRowRegisters, columns), threads,
                       op.getCount());
      for (auto [i, key] : llvm::enumerate(ofRow.find(perRow, inLanes))) {
        size_t number = inLanes ? 0 : i;
        results[number].push_back(keys.elementOf(key));
        results[tiles + number].push_back(keys.columnOf(key));
      }
    }
    rewriter.replaceOp(op, llvm::map_to_vector(results, [&](auto &registers) {
                         return code.fromRegisters(registers);
                       }));
    return success();
  }
};
} // namespace

void populateLargestInLanesPatterns(const TileTypeConverter &converter,
                                    const KernelPlan &plan,
                                    RewritePatternSet &patterns) {
  patterns.add<LowerLargestInLanes>(converter, plan, /*benefit=*/2);
}

} // namespace mlir::smx
