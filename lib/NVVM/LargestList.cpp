//===- LargestList.cpp - elements of a row that reach a bound -------------===//

#include "Candidates.h"
#include "LargestOfRow.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

/// The order of a candidate.
static Value orderOfCandidate(ThreadCode &code, Value candidate) {
  auto words = VectorType::get(2, code.getI32Type());
  return code.getRegister(LLVM::BitcastOp::create(code, words, candidate), 1);
}

/// The list is read a few candidates at a time: those behind it are none.
void LargestOfRow::clearList() {
  constexpr int64_t pair = 2;
  auto type = VectorType::get(pair, code.getI64Type());
  Value none = LLVM::ConstantOp::create(
      code, type, DenseElementsAttr::get(type, code.getI64IntegerAttr(0)));
  loop(inRow, code.i32(plan.candidates() / pair), code.i32(plan.threads),
       code.i32(0), [&](Value number, Value zero) {
         LLVM::StoreOp::create(code, none, at(plan.list(), number, 8 * pair),
                               8 * pair);
         return zero;
       });
}

/// What was handed in and is not below the bound. Few runs have such elements,
/// and most of these have one: lanes list their first ones together, then those
/// that have another list it.
void LargestOfRow::list(Value bound) {
  Value least = numberOf(code, orderOfCandidate(code, bound));
  if (memory)
    return listOfMemory(bound, least);
  int64_t runs = plan.elements / plan.vector;
  loop(inRow, code.mul(slotsTaken(), code.i32(runs)), code.i32(plan.threads),
       code.i32(0), [&](Value number, Value zero) {
         listRun(code.quotient(number, runs), code.remainder(number, runs),
                 bound, least);
         return zero;
       });
}

/// The same of a row in memory. Some lanes share a slot, and read a few of its
/// runs at once: those that reach the bound are near then, when they are read
/// again. Where rounds are known, most slots have one, a run for each lane.
void LargestOfRow::listOfMemory(Value bound, Value least) {
  // Pieces of runs that start or end anywhere take registers.
  const bool arePieces = plan.aligned < plan.vector * plan.elementBytes() ||
                         (plan.isCut() && plan.unit() % plan.vector != 0);
  const int64_t together = arePieces ? 2 : 4;
  int64_t runs = plan.elements / plan.vector,
          lanes = round ? plan.runsOfRound : llvm::divideCeil(runs, together);
  auto word = [&](Value slot, int64_t offset) {
    return load(code.getI32Type(), code.advance(slotOf(slot), offset));
  };
  auto listSome = [&](Value slot, Value first, Value end) {
    SmallVector<Value> isThere, reads;
    for (int64_t i : llvm::seq(together)) {
      Value run = code.add(first, code.i32(i * lanes));
      isThere.push_back(code.less(run, end));
      Value column =
          columnOfHandedIn(slot, code.mul(run, code.i32(plan.vector)));
      reads.push_back(readRun(column, plan.vector, isThere.back()));
    }
    Value reaching = code.i32(0);
    for (int64_t i : llvm::seq(together)) {
      Value reaches =
          code.both(isThere[i], mayReach(maximumOf(reads[i]), least));
      reaching = withBit(reaching, i, reaches);
    }
    forEachMark(code, reaching, [&](Value, Value i) {
      listRun(slot, code.add(first, code.mul(i, code.i32(lanes))), bound,
              least);
    });
  };
  loop(inRow, code.mul(slotsTaken(), code.i32(lanes)), code.i32(plan.threads),
       code.i32(0), [&](Value number, Value zero) {
         Value slot = code.quotient(number, lanes),
               inSlot = code.remainder(number, lanes);
         if (!round) {
           listSome(slot, inSlot, code.i32(runs));
           return zero;
         }
         Value first = code.add(word(slot, plan.firstRunOfSlot()), inSlot),
               end = word(slot, plan.endRunOfSlot());
         return loop(first, end, code.i32(together * lanes), zero,
                     [&](Value first, Value zero) {
                       listSome(slot, first, end);
                       return zero;
                     });
       });
}

/// i1: an element may be NaN, whose order is above those of all numbers.
Value LargestOfRow::mayReach(Value element, Value least) {
  return LLVM::FCmpOp::create(code, LLVM::FCmpPredicate::uge,
                              wide(code, element), least);
}

