//===- GuardedProducts.cpp - terms that are not finite --------------------===//

#include "MatrixProduct.h"
#include "SharedBarriers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

Value MatrixProduct::isAnyNotFinite(ArrayRef<Value> sums) {
  // Several chains: the first sums are there before the last ones.
  Value zero = single(0);
  SmallVector<Value, 4> chains(4, zero);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value &chain = chains[i % chains.size()];
    chain = LLVM::FMAOp::create(code, sum, zero, chain);
  }
  Value all = chains.front();
  for (Value chain : ArrayRef<Value>(chains).drop_front())
    all = LLVM::FAddOp::create(code, all, chain);
  Value isNotFinite =
      LLVM::FCmpOp::create(code, LLVM::FCmpPredicate::uno, all, all);
  // The unit works for the whole warp.
  return NVVM::VoteSyncOp::create(code, code.getI1Type(), code.i32(-1),
                                  isNotFinite, NVVM::VoteSyncKind::any);
}

Value MatrixProduct::multiplyGuarded(Columns columns, Value start) {
  // A loop, since nobody waits for it: little code, and few registers. Also
  // none before the branch, where LLVM would compute what it takes from the
  // thread's number if it knew that number.
  Value thread =
      LLVM::InlineAsmOp::create(
          code, code.getI32Type(), code.thread(), "mov.b32 $0, $1;", "=r,r",
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
          .getResult(0);
  std::unique_ptr<MatrixOperands> elsewhere = std::move(operands);
  operands = makeMatrixOperands(code, product, thread);
  auto loop = scf::ForOp::create(code, code.i32(0),
                                 code.i32(product.reduced / operands->depth),
                                 code.i32(1), start);
  {
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> sums = registersOf(loop.getRegionIterArg(0));
    ReducedPlace k{0, loop.getInductionVar()};
    addStep(sums, columns, k, /*onlyFinite=*/true);
    addNonFinite(sums, columns, k);
    scf::YieldOp::create(code, code.fromRegisters(sums));
  }
  operands = std::move(elsewhere);
  return loop.getResult(0);
}

Value MatrixProduct::guard(Value sum) {
  Value all = LLVM::FAddOp::create(code, product.acc, sum);
  return code.choose(
      all.getType(), isAnyNotFinite(registersOf(sum)),
      [&] {
        return multiplyGuarded({0, product.columns / 8}, product.acc);
      },
      [&] { return all; });
}

Value guardProduct(ThreadCode &code, const Product &product, Value sum) {
  return MatrixProduct(code, product).guard(sum);
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
    // Twice, since the least number is far below the reciprocal of the largest.
    Value size = LLVM::FAbsOp::create(code, x);
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

void MatrixProduct::addNonFinite(SmallVectorImpl<Value> &sums, Columns columns,
                                 ReducedPlace k) {
  Value zero = single(0), largest = single(std::numeric_limits<float>::max());
  Value lowest = single(std::numeric_limits<float>::lowest());
  SmallVector<std::array<Fragment, 3>> a;
  for (int64_t i = 0; i < product.blocks; ++i) {
    auto [isThere, sign] = presence(operands->getA(i, k));
    Fragment opposite = llvm::map_to_vector<4>(
        sign, [&](Value x) -> Value { return LLVM::FNegOp::create(code, x); });
    a.push_back({isThere, sign, opposite});
  }
  int64_t end = columns.first + columns.count;
  for (int64_t group = columns.first; group < end; group += 2) {
    // Keeps the fetches apart, for which there are not enough registers here.
    warpBarrier(code);
    auto [isThere, sign] =
        infinities(operands->getB(k, 8 * group, fetched(columns, group)));
    for (int64_t i = 0; i < product.blocks; ++i)
      for (int64_t g = 0; g < fetched(columns, group); ++g) {
        Fragment b = groupOf(isThere, g);
        Fragment signOfB = groupOf(sign, g);
        // Of p terms +inf, m terms -inf and q NaNs, all are p + m + q and the
        // signs add up to p - m: the sum of both is 2 p + q and the difference
        // 2 m + q. A NaN is both infinities.
        Fragment all(4, zero);
        multiplyParts(all, a[i][0], b);
        Fragment above = all, below = all;
        multiplyParts(above, a[i][1], signOfB);
        multiplyParts(below, a[i][2], signOfB);
        for (auto [sum, p, m] :
             llvm::zip(slice(sums, columns, i, group + g), above, below)) {
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
