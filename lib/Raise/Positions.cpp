//===- Positions.cpp - index arithmetic of named positions ----------------===//

#include "Element.h"

using namespace mlir;
using namespace mlir::smx;

AffineExpr Positions::add(int64_t extent) {
  extents.push_back(extent);
  return get(size() - 1);
}

SmallVector<AffineExpr> Positions::getAll() const {
  SmallVector<AffineExpr> all;
  for (unsigned n = 0; n < size(); ++n)
    all.push_back(get(n));
  return all;
}

AffineExpr Positions::normalize(AffineExpr expr) const {
  SmallVector<AffineExpr> replacements = getAll();
  for (auto [n, extent] : llvm::enumerate(extents))
    if (extent == 1)
      replacements[n] = constant(0);
  return simplify(expr.replaceDims(replacements));
}

std::optional<int64_t> Positions::upperBound(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    int64_t extent = extents[dim.getPosition()];
    return ShapedType::isDynamic(extent) ? std::nullopt
                                         : std::optional(extent - 1);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  std::optional<int64_t> lhs = upperBound(binary.getLHS());
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> rhs = upperBound(binary.getRHS());
    return lhs && rhs ? std::optional(*lhs + *rhs) : std::nullopt;
  }
  if (!factor || factor.getValue() <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mod)
    return lhs ? std::min(*lhs, factor.getValue() - 1) : factor.getValue() - 1;
  if (!lhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return *lhs * factor.getValue();
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return *lhs / factor.getValue();
  return std::nullopt;
}

std::optional<IntegerRange> mlir::smx::multiply(IntegerRange range,
                                                int64_t factor) {
  int64_t a, b;
  if (llvm::MulOverflow(range.lowest, factor, a) ||
      llvm::MulOverflow(range.highest, factor, b))
    return std::nullopt;
  return IntegerRange{std::min(a, b), std::max(a, b)};
}

std::optional<IntegerRange> Positions::range(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return IntegerRange{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    int64_t extent = extents[dim.getPosition()];
    if (ShapedType::isDynamic(extent))
      extent = maxDynamicExtent;
    // No position is 0 alone, so that a range bounds the coefficients, too.
    return IntegerRange{0, std::max<int64_t>(extent - 1, 1)};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto lhs = binary ? range(binary.getLHS()) : std::nullopt;
  auto rhs = binary ? range(binary.getRHS()) : std::nullopt;
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    IntegerRange sum;
    if (llvm::AddOverflow(lhs->lowest, rhs->lowest, sum.lowest) ||
        llvm::AddOverflow(lhs->highest, rhs->highest, sum.highest))
      return std::nullopt;
    return sum;
  }
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return std::nullopt;
  int64_t factor = constant.getValue();
  if (expr.getKind() == AffineExprKind::Mul)
    return multiply(*lhs, factor);
  if (factor <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mod)
    return IntegerRange{0, factor - 1};
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return IntegerRange{llvm::divideFloorSigned(lhs->lowest, factor),
                        llvm::divideFloorSigned(lhs->highest, factor)};
  return std::nullopt;
}

/// The signed predicate that holds of numbers that are not negative where
/// `predicate` does.
static arith::CmpIPredicate signedOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::ule:
    return arith::CmpIPredicate::sle;
  case arith::CmpIPredicate::ult:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::uge:
    return arith::CmpIPredicate::sge;
  case arith::CmpIPredicate::ugt:
    return arith::CmpIPredicate::sgt;
  default:
    return predicate;
  }
}

AffineExpr Positions::slack(arith::CmpIPredicate predicate, AffineExpr lhs,
                            AffineExpr rhs) const {
  auto isNotNegative = [&](AffineExpr expr) {
    auto between = range(expr);
    return between && between->lowest >= 0;
  };
  if (isNotNegative(lhs) && isNotNegative(rhs))
    predicate = signedOf(predicate);
  switch (predicate) {
  case arith::CmpIPredicate::sle:
    return simplify(rhs - lhs);
  case arith::CmpIPredicate::slt:
    return simplify(rhs - lhs - 1);
  case arith::CmpIPredicate::sge:
    return simplify(lhs - rhs);
  case arith::CmpIPredicate::sgt:
    return simplify(lhs - rhs - 1);
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Index arithmetic of reshapes
//===----------------------------------------------------------------------===//

static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  if (expr.getKind() != AffineExprKind::Add) {
    terms.push_back(expr);
    return;
  }
  auto sum = cast<AffineBinaryOpExpr>(expr);
  collectTerms(sum.getLHS(), terms);
  collectTerms(sum.getRHS(), terms);
}

/// `index = quotient * size + remainder` with a remainder in [0, size).
static std::pair<AffineExpr, AffineExpr>
divide(const Positions &positions, AffineExpr index, int64_t size) {
  SmallVector<AffineExpr> terms;
  collectTerms(index, terms);
  AffineExpr quotient = positions.constant(0), rest = positions.constant(0);
  for (AffineExpr term : terms) {
    if (term.isMultipleOf(size))
      quotient = quotient + term.floorDiv(size);
    else
      rest = rest + term;
  }
  std::optional<int64_t> bound = positions.upperBound(rest);
  if (bound && *bound < size)
    return {positions.simplify(quotient), positions.simplify(rest)};
  return {positions.simplify(quotient + rest.floorDiv(size)),
          positions.simplify(rest % size)};
}

std::optional<SmallVector<AffineExpr>>
ElementReader::split(AffineExpr index, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> indices(sizes.size(), positions.constant(0));
  int64_t others = llvm::count_if(sizes, [](int64_t n) { return n != 1; });
  for (int64_t k = sizes.size() - 1; k >= 0; --k) {
    if (sizes[k] == 1)
      continue;
    if (--others == 0) {
      indices[k] = index;
      return indices;
    }
    // What is further left needs the extent of this dimension.
    if (ShapedType::isDynamic(sizes[k]) || sizes[k] == 0)
      return std::nullopt;
    std::tie(index, indices[k]) = divide(positions, index, sizes[k]);
  }
  return indices;
}

std::optional<AffineExpr> ElementReader::join(ArrayRef<AffineExpr> indices,
                                              ArrayRef<int64_t> sizes) {
  AffineExpr joined = positions.constant(0);
  bool isFirst = true;
  for (auto [index, size] : llvm::zip(indices, sizes)) {
    if (size == 1)
      continue;
    if (!isFirst && ShapedType::isDynamic(size))
      return std::nullopt;
    joined = isFirst ? index : joined * size + index;
    isFirst = false;
  }
  return positions.simplify(joined);
}

std::optional<SmallVector<AffineExpr>>
ElementReader::regroup(ArrayRef<AffineExpr> at, ArrayRef<int64_t> sizes,
                       ArrayRef<ReassociationIndices> groups, bool splits) {
  SmallVector<AffineExpr> result;
  unsigned next = 0;
  for (const ReassociationIndices &group : groups) {
    ArrayRef<int64_t> groupSizes = sizes.slice(group.front(), group.size());
    if (splits) {
      auto indices = split(at[next++], groupSizes);
      if (!indices)
        return std::nullopt;
      llvm::append_range(result, *indices);
      continue;
    }
    auto index = join(at.slice(group.front(), group.size()), groupSizes);
    if (!index)
      return std::nullopt;
    result.push_back(*index);
  }
  // A reassociation of a rank-0 tensor has no groups.
  if (groups.empty() && splits)
    result.assign(sizes.size(), positions.constant(0));
  return result;
}