/// `word`, with bit `i` where `isSet`.
Value LargestOfRow::withBit(Value word, int64_t i, Value isSet) {
  Value bit = LLVM::SelectOp::create(code, isSet, code.i32(int64_t(1) << i),
                                     code.i32(0));
  return LLVM::OrOp::create(code, word, bit);
}

/// `least` is the number of the bound.
void LargestOfRow::listRun(Value slot, Value number, Value bound, Value least) {
  int64_t vector = plan.vector;
  Value first = code.mul(number, code.i32(vector));
  Value run = read(slot, first, vector),
        reaches = mayReach(maximumOf(run), least);
  if (plan.isCut())
    reaches = LLVM::AndOp::create(code, reaches,
                                  isInRow(columnOfHandedIn(slot, first)));
  code.when(reaches, [&] {
    Value column = columnOfHandedIn(slot, first), left = code.i32(0);
    for (int64_t i : llvm::seq(vector))
      left = withBit(left, i, mayReach(code.getRegister(run, i), least));
    forEachMark(code, left, [&](Value, Value i) {
      Value element =
                memory ? elementOfRun(run, i)
                       : code.getRegister(read(slot, code.add(first, i), 1), 0),
            place = code.add(column, i);
      auto list = [&] {
        listIfReaching(bound, candidateOf(code, orderOf(code, element), place));
      };
      if (plan.unit() % vector == 0)
        list();
      else
        code.when(isInRow(place), list);
    });
  });
}

/// Element `i`, by choices: registers have no numbers while code runs. It would
/// wait for global memory again; a read of shared memory takes no registers.
Value LargestOfRow::elementOfRun(Value run, Value i) {
  auto type = cast<VectorType>(run.getType());
  constexpr int64_t wordBits = 32;
  int64_t count = type.getNumElements(), bits = type.getElementTypeBitWidth(),
          ofWord = std::min(wordBits / bits, count);
  Type word = code.getIntegerType(ofWord * bits);
  auto words = VectorType::get(count / ofWord, word);
  run = LLVM::BitcastOp::create(code, words, run);
  SmallVector<Value> left;
  for (int64_t n : llvm::seq(words.getNumElements()))
    left.push_back(code.getRegister(run, n));
  auto isOdd = [&](int64_t unit) {
    Value bit = LLVM::AndOp::create(code, i, code.i32(unit));
    return compare(LLVM::ICmpPredicate::ne, bit, code.i32(0));
  };
  for (int64_t unit = ofWord; left.size() > 1; unit *= 2) {
    Value takesSecond = isOdd(unit);
    SmallVector<Value> taken;
    for (size_t n = 0; n < left.size(); n += 2)
      taken.push_back(
          LLVM::SelectOp::create(code, takesSecond, left[n + 1], left[n]));
    left = taken;
  }
  Value bitsOfIt = left.front();
  for (int64_t unit = 1; unit < ofWord; unit *= 2) {
    Value shifted = LLVM::LShrOp::create(
        code, bitsOfIt,
        LLVM::ConstantOp::create(code, word,
                                 code.getIntegerAttr(word, unit * bits)));
    bitsOfIt = LLVM::SelectOp::create(code, isOdd(unit), shifted, bitsOfIt);
  }
  if (ofWord > 1)
    bitsOfIt = LLVM::TruncOp::create(code, code.getIntegerType(bits), bitsOfIt);
  return LLVM::BitcastOp::create(code, type.getElementType(), bitsOfIt);
}

void LargestOfRow::listIfReaching(Value bound, Value candidate) {
  code.when(compare(LLVM::ICmpPredicate::uge, candidate, bound), [&] {
    Value place = nextOf(plan.listed());
    code.when(code.less(place, code.i32(plan.candidates())),
              [&] { store(candidate, at(plan.list(), place, 8)); });
  });
}

/// The number at an offset, which counts one more then. Not by addition, of
/// which the assembler makes one for all lanes, by many instructions: few count
/// at a time.
Value LargestOfRow::nextOf(int64_t offset) {
  return LLVM::AtomicRMWOp::create(
      code, LLVM::AtomicBinOp::uinc_wrap, code.advance(scratch, offset),
      code.i32(INT32_MAX), LLVM::AtomicOrdering::monotonic);
}

} // namespace mlir::smx
