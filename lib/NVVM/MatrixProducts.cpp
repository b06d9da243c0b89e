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
        operands(makeMatrixOperands(code, product)) {}

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
  /// `sums` (a vector) plus the terms that `finite` left out, for a != 0.
  Value addNonFinite(Value sums);
  /// 1 where a is not 0, 1 where b is not finite, else 0, and the same with the
  /// sign of a or of the infinity in b (0 for a NaN).
  std::pair<Fragment, Fragment> presence(const Fragment &a);
  std::pair<Fragment, Fragment> infinities(const Fragment &b);

  Value constant(double value);
  Value compare(LLVM::FCmpPredicate predicate, Value x, Value y) {
    return LLVM::FCmpOp::create(code, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return LLVM::SelectOp::create(code, condition, x, y);
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

Value MatrixProduct::emit() {
  SmallVector<Value> sums;
  int64_t count = cast<VectorType>(product.acc.getType()).getNumElements();
  for (int64_t i : llvm::seq(count))
    sums.push_back(code.getRegister(product.acc, i));
  Value hidden;
  for (int64_t k = 0; k < product.reduced; k += operands->depth) {
    SmallVector<SmallVector<Fragment, 2>> a;
    for (int64_t i = 0; i < product.blocks; ++i)
      a.push_back(operands->split(operands->getA(i, k)));
    for (int64_t n = 0; n < product.columns; n += 16) {
      Fragment fetched = operands->getB(k, n, groupsFrom(n));
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
  Value zero = constant(0);
  return llvm::map_to_vector<4>(b, [&](Value x) -> Value {
    // +0 for a finite number. Else a NaN, whose exponent is all ones, so that
    // what is left of x without these bits is tiny.
    Value isNot = asWord(code, LLVM::FMAOp::create(code, x, zero, zero));
    hidden = hidden ? LLVM::OrOp::create(code, hidden, isNot) : isNot;
    Value mask = LLVM::XOrOp::create(code, isNot, code.i32(-1));
    Value rest = LLVM::AndOp::create(code, asWord(code, x), mask);
    return LLVM::BitcastOp::create(code, operands->registerType, rest);
  });
}

std::pair<Fragment, Fragment> MatrixProduct::presence(const Fragment &a) {
  Fragment isThere, sign;
  for (Value x : a) {
    Value isNonZero = compare(LLVM::FCmpPredicate::une, x, constant(0));
    isThere.push_back(select(isNonZero, constant(1), constant(0)));
    Value signOfX = LLVM::CopySignOp::create(code, constant(1), x);
    sign.push_back(select(isNonZero, signOfX, constant(0)));
  }
  return {isThere, sign};
}

std::pair<Fragment, Fragment> MatrixProduct::infinities(const Fragment &b) {
  Fragment isThere, sign;
  Value infinity = constant(std::numeric_limits<double>::infinity());
  for (Value x : b) {
    Value magnitude = LLVM::FAbsOp::create(code, x);
    isThere.push_back(
        select(compare(LLVM::FCmpPredicate::uge, magnitude, infinity),
               constant(1), constant(0)));
    sign.push_back(
        select(compare(LLVM::FCmpPredicate::oeq, magnitude, infinity),
               LLVM::CopySignOp::create(code, constant(1), x), constant(0)));
  }
  return {isThere, sign};
}

/// Of p terms +inf, m terms -inf and q NaNs, `all` is p + m + q and `signs` is
/// p - m: their sum is 2 p + q and their difference 2 m + q. A NaN counts as
/// both infinities, which add up to one.
static Value addTerms(ThreadCode &code, Value sum, Value all, Value signs) {
  auto f32 = [&](double value) -> Value {
    return LLVM::ConstantOp::create(code, code.getF32Type(),
                                    code.getF32FloatAttr(value));
  };
  auto addIf = [&](Value count, double term) {
    Value isThere =
        LLVM::FCmpOp::create(code, LLVM::FCmpPredicate::ogt, count, f32(0));
    Value value = LLVM::SelectOp::create(code, isThere, f32(term), f32(0));
    sum = LLVM::FAddOp::create(code, sum, value);
  };
  double infinity = std::numeric_limits<double>::infinity();
  addIf(LLVM::FAddOp::create(code, all, signs), infinity);
  addIf(LLVM::FSubOp::create(code, all, signs), -infinity);
  return sum;
}

Value MatrixProduct::addNonFinite(Value result) {
  SmallVector<Value> sums;
  int64_t count = cast<VectorType>(result.getType()).getNumElements();
  for (int64_t i : llvm::seq(count))
    sums.push_back(code.getRegister(result, i));
  Value zero = LLVM::ConstantOp::create(code, code.getF32Type(),
                                        code.getF32FloatAttr(0));
  for (int64_t n = 0; n < product.columns; n += 16) {
    int64_t groups = groupsFrom(n);
    SmallVector<Fragment> all(product.blocks * groups, Fragment(4, zero));
    SmallVector<Fragment> signs = all;
    for (int64_t k = 0; k < product.reduced; k += operands->depth) {
      auto [isB, signOfB] = infinities(operands->getB(k, n, groups));
      for (int64_t i = 0; i < product.blocks; ++i) {
        auto [isA, signOfA] = presence(operands->getA(i, k));
        for (int64_t g = 0; g < groups; ++g) {
          multiplyParts(all[i * groups + g], isA, groupOf(isB, g).front());
          multiplyParts(signs[i * groups + g], signOfA,
                        groupOf(signOfB, g).front());
        }
      }
    }
    for (int64_t i = 0; i < product.blocks; ++i)
      for (int64_t g = 0; g < groups; ++g)
        for (auto [sum, a, s] :
             llvm::zip(product.slice(sums, i, n / 8 + g), all[i * groups + g],
                       signs[i * groups + g]))
          sum = addTerms(code, sum, a, s);
  }
  return code.fromRegisters(sums);
}

Value multiplyOnMatrixUnit(ThreadCode &code, const Product &product) {
  return MatrixProduct(code, product).emit();
}

} // namespace mlir::smx
