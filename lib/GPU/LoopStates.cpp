//===- LoopStates.cpp - states of a row that a loop carries ---------------===//

#include "LoopStates.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::smx::gpu;

bool mlir::smx::gpu::isRowValue(Type type) {
  return getSlice(type) && cast<RankedTensorType>(type).getDimSize(0) == 1;
}

namespace {

/// Finds a state in what a loop yields.
class StateMatcher {
public:
  explicit StateMatcher(scf::ForOp loop) : loop(loop) {}

  std::optional<SmallVector<LoopState>> match();

private:
  Value argument(unsigned number) { return loop.getRegionIterArg(number); }
  Value yielded(unsigned number) { return loop.getYieldedValues()[number]; }
  Value init(unsigned number) { return loop.getInitArgs()[number]; }

  /// `value` is computed from none of the row.
  bool isOfTiles(Value value);
  /// `value` follows from maxima of such tiles alone.
  bool isOfMaxima(Value value);

  /// The argument grows by as much in each round.
  bool isCount(unsigned number);
  /// The argument becomes the larger one of it and the tile's maximum.
  bool isMaximum(unsigned number);
  std::optional<LoopState> matchWeights(unsigned maximum, unsigned sum);
  std::optional<LoopState> matchSquares(unsigned scale, unsigned sum);
  /// The mean of distances from what follows from `maximum`, of as many
  /// elements as `count` says:
  ///   t' = (t + o(m) - o(m')) n/n' + (sum (s - o(m')) / c + o(m') - o(m'))
  ///   c/n'
  std::optional<LoopState> matchMean(unsigned count, unsigned maximum,
                                     unsigned mean);
  /// The quotient of the sum of a tile's distances from `origin` and of the
  /// number of elements that it has.
  bool isTileMean(arith::DivFOp mean, Value origin);
  /// The two or three that belong together.
  bool matchOthers(ArrayRef<unsigned> others,
                   SmallVectorImpl<LoopState> &states);
  /// The sum of the tile that is added to what `isRescaled` says is the
  /// argument, rescaled; null if there is none.
  ReduceOp sumOfTile(unsigned number, function_ref<bool(Value)> isRescaled);

  scf::ForOp loop;
  llvm::DenseMap<Value, bool> ofTiles;
};
} // namespace

static Value withoutConversion(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

bool StateMatcher::isOfTiles(Value value) {
  // A network that sorts has as many paths as there are powers of its depth.
  auto [known, isNew] = ofTiles.try_emplace(value, true);
  if (!isNew)
    return known->second;
  Operation *op = value.getDefiningOp();
  bool is = !isRowValue(value.getType()) &&
            (!op || op->getBlock() != loop.getBody() ||
             llvm::all_of(op->getOperands(),
                          [&](Value operand) { return isOfTiles(operand); }));
  return ofTiles[value] = is;
}

bool StateMatcher::isOfMaxima(Value value) {
  if (isSplat(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == Combiner::MaxNum && isOfTiles(reduce.getTile());
  return isRowValue(value.getType()) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isOfMaxima(operand); });
}

bool StateMatcher::isCount(unsigned number) {
  auto add = yielded(number).getDefiningOp<arith::AddFOp>();
  return add && add.getLhs() == argument(number) && isSplat(add.getRhs());
}

ReduceOp StateMatcher::sumOfTile(unsigned number,
                                 function_ref<bool(Value)> isRescaled) {
  auto add = withoutConversion(yielded(number)).getDefiningOp<arith::AddFOp>();
  if (!add || !argument(number).hasOneUse() ||
      !matchPattern(init(number), m_AnyZeroFloat()))
    return {};
  for (auto [before, ofTile] : {std::pair(add.getLhs(), add.getRhs()),
                                std::pair(add.getRhs(), add.getLhs())}) {
    if (!isRescaled(withoutConversion(before)))
      continue;
    Value tile = withoutConversion(ofTile);
    if (auto start = tile.getDefiningOp<arith::AddFOp>();
        start && matchPattern(start.getRhs(), m_AnyZeroFloat()))
      tile = withoutConversion(start.getLhs());
    auto reduce = tile.getDefiningOp<ReduceOp>();
    if (reduce && reduce.getKind() == Combiner::Add)
      return reduce;
  }
  return {};
}

bool StateMatcher::isMaximum(unsigned number) {
  Value x, y, value = yielded(number);
  if (auto larger = value.getDefiningOp<arith::MaxNumFOp>()) {
    x = larger.getLhs();
    y = larger.getRhs();
  } else if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    x = select.getTrueValue();
    y = select.getFalseValue();
    if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT ||
        compare.getLhs() != x || compare.getRhs() != y)
      return false;
  }
  if (!x || y != argument(number) ||
      !matchPattern(init(number), m_NegInfFloat()))
    return false;
  // The maximum of the tile, or of the tile and nothing.
  if (auto larger = x.getDefiningOp<arith::MaxNumFOp>();
      larger && isSplat(larger.getRhs()))
    x = larger.getLhs();
  auto reduce = x.getDefiningOp<ReduceOp>();
  return reduce && reduce.getKind() == Combiner::MaxNum &&
         isOfTiles(reduce.getTile());
}

