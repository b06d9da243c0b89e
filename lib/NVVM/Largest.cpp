//===- Largest.cpp - the largest elements of a row ------------------------===//
//
// Cut a row into disjoint sets of elements: the k-th largest of their maxima is
// not above the k-th largest element. So what is not below that bound has the k
// largest, and if there are 2k sets or more, few others. The threads' maxima,
// of some lanes together, are the maxima of such sets. The few threads that
// have an element not below the bound hand in all of their elements through
// shared memory: so no code is there once for each register. One warp lists the
// elements that are not below the bound, and places each by how many are
// larger. Equal elements may be more than the list holds: then all threads look
// for the largest k times in what was handed in.
//
//===----------------------------------------------------------------------===//

#include "Largest.h"

#include "Candidates.h"
#include "WarpExchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

namespace {
/// Code for one row of a thread.
class LargestOfRow {
public:
  LargestOfRow(ThreadCode &code, const LargestPlan &plan, Value row,
               Value firstScratch, Value tile)
      : code(code), plan(plan), row(row), firstScratch(firstScratch),
        tile(tile), scratch(code.advance(
                        firstScratch, code.mul(row, code.i32(plan.bytes())))),
        inRow(code.remainder(code.thread(), plan.threads)) {}

  /// Results as candidates. `firstColumn` is of register 0.
  SmallVector<Value> find(Value firstColumn);

private:
  Value maximum();
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::ICmpOp::create(code, predicate, a, b);
  }
  Value at(int64_t offset, Value number, int64_t bytes) {
    return code.advance(code.advance(scratch, offset),
                        code.mul(number, code.i32(bytes)));
  }
  Value load(Type type, Value address) {
    return LLVM::LoadOp::create(code, type, address,
                                type.getIntOrFloatBitWidth() / 8);
  }
  void store(Value value, Value address) {
    LLVM::StoreOp::create(code, value, address,
                          value.getType().getIntOrFloatBitWidth() / 8);
  }
  Value isFirstOfRow() {
    return compare(LLVM::ICmpPredicate::eq, inRow, code.i32(0));
  }
  /// The threads of a row meet.
  void meet() {
    if (plan.warps() > 1)
      return code.groupBarrier();
    NVVM::SyncWarpOp::create(code, code.i32(-1));
  }
  Value maximumOfWords(Value a, Value b) {
    return LLVM::UMaxOp::create(code, a, b);
  }

  Value ballot(Value condition) {
    return NVVM::VoteSyncOp::create(code, code.getI32Type(), code.i32(-1),
                                    condition, NVVM::VoteSyncKind::ballot);
  }
  Value countOf(Value lanes) { return LLVM::CtPopOp::create(code, lanes); }
  Value fitsList(Value listed) {
    return compare(LLVM::ICmpPredicate::sle, listed,
                   code.i32(plan.candidates()));
  }
  Value slotOf(Value slot) {
    return at(plan.firstSlot(), slot, plan.slotBytes());
  }
  /// `body` takes the number of the round, and the value of the one before.
  Value loop(Value first, Value end, Value step, Value start,
             llvm::function_ref<Value(Value number, Value value)> body) {
    auto rounds = scf::ForOp::create(code, first, end, step, start);
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(rounds.getBody());
    scf::YieldOp::create(
        code, body(rounds.getInductionVar(), rounds.getRegionIterArg(0)));
    return rounds.getResult(0);
  }

  Value boundOf(Value order);
  Value kthOf(ArrayRef<Value> orders);
  void handIn(Value order, Value bound, Value firstColumn);
  Value handedIn(Value slot, Value number);
  Value list(Value slots, Value bound);
  void rank(Value listed);
  void searchList(Value bound);
  Value mostListed();
  void searchAll();

  ThreadCode &code;
  const LargestPlan &plan;
  Value row, firstScratch, tile;
  Value scratch, inRow;
};
} // namespace

