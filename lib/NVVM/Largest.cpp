//===- Largest.cpp - the largest elements of a row ------------------------===//
//
// Cut a row into disjoint sets of elements: the k-th largest of their maxima is
// not above the k-th largest element. So what is not below that bound has the k
// largest, and if there are 2k sets or more, few others. The threads' maxima,
// of some lanes together, are the maxima of such sets; the candidates go into a
// list in shared memory, in any order, and one warp takes them out, falling.
// Equal elements may be more than the list holds: then all threads look for the
// largest k times.
//
////===----------------------------------------------------------------------===//

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
               Value firstScratch, Value tile, ArrayRef<int64_t> columns)
      : code(code), plan(plan), row(row), firstScratch(firstScratch),
        tile(tile), columns(columns),
        scratch(
            code.advance(firstScratch, code.mul(row, code.i32(plan.bytes())))),
        inRow(code.remainder(code.thread(), plan.threads)) {}

  /// Results as candidates. `firstColumn` is of register 0.
  SmallVector<Value> find(Value firstColumn);

private:
  Value columnIn(int64_t i, Value firstColumn) {
    return code.add(firstColumn, code.i32(columns[i]));
  }
  Value maximumOf(int64_t first, int64_t count);
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

  Value boundOf(Value order);
  void collect(Value order, Value bound, Value firstColumn);
  Value mostCandidates();
  void takeOut();
  void lookAgain(Value firstColumn);

  ThreadCode &code;
  const LargestPlan &plan;
  Value row, firstScratch, tile;
  ArrayRef<int64_t> columns;
  Value scratch, inRow;
};
} // namespace

/// Of `count` registers from `first` on, NaN if one is; 16-bit ones two at a
/// time.
Value LargestOfRow::maximumOf(int64_t first, int64_t count) {
  bool inPairs =
      cast<VectorType>(tile.getType()).getElementTypeBitWidth() == 16 &&
      count % 2 == 0;
  SmallVector<Value> values;
  for (int64_t i = first; i < first + count; i += inPairs ? 2 : 1)
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
  // Last, the largest of the round.
  maxima.push_back(code.i32(0));
  Value lane = code.lane();
  Value last = code.repeat(
      plan.count, code.fromRegisters(maxima), [&](Value, Value state) {
        SmallVector<Value> left;
        for (size_t i = 0; i + 1 < maxima.size(); ++i)
          left.push_back(code.getRegister(state, i));
        Value mine = left.front();
        for (Value other : ArrayRef(left).drop_front())
          mine = maximumOfWords(mine, other);
        Value largest = warpMaximum(code, mine);
        Value holders = NVVM::VoteSyncOp::create(
            code, code.getI32Type(), code.i32(-1),
            compare(LLVM::ICmpPredicate::eq, mine, largest),
            NVVM::VoteSyncKind::ballot);
        Value first = LLVM::CountTrailingZerosOp::create(
            code, code.getI32Type(), holders, /*is_zero_poison=*/false);
        // One set goes.
        Value goes = compare(LLVM::ICmpPredicate::eq, lane, first);
        for (Value &value : left) {
          Value isIt = LLVM::AndOp::create(
              code, goes, compare(LLVM::ICmpPredicate::eq, value, largest));
          value = LLVM::SelectOp::create(code, isIt, code.i32(0), value);
          goes = LLVM::AndOp::create(
              code, goes,
              LLVM::XOrOp::create(
                  code, isIt,
                  LLVM::ConstantOp::create(code, code.getI1Type(),
                                           code.getBoolAttr(true))));
        }
        left.push_back(largest);
        return code.fromRegisters(left);
      });
  return code.getRegister(last, maxima.size() - 1);
}

/// Puts what is not below the bound into the list, and counts it.
void LargestOfRow::collect(Value order, Value bound, Value firstColumn) {
  Value hasSome = compare(LLVM::ICmpPredicate::uge, order, bound);
  code.when(hasSome, [&] {
    Value least = numberOf(code, bound);
    auto isCandidate = [&](Value x) -> Value {
      return LLVM::FCmpOp::create(code, LLVM::FCmpPredicate::uge, wide(code, x),
                                  least);
    };
    // Few of the neighbours have one.
    constexpr int64_t neighbours = 8;
    int64_t registers = columns.size();
    for (int64_t first = 0; first < registers; first += neighbours) {
      int64_t count = std::min(neighbours, registers - first);
      code.when(isCandidate(maximumOf(first, count)), [&] {
        for (int64_t i = first; i < first + count; ++i) {
          Value x = code.getRegister(tile, i);
          code.when(isCandidate(x), [&] {
            Value place = LLVM::AtomicRMWOp::create(
                code, LLVM::AtomicBinOp::add, scratch, code.i32(1),
                LLVM::AtomicOrdering::monotonic);
            code.when(code.less(place, code.i32(plan.candidates())), [&] {
              store(entryOf(code, x, columnIn(i, firstColumn)),
                    at(plan.list(), place, 8));
            });
          });
        }
      });
    }
  });
}

