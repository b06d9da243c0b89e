//===- WaveTile.cpp - what a walk does for a tile of rows -----------------===//

#include "WaveTile.h"

#include "ScoreArithmetic.h"

#include "smx/GPU/Launches.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// True for `factor`, or what it is broadcast to.
static bool isFactor(Value value, Value factor) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return value == factor || (broadcast && broadcast.getValues() == factor);
}

/// The one product of `value` and `factor` in `block`, or null.
static Value scaledBy(Value value, Value factor, Block *block) {
  Value found;
  for (Operation *user : value.getUsers()) {
    auto product = dyn_cast<arith::MulFOp>(user);
    if (!product || product->getBlock() != block)
      continue;
    Value other =
        product.getLhs() == value ? product.getRhs() : product.getLhs();
    if (!isFactor(other, factor))
      continue;
    if (found)
      return {};
    found = product;
  }
  return found && found.hasOneUse() ? found : Value();
}

std::optional<WalkState> WalkState::updatedIn(Block *block) const {
  WalkState after;
  Value factor;
  for (Operation *of : reference.getUsers()) {
    auto difference = dyn_cast<arith::SubFOp>(of);
    if (!difference || difference->getBlock() != block ||
        difference.getLhs() != reference || !difference->hasOneUse())
      continue;
    Operation *user = *difference->user_begin();
    // At most 1.
    if (isa<arith::MinNumFOp>(user) && user->hasOneUse())
      user = *user->user_begin();
    auto power = dyn_cast<math::Exp2Op>(user);
    Value next = behindGuard(difference.getRhs());
    if (!power || !next)
      continue;
    if (factor)
      return std::nullopt;
    factor = power;
    after.reference = next;
  }
  if (!factor)
    return std::nullopt;
  Value scaledSum = scaledBy(sum, factor, block),
        scaledValues = scaledBy(values, factor, block);
  if (!scaledSum || !scaledValues)
    return std::nullopt;
  auto add = dyn_cast<arith::AddFOp>(*scaledSum.user_begin());
  auto product = dyn_cast<MmaOp>(*scaledValues.user_begin());
  if (!add || !product || product.getAcc() != scaledValues)
    return std::nullopt;
  after.sum = add;
  after.values = product.getResult();
  return after;
}

WalkState WalkState::merge(OpBuilder &builder, Location loc,
                           ArrayRef<WalkState> parts) {
  auto rows = cast<RankedTensorType>(parts.front().sum.getType());
  auto splat = [&](double value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            rows, builder.getFloatAttr(rows.getElementType(), value)));
  };
  WalkState merged{parts.front().reference, {}, {}};
  for (const WalkState &part : parts.drop_front())
    merged.reference = arith::MaxNumFOp::create(builder, loc, merged.reference,
                                                part.reference);
  // Weights by an infinite reference are those by 0, as in the walk.
  Value magnitude = math::AbsFOp::create(builder, loc, merged.reference);
  Value isInfinite =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, magnitude,
                            splat(std::numeric_limits<double>::infinity()));
  Value reference = arith::SelectOp::create(builder, loc, isInfinite, splat(0),
                                            merged.reference);
  auto add = [&](Value all, Value one) -> Value {
    return all ? arith::AddFOp::create(builder, loc, all, one) : one;
  };
  for (const WalkState &part : parts) {
    Value less = arith::SubFOp::create(builder, loc, part.reference, reference);
    Value factor =
        math::Exp2Op::create(builder, loc, less, arith::FastMathFlags::afn);
    Value factors =
        BroadcastOp::create(builder, loc, part.values.getType(), factor);
    Value sum = arith::MulFOp::create(builder, loc, factor, part.sum),
          values = arith::MulFOp::create(builder, loc, factors, part.values);
    merged.sum = add(merged.sum, sum);
    merged.values = add(merged.values, values);
  }
  return merged;
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// The loop of a kernel over tiles, or null.
static scf::ForOp walkOf(KernelOp kernel) {
  using ::mlir::gpu::Dimension;
  auto loops = llvm::to_vector(kernel.getBody().front().getOps<scf::ForOp>());
  if (loops.size() != 1 || loops[0].getNumRegionIterArgs())
    return {};
  auto first = loops[0].getLowerBound().getDefiningOp<::mlir::gpu::BlockIdOp>();
  auto stride = loops[0].getStep().getDefiningOp<::mlir::gpu::GridDimOp>();
  auto tiles = dyn_cast<BlockArgument>(loops[0].getUpperBound());
  return first && stride && tiles && first.getDimension() == Dimension::x &&
                 stride.getDimension() == Dimension::x
             ? loops[0]
             : scf::ForOp();
}