/// Of the registers, NaN if one is; 16-bit ones two at a time.
Value LargestOfRow::maximum() {
  int64_t count = plan.registers;
  bool inPairs =
      cast<VectorType>(tile.getType()).getElementTypeBitWidth() == 16 &&
      count % 2 == 0;
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; i += inPairs ? 2 : 1)
    values.push_back(inPairs ? code.getRegisters(tile, i, 2)
                             : code.getRegister(tile, i));
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
  SmallVector<Value> maxima;
  if (plan.warps() == 1) {
    maxima.push_back(order);
  } else {
    for (int64_t step = 1; step < plan.together; step *= 2)
      order = maximumOfWords(order, exchange(code, order, step));
    Value isFirst = compare(LLVM::ICmpPredicate::eq,
                            code.remainder(inRow, plan.together), code.i32(0));
    code.when(isFirst, [&] {
      store(order, at(plan.maxima(), code.quotient(inRow, plan.together), 4));
    });
    meet();
    for (int64_t i = 0; i < plan.sets(); i += warpThreads) {
      Value number = code.add(code.lane(), code.i32(i));
      auto read = [&] {
        return load(code.getI32Type(), at(plan.maxima(), number, 4));
      };
      maxima.push_back(
          i + warpThreads <= plan.sets()
              ? read()
              : code.choose(code.getI32Type(),
                            code.less(number, code.i32(plan.sets())), read,
                            [&] { return code.i32(0); }));
    }
  }
  return kthOf(maxima);
}

