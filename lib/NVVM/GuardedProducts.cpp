//===- GuardedProducts.cpp - terms that are not finite --------------------===//

#include "GlobalTile.h"
#include "MatrixProduct.h"

#include "RegisterAssembly.h"
#include "WarpExchange.h"

namespace mlir::smx {

/// Loads of 16 bytes each in a look at the second operand.
static constexpr int64_t loadsAtATime = 8;

Value isAnyNotFinite(ThreadCode &code, gpu::SharedType tileType, Value tile) {
  // Every thread looks at a share of the bytes, in whatever order they lie.
  constexpr int64_t width = 16;
  int64_t bytes = tileType.getBytes();
  int64_t round = width * code.team.groupThreads();
  Type elementType = tileType.getElementType();
  auto type = VectorType::get(8 * width / elementType.getIntOrFloatBitWidth(),
                              elementType);
  Value zero = LLVM::ConstantOp::create(code, type, code.getZeroAttr(type));
  Value first = code.mul(code.thread(), code.i32(width));
  auto add = [&](Value sum, Value place) -> Value {
    Value part = loadShared(code, type, code.advance(tile, place));
    return LLVM::FMAOp::create(code, part, zero, sum);
  };
  auto addSome = [&](Value sum, Value place, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      sum = add(sum, code.add(place, code.i32(i * round)));
    return sum;
  };
  // In turns, for which there are registers.
  int64_t whole = bytes / round, turns = whole / loadsAtATime;
  Value sum = zero;
  if (turns > 0)
    sum = code.repeat(turns, zero, [&](Value turn, Value before) {
      Value done = code.mul(turn, code.i32(loadsAtATime * round));
      return addSome(before, code.add(first, done), loadsAtATime);
    });
  Value rest = code.add(first, code.i32(turns * loadsAtATime * round));
  sum = addSome(sum, rest, whole % loadsAtATime);
  if (bytes % round != 0) {
    Value last = code.add(first, code.i32(whole * round));
    sum = add(sum, LLVM::UMinOp::create(code, last, code.i32(bytes - width)));
  }
  Value all = LLVM::ConstantOp::create(code, code.getF32Type(),
                                       code.getF32FloatAttr(0));
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value part = code.getRegister(sum, i);
    if (elementType != code.getF32Type())
      part = LLVM::FPExtOp::create(code, code.getF32Type(), part);
    all = LLVM::FAddOp::create(code, all, part);
  }
  Value isHere = LLVM::FCmpOp::create(code, LLVM::FCmpPredicate::uno, all, all);
  // The assembler does not know that all threads have got the same; of a vote
  // it does, and leaves addresses that loops around carry to the uniform unit.
  return isAnyOfWarp(code, code.isAnyOfGroup(isHere));
}

Sums MatrixProduct::takeFirst(Sums &all, int64_t together) {
  Sums some{{}, together};
  for (int64_t i = 0; i < product.blocks; ++i)
    for (int64_t g = 0; g < together; ++g)
      llvm::append_range(some.registers, all.slice(i, g));
  return some;
}

Value MatrixProduct::putLast(Sums &all, Sums &some) {
  int64_t ofBlock = 4 * all.groups, moved = 4 * some.groups;
  for (int64_t i = 0; i < product.blocks; ++i)
    for (int64_t g = 0; g < some.groups; ++g)
      llvm::copy(some.slice(i, g), all.slice(i, g).begin());
  // By assembly: values that change places in a loop are copied twice by LLVM.
  std::string text = "{ .reg .b32 first<" + std::to_string(moved) + ">; ";
  auto move = [&](std::string to, std::string from) {
    text += "mov.b32 " + to + ", " + from + "; ";
  };
  auto first = [](int64_t r) { return "first" + std::to_string(r); };
  auto number = [](int64_t r) { return "$" + std::to_string(r); };
  for (int64_t start = 0; start < ofBlock * product.blocks; start += ofBlock) {
    for (int64_t r = 0; r < moved; ++r)
      move(first(r), number(start + r));
    for (int64_t r = moved; r < ofBlock; ++r)
      move(number(start + r - moved), number(start + r));
    for (int64_t r = 0; r < moved; ++r)
      move(number(start + ofBlock - moved + r), first(r));
  }
  RegisterAssembly assembly(ofBlock * product.blocks);
  assembly.tie(all.registers);
  return code.fromRegisters(assembly.emit(code, text + "}"));
}