SmallVector<std::pair<KernelOp, LaunchOp>>
WaveTile::findWalks(ModuleOp module) {
  SmallVector<std::pair<KernelOp, LaunchOp>> found;
  for (auto &[kernel, some] : launchesIn(module))
    if (some.size() == 1 && walkOf(kernel))
      found.emplace_back(kernel, some.front());
  return found;
}

StringRef WaveTile::whyNoLoop() {
  auto loops = llvm::to_vector(walk.getBody()->getOps<scf::ForOp>());
  if (loops.size() != 1)
    return "a tile has not one loop over keys, of its own";
  keys = loops[0];
  auto first = getConstantIntValue(keys.getLowerBound()),
       end = getConstantIntValue(keys.getUpperBound()),
       stride = getConstantIntValue(keys.getStep());
  if (first != 0 || !end || !stride || *stride <= 0 || *end % *stride != 0)
    return "the rounds of a tile are no known number, the same for all";
  step = *stride;
  rounds = *end / step;
  if (keys.getNumResults() != 3)
    return "what its loop carries is not the state of rows";
  std::optional<unsigned> values, reference;
  for (auto [i, init, yielded] :
       llvm::enumerate(keys.getInitArgs(), keys.getYieldedValues())) {
    if (matchPattern(init, m_NegInfFloat()))
      reference = i;
    else if (!matchPattern(init, m_AnyZeroFloat()))
      return "a state begins with something";
    if (yielded.getDefiningOp<MmaOp>())
      values = i;
  }
  if (!values || !reference || values == reference)
    return "what its loop carries is not the state of rows";
  unsigned sum = 3 - *values - *reference;
  auto stateOf = [&](ValueRange carried) {
    return WalkState{carried[*reference], carried[sum], carried[*values]};
  };
  std::optional<WalkState> after =
      stateOf(keys.getRegionIterArgs()).updatedIn(keys.getBody());
  if (!after || after->all() != stateOf(keys.getYieldedValues()).all())
    return "what its loop carries is not the state of rows";
  ofLoop = stateOf(keys.getResults());
  // Carried as partial sums.
  if (cast<RankedTensorType>(ofLoop.sum.getType()).getRank() == 2) {
    auto reduce = ofLoop.sum.hasOneUse()
                      ? dyn_cast<ReduceOp>(*ofLoop.sum.user_begin())
                      : ReduceOp();
    if (!reduce || reduce.getKind() != Combiner::Add || reduce.getDim() != 1)
      return "what its loop carries is not the state of rows";
    ofLoop.sum = reduce.getResult();
  }
  return "";
}

/// True for what a launch of its own can compute of rows, some at a time.
static bool isOfRows(Operation *op, int64_t columns) {
  for (Type type : op->getResultTypes()) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      continue;
    SliceAttr slice = getSlice(tile);
    if (slice ? slice.getDim() != 1 : tile.getDimSize(1) != columns)
      return false;
  }
  if (auto store = dyn_cast<StoreOp>(op))
    return isa<BlockArgument>(store.getDestination()) &&
           store.getDims()[0] >= 0;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         (OpTrait::hasElementwiseMappableTraits(op) || isa<BroadcastOp>(op));
}

