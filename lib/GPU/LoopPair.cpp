//===- LoopPair.cpp - a loop over whole tiles, and one over cut ones ------===//

#include "LoopPair.h"

#include "Multiples.h"

#include "mlir/Dialect/Affine/IR/AffineValueMap.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::smx::gpu;

bool mlir::smx::gpu::hasRounds(scf::ForOp loop) {
  auto first = getConstantIntValue(loop.getLowerBound()),
       last = getConstantIntValue(loop.getUpperBound());
  if (first && last)
    return *first < *last;
  auto end = loop.getUpperBound().getDefiningOp<arith::MaxSIOp>();
  return end && llvm::any_of(end->getOperands(), [&](Value bound) {
           auto second = bound.getDefiningOp<arith::AddIOp>();
           return second && second.getLhs() == loop.getLowerBound() &&
                  isEqualConstantIntOrValue(second.getRhs(), loop.getStep());
         });
}

bool mlir::smx::gpu::isAtLeast(Value value, Value bound) {
  auto most = value.getDefiningOp<arith::MaxSIOp>();
  return most && llvm::is_contained(most->getOperands(), bound);
}

bool mlir::smx::gpu::isContinued(scf::ForOp loop, scf::ForOp next,
                                 bool isBackward) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  auto isAligned = [&](scf::ForOp of) {
    return isMultipleOf(of.getLowerBound(), *step) &&
           isMultipleOf(of.getUpperBound(), *step);
  };
  return step && getConstantIntValue(next.getStep()) == step &&
         loop->getBlock() == next->getBlock() &&
         (isBackward ? next.getUpperBound() == loop.getLowerBound()
                     : loop.getUpperBound() == next.getLowerBound()) &&
         llvm::equal(loop.getResults(), next.getInitArgs()) &&
         llvm::all_of(loop->getUsers(),
                      [&](Operation *user) { return user == next; }) &&
         isAligned(loop) && (!isBackward || isAligned(next));
}

affine::AffineApplyOp mlir::smx::gpu::mirroredPlace(scf::ForOp loop) {
  Value at = loop.getInductionVar();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  affine::AffineApplyOp place;
  for (Operation *user : at.getUsers())
    if (auto apply = dyn_cast<affine::AffineApplyOp>(user))
      place = !place || apply->isBeforeInBlock(place) ? apply : place;
  if (!place || !step || place->getBlock() != loop.getBody())
    return {};
  MLIRContext *context = loop.getContext();
  AffineExpr expected =
      getAffineConstantExpr(-*step, context) - getAffineDimExpr(0, context);
  SmallVector<Value> operands{at};
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound()}) {
    if (std::optional<int64_t> constant = getConstantIntValue(bound)) {
      expected = expected + *constant;
      continue;
    }
    expected = expected + getAffineDimExpr(operands.size(), context);
    operands.push_back(bound);
  }
  affine::AffineValueMap difference;
  affine::AffineValueMap::difference(
      affine::AffineValueMap(place.getAffineMap(), place.getMapOperands()),
      affine::AffineValueMap(AffineMap::get(operands.size(), 0, expected),
                             operands),
      &difference);
  return difference.getResult(0) == getAffineConstantExpr(0, context)
             ? place
             : affine::AffineApplyOp();
}

affine::AffineApplyOp
mlir::smx::gpu::createMirroredPlace(OpBuilder &builder, Location loc, Value at,
                                    Value begin, Value end, int64_t step) {
  AffineExpr here, from, to;
  bindDims(builder.getContext(), here, from, to);
  return affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(3, 0, from + to - here - step),
      ValueRange{at, begin, end});
}

namespace {
/// Walks the bodies of both loops beside each other.
class BodyComparison {
public:
  BodyComparison(scf::ForOp whole, scf::ForOp cut, bool isBackward)
      : whole(whole), cut(cut), isBackward(isBackward),
        next(whole.getBody()->begin()) {
    inWhole.map(cut.getBody()->getArguments(), whole.getBody()->getArguments());
    if (!isBackward)
      return;
    wholePlace = mirroredPlace(whole);
    cutPlace = mirroredPlace(cut);
    if (wholePlace && cutPlace)
      inWhole.map(cutPlace.getResult(), wholePlace.getResult());
  }
  /// True if `cut` does what `whole` does, but for masks and guards, which are
  /// found.
  bool run();

  SmallVector<TileMask> masks;
  SmallVector<MmaOp> guarded;
  SmallVector<CutExtent> extents;
  affine::AffineApplyOp cutPlace;

private:
  /// True if `op` does what the next op of the loop over whole tiles does.
  bool isNext(Operation &op);
  /// True if every extent of `other` is the tile's, or that of `put`.
  bool isWholeOrSame(PutOp put, PutOp other);
  /// True for places of a tile below the extent that is put of it.
  bool isInTensor(Value condition);
  /// False for an extent that is not known to be right for whole tiles, too.
  bool keepExtent(OpOperand &use, int64_t whole) {
    if (getConstantIntValue(use.get()) == whole || dependsOnPlace(use.get()))
      return true;
    if (!cut.isDefinedOutsideOfLoop(use.get()))
      return false;
    extents.push_back({&use, whole});
    return true;
  }
  bool dependsOnPlace(Value value) {
    Operation *op = value.getDefiningOp();
    return value == cut.getInductionVar() ||
           (op && cut->isProperAncestor(op) &&
            llvm::any_of(op->getOperands(), [&](Value operand) {
              return dependsOnPlace(operand);
            }));
  }
  /// True if both select the same, but that `select` hides what is beyond a
  /// tensor, too: a tile that is put whole has nothing there.
  bool isSameInTensor(arith::SelectOp select, arith::SelectOp other);
  /// The select is one of what the other loop has: `shown`.
  std::optional<TileMask> maskOf(arith::SelectOp select);
  void skipPlace() {
    if (wholePlace && &*next == wholePlace.getOperation())
      ++next;
  }

