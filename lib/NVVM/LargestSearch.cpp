//===- LargestSearch.cpp - the largest of what threads handed in ----------===//

#include "Candidates.h"
#include "LargestOfRow.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

Value LargestOfRow::slotsTaken() {
  return LLVM::UMinOp::create(code, loadWord(0), code.i32(plan.slots()));
}

/// Of element `number` of what was handed in.
Value LargestOfRow::columnOfHandedIn(Value slot, Value number) {
  Value first =
      load(code.getI32Type(), code.advance(slotOf(slot), plan.columnOfSlot()));
  // Registers go along the row in runs.
  Value run = code.mul(code.quotient(number, plan.vector),
                       code.i32(plan.threads * plan.vector));
  return code.add(first, code.add(run, code.remainder(number, plan.vector)));
}

/// Where the first run of registers that has the maximum of all ends, from the
/// column of the first register.
Value LargestOfRow::endOfFirstRun(Value order) {
  Value end = code.i32(0);
  for (int64_t i = plan.registers - plan.vector; i >= 0; i -= plan.vector) {
    Value isMost = compare(LLVM::ICmpPredicate::eq,
                           orderOf(code, maximum(i, plan.vector)), order);
    end = LLVM::SelectOp::create(
        code, isMost, code.i32(i * plan.threads + plan.vector - 1), end);
  }
  return end;
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

/// What was handed in and is not below the bound.
void LargestOfRow::list(Value bound) {
  auto words = VectorType::get(2, code.getI32Type());
  Value least = code.getRegister(
      LLVM::BitcastOp::create(code, words, bound).getResult(), 1);
  // Elements that a thread looks at together.
  int64_t pair = plan.elementBits == 16 && plan.registers % 2 == 0 ? 2 : 1,
          pairs = plan.registers / pair;
  auto type =
      VectorType::get(pair, cast<VectorType>(tile.getType()).getElementType());
  Value all = code.mul(slotsTaken(), code.i32(pairs));
  loop(
      inRow, all, code.i32(plan.threads), code.i32(0),
      [&](Value number, Value zero) {
        Value slot = code.quotient(number, pairs),
              first = code.mul(code.remainder(number, pairs), code.i32(pair));
        Value read = LLVM::LoadOp::create(
            code, type,
            code.advance(slotOf(slot),
                         code.mul(first, code.i32(plan.elementBytes()))),
            pair * plan.elementBytes());
        for (int64_t i : llvm::seq(pair)) {
          Value order = orderOf(code, code.getRegister(read, i));
          code.when(compare(LLVM::ICmpPredicate::uge, order, least), [&] {
            Value candidate = candidateOf(
                code, order,
                columnOfHandedIn(slot, code.add(first, code.i32(i))));
            code.when(compare(LLVM::ICmpPredicate::uge, candidate, bound), [&] {
              Value place = LLVM::AtomicRMWOp::create(
                  code, LLVM::AtomicBinOp::add,
                  code.advance(scratch, plan.listed()), code.i32(1),
                  LLVM::AtomicOrdering::monotonic);
              code.when(code.less(place, code.i32(plan.candidates())),
                        [&] { store(candidate, at(plan.list(), place, 8)); });
            });
          });
        }
        return zero;
      });
}

/// The place of a candidate is the number of those that are larger: no two are
/// equal.
void LargestOfRow::rank() {
  Type type = code.getI64Type();
  Value listed = loadWord(plan.listed());
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
  Value all = code.mul(slotsTaken(), code.i32(plan.registers));
  rounds([&](Value before) {
    return loop(
        inRow, all, code.i32(plan.threads), code.i64(0),
        [&](Value number, Value most) {
          Value slot = code.quotient(number, plan.registers),
                inSlot = code.remainder(number, plan.registers);
          Value element = load(
              cast<VectorType>(tile.getType()).getElementType(),
              code.advance(slotOf(slot),
                           code.mul(inSlot, code.i32(plan.elementBytes()))));
          Value candidate = candidateOf(code, orderOf(code, element),
                                        columnOfHandedIn(slot, inSlot));
          Value isLeft = compare(LLVM::ICmpPredicate::ult, candidate, before);
          candidate =
              LLVM::SelectOp::create(code, isLeft, candidate, code.i64(0));
          return maximumOfWords(most, candidate);
        });
  });
}

} // namespace mlir::smx
