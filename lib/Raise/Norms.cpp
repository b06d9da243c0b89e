//===- Norms.cpp - recognising means of rows ------------------------------===//

#include "Norms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  return isSquare ? std::optional(base) : std::nullopt;
}

/// Makes `e` the op that takes the root of its operand, if it is 1 / sqrt.
static bool stripToReciprocalRoot(ElementReader &reader, Element &e) {
  if (reader.stripTo<math::RsqrtOp>(e))
    return true;
  Element quotient = e;
  if (!reader.stripTo<arith::DivFOp>(quotient) ||
      reader.constant(reader.operand(quotient, 0)) != 1.0)
    return false;
  e = reader.operand(quotient, 1);
  return reader.stripTo<math::SqrtOp>(e) != nullptr;
}

bool mlir::smx::matchQuotientByRoot(
    ElementReader &reader, const Element &e,
    llvm::function_ref<bool(const Element &numerator, const Element &square)>
        accept) {
  bool isQuotient = isa<arith::DivFOp>(reader.arithmetic(e));
  for (unsigned n = 0; n < (isQuotient ? 1u : 2u); ++n) {
    Element scale = reader.operand(e, 1 - n);
    bool isRoot = isQuotient ? reader.stripTo<math::SqrtOp>(scale) != nullptr
                             : stripToReciprocalRoot(reader, scale);
    if (isRoot && accept(reader.operand(e, n), reader.operand(scale, 0)))
      return true;
  }
  return false;
}
