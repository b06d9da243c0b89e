//===- Norms.cpp - recognising means of rows ------------------------------===//

#include "Norms.h"

#include "Attention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::smx;

/// The number of elements of the row, as a constant or as the size of a tensor.
bool RowMeans::isExtent(Element e, const Element &input) {
  if (std::optional<double> constant = reader.constant(e))
    return !ShapedType::isDynamic(extent.size) &&
           *constant == (double)extent.size;
  e = reader.strip(e);
  while (Operation *op = reader.arithmetic(e)) {
    if (!isa<arith::SIToFPOp, arith::UIToFPOp, arith::IndexCastOp>(op))
      return false;
    e = reader.strip(reader.operand(e, 0));
  }
  auto dim = e.value.getDefiningOp<tensor::DimOp>();
  return dim && dim.getConstantIndex() == axis && input.value &&
         dim.getSource() ==
             findTensor(reader, input, reader.getPositions().getAll());
}

std::optional<Element> RowMeans::match(Element e, const Element &input) {
  e = reader.strip(e);
  Operation *op = reader.arithmetic(e);
  if (isa_and_nonnull<arith::DivFOp>(op) &&
      isExtent(reader.operand(e, 1), input))
    return matchRowSum(reader, reader.operand(e, 0), position, extent);
  if (!isa_and_nonnull<arith::MulFOp>(op) || ShapedType::isDynamic(extent.size))
    return std::nullopt;
  for (unsigned n : {0u, 1u}) {
    auto factor = reader.constant(reader.operand(e, n));
    if (factor && isAlmostEqual(*factor * extent.size, 1, e.getType()))
      return matchRowSum(reader, reader.operand(e, 1 - n), position, extent);
  }
  return std::nullopt;
}

std::optional<Element> RowMeans::dropEpsilon(Element e, double &epsilon) {
  epsilon = 0;
  e = reader.strip(e);
  if (isa_and_nonnull<arith::AddFOp>(reader.arithmetic(e))) {
    auto rhs = reader.constant(reader.operand(e, 1));
    auto lhs = reader.constant(reader.operand(e, 0));
    if (!rhs && !lhs)
      return std::nullopt;
    epsilon = rhs ? *rhs : *lhs;
    e = reader.operand(e, rhs ? 0 : 1);
  }
  if (!std::isfinite(epsilon) || epsilon < 0)
    return std::nullopt;
  return e;
}

std::optional<Element> mlir::smx::matchSquare(ElementReader &reader,
                                              Element e) {
  e = reader.strip(e);
  Operation *op = reader.arithmetic(e);
  if (!isa_and_nonnull<arith::MulFOp, math::PowFOp, math::FPowIOp>(op))
    return std::nullopt;
  Element base = reader.operand(e, 0), other = reader.operand(e, 1);
  bool isSquare = isa<arith::MulFOp>(op) ? reader.equal(base, other)
                                         : reader.constant(other) == 2.0;
  if (!isSquare)
    return std::nullopt;
  base = reader.strip(base);
  return isa_and_nonnull<math::AbsFOp>(reader.arithmetic(base))
             ? reader.operand(base, 0)
             : base;
}

/// Makes `e` the power of `exponent` of its operand, if it is one.
static bool stripToPower(ElementReader &reader, Element &e, double exponent) {
  return reader.stripTo<math::PowFOp>(e) &&
         reader.constant(reader.operand(e, 1)) == exponent;
}

/// Makes `e` the op that takes the root of its operand, if it is a root.
static bool stripToRoot(ElementReader &reader, Element &e) {
  return reader.stripTo<math::SqrtOp>(e) || stripToPower(reader, e, 0.5);
}

/// The same of 1 / sqrt.
static bool stripToReciprocalRoot(ElementReader &reader, Element &e) {
  if (reader.stripTo<math::RsqrtOp>(e) || stripToPower(reader, e, -0.5))
    return true;
  Element quotient = e;
  if (!reader.stripTo<arith::DivFOp>(quotient) ||
      reader.constant(reader.operand(quotient, 0)) != 1.0)
    return false;
  e = reader.operand(quotient, 1);
  return stripToRoot(reader, e);
}

/// Adds the factors of the product that `e` is, or `e`.
static void collectFactors(ElementReader &reader, Element e,
                           SmallVectorImpl<Element> &factors) {
  constexpr size_t most = 6;
  Element product = e;
  if (factors.size() >= most || !reader.stripTo<arith::MulFOp>(product)) {
    factors.push_back(e);
    return;
  }
  for (unsigned n : {0u, 1u})
    collectFactors(reader, reader.operand(product, n), factors);
}