/// Takes the largest out, with all that are equal to it, until k are out.
Value LargestOfRow::kthOf(ArrayRef<Value> orders) {
  Type type = code.getI32Type();
  SmallVector<Value> start(orders);
  start.append(2, code.i32(0)); // how many are out, and the last one
  SmallVector<Type> types(start.size(), type);
  auto loop = scf::WhileOp::create(
      code, types, start,
      [&](OpBuilder &, Location, ValueRange state) {
        Value isShort = code.less(state[orders.size()], code.i32(plan.count));
        scf::ConditionOp::create(code, isShort, state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        SmallVector<Value> left(state.take_front(orders.size()));
        Value mine = left.front(), out = state[orders.size()];
        for (Value other : ArrayRef(left).drop_front())
          mine = maximumOfWords(mine, other);
        Value largest = warpMaximum(code, mine);
        for (Value &order : left) {
          Value goes = compare(LLVM::ICmpPredicate::eq, order, largest);
          out = code.add(out, countOf(ballot(goes)));
          order = LLVM::SelectOp::create(code, goes, code.i32(0), order);
        }
        left.append({out, largest});
        scf::YieldOp::create(code, left);
      });
  return loop.getResults().back();
}

/// A thread that has an element not below the bound hands in all it has.
void LargestOfRow::handIn(Value order, Value bound, Value firstColumn) {
  code.when(compare(LLVM::ICmpPredicate::uge, order, bound), [&] {
    Value slot =
        LLVM::AtomicRMWOp::create(code, LLVM::AtomicBinOp::add, scratch,
                                  code.i32(1), LLVM::AtomicOrdering::monotonic);
    int64_t bytes = plan.elementBytes(), all = plan.registers * bytes,
            piece = std::min<int64_t>(all & -all, 16);
    for (int64_t at = 0; at < all; at += piece)
      LLVM::StoreOp::create(code,
                            code.getRegisters(tile, at / bytes, piece / bytes),
                            code.advance(slotOf(slot), at), piece);
    store(firstColumn, code.advance(slotOf(slot), plan.columnOfSlot()));
  });
}

/// Element `number` of what was handed in, as a candidate.
Value LargestOfRow::handedIn(Value slot, Value number) {
  Type type = cast<VectorType>(tile.getType()).getElementType();
  Value element =
      load(type, code.advance(slotOf(slot),
                              code.mul(number, code.i32(plan.elementBytes()))));
  Value column =
      load(code.getI32Type(), code.advance(slotOf(slot), plan.columnOfSlot()));
  // Registers go along the row in runs.
  Value run = code.mul(code.quotient(number, plan.vector),
                       code.i32(plan.threads * plan.vector));
  column = code.add(column, code.add(run, code.remainder(number, plan.vector)));
  return candidateOf(code, element, column);
}

/// The first warp lists what is not below the bound: how many.
Value LargestOfRow::list(Value slots, Value bound) {
  Value lane = code.lane();
  Value before = LLVM::SubOp::create(
      code, LLVM::ShlOp::create(code, code.i32(1), lane), code.i32(1));
  return loop(
      code.i32(0), slots, code.i32(1), code.i32(0),
      [&](Value slot, Value listed) {
        for (int64_t i = 0; i < plan.registers; i += warpThreads) {
          Value number = code.add(lane, code.i32(i));
          Type type = code.getI64Type();
          auto read = [&] { return handedIn(slot, number); };
          Value candidate =
              i + warpThreads <= plan.registers
                  ? read()
                  : code.choose(type,
                                code.less(number, code.i32(plan.registers)),
                                read, [&] { return code.i64(0); });
          Value isListed = compare(LLVM::ICmpPredicate::uge,
                                   orderOfCandidate(code, candidate), bound);
          Value lanes = ballot(isListed);
          Value place = code.add(
              listed, countOf(LLVM::AndOp::create(code, lanes, before)));
          Value fits = code.less(place, code.i32(plan.candidates()));
          code.when(LLVM::AndOp::create(code, isListed, fits),
                    [&] { store(candidate, at(plan.list(), place, 8)); });
          listed = code.add(listed, countOf(lanes));
        }
        return listed;
      });
}

/// The place of a candidate is the number of those that are larger: no two are
/// equal.
void LargestOfRow::rank(Value listed) {
  Type type = code.getI64Type();
  NVVM::SyncWarpOp::create(code, code.i32(-1));
  loop(code.lane(), listed, code.i32(warpThreads), code.i32(0),
       [&](Value mine, Value zero) {
         Value candidate = load(type, at(plan.list(), mine, 8));
         Value place = loop(
             code.i32(0), listed, code.i32(1), zero,
             [&](Value other, Value larger) {
               Value isLarger =
                   compare(LLVM::ICmpPredicate::ugt,
                           load(type, at(plan.list(), other, 8)), candidate);
               return code.add(larger, LLVM::ZExtOp::create(
                                           code, code.getI32Type(), isLarger));
             });
         code.when(code.less(place, code.i32(plan.count)),
                   [&] { store(candidate, at(plan.results(), place, 8)); });
         return zero;
       });
}

/// The first warp of the row finds the results in its list, unless that is too
/// long: how many there are.
void LargestOfRow::searchList(Value bound) {
  Type type = code.getI32Type();
  code.when(code.less(inRow, code.i32(warpThreads)), [&] {
    Value slots = load(type, scratch);
    Value isShort =
        compare(LLVM::ICmpPredicate::sle, slots, code.i32(plan.candidates()));
    Value listed = code.choose(
        type, isShort, [&] { return list(slots, bound); },
        [&] { return code.i32(INT32_MAX); });
    code.when(fitsList(listed), [&] { rank(listed); });
    code.when(code.isFirstLane(),
              [&] { store(listed, code.advance(scratch, plan.listed())); });
  });
}

/// Of the rows whose threads meet with those of this one: they all go the same
/// way.
Value LargestOfRow::mostListed() {
  Type type = code.getI32Type();
  if (plan.warps() == 1 || plan.rows == 1)
    return load(type, code.advance(scratch, plan.listed()));
  Value most = code.i32(0);
  for (int64_t i : llvm::seq(plan.rows))
    most = LLVM::SMaxOp::create(
        code, most,
        load(type,
             code.advance(firstScratch, i * plan.bytes() + plan.listed())));
  return most;
}

/// Each result is the largest candidate below the one before.
void LargestOfRow::searchAll() {
  Value slots = load(code.getI32Type(), scratch);
  Value all = code.mul(slots, code.i32(plan.registers));
  code.repeat(plan.count, code.i64(-1), [&](Value round, Value before) {
    Value mine = loop(
        inRow, all, code.i32(plan.threads), code.i64(0),
        [&](Value number, Value most) {
          Value candidate = handedIn(code.quotient(number, plan.registers),
                                     code.remainder(number, plan.registers));
          Value isLeft = compare(LLVM::ICmpPredicate::ult, candidate, before);
          candidate =
              LLVM::SelectOp::create(code, isLeft, candidate, code.i64(0));
          return maximumOfWords(most, candidate);
        });
    Value largest = warpMaximumOfCandidates(code, mine);
    if (plan.warps() > 1) {
      code.when(code.isFirstLane(), [&] {
        store(largest,
              at(plan.exchanged(), code.quotient(inRow, warpThreads), 8));
      });
      meet();
      largest = loop(
          code.i32(0), code.i32(plan.warps()), code.i32(1), largest,
          [&](Value warp, Value most) {
            return maximumOfWords(
                most, load(code.getI64Type(), at(plan.exchanged(), warp, 8)));
          });
      meet();
    }
    code.when(isFirstOfRow(),
              [&] { store(largest, at(plan.results(), round, 8)); });
    return largest;
  });
}

SmallVector<Value> LargestOfRow::find(Value firstColumn) {
  // What used the scratch before is over.
  code.groupBarrier();
  code.when(isFirstOfRow(), [&] { store(code.i32(0), scratch); });
  // Of fewer sets, all elements are candidates.
  Value order = code.i32(0), bound = order;
  if (plan.isScreened()) {
    order = orderOf(code, maximum());
    bound = boundOf(order);
  }
  if (plan.warps() == 1 || !plan.isScreened())
    meet();
  handIn(order, bound, firstColumn);
  meet();
  searchList(bound);
  meet();
  Value isTooLong = LLVM::XOrOp::create(
      code, fitsList(mostListed()),
      LLVM::ConstantOp::create(code, code.getI1Type(), code.getBoolAttr(true)));
  code.when(isTooLong, [&] {
    searchAll();
    meet();
  });
  SmallVector<Value> results;
  for (int64_t i : llvm::seq(plan.count))
    results.push_back(
        load(code.getI64Type(), code.advance(scratch, plan.results() + 8 * i)));
  return results;
}

int64_t largestScratchBytes(Operation *op) {
  auto largest = dyn_cast<gpu::LargestOp>(op);
  return largest ? LargestPlan(largest).allBytes() : 0;
}

namespace {
struct LowerLargest : TilePattern<gpu::LargestOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::LargestOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    auto slice = cast<RankedTensorType>(op.getValues().front().getType());
    ThreadCode code(rewriter, op, plan);
    LargestPlan largest(op);
    int64_t bytes = llvm::alignTo(largestScratchBytes(op), 16);
    Value scratch = code.advance(code.shared(plan.scratch(op)),
                                 code.mul(code.group(), code.i32(bytes)));
    Value row = code.threadPart(slice).row,
          firstColumn = code.threadPart(tile).column;
    int64_t rows = gpu::getRegisterCount(slice), registers = largest.registers;
    SmallVector<SmallVector<Value>> results(2 * largest.count);
    for (int64_t i : llvm::seq(rows)) {
      // Registers go along a row first.
      LargestOfRow ofRow(
          code, largest, row, scratch,
          code.getRegisters(adaptor.getTile(), i * registers, registers));
      for (auto [rank, candidate] : llvm::enumerate(ofRow.find(firstColumn))) {
        results[rank].push_back(
            elementOf(code, candidate, tile.getElementType()));
        results[largest.count + rank].push_back(columnOf(code, candidate));
      }
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
}

} // namespace mlir::smx
