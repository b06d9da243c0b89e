//===- LargestOfStreamPass.cpp - the largest of a row that was streamed ---===//
//
// A thread has the columns c, c + n, c + 2n, .. of a row, tile by tile. Let M_c
// be its maximum: an element that is one of the k largest is not below the k-th
// largest M_c, so its thread is one of the few whose maximum is not. So a loop
// keeps maxima, which cost an instruction for each register, and only these
// few threads look at their elements again.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "Rankings.h"
#include "smx/GPU/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_LARGESTOFSTREAMPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {

/// A network of larger and smaller ones of keys, on zeros and ones.
class Network {
public:
  void set(Value key, bool one) { keys[key] = one; }
  /// None if `key` comes from something else.
  std::optional<bool> evaluate(Value key);

private:
  llvm::DenseMap<Value, bool> keys;
};

/// A loop, and the keys of its tiles that it merges with those before.
struct MergingLoop {
  scf::ForOp loop;
  Ranking ranking;
  /// The numbers of what it carries for each rank.
  SmallVector<unsigned> carried;
  LoadOp load;
  mlir::smx::KeyParts parts;

  static std::optional<MergingLoop> match(scf::ForOp loop, Ranking ranking);
  /// What is carried for ranks is read for nothing but what is carried for
  /// them.
  bool isMergedAlone();
  void rewrite();
};

} // namespace

std::optional<bool> Network::evaluate(Value key) {
  if (auto known = keys.find(key); known != keys.end())
    return known->second;
  std::optional<bool> result;
  if (isNothing(key)) {
    result = false;
  } else if (auto larger = key.getDefiningOp<arith::MaxNumFOp>()) {
    std::optional<bool> a = evaluate(larger.getLhs()),
                        b = evaluate(larger.getRhs());
    if (a && b)
      result = *a || *b;
  } else if (auto select = key.getDefiningOp<arith::SelectOp>()) {
    // The larger or the smaller one of what is compared.
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT)
      return std::nullopt;
    bool isLarger = select.getTrueValue() == compare.getLhs() &&
                    select.getFalseValue() == compare.getRhs();
    bool isSmaller = select.getTrueValue() == compare.getRhs() &&
                     select.getFalseValue() == compare.getLhs();
    std::optional<bool> a = evaluate(compare.getLhs()),
                        b = evaluate(compare.getRhs());
    if (a && b && (isLarger || isSmaller))
      result = isLarger ? *a || *b : *a && *b;
  }
  if (result)
    keys[key] = *result;
  return result;
}

/// Where a row is read tile by tile, the loop from its start to its end.
static LoadOp loadOfTiles(Value scores, scf::ForOp loop) {
  auto load = scores.getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != loop.getBody() || !load.getValid().empty() ||
      load.getOffsets().back() != loop.getInductionVar() ||
      !llvm::all_of(load.getOffsets().drop_back(), [&](Value offset) {
        return loop.isDefinedOutsideOfLoop(offset);
      }))
    return {};
  auto tile = cast<RankedTensorType>(load.getTile().getType());
  auto memory = cast<MemRefType>(load.getSource().getType());
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep()),
                         upper = getConstantIntValue(loop.getUpperBound());
  bool isRow = tile.getRank() == 2 && tile.getDimSize(0) == 1 &&
               load.getDims()[1] == memory.getRank() - 1;
  if (!isRow || !lower || !step || !upper || *lower != 0 ||
      *step != tile.getDimSize(1) || *upper % *step != 0)
    return {};
  return load;
}

