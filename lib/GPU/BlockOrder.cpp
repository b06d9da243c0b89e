//===- BlockOrder.cpp - in which order blocks start -----------------------===//

#include "BlockOrder.h"
#include "TurnedRows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
  /// The growth of a minimum or maximum of both.
  Growth either(Growth other) const {
    return {std::min(least, other.least), std::max(most, other.most)};
  }
  /// The growth of a quotient that is rounded, which jumps.
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

/// True if rounds of loops grow, and none shrink, with an induction variable.
static bool growsWith(scf::ForallOp nest, unsigned number) {
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

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

LogicalResult BlockOrder::countTiles(OpBuilder &host) {
  Location loc = nest.getLoc();
  AffineExpr lower, upper;
  bindDims(nest.getContext(), lower, upper);
  for (auto [from, to, step] :
       llvm::zip(nest.getMixedLowerBound(), nest.getMixedUpperBound(),
                 nest.getMixedStep())) {
    std::optional<int64_t> stride = getConstantIntValue(step);
    if (!stride)
      return nest.emitError("expected static steps of the loop over tiles");
    OpFoldResult count = affine::makeComposedFoldedAffineApply(
        host, loc, (upper - lower).ceilDiv(*stride), {from, to});
    counts.push_back(getValueOrCreateConstantIndexOp(host, loc, count));
  }
  grows = !counts.empty() && growsWith(nest, counts.size() - 1);
  if (grows) {
    lastCount = counts.back();
    if (mostBlocks != 0) {
      OpFoldResult pairs = affine::makeComposedFoldedAffineApply(
          host, loc, getAffineDimExpr(0, nest.getContext()).ceilDiv(2),
          {getAsOpFoldResult(lastCount)});
      counts.back() = getValueOrCreateConstantIndexOp(host, loc, pairs);
      dealt = findDealtWaves();
    }
  } else if (mostBlocks != 0 && !counts.empty()) {
    ramped = findRampedWalk();
  }
  tiles = arith::ConstantIndexOp::create(host, loc, 1);
  for (Value count : counts)
    tiles = arith::MulIOp::create(host, loc, tiles, count);
  blocks = tiles;
  if (cluster > 1)
    blocks = arith::MulIOp::create(
        host, loc, tiles, arith::ConstantIndexOp::create(host, loc, cluster));
  if (mostBlocks != 0)
    blocks = arith::MinSIOp::create(
        host, loc, tiles,
        arith::ConstantIndexOp::create(host, loc, mostBlocks));
  return success();
}

std::optional<int64_t> BlockOrder::countRows() const {
  int64_t rows = 1;
  for (Value count : ArrayRef(counts).drop_back()) {
    std::optional<int64_t> number = getConstantIntValue(count);
    if (!number)
      return std::nullopt;
    rows *= *number;
  }
  return rows;
}

std::optional<DealtWaves> BlockOrder::findDealtWaves() {
  std::optional<int64_t> tilesOfRow = getConstantIntValue(lastCount),
                         rows = countRows();
  if (dealFrom == 0 || !tilesOfRow || !rows ||
      DealtWaves::countRounds(nest, *tilesOfRow - 1).value_or(0) < dealFrom)
    return std::nullopt;
  return DealtWaves::of(*tilesOfRow, *rows, mostBlocks);
}

std::optional<RampedWalk> BlockOrder::findRampedWalk() {
  std::optional<int64_t> tilesOfRow = getConstantIntValue(counts.back()),
                         rows = countRows();
  if (!tilesOfRow || !rows)
    return std::nullopt;
  return RampedWalk::of(nest, *tilesOfRow, *rows, mostBlocks);
}

Value BlockOrder::numberOfTile(OpBuilder &builder, Outside outside) {
  Location loc = nest.getLoc();
  constexpr auto x = ::mlir::gpu::Dimension::x;
  Value block = ::mlir::gpu::BlockIdOp::create(builder, loc, x);
  if (cluster > 1) // Its blocks follow each other.
    block = arith::DivUIOp::create(
        builder, loc, block,
        arith::ConstantIndexOp::create(builder, loc, cluster));
  if (mostBlocks == 0)
    return block;
  Value step = ::mlir::gpu::GridDimOp::create(builder, loc, x);
  auto loop = scf::ForOp::create(builder, loc, block, outside(tiles), step);
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

bool BlockOrder::isLastTileShorter() {
  std::optional<int64_t> from = getConstantIntValue(
                             nest.getMixedLowerBound().back()),
                         to = getConstantIntValue(
                             nest.getMixedUpperBound().back()),
                         step = getConstantIntValue(nest.getMixedStep().back());
  return from && to && step && (*to - *from) % *step != 0;
}

Value BlockOrder::numberInPair(OpBuilder &builder, Outside outside,
                               Value number) {
  Location loc = nest.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value last =
      arith::SubIOp::create(builder, loc, outside(lastCount), constant(1));
  Value partner = arith::SubIOp::create(builder, loc, last, number);
  // The one in the middle has no partner.
  Value isAlone = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        number, partner);
  Value members =
      arith::SelectOp::create(builder, loc, isAlone, constant(1), constant(2));
  auto loop =
      scf::ForOp::create(builder, loc, constant(0), members, constant(1));
  builder.setInsertionPointToStart(loop.getBody());
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       loop.getInductionVar(), constant(0));
  return arith::SelectOp::create(builder, loc, isLong, partner, number);
}

