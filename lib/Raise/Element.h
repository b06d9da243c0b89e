//===- Element.h - tensors read one element at a time -----------*- C++ -*-===//
//
// Front ends spell one formula in many ways: fused or op by op, with
// broadcasts, unit dimensions, reshapes and transposes in between. Seen from
// one element they are all the same: a scalar expression over elements of other
// tensors, at affine functions of a few named positions. Everything in this
// directory matches that expression and never an order of ops.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_RAISE_ELEMENT_H
#define SMX_RAISE_ELEMENT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include <optional>

namespace mlir::smx {

/// Integers up to here are exact as a double; no position is near.
constexpr int64_t maxExactInteger = int64_t(1) << 53;

/// Dynamic extents are taken to be smaller: sums and differences of two
/// positions, and positions that a small constant is added to, fit into the 32
/// bits that front ends compute them in.
constexpr int64_t maxDynamicExtent = int64_t(1) << 30;

/// All integers from `lowest` to `highest`.
struct IntegerRange {
  int64_t lowest, highest;
};

/// The range times `factor`; nothing if it leaves 64 bits.
std::optional<IntegerRange> multiply(IntegerRange range, int64_t factor);

/// True if all of `range` are exact as doubles and in the range of a type.
bool fitsInto(Type integerType, IntegerRange range);

/// The positions that elements are spoken of in: affine dims, the n-th of which
/// runs over [0, extent(n)). An extent may be dynamic.
class Positions {
public:
  Positions(MLIRContext *context, ArrayRef<int64_t> extents)
      : context(context), extents(extents) {}
  /// Adds a position that is not in use yet.
  AffineExpr add(int64_t extent);
  AffineExpr get(unsigned n) const { return getAffineDimExpr(n, context); }
  SmallVector<AffineExpr> getAll() const;
  int64_t extent(unsigned n) const { return extents[n]; }
  /// Narrows an extent that was not known when the position was added.
  void setExtent(unsigned n, int64_t extent) { extents[n] = extent; }
  unsigned size() const { return extents.size(); }
  MLIRContext *getContext() const { return context; }
  AffineExpr constant(int64_t value) const {
    return getAffineConstantExpr(value, context);
  }
  AffineExpr simplify(AffineExpr expr) const {
    return simplifyAffineExpr(expr, size(), /*numSymbols=*/0);
  }
  /// Simplifies, and writes positions of extent 1 as 0.
  AffineExpr normalize(AffineExpr expr) const;
  /// True if `expr` changes with position `n`.
  bool depends(AffineExpr expr, unsigned n) const {
    return normalize(expr).isFunctionOfDim(n);
  }
  /// Largest value of a non-negative `expr`, if the extents tell it.
  std::optional<int64_t> upperBound(AffineExpr expr) const;
  /// What the values of `expr` are between. Nothing where that can not be told,
  /// or may be beyond 64 bits.
  std::optional<IntegerRange> range(AffineExpr expr) const;
  /// What is not negative exactly where `lhs` and `rhs`, which are exact as
  /// doubles, compare so; null for equality, and for unsigned predicates of
  /// what may be negative.
  AffineExpr slack(arith::CmpIPredicate predicate, AffineExpr lhs,
                   AffineExpr rhs) const;

private:
  MLIRContext *context;
  SmallVector<int64_t> extents;
};

/// One element of a tensor, or one scalar of the body of a linalg op.
struct Element {
  Value value;
  /// One index per dimension of a tensor, one per loop of `body` for a scalar
  /// in it.
  SmallVector<AffineExpr> at;
  /// The linalg op whose body holds `value`; null for tensors and for scalars
  /// outside.
  Operation *body = nullptr;
  /// Set where what is read may be a part of the tensor: on the way here
  /// something has been looked up or cut out, so that an extent of the tensor
  /// is not that of the position which it is read at. Says nothing of which
  /// element this is.
  bool isPart = false;

  bool isTensor() const { return isa<RankedTensorType>(value.getType()); }
  /// True if dimension `k` of the tensor has `extent` elements: its type says
  /// so, or all on the way to it has asserted that.
  bool covers(unsigned k, int64_t extent) const;
  /// The element type of a tensor, or the type of a scalar.
  Type getType() const { return getElementTypeOrSelf(value.getType()); }
  bool operator==(const Element &other) const {
    return value == other.value && at == other.at && body == other.body;
  }
};

/// True for conversions between floats that raising looks through. It leaves
/// out roundings of what is between the ops of a formula, but not those to
/// fewer than 16 bits, which someone has asked for.
bool isConversion(Operation *op);

/// Follows elements to where they come from.
class ElementReader {
public:
  explicit ElementReader(Positions &positions) : positions(positions) {}
  Positions &getPositions() { return positions; }