/// What `exponential` multiplies a difference by, which `factor`, or nothing,
/// is for, if it were to the base of e.
static std::optional<double> scaleOf(Operation *exponential, Value factor) {
  SplatElementsAttr splat;
  if (factor && !matchPattern(factor, m_Constant(&splat)))
    return std::nullopt;
  double scale =
      factor ? splat.getSplatValue<APFloat>().convertToDouble() : 1.0;
  return isa<math::Exp2Op>(exponential) ? scale * llvm::numbers::ln2 : scale;
}

std::optional<LoopState> StateMatcher::matchWeights(unsigned maximum,
                                                    unsigned sum) {
  if (!isMaximum(maximum))
    return std::nullopt;
  Value reference;
  std::optional<double> scale;
  ReduceOp weights = sumOfTile(sum, [&](Value before) {
    auto rescaled = before.getDefiningOp<arith::MulFOp>();
    if (!rescaled || withoutConversion(rescaled.getLhs()) != argument(sum))
      return false;
    auto exponential =
        withoutConversion(rescaled.getRhs()).getDefiningOp<math::ExpOp>();
    Value power = exponential ? exponential.getOperand() : Value();
    auto product =
        power ? power.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
    if (exponential)
      scale = scaleOf(exponential, product ? product.getRhs() : Value());
    if (product)
      power = product.getLhs();
    auto difference =
        power ? power.getDefiningOp<arith::SubFOp>() : arith::SubFOp();
    if (!difference || difference.getLhs() != argument(maximum))
      return false;
    reference = difference.getRhs();
    return true;
  });
  std::optional<Weight> weight =
      weights ? matchWeight(weights.getTile()) : std::nullopt;
  // Of f16 and bf16 weights are powers of 2.
  constexpr double nearly = 1e-6;
  std::optional<double> ofWeights =
      weight ? scaleOf(weight->exponential, weight->factor) : std::nullopt;
  if (!ofWeights || !scale ||
      std::abs(*ofWeights - *scale) > nearly * std::abs(*scale) ||
      weight->reference != reference ||
      !isOfValues(reference, yielded(maximum)) ||
      getElementTypeOrSelf(reference.getType()) !=
          getElementTypeOrSelf(yielded(maximum).getType()))
    return std::nullopt;
  return LoopState{LoopState::Kind::Weights, sum, maximum, *weight};
}

