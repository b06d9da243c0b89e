//===- PartialStatesPass.cpp - one exchange for a row's state -------------===//
//
// A softmax row is a state (m, l). Let warp w have the state of its part,
//
//   m_w = max x,  l_w = sum exp(c (x - m_w))        over the part of the warp
//   m = max m_w,  l = sum l_w exp(c (m_w - m))      over the warps: `merge`
//
// then the warps meet once, when both are known, and none of them waits for
// another before it. A warp of hidden or infinite elements alone has m_w = -inf
// and weighs nothing, l_w * 0.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "PartialStates.h"
#include "RowQuotient.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/ScaledDifference.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#include <limits>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_PARTIALSTATESPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::fillsMultiprocessor;

namespace {

/// A maximum, and the sum of weights whose reference follows from it.
class PartialState {
public:
  PartialState(KernelOp kernel, RowValue maximum, RowValue sum, Weight weight)
      : kernel(kernel), maximum(maximum), sum(sum), weight(weight),
        builder(this->maximum.last()->getNextNode()),
        parts(kernel,
              cast<StripedAttr>(getLayout(this->sum.reduce.getTile().getType()))
                  .getVector(),
              builder, this->sum.reduce.getLoc()) {}

  /// False, and nothing has changed, if something is not known in time.
  bool rewrite();

private:
  /// The row has so many elements, or more: those of 32768 f32 may be 5 units
  /// in the last place off, and not 4, of 65536 5.3
  /// (lib/Reference/Compare.cpp).
  bool isAsLongAs(int64_t elements) {
    RankedTensorType tile = sum.reduce.getTile().getType();
    return tile.getNumElements() * int64_t(kernel.getCluster()) >= elements;
  }
  bool isFromMaximum(Value value);
  /// The ops that the sum needs, besides those from the maximum, come before
  /// the first of them.
  bool hoist(Value value);
  /// The maximum of each warp's part. It is exact in the type of the elements:
  /// only the result is converted.
  Value maximumOfParts(Value tile);
  /// The sum of each warp's part.
  Value sumOfParts(Value tile, Value ofWarp);
  void keepWeights(Value ofWarp, const MergedState &all);
  /// Divides `kept` by the sum where `weights` are, after `factor`.
  void divideFactor(Value weights, Value kept, Value factor, Value sumOfAll);
  /// A tile of the row, made from the maximum `ofWarp` of the warp.
  Value ofPart(Value tile, Value ofWarp);