/// Of the rows whose threads meet with those of this one: they all go the same
/// way.
Value LargestOfRow::mostCandidates() {
  Type type = code.getI32Type();
  if (plan.warps() == 1 || plan.rows == 1)
    return load(type, scratch);
  Value most = load(type, firstScratch);
  for (int64_t i = 1; i < plan.rows; ++i)
    most = maximumOfWords(
        most, load(type, code.advance(firstScratch, i * plan.bytes())));
  return most;
}

/// The first warp of the row takes the results out of the list.
void LargestOfRow::takeOut() {
  Type type = code.getI64Type();
  code.when(code.less(inRow, code.i32(warpThreads)), [&] {
    Value number = load(code.getI32Type(), scratch), lane = code.lane();
    SmallVector<Value> candidates;
    for (int64_t i = 0; i < plan.candidates(); i += warpThreads) {
      Value place = code.add(lane, code.i32(i));
      candidates.push_back(code.choose(
          type, code.less(place, number),
          [&] {
            Value entry = load(type, at(plan.list(), place, 8));
            return candidateOfEntry(
                code, entry, cast<VectorType>(tile.getType()).getElementType());
          },
          [&] { return code.i64(0); }));
    }
    Value isFirst = code.isFirstLane();
    code.repeat(plan.count, code.fromRegisters(candidates),
                [&](Value round, Value state) {
                  SmallVector<Value> left;
                  for (size_t i = 0; i < candidates.size(); ++i)
                    left.push_back(code.getRegister(state, i));
                  Value mine = left.front();
                  for (Value other : ArrayRef(left).drop_front())
                    mine = maximumOfWords(mine, other);
                  Value largest = warpMaximumOfCandidates(code, mine);
                  code.when(isFirst, [&] {
                    store(largest, at(plan.results(), round, 8));
                  });
                  for (Value &value : left)
                    value = LLVM::SelectOp::create(
                        code, compare(LLVM::ICmpPredicate::eq, value, largest),
                        code.i64(0), value);
                  return code.fromRegisters(left);
                });
  });
}

/// Each result is the largest candidate below the one before. Candidates are
/// made anew in each round: there are no registers for all of them. The
/// assembler would keep them nevertheless, did they not depend on the result of
/// the round before, which is never 0.
void LargestOfRow::lookAgain(Value firstColumn) {
  auto type = cast<VectorType>(tile.getType());
  auto words =
      VectorType::get(type.getNumElements(),
                      code.getIntegerType(type.getElementTypeBitWidth()));
  Value bits = LLVM::BitcastOp::create(code, words, tile);
  code.repeat(plan.count, code.i64(-1), [&](Value round, Value before) {
    Value zero = LLVM::ZExtOp::create(
        code, code.getI32Type(),
        compare(LLVM::ICmpPredicate::eq, before, code.i64(0)));
    Value narrow = zero;
    if (words.getElementTypeBitWidth() < 32)
      narrow = LLVM::TruncOp::create(code, words.getElementType(), zero);
    SmallVector<Value> zeros(words.getNumElements(), narrow);
    Value elements = LLVM::BitcastOp::create(
        code, type, LLVM::XOrOp::create(code, bits, code.fromRegisters(zeros)));
    Value first = code.add(firstColumn, zero), mine = code.i64(0);
    for (int64_t i : llvm::seq<int64_t>(columns.size())) {
      Value candidate =
          candidateOf(code, code.getRegister(elements, i), columnIn(i, first));
      Value isLeft = compare(LLVM::ICmpPredicate::ult, candidate, before);
      candidate = LLVM::SelectOp::create(code, isLeft, candidate, code.i64(0));
      mine = maximumOfWords(mine, candidate);
    }
    Value largest = warpMaximumOfCandidates(code, mine);
    if (plan.warps() > 1) {
      code.when(code.isFirstLane(), [&] {
        store(largest,
              at(plan.exchanged(), code.quotient(inRow, warpThreads), 8));
      });
      meet();
      for (int64_t warp : llvm::seq(plan.warps()))
        largest = maximumOfWords(
            largest,
            load(code.getI64Type(), at(plan.exchanged(), code.i32(warp), 8)));
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
  if (plan.isScreened()) {
    code.when(isFirstOfRow(), [&] { store(code.i32(0), scratch); });
    Value order = orderOf(code, maximumOf(0, columns.size()));
    Value bound = boundOf(order);
    if (plan.warps() == 1)
      meet();
    collect(order, bound, firstColumn);
    meet();
    Value fits = compare(LLVM::ICmpPredicate::sle, mostCandidates(),
                         code.i32(plan.candidates()));
    auto branch = scf::IfOp::create(code, fits, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(branch.thenBlock());
    takeOut();
    code.setInsertionPointToStart(branch.elseBlock());
    lookAgain(firstColumn);
  } else {
    lookAgain(firstColumn);
  }
  meet();
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
    int64_t rows = gpu::getRegisterCount(slice),
            registers = gpu::getRegisterCount(tile) / rows;
    SmallVector<SmallVector<Value>> results(2 * largest.count);
    for (int64_t i : llvm::seq(rows)) {
      // Registers go along a row first.
      SmallVector<int64_t> columns;
      for (int64_t k : llvm::seq(registers))
        columns.push_back(gpu::getElement(tile, 0, i * registers + k).column);
      LargestOfRow ofRow(
          code, largest, row, scratch,
          code.getRegisters(adaptor.getTile(), i * registers, registers),
          columns);
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
