//===- SelectedMarks.cpp - what of a row reaches a bound ------------------===//

#include "SelectedRow.h"

#include "Assembly.h"
#include "Candidates.h"
#include "WarpExchange.h"
#include "smx/NVVM/Chip.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

static constexpr int64_t bitsOfMarks = 32;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

Value SelectedRow::orderOfInfinity() {
  auto type = cast<FloatType>(tile.getElementType());
  APInt bits = APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt();
  bits.setSignBit();
  return code.i32(int32_t(bits.getZExtValue()));
}

Value SelectedRow::boundOf(Value order) {
  if (elementBits == bitsOfMarks)
    return numberOf(code, order);
  constexpr int64_t sign = 0x8000, all = 0xffff, both = 0x10001;
  Value isNegative = code.less(order, code.i32(sign));
  Value flipped =
      LLVM::SelectOp::create(code, isNegative, code.i32(all), code.i32(sign));
  Value bits = LLVM::XOrOp::create(code, order, flipped);
  return LLVM::BitcastOp::create(
      code, VectorType::get(2, tile.getElementType()),
      LLVM::MulOp::create(code, bits, code.i32(both)));
}

/// Of the maxima of a lane's share of the sets, up to that of infinity.
SmallVector<Value> SelectedRow::ordersOfSets(Value all) {
  // Fewer elements reach a bound of more sets: of 8/3 k to 16/3 k, 1.2 k or
  // less on average. Each has several.
  constexpr int64_t most = 4, several = 2;
  int64_t sets = llvm::PowerOf2Ceil(8 * count / 3) / warpThreads;
  sets = std::clamp<int64_t>(
      std::min<int64_t>(sets, llvm::bit_floor<uint64_t>(registers() / several)),
      1, most);
  bool areHalves = elementBits != bitsOfMarks && registers() % 2 == 0;
  int64_t step = areHalves ? 2 : 1,
          running = areHalves ? std::max<int64_t>(sets / 2, 1) : sets;
  SmallVector<Value> maxima;
  for (int64_t i = 0; i < registers(); i += step) {
    Value some =
        areHalves ? code.getRegisters(all, i, 2) : code.getRegister(all, i);
    if (int64_t(maxima.size()) < running)
      maxima.push_back(some);
    else
      maxima[i / step % running] = combine(code, gpu::Combiner::Maximum,
                                           maxima[i / step % running], some);
  }
  SmallVector<Value> orders;
  auto add = [&](Value order) {
    orders.push_back(LLVM::UMinOp::create(code, order, orderOfInfinity()));
  };
  for (Value maximum : maxima) {
    if (elementBits == bitsOfMarks) {
      add(orderOf(code, maximum));
      continue;
    }
    if (areHalves && sets == 1)
      maximum =
          combine(code, gpu::Combiner::Maximum, code.getRegister(maximum, 0),
                  code.getRegister(maximum, 1));
    bool isPair = areHalves && sets > 1;
    Value pair = isPair ? maximum : code.fromRegisters({maximum, maximum});
    Value both = keys.ordersOf(pair);
    add(LLVM::LShrOp::create(code, both, code.i32(16)));
    if (isPair)
      add(LLVM::AndOp::create(code, both, code.i32(0xffff)));
  }
  return orders;
}

SelectedRow::Bound
SelectedRow::bisect(Bound start, Value least, Value enough,
                    llvm::function_ref<Value(Value order)> countOf) {
  Type type = code.getI32Type();
  auto isLess = [&](Value a, Value b) -> Value {
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ult, a, b);
  };
  auto steps = scf::WhileOp::create(
      code, TypeRange{type, type, type},
      ValueRange{start.order, start.reached, start.end},
      [&](OpBuilder &, Location, ValueRange now) {
        Value hasMiddle =
            isLess(LLVM::AddOp::create(code, now[0], code.i32(1)), now[2]);
        scf::ConditionOp::create(
            code, LLVM::AndOp::create(code, hasMiddle, isLess(enough, now[1])),
            now);
      },
      [&](OpBuilder &, Location, ValueRange now) {
        Value width = LLVM::SubOp::create(code, now[2], now[0]);
        Value middle = LLVM::AddOp::create(
            code, now[0], LLVM::LShrOp::create(code, width, code.i32(1)));
        Value reached = countOf(middle), isFew = isLess(reached, least);
        auto choose = [&](Value ifFew, Value ifNot) -> Value {
          return LLVM::SelectOp::create(code, isFew, ifFew, ifNot);
        };
        scf::YieldOp::create(code, ValueRange{choose(now[0], middle),
                                              choose(now[1], reached),
                                              choose(middle, now[2])});
      });
  return {steps.getResult(0), steps.getResult(1), steps.getResult(2)};
}

