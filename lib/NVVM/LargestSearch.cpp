//===- LargestSearch.cpp - the largest of what threads handed in ----------===//

#include "Candidates.h"
#include "LargestOfRow.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

/// Element `number` of what was handed in, and its column.
Value LargestOfRow::handedIn(Value slot, Value number) {
  return load(cast<VectorType>(tile.getType()).getElementType(),
              code.advance(slotOf(slot),
                           code.mul(number, code.i32(plan.elementBytes()))));
}
Value LargestOfRow::columnOfHandedIn(Value slot, Value number) {
  Value first =
      load(code.getI32Type(), code.advance(slotOf(slot), plan.columnOfSlot()));
  // Registers go along the row in runs.
  Value run = code.mul(code.quotient(number, plan.vector),
                       code.i32(plan.threads * plan.vector));
  return code.add(first, code.add(run, code.remainder(number, plan.vector)));
}

/// The first warp lists what is not below the bound: how many.
Value LargestOfRow::list(Value slots, Value bound) {
  Value lane = code.lane(), least = numberOf(code, bound);
  Value before = LLVM::SubOp::create(
      code, LLVM::ShlOp::create(code, code.i32(1), lane), code.i32(1));
  auto listSlot = [&](Value slot, Value listed) {
    for (int64_t i = 0; i < plan.registers; i += warpThreads) {
      Value number = code.add(lane, code.i32(i));
      Value last = code.i32(plan.registers - 1);
      bool isWhole = i + warpThreads <= plan.registers;
      Value element = handedIn(
          slot, isWhole ? number : LLVM::UMinOp::create(code, number, last));
      Value isListed = LLVM::FCmpOp::create(code, LLVM::FCmpPredicate::uge,
                                            wide(code, element), least);
      if (!isWhole)
        isListed = LLVM::AndOp::create(
            code, isListed, compare(LLVM::ICmpPredicate::ule, number, last));
      Value lanes = ballot(isListed);
      Value place =
          code.add(listed, countOf(LLVM::AndOp::create(code, lanes, before)));
      Value fits = code.less(place, code.i32(plan.candidates()));
      code.when(LLVM::AndOp::create(code, isListed, fits), [&] {
        store(candidateOf(code, element, columnOfHandedIn(slot, number)),
              at(plan.list(), place, 8));
      });
      listed = code.add(listed, countOf(lanes));
    }
    return listed;
  };
  return loop(code.i32(0), slots, code.i32(1), code.i32(0), listSlot);
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
    Value mine =
        loop(inRow, all, code.i32(plan.threads), code.i64(0),
             [&](Value number, Value most) {
               Value slot = code.quotient(number, plan.registers);
               Value inSlot = code.remainder(number, plan.registers);
               Value candidate = candidateOf(code, handedIn(slot, inSlot),
                                             columnOfHandedIn(slot, inSlot));
               Value isLeft =
                   compare(LLVM::ICmpPredicate::ult, candidate, before);
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

} // namespace mlir::smx
