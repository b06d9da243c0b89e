//===- Largest.cpp - the largest elements of a row ------------------------===//
//
// Cut a row into disjoint sets of elements: the k-th largest of their maxima is
// not above the k-th largest element. So what is not below that bound has the k
// largest, and if there are 2k sets or more, few others. The threads' maxima,
// of some lanes together, are the maxima of such sets. The few threads that
// have an element not below the bound hand in all of their elements through
// shared memory: so no code is there once for each register. All threads list
// the elements that are not below the bound, and each of these is placed by how
// many are larger.
//
// Equal elements may reach the bound in many threads. Then the threads, each a
// set, are compared by a place at which or before which they have their maximum
// as well: no two are equal, and exactly k threads hand in. Where these have
// more elements above the bound than the list holds, all threads look for the
// largest k times in what was handed in.
//
//===----------------------------------------------------------------------===//

#include "Largest.h"

#include "Candidates.h"
#include "GlobalTile.h"
#include "LargestInLanes.h"
#include "LargestOfRow.h"
#include "WarpExchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

/// NaN if one is; 16-bit ones two at a time.
Value LargestOfRow::maximumOf(Value registers) {
  auto type = cast<VectorType>(registers.getType());
  int64_t count = type.getNumElements();
  bool inPairs = type.getElementTypeBitWidth() == 16 && count % 2 == 0;
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; i += inPairs ? 2 : 1)
    values.push_back(inPairs ? code.getRegisters(registers, i, 2)
                             : code.getRegister(registers, i));
  // As many running ones as hide the latency of a step.
  constexpr size_t running = 4;
  for (size_t i = running; i < values.size(); ++i)
    values[i % running] =
        combine(code, gpu::Combiner::Maximum, values[i % running], values[i]);
  values.truncate(std::min(values.size(), running));
  Value all = values.front();
  for (Value value : ArrayRef(values).drop_front())
    all = combine(code, gpu::Combiner::Maximum, all, value);
  if (!inPairs)
    return all;
  return combine(code, gpu::Combiner::Maximum, code.getRegister(all, 0),
                 code.getRegister(all, 1));
}

/// The order of the k-th largest maximum of the sets.
Value LargestOfRow::boundOf(Value order) {
  for (int64_t step = 1; step < plan.together; step *= 2)
    order = maximumOfWords(order, exchange(code, order, step));
  auto give = [&] {
    store(order, at(plan.maxima(), code.quotient(inRow, plan.together), 4));
  };
  if (plan.together == 1)
    give();
  else
    code.when(compare(LLVM::ICmpPredicate::eq,
                      code.remainder(inRow, plan.together), code.i32(0)),
              give);
  meet();
  // Each warp looks at all of few; of many, the lanes that had a set look at
  // it.
  if (plan.sets() <= warpThreads) {
    // There is nobody behind the last one, which may be looked at twice.
    Value number =
        LLVM::UMinOp::create(code, code.lane(), code.i32(plan.sets() - 1));
    return kthOf(load(code.getI32Type(), at(plan.maxima(), number, 4)),
                 /*lanes=*/1);
  }
  Value least = kthOf(order, plan.lanesOfSet());
  code.when(code.isFirstLane(), [&] {
    LLVM::AtomicRMWOp::create(code, LLVM::AtomicBinOp::umin,
                              code.advance(scratch, plan.bound()), least,
                              LLVM::AtomicOrdering::monotonic);
  });
  meet();
  return loadWord(plan.bound());
}

/// The least maximum of those that the lanes look at, `lanes` at one together,
/// of which fewer than k are larger; the k-th largest is the least one of all.
Value LargestOfRow::kthOf(Value mine, int64_t lanes) {
  Type type = code.getI32Type();
  // Neighbouring lanes read neighbouring words. All of a few at once; of more,
  // as many as there are registers for beside a long row.
  constexpr int64_t few = 16, longRow = 64;
  bool isBesideLong = plan.registers * plan.elementBytes() > longRow;
  int64_t ofLane = plan.sets() / lanes,
          together = std::min<int64_t>(ofLane & -ofLane,
                                       ofLane > few && isBesideLong ? 4 : few),
          words = std::min<int64_t>(together, 4);
  Value part = code.mul(code.remainder(inRow, lanes), code.i32(words));
  Value larger =
      loop(part, code.i32(plan.sets()), code.i32(together * lanes), code.i32(0),
           [&](Value first, Value larger) {
             for (int64_t i = 0; i < together; i += words) {
               Value read = LLVM::LoadOp::create(
                   code, VectorType::get(words, type),
                   code.advance(at(plan.maxima(), first, 4), 4 * i * lanes),
                   4 * words);
               for (int64_t word : llvm::seq(words)) {
                 Value isLarger = compare(LLVM::ICmpPredicate::ugt,
                                          code.getRegister(read, word), mine);
                 larger = code.add(larger,
                                   LLVM::ZExtOp::create(code, type, isLarger));
               }
             }
             return larger;
           });
  Value isAmong = code.less(sumOfLanes(larger, lanes), code.i32(plan.count));
  mine = LLVM::SelectOp::create(code, isAmong, mine, code.i32(-1));
  return NVVM::ReduxOp::create(code, type, mine, NVVM::ReduxKind::UMIN,
                               code.i32(-1));
}