std::optional<LoopState> StateMatcher::matchSquares(unsigned scale,
                                                    unsigned sum) {
  auto smaller = yielded(scale).getDefiningOp<arith::SelectOp>();
  auto compare = smaller ? smaller.getCondition().getDefiningOp<arith::CmpFOp>()
                         : arith::CmpFOp();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT ||
      compare.getLhs() != argument(scale) ||
      smaller.getFalseValue() != argument(scale) ||
      smaller.getTrueValue() != compare.getRhs() ||
      !isOfMaxima(compare.getRhs()))
    return std::nullopt;
  // q (s'/s) (s'/s)
  auto isRatio = [&](Value value) {
    auto ratio = withoutConversion(value).getDefiningOp<arith::DivFOp>();
    return ratio && ratio.getLhs() == yielded(scale) &&
           ratio.getRhs() == argument(scale);
  };
  ReduceOp squares = sumOfTile(sum, [&](Value before) {
    auto twice = before.getDefiningOp<arith::MulFOp>();
    auto once =
        twice ? twice.getLhs().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
    return once && withoutConversion(once.getLhs()) == argument(sum) &&
           isRatio(once.getRhs()) && isRatio(twice.getRhs());
  });
  auto square =
      squares
          ? withoutConversion(squares.getTile()).getDefiningOp<arith::MulFOp>()
          : arith::MulFOp();
  auto scaled = square && square.getLhs() == square.getRhs()
                    ? square.getLhs().getDefiningOp<arith::MulFOp>()
                    : arith::MulFOp();
  auto broadcast =
      scaled ? scaled.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!broadcast || broadcast.getValues() != yielded(scale) ||
      !isOfTiles(scaled.getLhs()))
    return std::nullopt;
  return LoopState{LoopState::Kind::Squares, sum, scale};
}

/// `a` is made of `leafOfA` as `b` is of `leafOfB`.
static bool areAlike(Value a, Value leafOfA, Value b, Value leafOfB) {
  if (a == leafOfA || b == leafOfB)
    return a == leafOfA && b == leafOfB;
  Operation *ofA = a.getDefiningOp(), *ofB = b.getDefiningOp();
  return ofA && ofB && ofA->getName() == ofB->getName() &&
         ofA->getAttrs() == ofB->getAttrs() &&
         ofA->getPropertiesAsAttribute() == ofB->getPropertiesAsAttribute() &&
         ofA->getNumOperands() == ofB->getNumOperands() &&
         ofA->getNumRegions() == 0 && a.getType() == b.getType() &&
         llvm::all_of(llvm::zip_equal(ofA->getOperands(), ofB->getOperands()),
                      [&](auto operands) {
                        return areAlike(std::get<0>(operands), leafOfA,
                                        std::get<1>(operands), leafOfB);
                      });
}

bool StateMatcher::isTileMean(arith::DivFOp mean, Value origin) {
  Value sum = mean.getLhs();
  if (auto start = sum.getDefiningOp<arith::AddFOp>();
      start && matchPattern(start.getRhs(), m_AnyZeroFloat()))
    sum = start.getLhs();
  auto reduce = sum.getDefiningOp<ReduceOp>();
  APFloat count(0.0);
  if (!reduce || reduce.getKind() != Combiner::Add ||
      !matchPattern(mean.getRhs(), m_ConstantFloat(&count)) ||
      count.convertToDouble() !=
          double(reduce.getTile().getType().getDimSize(1)))
    return false;
  auto distance = reduce.getTile().getDefiningOp<math::FmaOp>();
  auto minus =
      distance ? distance.getC().getDefiningOp<BroadcastOp>() : BroadcastOp();
  auto negated = minus ? minus.getValues().getDefiningOp<arith::NegFOp>()
                       : arith::NegFOp();
  return negated && negated.getOperand() == origin &&
         isSplat(distance.getB()) && isOfTiles(distance.getA());
}

