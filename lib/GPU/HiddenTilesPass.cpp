//===- HiddenTilesPass.cpp - groups leave out tiles hidden to them --------===//
//
// A round of cut tiles adds what a group sees of a tile to what it carries:
//
//   s = q k; p = weights of (mask ? s : -inf); acc = acc * f + p v
//
// Where the mask is false everywhere, all weights are -0, no maximum rises, and
// f is 1: what is carried stays. So the round does nothing there.
//
//===----------------------------------------------------------------------===//

#include "TileEnds.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_HIDDENTILESPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// A loop over cut tiles whose products run in step.
class CutRounds {
public:
  /// Nothing for a loop that does anything else, or of which no group is likely
  /// to see nothing.
  static std::optional<CutRounds> match(scf::ForOp loop);
  /// Leaves the rounds as they are if the mask does not tell what a group sees.
  void rewrite(IRRewriter &rewriter);

private:
  bool matchProducts();
  bool matchMask();
  /// Looks at the values only where `isCut`.
  void askWhere(IRRewriter &rewriter, Value isCut);
  /// Does `ops`, which follow each other, only where `sees`.
  void doWhere(IRRewriter &rewriter, Value sees, ArrayRef<Operation *> ops);
  /// What stands for `value`, a result of `ops`, in a round that is left out.
  Value leftOut(IRRewriter &rewriter, Value value,
                const DenseSet<Operation *> &ops);

  scf::ForOp loop;
  MmaOp scores, sum;
  /// The number of the carried accumulator.
  unsigned accumulator = 0;
  /// Tile of i1, true where a score is seen.
  Value mask;
};
} // namespace

/// True for what groups do together.
static bool isOfAllGroups(Operation *op) { return isa<GetOp, ReleaseOp>(op); }

/// What scores read of memory would be kept from branch to branch, beside the
/// scores and the accumulator: ptxas spills.
static bool isOfProducts(Operation &op) {
  return isOfAllGroups(&op) || isa<MmaOp>(op) || isMemoryEffectFree(&op);
}

bool CutRounds::matchProducts() {
  SmallVector<MmaOp> products;
  loop.walk([&](MmaOp product) { products.push_back(product); });
  if (products.size() != 2 || llvm::any_of(products, [&](MmaOp product) {
        return product->getBlock() != loop.getBody();
      }))
    return false;
  scores = products[0];
  sum = products[1];
  if (scores.getGuarded() || !sum.getGuarded() || sum.getTerms() ||
      sum.getB().getType().getElementType().getIntOrFloatBitWidth() != 16)
    return false;
  // Each result is carried at a place of its own, which tells what to carry
  // where it is left out.
  llvm::SmallDenseSet<Value> distinct;
  if (llvm::any_of(loop.getYieldedValues(),
                   [&](Value value) { return !distinct.insert(value).second; }))
    return false;
  auto place = llvm::find(loop.getYieldedValues(), sum.getResult());
  accumulator = std::distance(loop.getYieldedValues().begin(), place);
  return accumulator < loop.getNumResults();
}

/// All that comes of the scores comes through selects of one mask.
bool CutRounds::matchMask() {
  SmallVector<Value> worklist{scores.getResult()};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers()) {
      auto select = dyn_cast<arith::SelectOp>(user);
      if (select && select.getTrueValue() == value &&
          select.getCondition() != value &&
          matchPattern(select.getFalseValue(), m_NegInfFloat())) {
        if (mask && mask != select.getCondition())
          return false;
        mask = select.getCondition();
      } else if (OpTrait::hasElementwiseMappableTraits(user)) {
        llvm::append_range(worklist, user->getResults());
      } else {
        return false;
      }
    }
  }
  return mask && isa<RankedTensorType>(mask.getType());
}

/// What all groups see alike is hidden to none alone.
static bool dependsOnGroup(Value value) {
  SetVector<Operation *> ops;
  auto add = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp())
      ops.insert(op);
  };
  add(value);
  for (unsigned i = 0; i < ops.size(); ++i)
    llvm::for_each(ops[i]->getOperands(), add);
  return llvm::any_of(ops, llvm::IsaPred<GroupIdOp>);
}

std::optional<CutRounds> CutRounds::match(scf::ForOp loop) {
  auto role = loop->getParentOfType<RoleOp>();
  CutRounds found;
  found.loop = loop;
  if (!role ||
      !llvm::all_of(loop.getBody()->without_terminator(), isOfProducts) ||
      !found.matchProducts() || !found.matchMask() ||
      !dependsOnGroup(found.mask))
    return std::nullopt;
  // Of tiles with as many keys as the groups have rows, each group sees some.
  RankedTensorType tile = found.scores.getResult().getType();
  int64_t rows = role.getWarps() / role.getGroup() * tile.getDimSize(0);
  return tile.getDimSize(1) < rows ? std::optional(found) : std::nullopt;
}