/// Of `lanes` neighbours, in all of them.
Value LargestOfRow::sumOfLanes(Value number, int64_t lanes) {
  for (int64_t step = 1; step < lanes; step *= 2)
    number = code.add(number, exchange(code, number, step));
  return number;
}

/// A thread hands in all it has, as long as there are slots.
void LargestOfRow::handIn(Value condition, Value firstColumn) {
  auto give = [&](Value slot) {
    int64_t bytes = plan.elementBytes(),
            all = plan.columnOfSlot() == 0 ? 0 : plan.registers * bytes,
            piece = std::min<int64_t>(all & -all, 16);
    for (int64_t at = 0; at < all; at += piece)
      LLVM::StoreOp::create(code,
                            code.getRegisters(tile, at / bytes, piece / bytes),
                            code.advance(slotOf(slot), at), piece);
    store(firstColumn, code.advance(slotOf(slot), plan.columnOfSlot()));
    if (round)
      handInRuns(slot);
  };
  code.when(condition, [&] {
    Value slot = nextOf(0);
    if (plan.slots() == plan.threads)
      return give(slot);
    code.when(code.less(slot, code.i32(plan.slots())), [&] { give(slot); });
  });
}

/// Those of the round of the thread's maximum, if nothing else of it reaches
/// the bound. Rounds say nothing of NaN.
void LargestOfRow::handInRuns(Value slot) {
  Value isAlone = code.both(
      compare(LLVM::ICmpPredicate::ult, orderOf(code, second), leastOfRow),
      compare(LLVM::ICmpPredicate::ne, mostOfThread, code.i32(-1)));
  Value first = code.quotient(round, plan.threads * plan.vector);
  // The last one may be shorter.
  Value end =
      LLVM::UMinOp::create(code, code.add(first, code.i32(plan.runsOfRound)),
                           code.i32(plan.elements / plan.vector));
  auto choose = [&](Value run, int64_t ofAll) -> Value {
    return LLVM::SelectOp::create(code, isAlone, run, code.i32(ofAll));
  };
  store(choose(first, 0), code.advance(slotOf(slot), plan.firstRunOfSlot()));
  store(choose(end, plan.elements / plan.vector),
        code.advance(slotOf(slot), plan.endRunOfSlot()));
}

/// Threads with a maximum not below the bound hand in; where those are more
/// than slots, by the bound of equal ones. The bound, as a candidate.
Value LargestOfRow::handInAll(Value order, Value bound, Value firstColumn) {
  auto lowest = [&](Value order, int64_t low) -> Value {
    return LLVM::BitcastOp::create(code, code.getI64Type(),
                                   code.fromRegisters({code.i32(low), order}));
  };
  auto hand = [&](Value mine, Value least) {
    handIn(compare(LLVM::ICmpPredicate::uge, mine, least), firstColumn);
    meet();
  };
  Value mine = lowest(order, -1), least = lowest(bound, 0);
  if (plan.slots() == plan.threads) {
    hand(mine, least);
    return least;
  }
  hand(mine, least);
  Value areTooMany =
      compare(LLVM::ICmpPredicate::sgt, mostOf(0), code.i32(plan.slots()));
  // There is room the second time. Not a loop: what finds places would be moved
  // in front of it, where every row pays for it.
  return code.choose(
      code.getI64Type(), areTooMany,
      [&] {
        Value equal =
            candidateOf(code, order, endOfFirstRun(order, firstColumn));
        Value bound = boundOfEqual(equal);
        hand(equal, bound);
        return bound;
      },
      [&] { return least; });
}

/// The most of a number of all rows whose threads meet with those of this one:
/// they all go the same way.
Value LargestOfRow::mostOf(int64_t offset) {
  if (plan.warps() == 1 || plan.rows == 1)
    return loadWord(offset);
  Value most = code.i32(0);
  for (int64_t i : llvm::seq(plan.rows))
    most = LLVM::SMaxOp::create(
        code, most,
        load(code.getI32Type(),
             code.advance(firstScratch, i * plan.bytes() + offset)));
  return most;
}

Value LargestOfRow::result(Value rank, bool isForFirstWarp) {
  Type type = code.getI64Type();
  auto read = [&] { return load(type, at(plan.results(), rank, 8)); };
  if (!isForFirstWarp || plan.warps() == 1)
    return read();
  return code.choose(type, isOfFirstWarp(), read, [&] { return code.i64(0); });
}