Value MatrixProduct::multiplyTermByTerm() {
  // Little code, and no address from before the branch, where LLVM would
  // compute what it takes from the thread's number if it knew that number.
  Value thread = opaque(code, code.thread());
  std::unique_ptr<MatrixOperands> elsewhere = std::move(operands);
  operands = makeMatrixOperands(code, product, thread);
  int64_t groups = product.columns / 8, together = groups % 2 ? 1 : 2;
  auto ofColumns = [&](Value turn, Value sums) -> Value {
    Sums all{registersOf(sums), groups};
    LoopPlace n(0, turn, 8 * together);
    // Registers have no addresses: the first ones are those of the round. All
    // move up at its end, and are back at their places after the last.
    Sums some = takeFirst(all, together);
    auto step = [&](Value round, Value before) -> Value {
      Sums after{registersOf(before), together};
      LoopPlace k(0, round, operands->depth);
      addGroups(after, 0, together, partsOfA(k), k, n, /*onlyFinite=*/true);
      addNonFinite(after, k, n);
      return code.fromRegisters(after.registers);
    };
    some.registers =
        registersOf(code.repeat(product.reduced / operands->depth,
                                code.fromRegisters(some.registers), step));
    return putLast(all, some);
  };
  Value result = code.repeat(groups / together, product.acc, ofColumns);
  operands = std::move(elsewhere);
  return result;
}

Value MatrixProduct::emitGuarded(llvm::function_ref<Value()> whereFinite) {
  if (product.goesByTerms)
    return multiplyTermByTerm();
  // Asked of b, so that nobody has to keep the sums from before.
  auto isAny = [&] { return isAnyNotFinite(code, product.sharedB, product.b); };
  auto isNone = [&]() -> Value {
    return LLVM::ConstantOp::create(code, code.getBoolAttr(false));
  };
  Value condition = product.guardCondition;
  Value isGuarded =
      condition ? code.choose(code.getI1Type(), condition, isAny, isNone)
                : isAny();
  return code.choose(
      product.acc.getType(), isGuarded, [&] { return multiplyTermByTerm(); },
      whereFinite);
}

Value multiplyGuarded(ThreadCode &code, const TileProduct &product,
                      llvm::function_ref<Value()> whereFinite) {
  return MatrixProduct(code, product).emitGuarded(whereFinite);
}

Value MatrixProduct::constant(double value) {
  Type type = operands->registerType;
  Type element = getElementTypeOrSelf(type);
  auto number = FloatAttr::get(element, value);
  auto vector = dyn_cast<VectorType>(type);
  return LLVM::ConstantOp::create(
      code, type,
      vector ? Attribute(SplatElementsAttr::get(vector, Attribute(number)))
             : Attribute(number));
}

Fragment MatrixProduct::finite(const Fragment &b) {
  return llvm::map_to_vector<4>(b, [&](Value x) -> Value {
    // The exponent of a NaN is all ones: x without these bits is tiny.
    Value isNot = asWord(nanUnlessFinite(x));
    Value mask = LLVM::XOrOp::create(code, isNot, code.i32(-1));
    Value rest = LLVM::AndOp::create(code, asWord(x), mask);
    return LLVM::BitcastOp::create(code, operands->registerType, rest);
  });
}

Value MatrixProduct::withSign(Value magnitude, Value signs) {
  Value sign = LLVM::AndOp::create(code, asWord(signs), word(-0.0));
  Value bits = LLVM::OrOp::create(code, asWord(magnitude), sign);
  return LLVM::BitcastOp::create(code, operands->registerType, bits);
}