std::optional<MergingLoop> MergingLoop::match(scf::ForOp loop,
                                              Ranking ranking) {
  std::optional<mlir::smx::KeyParts> parts =
      mlir::smx::matchKey(ranking.all.keys);
  size_t count = ranking.ranks.size();
  Value scores =
      parts && !ranking.all.inside ? scoresOf(*parts, count) : Value();
  LoadOp load = scores ? loadOfTiles(scores, loop) : LoadOp();
  if (!load || !KeyBuilder::canBuild(ranking.all.keys, scores))
    return std::nullopt;
  MergingLoop found{loop, ranking, {}, load, *parts};
  // What starts as nothing and is of the keys' type.
  Type type = ranking.ranks.front().getResult().getType();
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (argument.getType() == type && isNothing(loop.getInitArgs()[number]))
      found.carried.push_back(number);
  if (found.carried.size() != count)
    return std::nullopt;
  // Places in the row.
  auto sum = parts->place.getDefiningOp<arith::AddIOp>();
  auto isFirst = [&](Value operand) {
    auto splat = operand.getDefiningOp<tensor::SplatOp>();
    return splat && splat.getInput() == loop.getInductionVar();
  };
  auto isColumn = [](Value operand) {
    auto position = operand.getDefiningOp<PositionOp>();
    return position && position.getDim() == 1;
  };
  if (!sum || !((isFirst(sum.getLhs()) && isColumn(sum.getRhs())) ||
                (isFirst(sum.getRhs()) && isColumn(sum.getLhs()))))
    return std::nullopt;
  // By the 0-1 principle: lists of a and of b ones.
  ValueRange yielded = loop.getYieldedValues();
  for (size_t a = 0; a <= count; ++a)
    for (size_t b = 0; b <= count; ++b) {
      Network network;
      for (size_t rank = 0; rank < count; ++rank) {
        network.set(loop.getRegionIterArgs()[found.carried[rank]], rank < a);
        network.set(found.ranking.ranks[rank].getResult(), rank < b);
      }
      for (size_t rank = 0; rank < count; ++rank)
        if (network.evaluate(yielded[found.carried[rank]]) != (rank < a + b))
          return std::nullopt;
    }
  if (!found.isMergedAlone())
    return std::nullopt;
  return found;
}

bool MergingLoop::isMergedAlone() {
  llvm::SetVector<Value> values;
  for (unsigned number : carried)
    values.insert(loop.getRegionIterArgs()[number]);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (user == loop.getBody()->getTerminator()) {
        if (!llvm::is_contained(carried, use.getOperandNumber()))
          return false;
        continue;
      }
      if (user->getNumRegions() != 0 || !isMemoryEffectFree(user))
        return false;
      values.insert_range(user->getResults());
    }
  return true;
}

void MergingLoop::rewrite() {
  auto tile = cast<RankedTensorType>(load.getTile().getType());
  auto striped = cast<StripedAttr>(getLayout(tile));
  Type element = tile.getElementType();
  auto maxima = RankedTensorType::get(
      {1, striped.getColumnThreads() * striped.getVector()}, element, striped);
  OpBuilder builder(loop);
  Location loc = ranking.ranks.front().getLoc();
  Value least = arith::ConstantOp::create(
      builder, loc, maxima,
      DenseElementsAttr::get(
          maxima, APFloat::getInf(cast<FloatType>(element).getFloatSemantics(),
                                  /*Negative=*/true)));
  IRRewriter rewriter(builder);
  auto wider = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, least, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &b, Location, ArrayRef<BlockArgument> added) {
        Value part = PartialReduceOp::create(b, loc, maxima, Combiner::Maximum,
                                             load.getTile());
        return SmallVector<Value>{
            arith::MaximumFOp::create(b, loc, added[0], part)};
      }));
  loop = wider;
  builder.setInsertionPointAfter(loop);
  int64_t count = carried.size();
  auto slice = RankedTensorType::get(
      1, element, SliceAttr::get(builder.getContext(), 1, striped));
  SmallVector<Value> offsets(load.getOffsets());
  offsets.back() = loop.getLowerBound();
  auto largest = LargestOp::create(
      builder, loc, SmallVector<Type>(count, slice),
      SmallVector<Type>(count, slice.clone(builder.getIndexType())),
      loop.getResults().back(), load.getSource(), offsets,
      *getConstantIntValue(loop.getUpperBound()), load.getAligned(),
      /*ranks=*/IntegerAttr());
  KeyBuilder keys(builder, load.getTile(), slice);
  for (auto [number, value, column] :
       llvm::zip_equal(carried, largest.getValues(), largest.getColumns())) {
    loop.getResult(number).replaceAllUsesWith(
        keys.build(ranking.all.keys, value, column, parts.place));
    // What was merged is not read any more.
    loop.getBody()->getTerminator()->setOperand(
        number, loop.getRegionIterArgs()[number]);
  }
}

namespace {
struct LargestOfStreamPass
    : mlir::smx::gpu::impl::LargestOfStreamPassBase<LargestOfStreamPass> {
  using LargestOfStreamPassBase::LargestOfStreamPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    uniteEqualOps(kernel);
    IRRewriter rewriter(&getContext());
    SmallVector<MergingLoop> found;
    for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
      for (Ranking &ranking : findRankings(*loop.getBody()))
        if (std::optional<MergingLoop> merging =
                MergingLoop::match(loop, ranking)) {
          found.push_back(*merging);
          break;
        }
    for (MergingLoop &merging : found)
      merging.rewrite();
    if (!found.empty()) {
      RewritePatternSet patterns(&getContext());
      scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
      (void)applyPatternsGreedily(kernel, std::move(patterns));
    }
  }
};
} // namespace