SmallVector<Value> BlockOrder::findTile(OpBuilder &builder, Outside outside) {
  Location loc = nest.getLoc();
  SmallVector<OpFoldResult> lowers = nest.getMixedLowerBound(),
                            steps = nest.getMixedStep();
  SmallVector<Value> numbers(counts.size());
  unsigned dimsOfRest = counts.size();
  Value rest;
  if (dealt || ramped) {
    DealtWaves::Place place =
        dealt ? dealt->emitWalk(builder, loc) : ramped->emitWalk(builder, loc);
    numbers[--dimsOfRest] = place.tile;
    rest = place.row;
  } else {
    rest = numberOfTile(builder, outside);
  }
  for (unsigned dim = dimsOfRest; dim-- > 0;) {
    numbers[dim] = rest;
    if (dim != 0) {
      Value count = outside(counts[dim]);
      if (getConstantIntValue(counts[dim]) == 1) {
        numbers[dim] = arith::ConstantIndexOp::create(builder, loc, 0);
      } else {
        numbers[dim] = arith::RemUIOp::create(builder, loc, rest, count);
        rest = arith::DivUIOp::create(builder, loc, rest, count);
      }
      std::optional<int64_t> tiles = getConstantIntValue(counts[dim]);
      if (dim == counts.size() - 1 && mostBlocks != 0 && !grows && tiles &&
          isLastTileShorter())
        numbers[dim] = TurnedRows::of(*tiles, mostBlocks)
                           .emit(builder, loc, numbers[dim], rest);
    }
  }
  if (grows && !dealt && mostBlocks != 0) {
    numbers.back() = numberInPair(builder, outside, numbers.back());
  } else if (grows && !dealt) {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, outside(lastCount), one);
    numbers.back() = arith::SubIOp::create(builder, loc, last, numbers.back());
  }
  for (auto [dim, number] : llvm::enumerate(numbers)) {
    Value step = arith::ConstantIndexOp::create(
        builder, loc, *getConstantIntValue(steps[dim]));
    number = arith::MulIOp::create(builder, loc, number, step);
    if (!isConstantIntValue(lowers[dim], 0)) {
      Value from = getConstantIntValue(lowers[dim])
                       ? arith::ConstantIndexOp::create(
                             builder, loc, *getConstantIntValue(lowers[dim]))
                             .getResult()
                       : outside(cast<Value>(lowers[dim]));
      number = arith::AddIOp::create(builder, loc, number, from);
    }
  }
  return numbers;
}

} // namespace mlir::smx::gpu
