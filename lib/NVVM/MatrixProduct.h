//===- MatrixProduct.h - a product on the matrix unit -----------*- C++ -*-===//
//
// Order of a product: along the reduced dimension; in it over pairs of 8-column
// groups of b, each fetched once; in it over the rows of the warp. Few operands
// are live at a time, and the next ones can be fetched while the unit is busy.
//
// A guarded product has 0 for every term whose a is -0. The unit knows no such
// rule, but where b is finite throughout it keeps it: the group looks at b
// first. Where b is not, a case for correctness and not for speed, the product
// takes what is finite of b, and the other terms are added one by one.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_MATRIXPRODUCT_H
#define SMX_LIB_NVVM_MATRIXPRODUCT_H

#include "MatrixOperands.h"

namespace mlir::smx {

/// The accumulator's registers of `groups` groups of 8 columns, for every block
/// of rows.
struct Sums {
  SmallVector<Value> registers;
  int64_t groups;

  /// The four registers of block `i` and group `g`.
  MutableArrayRef<Value> slice(int64_t i, int64_t g) {
    return MutableArrayRef<Value>(registers).slice(4 * (i * groups + g), 4);
  }
};

class MatrixProduct {
public:
  MatrixProduct(ThreadCode &code, const TileProduct &product)
      : code(code), product(product),
        operands(makeMatrixOperands(code, product, code.thread())) {}

  Value emit();
  /// See `multiplyGuarded` in Products.h.
  Value emitGuarded(llvm::function_ref<Value()> whereFinite);

private:
  /// The product as the unit does it.
  Value multiplyAll();
  /// a's parts in all blocks of rows, from column `k`.
  SmallVector<SmallVector<Fragment, 2>> partsOfA(LoopPlace k);
  /// Adds what row `k` on contributes, as deep as an instruction goes, to the
  /// `count` groups from column `n`. `sums` has them from `group` on.
  void addGroups(Sums &sums, int64_t group, int64_t count,
                 ArrayRef<SmallVector<Fragment, 2>> a, LoopPlace k, LoopPlace n,
                 bool onlyFinite);
  /// sums + a b for 16 rows and 8 columns: one instruction per pair of parts.
  void multiply(MutableArrayRef<Value> sums, ArrayRef<Fragment> a,
                ArrayRef<Fragment> b);
  void multiplyParts(MutableArrayRef<Value> sums, const Fragment &a,
                     const Fragment &b);

  /// The guarded product for any b.
  Value multiplyTermByTerm();
  /// The first `together` groups of every block of rows.
  Sums takeFirst(Sums &all, int64_t together);
  /// `all` without the first groups, and at the end `some` in their stead.
  Value putLast(Sums &all, Sums &some);
  /// b with 0 for what is not finite.
  Fragment finite(const Fragment &b);
  /// The terms of a step for which b is not finite, where a is not -0. `sums`
  /// has the groups from column `n`.
  void addNonFinite(Sums &sums, LoopPlace k, LoopPlace n);
  /// For every a: 1, or 0 where it is -0; and the same with the sign of a.
  std::pair<Fragment, Fragment> presence(const Fragment &a);
  /// For every b: `mark` where it is not finite, else 0; and `mark` with the
  /// sign of an infinity, else 0.
  std::pair<Fragment, Fragment> infinities(const Fragment &b);

  /// The registers of `fragment` that belong to group `g` of those fetched.
  static Fragment groupOf(const Fragment &fragment, int64_t g) {
    return {fragment[2 * g], fragment[2 * g + 1]};
  }
  SmallVector<Value> registersOf(Value tile);
  Value asWord(Value value) {
    return LLVM::BitcastOp::create(code, code.getI32Type(), value);
  }
  Value constant(double value);
  Value single(double value) {
    return LLVM::ConstantOp::create(code, code.getF32Type(),
                                    code.getF32FloatAttr(value));
  }
  Value word(double value) { return asWord(constant(value)); }
  /// `magnitude` (not negative) with the signs of `signs`.
  Value withSign(Value magnitude, Value signs);
  /// A NaN where x is not finite, else 0.
  Value nanUnlessFinite(Value x) {
    Value zero = constant(0);
    return LLVM::FMAOp::create(code, x, zero, zero);
  }

  ThreadCode &code;
  const TileProduct &product;
  std::unique_ptr<MatrixOperands> operands;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_MATRIXPRODUCT_H