void CutRounds::askWhere(IRRewriter &rewriter, Value isCut) {
  Location loc = sum.getLoc();
  rewriter.setInsertionPoint(sum);
  auto question =
      scf::IfOp::create(rewriter, loc, rewriter.getI1Type(), isCut,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto product = scf::IfOp::create(
      rewriter, loc, sum->getResultTypes(), question.getResult(0),
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto yield = [&](Block *block, auto make) {
    rewriter.setInsertionPointToEnd(block);
    Value value = make();
    scf::YieldOp::create(rewriter, loc, value);
  };
  yield(question.thenBlock(), [&]() -> Value {
    return NotFiniteOp::create(rewriter, loc, rewriter.getI1Type(), sum.getB());
  });
  yield(question.elseBlock(), [&]() -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getBoolAttr(false));
  });
  yield(product.thenBlock(), [&]() -> Value {
    auto terms = cast<MmaOp>(rewriter.clone(*sum));
    terms.setTerms(true);
    return terms.getResult();
  });
  yield(product.elseBlock(), [&]() -> Value {
    auto whole = cast<MmaOp>(rewriter.clone(*sum));
    whole.setGuarded(false);
    return whole.getResult();
  });
  rewriter.replaceOp(sum, product);
  sum = cast<MmaOp>(product.elseBlock()->front());
}

Value CutRounds::leftOut(IRRewriter &rewriter, Value value,
                         const DenseSet<Operation *> &ops) {
  Block *body = loop.getBody();
  // What an earlier part of the round left of the accumulator: another name of
  // the same numbers would take registers of its own.
  Operation *scaled = sum.getAcc().getDefiningOp();
  bool isScaledBefore =
      scaled && scaled->getBlock() == body && !ops.contains(scaled);
  for (auto [i, yielded] : llvm::enumerate(loop.getYieldedValues()))
    if (yielded == value)
      return i == accumulator && isScaledBefore
                 ? Value(sum.getAcc())
                 : Value(loop.getRegionIterArg(i));
  if (value == sum.getAcc())
    return loop.getRegionIterArg(accumulator);
  // Nobody looks at it.
  return arith::ConstantOp::create(rewriter, value.getLoc(),
                                   rewriter.getZeroAttr(value.getType()));
}

void CutRounds::doWhere(IRRewriter &rewriter, Value sees,
                        ArrayRef<Operation *> ops) {
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  auto isUsedLater = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !inside.contains(loop.getBody()->findAncestorOpInBlock(*user));
    });
  };
  SmallVector<Value> results;
  for (Operation *op : ops)
    llvm::copy_if(op->getResults(), std::back_inserter(results), isUsedLater);
  if (results.empty())
    return;
  Location loc = ops.front()->getLoc();
  rewriter.setInsertionPoint(ops.front());
  auto branch =
      scf::IfOp::create(rewriter, loc, ValueRange(results).getTypes(), sees,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  auto others = llvm::map_to_vector(
      results, [&](Value value) { return leftOut(rewriter, value, inside); });
  scf::YieldOp::create(rewriter, loc, others);
  for (auto [value, result] : llvm::zip(results, branch.getResults()))
    rewriter.replaceUsesWithIf(value, result, [&](OpOperand &use) {
      return !inside.contains(
          loop.getBody()->findAncestorOpInBlock(*use.getOwner()));
    });
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, branch.thenBlock(), branch.thenBlock()->end());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, results);
}

void CutRounds::rewrite(IRRewriter &rewriter) {
  Location loc = loop.getLoc();
  Block *body = loop.getBody();
  rewriter.setInsertionPoint(loop);
  Value isTrue =
      arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
  // Numbers that tell of the tile stand in front of a mark, the rest behind it.
  rewriter.setInsertionPointToStart(body);
  Operation *mark =
      arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
  rewriter.setInsertionPoint(mark);
  TileTruth truth = TileEnds(rewriter).truthOf(mask);
  if (truth.isAny && truth.isEvery)
    askWhere(rewriter,
             rewriter.createOrFold<arith::XOrIOp>(loc, truth.isEvery, isTrue));
  auto first = std::next(mark->getIterator());
  rewriter.eraseOp(mark);
  if (!truth.isAny)
    return;
  SmallVector<Operation *> ops;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(first, body->end()))) {
    bool isBetween = isOfAllGroups(&op) || op.hasTrait<OpTrait::IsTerminator>();
    if (!isBetween) {
      ops.push_back(&op);
      continue;
    }
    if (!ops.empty())
      doWhere(rewriter, truth.isAny, ops);
    ops.clear();
  }
}

namespace {
struct HiddenTilesPass
    : mlir::smx::gpu::impl::HiddenTilesPassBase<HiddenTilesPass> {
  using HiddenTilesPassBase::HiddenTilesPassBase;

  void runOnOperation() override {
    SmallVector<CutRounds> found;
    getOperation().walk([&](scf::ForOp loop) {
      if (std::optional<CutRounds> rounds = CutRounds::match(loop))
        found.push_back(*rounds);
    });
    IRRewriter rewriter(&getContext());
    for (CutRounds &rounds : found)
      rounds.rewrite(rewriter);
  }
};
} // namespace