std::optional<LoopState>
StateMatcher::matchMean(unsigned count, unsigned maximum, unsigned mean) {
  auto isShare = [&](Value value, auto isCount) -> Value {
    auto product =
        value ? value.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
    auto share = product ? product.getRhs().getDefiningOp<arith::DivFOp>()
                         : arith::DivFOp();
    bool is =
        share && share.getRhs() == yielded(count) && isCount(share.getLhs());
    return is ? product.getLhs() : Value();
  };
  auto all = yielded(mean).getDefiningOp<arith::AddFOp>();
  auto before =
      all ? all.getLhs().getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  auto isEmpty = before ? before.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  if (!isEmpty || isEmpty.getPredicate() != arith::CmpFPredicate::OEQ ||
      isEmpty.getLhs() != argument(count) ||
      !matchPattern(isEmpty.getRhs(), m_AnyZeroFloat()) ||
      !matchPattern(before.getTrueValue(), m_AnyZeroFloat()) ||
      !matchPattern(init(count), m_AnyZeroFloat()) ||
      !matchPattern(init(mean), m_AnyZeroFloat()) ||
      !argument(mean).hasOneUse())
    return std::nullopt;
  auto isElements = [&](Value value) {
    auto grown = yielded(count).getDefiningOp<arith::AddFOp>();
    return value == grown.getRhs();
  };
  Value movedBefore =
            isShare(before.getFalseValue(),
                    [&](Value value) { return value == argument(count); }),
        movedTile = isShare(all.getRhs(), isElements);
  auto moved = movedBefore ? movedBefore.getDefiningOp<arith::AddFOp>()
                           : arith::AddFOp(),
       tile = movedTile ? movedTile.getDefiningOp<arith::AddFOp>()
                        : arith::AddFOp();
  auto move = moved ? moved.getRhs().getDefiningOp<arith::SubFOp>()
                    : arith::SubFOp(),
       stay = tile ? tile.getRhs().getDefiningOp<arith::SubFOp>()
                   : arith::SubFOp();
  auto tileMean =
      tile ? tile.getLhs().getDefiningOp<arith::DivFOp>() : arith::DivFOp();
  if (!move || !stay || !tileMean || moved.getLhs() != argument(mean))
    return std::nullopt;
  Value origin = move.getRhs();
  if (stay.getLhs() != origin || stay.getRhs() != origin ||
      !isOfValues(origin, yielded(maximum)) ||
      !areAlike(origin, yielded(maximum), move.getLhs(), argument(maximum)) ||
      !isElements(tileMean.getRhs()) || !isTileMean(tileMean, origin))
    return std::nullopt;
  return LoopState{LoopState::Kind::Mean, mean, maximum, {}, origin, tileMean};
}

bool StateMatcher::matchOthers(ArrayRef<unsigned> others,
                               SmallVectorImpl<LoopState> &states) {
  for (unsigned reference : others)
    for (unsigned value : others) {
      if (value == reference)
        continue;
      std::optional<LoopState> state = matchWeights(reference, value);
      if (!state)
        state = matchSquares(reference, value);
      if (!state)
        continue;
      SmallVector<LoopState> counts = llvm::to_vector(states);
      states.push_back(*state);
      return llvm::all_of(others, [&](unsigned number) {
        if (number == reference || number == value)
          return true;
        for (const LoopState &count : counts)
          if (std::optional<LoopState> mean =
                  matchMean(count.value, reference, number)) {
            states.push_back(*mean);
            return true;
          }
        return false;
      });
    }
  return others.empty();
}

std::optional<SmallVector<LoopState>> StateMatcher::match() {
  SmallVector<LoopState> states;
  SmallVector<unsigned> others;
  for (auto [number, value] : llvm::enumerate(loop.getInitArgs())) {
    if (!isSplat(value))
      return std::nullopt;
    if (!isRowValue(value.getType())) {
      if (!isOfTiles(yielded(number)))
        return std::nullopt;
    } else if (isCount(number)) {
      states.push_back({LoopState::Kind::Count, unsigned(number)});
    } else {
      others.push_back(number);
    }
  }
  return matchOthers(others, states) ? std::optional(states) : std::nullopt;
}

std::optional<SmallVector<LoopState>>
mlir::smx::gpu::matchLoopStates(scf::ForOp loop) {
  return StateMatcher(loop).match();
}