bool mlir::smx::matchQuotientByRoot(ElementReader &reader, const Element &e,
                                    AcceptQuotient accept) {
  bool isQuotient = isa<arith::DivFOp>(reader.arithmetic(e));
  for (unsigned n = 0; n < (isQuotient ? 1u : 2u); ++n) {
    Element scale = reader.operand(e, 1 - n);
    bool isRoot = isQuotient ? stripToRoot(reader, scale)
                             : stripToReciprocalRoot(reader, scale);
    if (isRoot && accept(reader.operand(e, n), reader.operand(scale, 0)))
      return true;
  }
  return false;
}

/// True if a factor of the product `e` is a quotient that another op than the
/// root's computes: that op becomes the norm.
static bool isComputedInside(RowRoot &root, const Element &e,
                             AcceptQuotient accept) {
  ElementReader &reader = root.reader;
  for (unsigned n : {0u, 1u}) {
    Element factor = reader.strip(reader.operand(e, n));
    Operation *op = reader.arithmetic(factor);
    if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
      continue;
    if ((!root.computes(factor) &&
         matchQuotientByRoot(reader, factor, accept)) ||
        (isa<arith::MulFOp>(op) && isComputedInside(root, factor, accept)))
      return true;
  }
  return false;
}

bool mlir::smx::matchWeightedQuotient(RowRoot &root, const Element &e,
                                      SmallVectorImpl<Element> &weights,
                                      AcceptQuotient accept) {
  ElementReader &reader = root.reader;
  bool isQuotient = isa<arith::DivFOp>(reader.arithmetic(e));
  SmallVector<Element> factors;
  std::optional<Element> square;
  collectFactors(reader, isQuotient ? reader.operand(e, 0) : e, factors);
  if (isQuotient) {
    Element scale = reader.operand(e, 1);
    if (stripToRoot(reader, scale))
      square = reader.operand(scale, 0);
  } else {
    for (auto *factor = factors.begin(); factor != factors.end(); ++factor)
      if (Element scale = *factor; stripToReciprocalRoot(reader, scale)) {
        square = reader.operand(scale, 0);
        factors.erase(factor);
        break;
      }
  }
  if (!square || factors.size() < 2 ||
      (!isQuotient && isComputedInside(root, e, accept)))
    return false;
  for (size_t n = 0; n < factors.size(); ++n) {
    weights = factors;
    weights.erase(weights.begin() + n);
    bool areWeights = llvm::none_of(weights, [&](const Element &weight) {
      return reader.contains(weight, isReduction);
    });
    if (areWeights && accept(factors[n], *square))
      return true;
  }
  weights.clear();
  return false;
}

std::optional<SmallVector<NormWeight>>
mlir::smx::findNormWeights(RowRoot &root, ArrayRef<Element> weights) {
  MLIRContext *context = root.op->getContext();
  const int64_t rank = root.getType().getRank();
  SmallVector<NormWeight> found;
  for (const Element &weight : weights) {
    // Each place of the tensor is one of the row's, or its only one.
    auto isRead = [&](const Element &form) {
      auto type = cast<RankedTensorType>(form.value.getType());
      return llvm::all_of(llvm::enumerate(form.at), [&](auto place) {
        auto [k, index] = place;
        if (isa<AffineConstantExpr>(index))
          return type.getDimSize(k) == 1;
        auto dim = dyn_cast<AffineDimExpr>(index);
        return dim && form.covers(k, root.positions.extent(dim.getPosition()));
      });
    };
    auto forms = findStoredForms(root.reader, weight, /*allowFactor=*/false);
    auto form = llvm::find_if(llvm::reverse(forms), [&](auto &stored) {
      return isRead(stored.first);
    });
    if (form == forms.rend())
      return std::nullopt;
    found.push_back(
        {form->first.value, AffineMap::get(rank, 0, form->first.at, context)});
  }
  return found;
}

Value mlir::smx::multiply(RewriterBase &rewriter, Location loc, Value norm,
                          ArrayRef<NormWeight> weights) {
  if (weights.empty())
    return norm;
  auto type = cast<RankedTensorType>(norm.getType());
  AffineMap places = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs{norm};
  SmallVector<AffineMap> maps{places};
  for (const NormWeight &weight : weights) {
    inputs.push_back(weight.tensor);
    maps.push_back(weight.map);
  }
  maps.push_back(places);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, norm),
      type.getElementType());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, type, inputs, empty, maps, kinds,
             [&](OpBuilder &b, Location place, ValueRange values) {
               Value product = values[0];
               for (Value weight : values.drop_front().drop_back())
                 product = arith::MulFOp::create(
                     b, place, product,
                     convertScalarToDtype(b, place, weight, product.getType(),
                                          /*isUnsignedCast=*/false));
               linalg::YieldOp::create(b, place, product);
             })
      .getResult(0);
}
