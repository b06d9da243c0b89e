//===- MatrixProducts.cpp - products on the matrix unit -------------------===//
//
// Order of a product: along the reduced dimension; in it over pairs of 8-column
// groups of b, each fetched once; in it over the rows of the warp. Few operands
// are live at a time, and the next ones can be fetched while the unit is busy.
//
// A guarded product has 0 for every term whose a is 0. The unit knows no such
// rule, so it multiplies what is finite of b, and where b was not all finite (a
// case for correctness, not for speed) the other terms are added afterwards.
//
//===----------------------------------------------------------------------===//

#include "MatrixOperands.h"
#include "SharedBarriers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

static Value asWord(ThreadCode &code, Value value) {
  return LLVM::BitcastOp::create(code, code.getI32Type(), value);
}

/// What the instruction takes: f16 as vectors, all else as 32 bits.
static Fragment asOperand(ThreadCode &code, const Fragment &fragment,
                          NVVM::MMATypes type) {
  if (type == NVVM::MMATypes::f16)
    return fragment;
  return llvm::map_to_vector<4>(
      fragment, [&](Value value) { return asWord(code, value); });
}

namespace {
class MatrixProduct {
public:
  MatrixProduct(ThreadCode &code, const Product &product)
      : code(code), product(product),
        operands(makeMatrixOperands(code, product, code.thread())) {}

  Value emit();

private:
  /// sums + a b for 16 rows and 8 columns: one instruction per pair of parts.
  void multiply(MutableArrayRef<Value> sums, ArrayRef<Fragment> a,
                ArrayRef<Fragment> b);
  void multiplyParts(MutableArrayRef<Value> sums, const Fragment &a,
                     const Fragment &b);
  int64_t groupsFrom(int64_t n) const {
    return std::min<int64_t>(2, (product.columns - n) / 8);
  }

  /// b with 0 for what is not finite; notes in `hidden` (i32) if there was any.
  Fragment finite(const Fragment &b, Value &hidden);
  /// `start` plus the terms that `finite` left out, for a != 0.
  Value addNonFinite(Value start);
  void addNonFiniteAt(ReducedPlace k, SmallVectorImpl<Value> &sums);
  /// For every a: 1, or 0 where it is 0; and the same with the sign of a.
  std::pair<Fragment, Fragment> presence(const Fragment &a);
  /// For every b: `mark` where it is not finite, else 0; and `mark` with the
  /// sign of an infinity, else 0.
  std::pair<Fragment, Fragment> infinities(const Fragment &b);

  SmallVector<Value> registersOf(Value tile);
  Value constant(double value);
  Value word(double value) { return asWord(code, constant(value)); }
  /// x, or nothing, of what has the signs of `signs`: as a register.
  Value withSign(Value magnitude, Value signs);
  /// A NaN where x is not finite, else 0.
  Value nanUnlessFinite(Value x) {
    Value zero = constant(0);
    return LLVM::FMAOp::create(code, x, zero, zero);
  }

  ThreadCode &code;
  const Product &product;
  std::unique_ptr<MatrixOperands> operands;
};
} // namespace

void MatrixProduct::multiplyParts(MutableArrayRef<Value> sums,
                                  const Fragment &a, const Fragment &b) {
  SmallVector<Type, 4> f32(4, code.getF32Type());
  auto type = LLVM::LLVMStructType::getLiteral(code.getContext(), f32);
  NVVM::MMATypes name = operands->type;
  Value result = NVVM::MmaOp::create(
      code, type, asOperand(code, a, name), asOperand(code, b, name), sums,
      {16, 8, operands->depth}, std::nullopt, std::nullopt,
      std::array{name, name},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [field, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(
        code, result, ArrayRef<int64_t>{static_cast<int64_t>(field)});
}

void MatrixProduct::multiply(MutableArrayRef<Value> sums, ArrayRef<Fragment> a,
                             ArrayRef<Fragment> b) {
  // Small terms first, so that fewer of their bits are lost.
  for (const Fragment &part : llvm::reverse(a.drop_front()))
    multiplyParts(sums, part, b.front());
  for (const Fragment &part : llvm::reverse(b))
    multiplyParts(sums, a.front(), part);
}

/// The two registers of a group, of every part of two groups' registers.
static SmallVector<Fragment, 2> groupOf(ArrayRef<Fragment> parts, int64_t g) {
  return llvm::map_to_vector<2>(parts, [&](const Fragment &part) {
    return Fragment{part[2 * g], part[2 * g + 1]};
  });
}

SmallVector<Value> MatrixProduct::registersOf(Value tile) {
  int64_t count = cast<VectorType>(tile.getType()).getNumElements();
  return llvm::map_to_vector(
      llvm::seq(count), [&](int64_t i) { return code.getRegister(tile, i); });
}

Value MatrixProduct::emit() {
  SmallVector<Value> sums = registersOf(product.acc);
  Value hidden;
  for (int64_t k = 0; k < product.reduced; k += operands->depth) {
    SmallVector<SmallVector<Fragment, 2>> a;
    for (int64_t i = 0; i < product.blocks; ++i)
      a.push_back(operands->split(operands->getA(i, {k, Value()})));
    for (int64_t n = 0; n < product.columns; n += 16) {
      Fragment fetched = operands->getB({k, Value()}, n, groupsFrom(n));
      if (product.isGuarded)
        fetched = finite(fetched, hidden);
      SmallVector<Fragment, 2> b = operands->split(fetched);
      for (int64_t i = 0; i < product.blocks; ++i)
        for (int64_t g = 0; g < groupsFrom(n); ++g)
          multiply(product.slice(sums, i, n / 8 + g), a[i], groupOf(b, g));
    }
  }
  Value result = code.fromRegisters(sums);
  if (!product.isGuarded)
    return result;
  Value isHidden =
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ne, hidden, code.i32(0));
  // The whole warp: the unit works for all of it.
  Value isAnyHidden = NVVM::VoteSyncOp::create(
      code, code.getI1Type(), code.i32(-1), isHidden, NVVM::VoteSyncKind::any);
  return code.choose(
      result.getType(), isAnyHidden, [&] { return addNonFinite(result); },
      [&] { return result; });
}

//===----------------------------------------------------------------------===//
// Terms that are not finite
//===----------------------------------------------------------------------===//

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

Fragment MatrixProduct::finite(const Fragment &b, Value &hidden) {
  return llvm::map_to_vector<4>(b, [&](Value x) -> Value {
    // The exponent of a NaN is all ones: x without these bits is tiny.
    Value isNot = asWord(code, nanUnlessFinite(x));
    hidden = hidden ? LLVM::OrOp::create(code, hidden, isNot) : isNot;
    Value mask = LLVM::XOrOp::create(code, isNot, code.i32(-1));
    Value rest = LLVM::AndOp::create(code, asWord(code, x), mask);
    return LLVM::BitcastOp::create(code, operands->registerType, rest);
  });
}

Value MatrixProduct::withSign(Value magnitude, Value signs) {
  Value sign = LLVM::AndOp::create(code, asWord(code, signs), word(-0.0));
  Value bits = LLVM::OrOp::create(code, asWord(code, magnitude), sign);
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
    Value bits = LLVM::AndOp::create(code, asWord(code, nan), word(mark));
    return LLVM::BitcastOp::create(code, operands->registerType, bits);
  };
  Fragment isThere, sign;
  for (Value x : b) {
    isThere.push_back(marked(nanUnlessFinite(x)));
    // The maximum and minimum of a NaN and 0 are 0.
    Value zero = constant(0);
    Value above = nanUnlessFinite(LLVM::MaxNumOp::create(code, x, zero));
    Value below = nanUnlessFinite(LLVM::MinNumOp::create(code, x, zero));
    Value either =
        LLVM::OrOp::create(code, asWord(code, above), asWord(code, below));
    sign.push_back(withSign(marked(either), x));
  }
  return {isThere, sign};
}