std::pair<Fragment, Fragment> MatrixProduct::presence(const Fragment &a) {
  Fragment isThere, sign;
  Type element = getElementTypeOrSelf(operands->registerType);
  double largest =
      llvm::APFloat::getLargest(cast<FloatType>(element).getFloatSemantics())
          .convertToDouble();
  for (Value x : a) {
    // |x|, but 2 for +0: the bit that -0 lacks once its sign is flipped, put
    // where the exponent of 2 has it.
    Value flipped = LLVM::XOrOp::create(code, asWord(x), word(-0.0));
    Value notNegative = LLVM::AndOp::create(code, flipped, word(-0.0));
    Value bit = LLVM::LShrOp::create(code, notNegative, code.i32(1));
    Value rest = LLVM::XOrOp::create(code, flipped, notNegative);
    Value size = LLVM::BitcastOp::create(code, operands->registerType,
                                         LLVM::OrOp::create(code, rest, bit));
    // Twice, since the least number is far below the reciprocal of the largest.
    for ([[maybe_unused]] int time : {0, 1})
      size = LLVM::FMulOp::create(code, size, constant(largest));
    isThere.push_back(LLVM::MinNumOp::create(code, size, constant(1)));
    sign.push_back(withSign(isThere.back(), x));
  }
  return {isThere, sign};
}

/// Times the largest number, this is infinite.
static constexpr double mark = 4;

std::pair<Fragment, Fragment> MatrixProduct::infinities(const Fragment &b) {
  // A power of two is some of the exponent's bits, which a NaN has all.
  auto marked = [&](Value nan) -> Value {
    Value bits = LLVM::AndOp::create(code, asWord(nan), word(mark));
    return LLVM::BitcastOp::create(code, operands->registerType, bits);
  };
  Fragment isThere, sign;
  for (Value x : b) {
    isThere.push_back(marked(nanUnlessFinite(x)));
    // The maximum and minimum of a NaN and 0 are 0.
    Value zero = constant(0);
    Value above = nanUnlessFinite(LLVM::MaxNumOp::create(code, x, zero));
    Value below = nanUnlessFinite(LLVM::MinNumOp::create(code, x, zero));
    Value either = LLVM::OrOp::create(code, asWord(above), asWord(below));
    sign.push_back(withSign(marked(either), x));
  }
  return {isThere, sign};
}

void MatrixProduct::addNonFinite(Sums &sums, LoopPlace k, LoopPlace n) {
  Value zero = single(0), largest = single(std::numeric_limits<float>::max());
  Value lowest = single(std::numeric_limits<float>::lowest());
  auto [isThere, sign] = infinities(operands->getB(k, n, sums.groups));
  for (int64_t i = 0; i < product.blocks; ++i) {
    auto [isInA, signOfA] = presence(operands->getA(i, k));
    Fragment opposite = llvm::map_to_vector<4>(signOfA, [&](Value x) -> Value {
      return LLVM::FNegOp::create(code, x);
    });
    for (int64_t g = 0; g < sums.groups; ++g) {
      Fragment b = groupOf(isThere, g);
      Fragment signOfB = groupOf(sign, g);
      // Of p terms +inf, m terms -inf and q NaNs, all are p + m + q and the
      // signs add up to p - m: the sum of both is 2 p + q and the difference
      // 2 m + q. A NaN is both infinities.
      Fragment all(4, zero);
      multiplyParts(all, isInA, b);
      Fragment above = all, below = all;
      multiplyParts(above, signOfA, signOfB);
      multiplyParts(below, opposite, signOfB);
      for (auto [sum, p, m] : llvm::zip(sums.slice(i, g), above, below)) {
        // Infinite before it is added: a fused product would not be.
        Value isAbove = LLVM::FMulOp::create(code, p, largest);
        Value isBelow = LLVM::FMulOp::create(code, m, lowest);
        sum = LLVM::FMAOp::create(code, isAbove, largest, sum);
        sum = LLVM::FMAOp::create(code, isBelow, largest, sum);
      }
    }
  }
}

} // namespace mlir::smx