  scf::ForOp whole, cut;
  bool isBackward;
  affine::AffineApplyOp wholePlace;
  /// Values of the loop over whole tiles, by those of the other.
  IRMapping inWhole;
  Block::iterator next;
};
} // namespace

bool BodyComparison::isWholeOrSame(PutOp put, PutOp other) {
  bool isOtherWhole = other.getValid().empty();
  if (put.getValid().empty())
    return isOtherWhole;
  ArrayRef<int64_t> shape = put.getChannel().getType().getShape();
  for (auto [dim, valid] : llvm::enumerate(put.getValidMutable())) {
    if (!isOtherWhole) {
      Value otherValid = other.getValid()[dim];
      if (inWhole.lookupOrDefault(valid.get()) == otherValid)
        continue;
      if (getConstantIntValue(otherValid) != shape[dim])
        return false;
    }
    if (!keepExtent(valid, shape[dim]))
      return false;
  }
  return true;
}

bool BodyComparison::isInTensor(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      !compare.getLhs().getDefiningOp<PositionOp>())
    return false;
  auto extent = compare.getRhs().getDefiningOp<tensor::SplatOp>();
  if (!extent || !cut->isProperAncestor(extent) || inWhole.contains(extent))
    return false;
  for (PutOp put : cut.getBody()->getOps<PutOp>())
    for (auto [valid, whole] :
         llvm::zip(put.getValid(), put.getChannel().getType().getShape()))
      if (valid == extent.getInput())
        return keepExtent(extent.getInputMutable(), whole);
  return false;
}

bool BodyComparison::isSameInTensor(arith::SelectOp select,
                                    arith::SelectOp other) {
  auto both = select.getCondition().getDefiningOp<arith::AndIOp>();
  if (!both ||
      inWhole.lookupOrDefault(select.getTrueValue()) != other.getTrueValue() ||
      inWhole.lookupOrDefault(select.getFalseValue()) != other.getFalseValue())
    return false;
  auto isSame = [&](Value shown, Value inside) {
    return inWhole.lookupOrDefault(shown) == other.getCondition() &&
           isInTensor(inside);
  };
  return isSame(both.getLhs(), both.getRhs()) ||
         isSame(both.getRhs(), both.getLhs());
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
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (isSameInTensor(select, cast<arith::SelectOp>(other)))
      return true;
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
  for (TileMask mask : masks)
    if (mask.select.getResult() == is.getLhs() && mask.hidden() == is.getRhs())
      return TileMask{select, mask.isShown, /*isInverted=*/true};
  return std::nullopt;
}

bool BodyComparison::run() {
  if (isBackward && !(wholePlace && cutPlace))
    return false;
  Operation *end = whole.getBody()->getTerminator();
  for (Operation &op : cut.getBody()->without_terminator()) {
    if (cutPlace && &op == cutPlace.getOperation())
      continue;
    skipPlace();
    if (&*next != end && isNext(op)) {
      inWhole.map(op.getResults(), next->getResults());
      auto product = dyn_cast<MmaOp>(op);
      if (product && product.getGuarded() != cast<MmaOp>(*next).getGuarded())
        guarded.push_back(product);
      ++next;
      continue;
    }
    auto select = dyn_cast<arith::SelectOp>(op);
    if (std::optional<TileMask> mask = select ? maskOf(select) : std::nullopt) {
      inWhole.map(select.getResult(), inWhole.lookup(mask->shown()));
      masks.push_back(*mask);
    } else if (!isMemoryEffectFree(&op)) {
      return false;
    }
  }
  skipPlace();
  // The masks of what nobody looks at any more do not matter.
  return &*next == end &&
         llvm::equal(cut.getYieldedValues(), whole.getYieldedValues(),
                     [&](Value value, Value other) {
                       return inWhole.lookupOrDefault(value) == other;
                     });
}

static std::optional<LoopPair> matchPair(scf::ForOp whole, scf::ForOp cut,
                                         bool isBackward) {
  if (!(isBackward ? isContinued(cut, whole, isBackward)
                   : isContinued(whole, cut, isBackward)))
    return std::nullopt;
  BodyComparison comparison(whole, cut, isBackward);
  if (!comparison.run() || comparison.masks.empty())
    return std::nullopt;
  return LoopPair{whole,
                  cut,
                  /*cutInFront=*/{},
                  comparison.cutPlace,
                  comparison.masks,
                  comparison.guarded,
                  comparison.extents};
}

/// The loop whose results `loop` starts from, or null.
static scf::ForOp before(scf::ForOp loop) {
  return loop && !loop.getInitArgs().empty()
             ? loop.getInitArgs().front().getDefiningOp<scf::ForOp>()
             : scf::ForOp();
}

std::optional<LoopPair> LoopPair::match(scf::ForOp last) {
  scf::ForOp one = before(last), two = before(one);
  if (!one)
    return std::nullopt;
  if (std::optional<LoopPair> pair =
          matchPair(/*whole=*/one, /*cut=*/last, /*isBackward=*/false))
    return pair;
  if (two && isContinued(one, last, /*isBackward=*/true))
    if (std::optional<LoopPair> pair =
            matchPair(/*whole=*/one, /*cut=*/two, /*isBackward=*/true)) {
      BodyComparison comparison(last, two, /*isBackward=*/true);
      if (comparison.run() && comparison.masks.empty() &&
          comparison.guarded.empty() && comparison.extents.empty()) {
        pair->cutInFront = last;
        return pair;
      }
    }
  return matchPair(/*whole=*/last, /*cut=*/one, /*isBackward=*/true);
}