static Value sumOfWarp(ThreadCode &code, Value number) {
  return NVVM::ReduxOp::create(code, code.getI32Type(), number,
                               NVVM::ReduxKind::ADD, code.allLanes());
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

// Of 16-bit elements the lower half of a word is for registers of even numbers,
// and the upper half for those of odd ones: pairs are compared at once.

Value SelectedRow::countOf(const Marks &marks) {
  return sumOfWarp(code, countOfLane(marks));
}

Value SelectedRow::countOfLane(const Marks &marks) {
  Value all;
  for (Value word : marks) {
    Value some = LLVM::CtPopOp::create(code, word.getType(), word);
    all = all ? code.add(all, some) : some;
  }
  return all;
}

SelectedRow::Marks SelectedRow::markReaching(Value all, Value order,
                                             bool greater) {
  auto type = cast<FloatType>(tile.getElementType());
  bool inPairs = elementBits != bitsOfMarks && registers() % 2 == 0 &&
                 (type.isF16() || chipOf(memory.getDefiningOp()).version >= 90);
  Value bound = boundOf(order);
  Marks marks;
  for (int64_t first = 0; first < registers(); first += bitsOfMarks) {
    Value word = code.i32(0);
    int64_t end = std::min(first + bitsOfMarks, registers());
    auto mark = [&](Value bits) {
      word = LLVM::OrOp::create(code, word, bits);
    };
    for (int64_t i = first; i < end; i += inPairs ? 2 : 1) {
      if (inPairs) {
        // All bits of the halves for which it holds; NaN is above all.
        std::string text =
            (Twine("set.") + (greater ? "gtu" : "geu") + ".u32." +
             (type.isF16() ? "f16x2" : "bf16x2") + " $0, $1, $2;")
                .str();
        auto asWord = [&](Value pair) -> Value {
          return LLVM::BitcastOp::create(code, code.getI32Type(), pair);
        };
        Value halves =
            emitAssembly(code, code.getI32Type(),
                         {asWord(code.getRegisters(all, i, 2)), asWord(bound)},
                         text, "=r,r,r", Effects::None);
        mark(LLVM::AndOp::create(code, halves,
                                 code.i32(0x10001 << (i - first) / 2)));
        continue;
      }
      Value element = wide(code, code.getRegister(all, i));
      Value least = elementBits == bitsOfMarks
                        ? bound
                        : wide(code, code.getRegister(bound, 0));
      Value holds = LLVM::FCmpOp::create(
          code, greater ? LLVM::FCmpPredicate::ugt : LLVM::FCmpPredicate::uge,
          element, least);
      mark(LLVM::SelectOp::create(
          code, holds, code.i32(int32_t(1u << bitOfRegister(i - first))),
          code.i32(0)));
    }
    marks.push_back(word);
  }
  return marks;
}

int64_t SelectedRow::bitOfRegister(int64_t i) const {
  return elementBits == bitsOfMarks ? i : i / 2 + i % 2 * (bitsOfMarks / 2);
}

/// The register of a bit of a word.
Value SelectedRow::registerOf(int64_t word, Value bit) {
  Value i = bit;
  if (elementBits != bitsOfMarks) {
    constexpr int64_t half = bitsOfMarks / 2;
    i = code.add(code.mul(code.remainder(bit, half), code.i32(2)),
                 code.quotient(bit, half));
  }
  return code.add(i, code.i32(word * bitsOfMarks));
}

Value SelectedRow::firstRegister(int64_t word, Value bits) {
  constexpr int64_t half = bitsOfMarks / 2;
  auto firstBit = [&](Value marks) -> Value {
    return LLVM::CountTrailingZerosOp::create(code, marks.getType(), marks,
                                              /*is_zero_poison=*/true);
  };
  if (elementBits == bitsOfMarks)
    return registerOf(word, firstBit(bits));
  // The even one of a pair is before the odd one.
  Value ofOdd = LLVM::LShrOp::create(code, bits, code.i32(half)),
        pair = firstBit(LLVM::OrOp::create(code, bits, ofOdd)),
        isEven = code.remainder(LLVM::LShrOp::create(code, bits, pair), 2);
  Value odd = LLVM::SubOp::create(code, code.i32(1), isEven);
  return code.add(code.add(code.mul(pair, code.i32(2)), odd),
                  code.i32(word * bitsOfMarks));
}

/// Those of columns up to `last`.
SelectedRow::Marks SelectedRow::markColumns(Value last) {
  int64_t vector = cast<gpu::StripedAttr>(gpu::getLayout(tile)).getVector();
  Value behind = LLVM::SubOp::create(code, last, columns[0]);
  Value runs = code.mul(code.quotient(behind, warpThreads * vector),
                        code.i32(vector)),
        inRun = LLVM::SMinOp::create(
            code, code.remainder(behind, warpThreads * vector),
            code.i32(vector - 1)),
        marked = code.add(code.add(runs, inRun), code.i32(1));
  marked = LLVM::SelectOp::create(code, code.less(behind, code.i32(0)),
                                  code.i32(0), marked);
  auto lowest = [&](Value bits) -> Value {
    Value wide = LLVM::ZExtOp::create(code, code.getI64Type(), bits);
    wide = LLVM::ShlOp::create(code, code.i64(1), wide);
    return LLVM::AddOp::create(
        code, LLVM::TruncOp::create(code, code.getI32Type(), wide),
        code.i32(-1));
  };
  Marks marks;
  for (int64_t first = 0; first < registers(); first += bitsOfMarks) {
    Value left = LLVM::SubOp::create(code, marked, code.i32(first));
    left = LLVM::SMaxOp::create(
        code, LLVM::SMinOp::create(code, left, code.i32(bitsOfMarks)),
        code.i32(0));
    if (elementBits == bitsOfMarks) {
      marks.push_back(lowest(left));
      continue;
    }
    Value even = lowest(code.quotient(code.add(left, code.i32(1)), 2)),
          odd = lowest(code.quotient(left, 2));
    marks.push_back(LLVM::OrOp::create(
        code, even, LLVM::ShlOp::create(code, odd, code.i32(bitsOfMarks / 2))));
  }
  return marks;
}

/// Of what is marked by a bound as many as are listed at most: by one that
/// fewer reach, and of what is equal to that the first columns.
SelectedRow::Marks SelectedRow::markFew(Value all, Bound bound, Value end) {
  Value least = code.i32(count), most = code.i32(listedOf(count));
  auto countReaching = [&](Value order) {
    return countOf(markReaching(all, order));
  };
  // Where fewer elements than sets have to be reach the end of their bisection,
  // as of a few numbers among equal ones, there is nothing between.
  Value first = LLVM::UMinOp::create(code, bound.end, orderOfInfinity()),
        reached = countReaching(first), isFew = code.less(reached, least);
  auto choose = [&](Value ifFew, Value ifNot) -> Value {
    return LLVM::SelectOp::create(code, isFew, ifFew, ifNot);
  };
  bound = bisect({choose(bound.order, first), choose(bound.reached, reached),
                  choose(first, end)},
                 least, most, countReaching);
  Marks equal = markReaching(all, bound.order),
        greater = markReaching(all, bound.order, /*greater=*/true);
  // Greater ones are enough alone where these are NaN, which are all equal, or
  // where the bisection has stopped.
  Value areEnough = code.negated(code.less(countOf(greater), least));
  for (auto [equal, greater] : llvm::zip_equal(equal, greater)) {
    Value rest = LLVM::XOrOp::create(code, equal, greater);
    equal = LLVM::SelectOp::create(code, areEnough, greater, rest);
    greater = LLVM::SelectOp::create(code, areEnough, code.i32(0), greater);
  }
  Value taken = countOf(greater);
  auto without = [&](Value number) -> Value {
    return LLVM::SubOp::create(code, number, taken);
  };
  auto firstOnes = [&](Value left) {
    Marks marks = markColumns(
        LLVM::SubOp::create(code, code.i32(tile.getDimSize(1) - 1), left));
    for (auto [mark, equal] : llvm::zip_equal(marks, equal))
      mark = LLVM::AndOp::create(code, mark, equal);
    return marks;
  };
  // As many columns as are left out at the end.
  Bound left =
      bisect({code.i32(0), countOf(equal), code.i32(tile.getDimSize(1))},
             without(least), without(most),
             [&](Value left) { return countOf(firstOnes(left)); });
  Marks marks = firstOnes(left.order);
  for (auto [mark, greater] : llvm::zip_equal(marks, greater))
    mark = LLVM::OrOp::create(code, mark, greater);
  return marks;
}

/// What reaches a bound of the sets, if a list has room for it; or of all
/// elements.
SelectedRow::Marks SelectedRow::mark(Value all) {
  SmallVector<Value> orders = ordersOfSets(all);
  Value lowest = orders.front(), highest = orders.front();
  for (Value order : ArrayRef(orders).drop_front()) {
    lowest = LLVM::UMinOp::create(code, lowest, order);
    highest = LLVM::UMaxOp::create(code, highest, order);
  }
  lowest = NVVM::ReduxOp::create(code, code.getI32Type(), lowest,
                                 NVVM::ReduxKind::UMIN, code.allLanes());
  Value end = code.add(warpMaximum(code, highest), code.i32(1));
  // A few more than k sets take fewer steps.
  int64_t sets = orders.size() * warpThreads;
  Bound bound = {lowest, code.i32(sets), end};
  if (sets > count)
    bound = bisect(
        bound, code.i32(count), code.i32(count + count / 16), [&](Value order) {
          Value reached = code.i32(0);
          for (Value maximum : orders) {
            Value reaches = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::uge,
                                                 maximum, order);
            reached = code.add(reached, LLVM::ZExtOp::create(
                                            code, code.getI32Type(), reaches));
          }
          return sumOfWarp(code, reached);
        });
  Marks marks = markReaching(all, bound.order);
  bound.reached = countOf(marks);
  Value areTooMany = code.less(code.i32(listedOf(count)), bound.reached);
  SmallVector<Type> words(marks.size(), code.getI32Type());
  auto branch = scf::IfOp::create(code, words, areTooMany,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(code, markFew(all, bound, end));
    code.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(code, marks);
  }
  return Marks(branch.getResults());
}

} // namespace mlir::smx