  KernelOp kernel;
  RowValue maximum, sum;
  Weight weight;
  OpBuilder builder;
  PartBuilder parts;
  llvm::DenseMap<Value, bool> fromMaximum;
  llvm::DenseSet<Value> stayed;
  IRMapping ofParts;
};

bool PartialState::isFromMaximum(Value value) {
  if (value == maximum.get())
    return true;
  auto [known, isNew] = fromMaximum.try_emplace(value, false);
  if (!isNew)
    return known->second;
  Operation *op = value.getDefiningOp();
  bool is = op && op->getBlock() == maximum.last()->getBlock() &&
            llvm::any_of(op->getOperands(),
                         [&](Value operand) { return isFromMaximum(operand); });
  return fromMaximum[value] = is;
}

bool PartialState::hoist(Value value) {
  Operation *op = value.getDefiningOp(), *last = maximum.last();
  if (!op || op->getBlock() != last->getBlock() ||
      op->isBeforeInBlock(&*builder.getInsertionPoint()))
    return true;
  if (isFromMaximum(value)) {
    // These stay where they are, and are reached by many paths.
    if (value == maximum.get() || !stayed.insert(value).second)
      return true;
  } else if (op->getNumRegions() != 0 || !isMemoryEffectFree(op)) {
    return false;
  }
  if (!llvm::all_of(op->getOperands(),
                    [&](Value operand) { return hoist(operand); }))
    return false;
  if (isFromMaximum(value))
    return true;
  if (op == &*builder.getInsertionPoint())
    builder.setInsertionPointAfter(op);
  else
    op->moveBefore(&*builder.getInsertionPoint());
  return true;
}

Value PartialState::ofPart(Value tile, Value ofWarp) {
  if (Value known = ofParts.lookupOrNull(tile))
    return known;
  Location loc = sum.reduce.getLoc();
  RankedTensorType type = parts.partTile(tile);
  Value part;
  if (isSplat(tile)) {
    part = parts.splat(tile, type);
  } else if (!isFromMaximum(tile)) {
    part = PartsOp::create(builder, loc, type, tile);
  } else if (auto broadcast = tile.getDefiningOp<BroadcastOp>()) {
    part = BroadcastOp::create(
        builder, loc, type,
        parts.ofValue(broadcast.getValues(), maximum.get(), ofWarp));
  } else {
    SmallVector<Value> operands;
    for (Value operand : tile.getDefiningOp()->getOperands())
      operands.push_back(ofPart(operand, ofWarp));
    part = parts.onOperands(tile.getDefiningOp(), operands, type);
    // What weights of parts are multiplied by takes one unit in the last place
    // of those that a result is made of. A narrow one does not see it.
    constexpr int64_t mayBeRough = 32768;
    if (auto power = part.getDefiningOp<math::ExpOp>();
        power && !isAsLongAs(mayBeRough) && !isOnlySummed(tile, sum.reduce))
      if (auto bits = power->getAttrOfType<IntegerAttr>("result_bits");
          bits && bits.getInt() > mlir::smx::bitsOfProduct)
        power->removeDiscardableAttr("result_bits");
  }
  ofParts.map(tile, part);
  return part;
}

Value PartialState::maximumOfParts(Value tile) {
  Location loc = maximum.reduce.getLoc();
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  Value narrow = beforeExtension(builder, tile, nothing);
  Value part = ofPart(narrow ? narrow : tile, Value());
  Value value = ReduceOp::create(builder, loc,
                                 parts.partValue(getElementTypeOrSelf(part)),
                                 Combiner::MaxNum, part, /*dim=*/1);
  Type type = parts.partValue(getElementTypeOrSelf(tile));
  return narrow ? arith::ExtFOp::create(builder, loc, type, value) : value;
}

static bool isOfNarrow(const Weight &weight) {
  return weight.difference.getLhs().getDefiningOp<arith::ExtFOp>() != nullptr;
}

Value PartialState::sumOfParts(Value tile, Value ofWarp) {
  Location loc = sum.reduce.getLoc();
  Type element = getElementTypeOrSelf(tile);
  // Long rows of f32, in part in shared memory, leave no registers for masks.
  constexpr int64_t longRow = 98304;
  bool isCramped = !isOfNarrow(weight) && isAsLongAs(longRow) &&
                   tile.getDefiningOp<arith::SelectOp>();
  Value narrow;
  if (element.isF64() && !isCramped)
    narrow = beforeExtension(builder, tile, 0.0);
  Value part = ofPart(narrow ? narrow : tile, ofWarp);
  if (!narrow)
    return ReduceOp::create(builder, loc, parts.partValue(element),
                            Combiner::Add, part, /*dim=*/1);
  // The operands of a mask are replaced by what comes later.
  if (narrow.use_empty()) {
    ofParts.erase(narrow);
    fromMaximum.erase(narrow);
    narrow.getDefiningOp()->erase();
  }
  return parts.sumOf(part, element);
}

/// w F / l = w (F / l), F / l = s + r, without r where that may be off as well:
///
///   s = F h + F e,   r = (F h - s) + F e,   result = w s + w r
void PartialState::divideFactor(Value weights, Value kept, Value factor,
                                Value sumOfAll) {
  std::optional<RowQuotient> quotient = RowQuotient::of(weights);
  Value leaf = sum.get();
  if (!quotient || !isOfValues(quotient->reciprocal.getValues(), leaf) ||
      !isOfValues(quotient->rest.getValues(), leaf))
    return;
  Location loc = quotient->result.getLoc();
  Value sumOfPart = AgreedOp::create(
      builder, loc, parts.partValue(getElementTypeOrSelf(sumOfAll)), sumOfAll);
  auto ofRow = [&](BroadcastOp broadcast) {
    return parts.ofValue(broadcast.getValues(), leaf, sumOfPart);
  };
  auto broadcast = [&](Value value) -> Value {
    return BroadcastOp::create(builder, loc, kept.getType(), value);
  };
  Value reciprocal = ofRow(quotient->reciprocal), rest = ofRow(quotient->rest);
  Value small = arith::MulFOp::create(builder, loc, factor, rest);
  Value share = math::FmaOp::create(builder, loc, factor, reciprocal, small);
  Value result;
  constexpr int64_t roundsFactor = 65536;
  if (isAsLongAs(roundsFactor)) {
    result = arith::MulFOp::create(builder, loc, kept, broadcast(share));
  } else {
    Value minus = arith::NegFOp::create(builder, loc, share);
    Value lost = math::FmaOp::create(builder, loc, factor, reciprocal, minus);
    lost = arith::AddFOp::create(builder, loc, lost, small);
    result = arith::MulFOp::create(builder, loc, kept, broadcast(lost));
    result = math::FmaOp::create(builder, loc, kept, broadcast(share), result);
  }
  result = PartsOp::create(builder, loc, quotient->result.getType(), result);
  quotient->result.replaceAllUsesWith(result);
  quotient->result.erase();
  quotient->small.erase();
}

/// Weights take no more registers than the elements that they are of, and can
/// be kept in their place; or they are of narrow elements, but to the last bits
/// of f32, which takes too long to be done twice.
static bool areKept(const Weight &weight) {
  return (!isOfNarrow(weight) || isa<math::ExpOp>(weight.exponential)) &&
         getElementTypeOrSelf(weight.exponential->getResult(0)) ==
             getElementTypeOrSelf(weight.reference);
}

/// exp(x - m) = exp(x - m_w) exp(m_w - m): where weights take no more registers
/// than elements do, those of the sum are kept, and the elements are not.
void PartialState::keepWeights(Value ofWarp, const MergedState &all) {
  if (!areKept(weight))
    return;
  Value weights = weight.exponential->getResult(0);
  Location loc = sum.reduce.getLoc();
  Value ofPartWeights = ofPart(weights, ofWarp);
  Value factor =
      parts.factorOf(ofWarp, all.maximumOfAll, weight, maximum.get());
  divideFactor(weights, ofPartWeights, factor, all.sumOfAll);
  Value factors =
      BroadcastOp::create(builder, loc, ofPartWeights.getType(), factor);
  Value kept = arith::MulFOp::create(builder, loc, ofPartWeights, factors);
  weights.replaceAllUsesWith(
      PartsOp::create(builder, loc, weights.getType(), kept));
}

bool PartialState::rewrite() {
  if (!hoist(sum.reduce.getTile()))
    return false;
  Value ofWarp = maximumOfParts(maximum.reduce.getTile());
  Value sumOfWarp = sumOfParts(sum.reduce.getTile(), ofWarp);
  Value leaf = maximum.get();
  MergedState all = parts.merge(ofWarp, sumOfWarp, weight, leaf, leaf.getType(),
                                sum.get().getType());
  keepWeights(ofWarp, all);
  for (auto [value, merged] :
       {std::pair(&maximum, all.maximum), std::pair(&sum, all.sum)}) {
    value->get().replaceAllUsesWith(merged);
    if (value->cluster)
      value->cluster->erase();
    if (value->reduce->use_empty())
      value->reduce->erase();
  }
  return true;
}

struct PartialStatesPass
    : mlir::smx::gpu::impl::PartialStatesPassBase<PartialStatesPass> {
  using PartialStatesPassBase::PartialStatesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getWarps() == 1 && kernel.getCluster() == 1)
      return;
    uniteEqualExchanges(kernel);
    Block &body = kernel.getBody().front();
    // Sums go away with their maxima.
    SmallVector<ReduceOp> maxima;
    for (ReduceOp reduce : body.getOps<ReduceOp>())
      if (reduce.getKind() == Combiner::MaxNum)
        maxima.push_back(reduce);
    for (ReduceOp first : maxima)
      if (convert(kernel, first))
        note(kernel, "warp", "of the row's tile");
    if (convertSums(kernel))
      note(kernel, "warp", "of the row's tile");
    if (kernel.getCluster() != 1)
      return;
    for (scf::ForOp loop : llvm::to_vector(body.getOps<scf::ForOp>()))
      if (convertLoop(loop, kernel))
        note(kernel, "thread", "through a loop over tiles of the row");
  }

  void note(KernelOp kernel, StringRef owner, StringRef where) {
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("PartialStates")
                                        .category("smx-gpu-partial-states"))
        << "a state for each " << owner << " " << where
        << ", one exchange: " << remark::metric("warps", kernel.getWarps())
        << remark::metric("cluster", kernel.getCluster());
  }

  /// Something as long as a row is written.
  static bool writesRows(KernelOp kernel) {
    return llvm::any_of(kernel.getBody().front().getOps<StoreOp>(),
                        [](StoreOp store) {
                          return isa_and_nonnull<StripedAttr>(
                              getLayout(store.getTile().getType()));
                        });
  }

  /// The masks of narrow elements that do not fill the threads would be kept
  /// from the maximum to the sum, between which nobody waits any more: they
  /// take more registers than the elements. Where rows are not aligned, that
  /// costs less than a second meeting; and where rows are only read, and
  /// summed in f32: 14 to 20 % faster for 18000 to 25000 elements, in clusters
  /// 2 to 12 % (side by side on an H200, not kept).
  static bool keepsMasks(KernelOp kernel, ReduceOp first, ReduceOp second) {
    auto select = first.getTile().getDefiningOp<arith::SelectOp>();
    auto ext = select ? select.getTrueValue().getDefiningOp<arith::ExtFOp>()
                      : arith::ExtFOp();
    auto load = ext ? ext.getIn().getDefiningOp<LoadOp>() : LoadOp();
    return load && load.getAligned() >= 16 &&
           (writesRows(kernel) ||
            !getElementTypeOrSelf(second.getResult().getType()).isF32());
  }

  /// Finds two sums that are moments.
  static bool convertSums(KernelOp kernel) {
    bool isSpread = kernel.getCluster() > 1;
    SmallVector<RowValue> sums;
    for (ReduceOp reduce : kernel.getBody().front().getOps<ReduceOp>()) {
      RowValue sum(reduce);
      if (reduce.getKind() == Combiner::Add &&
          isOfWarps(reduce, kernel.getWarps()) &&
          (sum.cluster != nullptr) == isSpread)
        sums.push_back(sum);
    }
    for (size_t i = 0; i + 1 < sums.size(); ++i)
      if (convertMoments(kernel, sums[i], sums[i + 1]))
        return true;
    return false;
  }

  /// Where blocks have nearly all threads of a multiprocessor, others compute
  /// while one meets: a second meeting costs less than merging states, whose
  /// weights would be precise ones, too. Narrow elements whose weights are not
  /// kept would be widened once more. Those of few, whose weights are kept,
  /// take turns with many small blocks: 2048 of bf16 into f32 are 7 % faster
  /// on an H200.
  static bool hidesMeetings(KernelOp kernel, const Weight &weight) {
    if (kernel.getCluster() != 1 || !areKept(weight))
      return false;
    constexpr int64_t fewElements = 16;
    Value weights = weight.exponential->getResult(0);
    if (isOfNarrow(weight) && getRegisterCount(cast<RankedTensorType>(
                                  weights.getType())) <= fewElements)
      return true;
    return fillsMultiprocessor(kernel.getWarps() * ::smx::gpu::warpThreads,
                               kernel.getMinBlocks());
  }

  /// Finds the sum that goes with a maximum.
  bool convert(KernelOp kernel, ReduceOp first) {
    bool isSpread = kernel.getCluster() > 1;
    RowValue maximum(first);
    if (!isOfWarps(first, kernel.getWarps()) ||
        (maximum.cluster != nullptr) != isSpread)
      return false;
    for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
      auto second = dyn_cast<ReduceOp>(op);
      if (!second || second.getKind() != Combiner::Add ||
          !isOfWarps(second, kernel.getWarps()))
        continue;
      RowValue sum(second);
      std::optional<Weight> weight = matchWeight(second.getTile());
      if (weight && (sum.cluster != nullptr) == isSpread &&
          !isSplat(weight->reference) && !keepsMasks(kernel, first, second) &&
          !hidesMeetings(kernel, *weight) &&
          isOfValues(weight->reference, maximum.get()) &&
          getElementTypeOrSelf(weight->reference.getType()) ==
              getElementTypeOrSelf(first.getResult().getType()))
        return PartialState(kernel, maximum, sum, *weight).rewrite();
    }
    return false;
  }
};
} // namespace