StringRef WaveTile::whyNoResults() {
  Block *body = walk.getBody();
  last = ofLoop;
  if (std::optional<WalkState> after = ofLoop.updatedIn(body))
    last = *after;
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == body && keys->isBeforeInBlock(op);
  };
  for (Value value : last.all())
    if (failed(getBackwardSlice(value, &slice, options)))
      return "what the results need is not all in the loop";
  Operation *sum = ofLoop.sum.getDefiningOp();
  for (Operation *op = keys->getNextNode(); op != body->getTerminator();
       op = op->getNextNode()) {
    if (op == sum)
      continue;
    bool isOfRest = slice.contains(op) || isa<PutOp, GetOp, ReleaseOp>(op);
    if (!isOfRest && !isOfRows(op, getColumns()))
      return "a result is not computed row by row from the state";
    (isOfRest ? rest : finish).push_back(op);
  }
  if (rest.empty() != (last.values == ofLoop.values))
    return "what is behind its loop is no rest of the keys";
  // Of the tiles there, results are computed from the last state alone.
  for (Operation *op : finish)
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (!from || from->getBlock() != body ||
          llvm::is_contained(finish, from) ||
          llvm::is_contained(last.all(), operand))
        continue;
      if (isa<RankedTensorType>(operand.getType()) ||
          !from->isBeforeInBlock(keys))
        return "a result is not computed row by row from the state";
    }
  return llvm::any_of(finish, llvm::IsaPred<StoreOp>) ? ""
                                                      : "it has no results";
}

int64_t WaveTile::getColumnsOfQueries() {
  return (*keys.getOps<MmaOp>().begin()).getReducedExtent();
}

bool WaveTile::readsForScores() {
  return llvm::any_of(*keys.getBody(), llvm::IsaPred<LoadOp, GatherOp>);
}

void WaveTile::cutKeys(Value firstKey, Value endKey) {
  OpBuilder builder(keys);
  // Who reads the bounds is to know that there is a round.
  Value second =
      arith::AddIOp::create(builder, keys.getLoc(), firstKey, keys.getStep());
  keys.setLowerBound(firstKey);
  keys.setUpperBound(
      arith::MaxSIOp::create(builder, keys.getLoc(), endKey, second));
  if (!rest.empty())
    guardRest();
}

void WaveTile::guardRest() {
  OpBuilder builder(rest.front());
  Location loc = walk.getLoc();
  Value end = arith::ConstantIndexOp::create(builder, loc, rounds * step);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       keys.getUpperBound(), end);
  auto states = last.all();
  SmallVector<Type> types(ValueRange(states).getTypes());
  auto branch = scf::IfOp::create(builder, loc, types, isLast,
                                  /*withElseRegion=*/true);
  for (auto [before, after] : llvm::zip_equal(states, branch.getResults()))
    before.replaceUsesWithIf(after, [&](OpOperand &use) {
      return llvm::is_contained(finish, use.getOwner());
    });
  for (Operation *op : rest)
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, states);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, ofLoop.all());
  last = {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

std::optional<WaveTile> WaveTile::match(KernelOp kernel, LaunchOp launch,
                                        StringRef &reason) {
  WaveTile found;
  found.kernel = kernel;
  found.walk = walkOf(kernel);
  found.tilesArgument =
      cast<BlockArgument>(found.walk.getUpperBound()).getArgNumber();
  reason = found.whyNoLoop();
  if (reason.empty())
    reason = found.whyNoResults();
  auto count = getConstantIntValue(launch.getArguments()[found.tilesArgument]);
  if (reason.empty() && !count)
    reason = "the number of tiles is open";
  found.count = count.value_or(0);
  return reason.empty() ? std::optional(found) : std::nullopt;
}

} // namespace mlir::smx::gpu
