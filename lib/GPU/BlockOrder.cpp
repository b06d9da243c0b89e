//===- BlockOrder.cpp - in which order blocks start -----------------------===//

#include "BlockOrder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::smx::gpu {

namespace {
/// How much a number grows, at least and at most, when a variable does by 1.
/// Sums and minima of such bounds are right where the single terms go in
/// opposite directions: i + min(n - i, 128) does not shrink.
struct Growth {
  double least, most;

  static Growth none() { return {0, 0}; }
  static Growth unknown() {
    constexpr double any = std::numeric_limits<double>::infinity();
    return {-any, any};
  }

  Growth operator+(Growth other) const {
    return {least + other.least, most + other.most};
  }
  Growth operator-() const { return {-most, -least}; }
  Growth scaled(double factor) const {
    if (factor == 0)
      return none();
    return factor < 0 ? (-*this).scaled(-factor)
                      : Growth{least * factor, most * factor};
  }
  /// Of a minimum or maximum of both.
  Growth either(Growth other) const {
    return {std::min(least, other.least), std::max(most, other.most)};
  }
  /// Of a quotient that is rounded, which jumps.
  Growth stepwise() const {
    Growth result = unknown();
    if (least >= 0)
      result.least = 0;
    if (most <= 0)
      result.most = 0;
    return result;
  }
};

class GrowthAnalysis {
public:
  explicit GrowthAnalysis(scf::ForallOp nest, Value variable)
      : nest(nest), variable(variable) {}

  Growth of(Value value) {
    if (value == variable)
      return {1, 1};
    if (!nest->isAncestor(value.getParentBlock()->getParentOp()) ||
        llvm::is_contained(nest.getInductionVars(), value))
      return Growth::none();
    Operation *op = value.getDefiningOp();
    return op ? ofResult(op) : Growth::unknown();
  }

private:
  Growth ofResult(Operation *op) {
    auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
    return llvm::TypeSwitch<Operation *, Growth>(op)
        .Case([&](arith::ConstantOp) { return Growth::none(); })
        .Case([&](arith::AddIOp) { return operand(0) + operand(1); })
        .Case([&](arith::SubIOp) { return operand(0) + -operand(1); })
        .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
            [&](auto) { return operand(0).either(operand(1)); })
        .Case([&](affine::AffineApplyOp apply) {
          return ofExpr(apply.getAffineMap().getResult(0),
                        apply.getAffineMap().getNumDims(), op->getOperands());
        })
        .Case<affine::AffineMinOp, affine::AffineMaxOp>([&](auto choice) {
          AffineMap map = choice.getAffineMap();
          auto one = [&](AffineExpr expr) {
            return ofExpr(expr, map.getNumDims(), op->getOperands());
          };
          Growth result = one(map.getResult(0));
          for (AffineExpr expr : map.getResults().drop_front())
            result = result.either(one(expr));
          return result;
        })
        .Default([&](Operation *) {
          return llvm::all_of(op->getOperands(),
                              [&](Value operand) {
                                Growth growth = of(operand);
                                return growth.least == 0 && growth.most == 0;
                              }) &&
                         op->getNumRegions() == 0
                     ? Growth::none()
                     : Growth::unknown();
        });
  }

  Growth ofExpr(AffineExpr expr, unsigned numDims, ValueRange operands) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return of(operands[dim.getPosition()]);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return of(operands[numDims + symbol.getPosition()]);
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return Growth::none();
    Growth left = ofExpr(binary.getLHS(), numDims, operands);
    auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return left + ofExpr(binary.getRHS(), numDims, operands);
    case AffineExprKind::Mul:
      return number ? left.scaled(number.getValue()) : Growth::unknown();
    case AffineExprKind::FloorDiv:
    case AffineExprKind::CeilDiv:
      return number && number.getValue() > 0 ? left.stepwise()
                                             : Growth::unknown();
    default:
      return Growth::unknown();
    }
  }

  scf::ForallOp nest;
  Value variable;
};
} // namespace

bool growsWith(scf::ForallOp nest, unsigned number) {
  GrowthAnalysis analysis(nest, nest.getInductionVar(number));
  bool grows = false, shrinks = false;
  nest.walk([&](scf::ForOp loop) {
    Growth rounds =
        analysis.of(loop.getUpperBound()) + -analysis.of(loop.getLowerBound());
    grows |= rounds.least >= 0 && rounds.most > 0;
    shrinks |= rounds.most <= 0 && rounds.least < 0;
  });
  return grows && !shrinks;
}

} // namespace mlir::smx::gpu
