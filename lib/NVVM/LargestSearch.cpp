//===- LargestSearch.cpp - the largest of what threads handed in ----------===//

#include "Candidates.h"
#include "GlobalTile.h"
#include "LargestOfRow.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

Value LargestOfRow::slotsTaken() {
  return LLVM::UMinOp::create(code, loadWord(0), code.i32(plan.slots()));
}

/// The column of element `number` of what was handed in.
Value LargestOfRow::columnOfHandedIn(Value slot, Value number) {
  Value first =
      load(code.getI32Type(), code.advance(slotOf(slot), plan.columnOfSlot()));
  // Registers go along the row in runs.
  Value run = code.mul(code.quotient(number, plan.vector),
                       code.i32(plan.threads * plan.vector));
  return code.add(first, code.add(run, code.remainder(number, plan.vector)));
}

/// `count` elements of a row in memory, from `column` on; behind the row its
/// last ones again. Not to be used where `predicate`, if there is one, is
/// false.
Value LargestOfRow::readRun(Value column, int64_t count, Value predicate) {
  int64_t bytes = plan.elementBytes(),
          piece = std::clamp<int64_t>(plan.aligned / bytes, 1, count);
  if (plan.isCut())
    piece = std::min(piece, plan.unit());
  auto type =
      VectorType::get(piece, cast<VectorType>(tile.getType()).getElementType());
  SmallVector<Value> pieces;
  for (int64_t i = 0; i < count; i += piece) {
    Value first = code.add(column, code.i32(i));
    if (plan.isCut())
      first = LLVM::UMinOp::create(code, first, startOfLast(piece));
    Value address = code.advance(memory, code.mul(first, code.i32(bytes)));
    pieces.push_back(loadGlobal(code, address, type, predicate));
  }
  return code.fromVectors(pieces);
}

/// `count` elements from `number` on of what was handed in.
Value LargestOfRow::read(Value slot, Value number, int64_t count) {
  if (memory)
    return readRun(columnOfHandedIn(slot, number), count);
  int64_t bytes = plan.elementBytes();
  return LLVM::LoadOp::create(
      code,
      VectorType::get(count, cast<VectorType>(tile.getType()).getElementType()),
      code.advance(slotOf(slot), code.mul(number, code.i32(bytes))),
      count * bytes);
}

/// The end of the first run, in the row, that has the maximum of all.
Value LargestOfRow::endOfFirstRun(Value order, Value firstColumn) {
  auto isMost = [&](Value run) {
    return compare(LLVM::ICmpPredicate::eq, orderOf(code, maximumOf(run)),
                   order);
  };
  int64_t runs = plan.elements / plan.vector, step = plan.threads * plan.vector;
  Value end = code.i32(0);
  if (!memory) {
    for (int64_t i = runs - 1; i >= 0; --i)
      end = LLVM::SelectOp::create(
          code, isMost(code.getRegisters(tile, i * plan.vector, plan.vector)),
          code.i32(i * step), end);
  } else {
    // Some reads are under way together. Behind the row they give what is not
    // in front of a maximum.
    constexpr int64_t most = 4;
    if (plan.isCut())
      runs = llvm::alignTo(runs, most);
    int64_t together = std::min<int64_t>(runs & -runs, most);
    end = code.repeat(runs / together, end, [&](Value round, Value end) {
      Value first = code.add(
          code.mul(code.add(round, code.i32(1)), code.i32(-together * step)),
          code.i32(runs * step));
      SmallVector<Value> starts, reads;
      for (int64_t i = together - 1; i >= 0; --i) {
        starts.push_back(code.add(first, code.i32(i * step)));
        reads.push_back(
            readRun(code.add(firstColumn, starts.back()), plan.vector));
      }
      for (auto [start, read] : llvm::zip_equal(starts, reads))
        end = LLVM::SelectOp::create(code, isMost(read), start, end);
      return end;
    });
  }
  return code.add(code.add(firstColumn, end), code.i32(plan.vector - 1));
}