Value LargestOfRow::rankOfThread(int64_t first) {
  return LLVM::UMinOp::create(code, code.add(inRow, code.i32(first)),
                              code.i32(plan.count - 1));
}

void LargestOfRow::find(Value firstColumn, bool meetsBefore,
                        bool isForFirstWarp) {
  if (meetsBefore)
    code.groupBarrier();
  code.when(isFirstOfRow(), [&] {
    store(code.i64(0), scratch);
    store(code.i32(-1), code.advance(scratch, plan.bound()));
    // There may be fewer elements than results.
    if (plan.mayBeShorter)
      for (int64_t rank : llvm::seq(plan.count))
        store(code.i64(0), code.advance(scratch, plan.results() + 8 * rank));
  });
  clearList();
  // Of fewer sets, all elements are candidates.
  Value order = code.i32(0), bound = order;
  if (plan.isScreened()) {
    order = orderOf(code, maximumOf(tile));
    bound = boundOf(order);
  } else {
    meet();
  }
  mostOfThread = order;
  leastOfRow = bound;
  list(handInAll(order, bound, firstColumn));
  meet();
  Value areTooMany = compare(LLVM::ICmpPredicate::sgt, mostOf(plan.listed()),
                             code.i32(plan.candidates()));
  auto branch = scf::IfOp::create(code, areTooMany, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(branch.thenBlock());
    searchAll();
    code.setInsertionPointToStart(branch.elseBlock());
    if (isForFirstWarp)
      code.when(isOfFirstWarp(), [&] { rank(code.lane(), warpThreads); });
    else
      rank(inRow, plan.threads);
  }
  if (isForFirstWarp)
    code.warpBarrier();
  else
    meet();
}

int64_t largestScratchBytes(Operation *op) {
  auto largest = dyn_cast<gpu::LargestOp>(op);
  if (!largest)
    return 0;
  return isLargestInLanes(largest) ? largestInLanesScratchBytes(largest)
                                   : LargestPlan(largest).allBytes();
}

namespace {
struct LowerLargest : TilePattern<gpu::LargestOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::LargestOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    RankedTensorType slice = op.getSliceType();
    ThreadCode code(rewriter, op, plan);
    LargestPlan largest(op);
    Value scratch = code.scratch(plan, op);
    Value row = code.threadPart(slice).row,
          firstColumn = code.threadPart(tile).column;
    int64_t rows = gpu::getRegisterCount(slice), registers = largest.registers;
    int64_t tiles = op.getValues().size();
    LargestOfRow::Memory memory;
    if (op.getValid())
      memory.valid = code.clamped(adaptor.getValid(), op.getExtent());
    if (op.getStarts()) {
      memory.round = code.getRegister(adaptor.getStarts(), 0);
      memory.second = code.getRegister(adaptor.getSeconds(), 0);
    }
    if (op.getMemory()) {
      auto type = cast<MemRefType>(op.getMemory().getType());
      memory.start =
          makeGlobalTile(code, type, adaptor.getMemory(), adaptor.getOffsets(),
                         /*valid=*/{}, {-1, type.getRank() - 1},
                         {1, int64_t(op.getExtent())}, op.getAligned())
              .start(code);
    }
    // It has all ranks.
    bool isForFirstWarp = op.getRanks() && largest.count <= warpThreads;
    SmallVector<SmallVector<Value>> results(2 * tiles);
    for (int64_t i : llvm::seq(rows)) {
      // Registers go along a row first.
      LargestOfRow ofRow(
          code, largest, row, scratch,
          code.getRegisters(adaptor.getTile(), i * registers, registers),
          memory);
      ofRow.find(firstColumn, i != 0 || !plan.isScratchFree(op),
                 isForFirstWarp);
      auto give = [&](int64_t number, Value rank) {
        Value candidate = ofRow.result(rank, isForFirstWarp);
        results[number].push_back(
            elementOf(code, candidate, tile.getElementType()));
        results[tiles + number].push_back(columnOf(code, candidate));
      };
      if (!op.getRanks()) {
        for (int64_t rank : llvm::seq(largest.count))
          give(rank, code.i32(rank));
        continue;
      }
      auto ranks = cast<RankedTensorType>(op.getValues().front().getType());
      for (int64_t first = 0; first < ranks.getDimSize(1);
           first += largest.threads)
        give(0, ofRow.rankOfThread(first));
    }
    rewriter.replaceOp(op, llvm::map_to_vector(results, [&](auto &registers) {
                         return code.fromRegisters(registers);
                       }));
    return success();
  }
};
} // namespace

void populateLargestPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns) {
  patterns.add<LowerLargest>(converter, plan);
  populateLargestInLanesPatterns(converter, plan, patterns);
}

} // namespace mlir::smx