void MatrixProduct::addNonFiniteAt(ReducedPlace k,
                                   SmallVectorImpl<Value> &sums) {
  auto f32 = [&](double value) -> Value {
    return LLVM::ConstantOp::create(code, code.getF32Type(),
                                    code.getF32FloatAttr(value));
  };
  Value zero = f32(0), largest = f32(std::numeric_limits<float>::max());
  Value lowest = f32(std::numeric_limits<float>::lowest());
  SmallVector<std::array<Fragment, 3>> a;
  for (int64_t i = 0; i < product.blocks; ++i) {
    auto [isThere, sign] = presence(operands->getA(i, k));
    Fragment opposite = llvm::map_to_vector<4>(
        sign, [&](Value x) -> Value { return LLVM::FNegOp::create(code, x); });
    a.push_back({isThere, sign, opposite});
  }
  for (int64_t n = 0; n < product.columns; n += 16) {
    // Keeps the fetches apart, for which there are not enough registers here.
    warpBarrier(code);
    auto [isThere, sign] = infinities(operands->getB(k, n, groupsFrom(n)));
    for (int64_t i = 0; i < product.blocks; ++i)
      for (int64_t g = 0; g < groupsFrom(n); ++g) {
        Fragment b = groupOf(isThere, g).front();
        Fragment signOfB = groupOf(sign, g).front();
        // Of p terms +inf, m terms -inf and q NaNs, all are p + m + q and the
        // signs add up to p - m: the sum of both is 2 p + q and the difference
        // 2 m + q. A NaN is both infinities.
        Fragment all(4, zero);
        multiplyParts(all, a[i][0], b);
        Fragment above = all, below = all;
        multiplyParts(above, a[i][1], signOfB);
        multiplyParts(below, a[i][2], signOfB);
        for (auto [sum, p, m] :
             llvm::zip(product.slice(sums, i, n / 8 + g), above, below)) {
          // Infinite before it is added: a fused product would not be.
          Value isAbove = LLVM::FMulOp::create(code, p, largest);
          Value isBelow = LLVM::FMulOp::create(code, m, lowest);
          sum = LLVM::FMAOp::create(code, isAbove, largest, sum);
          sum = LLVM::FMAOp::create(code, isBelow, largest, sum);
        }
      }
  }
}

Value MatrixProduct::addNonFinite(Value start) {
  // A loop, since nobody waits for it: little code, and few registers. Also
  // none before the branch, where LLVM would compute what it takes from the
  // thread's number if it knew that number.
  Value thread =
      LLVM::InlineAsmOp::create(
          code, code.getI32Type(), code.thread(), "mov.b32 $0, $1;", "=r,r",
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
          .getResult(0);
  operands = makeMatrixOperands(code, product, thread);
  auto loop = scf::ForOp::create(code, code.i32(0),
                                 code.i32(product.reduced / operands->depth),
                                 code.i32(1), start);
  OpBuilder::InsertionGuard guard(code);
  code.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> sums = registersOf(loop.getRegionIterArg(0));
  addNonFiniteAt({0, loop.getInductionVar()}, sums);
  scf::YieldOp::create(code, code.fromRegisters(sums));
  return loop.getResult(0);
}

Value multiplyOnMatrixUnit(ThreadCode &code, const Product &product) {
  return MatrixProduct(code, product).emit();
}

} // namespace mlir::smx
