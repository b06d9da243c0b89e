//===- LoopPair.cpp - a loop over whole tiles, and one over cut ones ------===//

#include "LoopPair.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// True if `value` is known to be a multiple of `step`.
static bool isMultipleOf(Value value, int64_t step) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % step == 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto is = [&](Value operand) { return isMultipleOf(operand, step); };
  if (isa<arith::MinSIOp, arith::MaxSIOp, arith::AddIOp, arith::SubIOp>(op))
    return llvm::all_of(op->getOperands(), is);
  if (isa<arith::MulIOp>(op))
    return llvm::any_of(op->getOperands(), is);
  auto areMultiples = [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr result) {
      return result.isMultipleOf(step);
    });
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return areMultiples(apply.getAffineMap());
  if (auto least = dyn_cast<affine::AffineMinOp>(op))
    return areMultiples(least.getAffineMap());
  if (auto most = dyn_cast<affine::AffineMaxOp>(op))
    return areMultiples(most.getAffineMap());
  return false;
}

/// True if `cut` goes on, tile by tile, where `whole` ends.
static bool isContinued(scf::ForOp whole, scf::ForOp cut) {
  std::optional<int64_t> step = getConstantIntValue(whole.getStep());
  return step && getConstantIntValue(cut.getStep()) == step &&
         whole->getBlock() == cut->getBlock() &&
         whole.getUpperBound() == cut.getLowerBound() &&
         llvm::equal(whole.getResults(), cut.getInitArgs()) &&
         llvm::all_of(whole->getUsers(),
                      [&](Operation *user) { return user == cut; }) &&
         isMultipleOf(whole.getLowerBound(), *step) &&
         isMultipleOf(whole.getUpperBound(), *step);
}

namespace {
/// Walks the bodies of both loops beside each other.
class BodyComparison {
public:
  explicit BodyComparison(LoopPair &pair)
      : pair(pair), next(pair.whole.getBody()->begin()) {
    inWhole.map(pair.cut.getBody()->getArguments(),
                pair.whole.getBody()->getArguments());
  }
  /// Finds the masks and guards of the pair.
  bool run();

private:
  /// True if `op` does what the next op of the loop over whole tiles does.
  bool isNext(Operation &op);
  /// True if every extent of `other` is the tile's, or that of `put`.
  bool isWholeOrSame(PutOp put, PutOp other);
  /// The select is one of what the other loop has: `shown`.
  std::optional<TileMask> maskOf(arith::SelectOp select);

  LoopPair &pair;
  /// Values of the loop over whole tiles, by those of the other.
  IRMapping inWhole;
  Block::iterator next;
};
} // namespace

bool BodyComparison::isWholeOrSame(PutOp put, PutOp other) {
  if (other.getValid().empty())
    return true;
  if (put.getValid().empty())
    return false;
  ArrayRef<int64_t> shape = other.getChannel().getType().getShape();
  return llvm::all_of(llvm::zip_equal(put.getValid(), other.getValid(), shape),
                      [&](auto dim) {
                        auto [valid, otherValid, extent] = dim;
                        return getConstantIntValue(otherValid) == extent ||
                               inWhole.lookupOrDefault(valid) == otherValid;
                      });
}

bool BodyComparison::isNext(Operation &op) {
  Operation &other = *next;
  auto areSame = [&](ValueRange of, ValueRange ofOther) {
    return llvm::equal(of, ofOther, [&](Value value, Value otherValue) {
      return inWhole.lookupOrDefault(value) == otherValue;
    });
  };
  if (op.getName() != other.getName() || op.getNumRegions() != 0 ||
      op.getResultTypes() != other.getResultTypes())
    return false;
  if (auto put = dyn_cast<PutOp>(op)) {
    auto otherPut = cast<PutOp>(other);
    return isWholeOrSame(put, otherPut) &&
           areSame(put.getSource(), otherPut.getSource()) &&
           areSame(put.getOffsets(), otherPut.getOffsets()) &&
           areSame(put.getChannel(), otherPut.getChannel()) &&
           put.getDims() == otherPut.getDims() &&
           put.getCopy() == otherPut.getCopy() &&
           put.getAligned() == otherPut.getAligned() &&
           put.getMulticast() == otherPut.getMulticast();
  }
  auto withoutGuard = [](Operation &of) {
    NamedAttrList attributes(of.getAttrDictionary());
    if (auto product = dyn_cast<MmaOp>(of))
      attributes.erase(product.getGuardedAttrName());
    return attributes.getDictionary(of.getContext());
  };
  return areSame(op.getOperands(), other.getOperands()) &&
         withoutGuard(op) == withoutGuard(other);
}

std::optional<TileMask> BodyComparison::maskOf(arith::SelectOp select) {
  auto isKnown = [&](Value value) { return inWhole.contains(value); };
  if (!isa<RankedTensorType>(select.getCondition().getType()) ||
      !isa<FloatType>(getElementTypeOrSelf(select.getType())))
    return std::nullopt;
  if (isKnown(select.getTrueValue()) &&
      matchPattern(select.getFalseValue(), m_Constant()))
    return TileMask{select, select.getCondition(), /*isInverted=*/false};
  // What is selected by what a mask has hidden: its places are the mask's. A
  // score that is so by itself is one, too, as it is in a whole tile.
  auto is = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!is || is.getPredicate() != arith::CmpFPredicate::OEQ ||
      !isKnown(select.getFalseValue()) ||
      !matchPattern(select.getTrueValue(), m_Constant()))
    return std::nullopt;
  for (TileMask mask : pair.masks)
    if (mask.select.getResult() == is.getLhs() && mask.hidden() == is.getRhs())
      return TileMask{select, mask.isShown, /*isInverted=*/true};
  return std::nullopt;
}

bool BodyComparison::run() {
  Operation *end = pair.whole.getBody()->getTerminator();
  for (Operation &op : pair.cut.getBody()->without_terminator()) {
    if (&*next != end && isNext(op)) {
      inWhole.map(op.getResults(), next->getResults());
      auto product = dyn_cast<MmaOp>(op);
      if (product && product.getGuarded() != cast<MmaOp>(*next).getGuarded())
        pair.guarded.push_back(product);
      ++next;
      continue;
    }
    auto select = dyn_cast<arith::SelectOp>(op);
    if (std::optional<TileMask> mask = select ? maskOf(select) : std::nullopt) {
      inWhole.map(select.getResult(), inWhole.lookup(mask->shown()));
      pair.masks.push_back(*mask);
    } else if (!isMemoryEffectFree(&op)) {
      return false;
    }
  }
  // The masks of what nobody looks at any more do not matter.
  return &*next == end && !pair.masks.empty() &&
         llvm::equal(pair.cut.getYieldedValues(), pair.whole.getYieldedValues(),
                     [&](Value value, Value other) {
                       return inWhole.lookupOrDefault(value) == other;
                     });
}

std::optional<LoopPair> LoopPair::match(scf::ForOp cut) {
  if (cut.getInitArgs().empty())
    return std::nullopt;
  auto whole = cut.getInitArgs().front().getDefiningOp<scf::ForOp>();
  LoopPair pair{whole, cut, {}, {}};
  if (!whole || !isContinued(whole, cut) || !BodyComparison(pair).run())
    return std::nullopt;
  return pair;
}