/// The k-th largest of the threads' first maxima, or of what is as large in a
/// place behind: there are k elements that are not smaller. Slots are free.
Value LargestOfRow::boundOfEqual(Value mine) {
  Value bound = rounds([&](Value before) -> Value {
    Value isLeft = compare(LLVM::ICmpPredicate::ult, mine, before);
    return LLVM::SelectOp::create(code, isLeft, mine, code.i64(0));
  });
  code.when(isFirstOfRow(), [&] { store(code.i64(0), scratch); });
  meet();
  return bound;
}

/// The place of a candidate is the number of those that are larger: no two are
/// equal. Some lanes count for one together; those of a warp go the same way.
void LargestOfRow::rank(Value first, int64_t threads) {
  Type type = code.getI64Type(), word = code.getI32Type();
  Value listed = loadWord(plan.listed());
  // Some are compared together: then reads of them do not wait for each other.
  constexpr int64_t together = 4, pair = 2;
  const int64_t lanes = plan.lanesOfCandidate(threads);
  Value warp = code.quotient(first, warpThreads),
        inWarp = code.quotient(code.remainder(first, warpThreads), lanes),
        part = code.mul(code.remainder(first, lanes), code.i32(pair));
  loop(code.mul(warp, code.i32(warpThreads / lanes)), listed,
       code.i32(threads / lanes), code.i32(0), [&](Value ofWarp, Value zero) {
         Value candidate =
             load(type, at(plan.list(), code.add(ofWarp, inWarp), 8));
         Value place =
             loop(part, listed, code.i32(together * lanes), zero,
                  [&](Value other, Value larger) {
                    Value address = at(plan.list(), other, 8);
                    SmallVector<Value> pairs;
                    for (int64_t i = 0; i < together; i += pair)
                      pairs.push_back(LLVM::LoadOp::create(
                          code, VectorType::get(pair, type),
                          code.advance(address, 8 * i * lanes), 8 * pair));
                    for (Value two : pairs)
                      for (int64_t i : llvm::seq(pair)) {
                        Value isLarger =
                            compare(LLVM::ICmpPredicate::ugt,
                                    code.getRegister(two, i), candidate);
                        larger = code.add(
                            larger, LLVM::ZExtOp::create(code, word, isLarger));
                      }
                    return larger;
                  });
         place = sumOfLanes(place, lanes);
         // Of none it is behind all.
         code.when(code.less(place, code.i32(plan.count)),
                   [&] { store(candidate, at(plan.results(), place, 8)); });
         return zero;
       });
}

/// Each result is the largest candidate below the one before: the last one.
/// `mineBelow` gives that of the thread, or 0.
Value LargestOfRow::rounds(llvm::function_ref<Value(Value before)> mineBelow) {
  return code.repeat(plan.count, code.i64(-1), [&](Value round, Value before) {
    Value largest = warpMaximumOfCandidates(code, mineBelow(before));
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

void LargestOfRow::searchAll() {
  Value all = code.mul(slotsTaken(), code.i32(plan.elements));
  rounds([&](Value before) {
    return loop(
        inRow, all, code.i32(plan.threads), code.i64(0),
        [&](Value number, Value most) {
          Value slot = code.quotient(number, plan.elements),
                inSlot = code.remainder(number, plan.elements);
          Value element = code.getRegister(read(slot, inSlot, 1), 0),
                column = columnOfHandedIn(slot, inSlot);
          Value candidate = candidateOf(code, orderOf(code, element), column);
          Value isLeft = compare(LLVM::ICmpPredicate::ult, candidate, before);
          if (plan.isCut())
            isLeft = LLVM::AndOp::create(code, isLeft, isInRow(column));
          candidate =
              LLVM::SelectOp::create(code, isLeft, candidate, code.i64(0));
          return maximumOfWords(most, candidate);
        });
  });
}

} // namespace mlir::smx