  /// `tensor` at `at`; an index along a dimension of extent 1 is written 0.
  Element tensorElement(Value tensor, ArrayRef<AffineExpr> at);
  /// `tensor` at the positions 0, 1, 2, ...
  Element identityElement(Value tensor);
  /// A scalar in the body of `body` (which may be null) in iteration `loops`.
  Element scalarElement(Value scalar, ArrayRef<AffineExpr> loops,
                        Operation *body);

  /// The index into a tensor of shape `sizes` collapsed to one dimension, if
  /// the sizes are known that it needs.
  std::optional<AffineExpr> join(ArrayRef<AffineExpr> indices,
                                 ArrayRef<int64_t> sizes);

  /// One step through what only moves elements: reshapes, slices, broadcasts,
  /// transposes, and the border of a body. Nothing if `e` is computed or
  /// unknown.
  std::optional<Element> step(const Element &e);
  /// The counterpart of `step`: where the element `at` of `operand` is found in
  /// the result of its owner, a reshape, a transpose or a copy that at most
  /// converts float types.
  std::optional<SmallVector<AffineExpr>> stepForward(OpOperand &operand,
                                                     ArrayRef<AffineExpr> at);
  /// Steps as far as possible.
  Element peel(Element e);
  /// Peels, and drops conversions (see `isConversion`).
  Element strip(Element e);

  /// The op that computes a peeled element from other elements; null for a
  /// leaf.
  Operation *arithmetic(const Element &peeled);
  Element operand(const Element &peeled, unsigned n);
  /// Strips `e` and returns its op if that is an `OpT`.
  template <typename OpT>
  OpT stripTo(Element &e) {
    e = strip(e);
    return dyn_cast_or_null<OpT>(arithmetic(e));
  }

  /// The number that a peeled element is written as, where a constant has one
  /// for all elements, or is read at a constant place; null if it is not.
  TypedAttr literal(const Element &peeled);
  /// The value of a constant element, as a double; nothing for an integer that
  /// a double does not hold exactly. An i1 is 0 or 1. A comparison of positions
  /// that has one outcome for all of them is a constant, too.
  std::optional<double> constant(Element e);
  /// The integer of `e` as an affine function of the positions: one that no
  /// operation on the way wraps.
  AffineExpr affine(Element e);
  /// True if both are the same expression but for conversions between float
  /// types.
  bool equal(const Element &lhs, const Element &rhs);
  /// True if some part of the expression satisfies `predicate`. Arithmetic is
  /// followed, reductions and products are leaves.
  bool contains(const Element &e,
                function_ref<bool(const Element &)> predicate);

private:
  bool equal(Element lhs, Element rhs, unsigned &budget);
  /// The outcome of comparing two integers, if it is the same at all positions.
  std::optional<bool> decide(arith::CmpIPredicate predicate, const Element &a,
                             const Element &b);
  std::optional<Element> stepOut(const Element &e);
  std::optional<Element> stepThroughTensorOp(const Element &e);
  /// The operand of a concatenation that has an element at a constant place.
  std::optional<Element> stepInto(tensor::ConcatOp concat, const Element &e);
  AffineExpr computeAffine(const Element &peeled);
  AffineExpr quotient(Operation *op, AffineExpr lhs, AffineExpr rhs) const;
  AffineExpr readSteps(const Element &peeled);
  std::optional<SmallVector<AffineExpr>> split(AffineExpr index,
                                               ArrayRef<int64_t> sizes);
  std::optional<SmallVector<AffineExpr>>
  regroup(ArrayRef<AffineExpr> at, ArrayRef<int64_t> sizes,
          ArrayRef<ReassociationIndices> groups, bool splits);
  Positions &positions;
  /// What `affine` has returned.
  SmallVector<std::pair<Element, AffineExpr>> affineForms;
};

/// The loops of a nest for the element `at` of an operand of shape `shape`
/// behind `map`: loops that the map does not name are null. Nothing if the map
/// does not reach every element.
std::optional<SmallVector<AffineExpr>>
loopsFor(AffineMap map, ArrayRef<int64_t> shape, ArrayRef<AffineExpr> at);

/// Sets loops that are null to 0. False if one of them runs further.
bool fillUnitLoops(const Positions &positions, linalg::LinalgOp op,
                   MutableArrayRef<AffineExpr> loops);

/// `index` of a loop nest written in `map`, at iteration `loops`.
SmallVector<AffineExpr> indicesFor(Positions &positions, AffineMap map,
                                   ArrayRef<AffineExpr> loops);

} // namespace mlir::smx

#endif // SMX_RAISE_ELEMENT_H
