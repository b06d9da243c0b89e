//===- FoldScoresPass.cpp - weights from the terms of a score -------------===//
//
// A score is a chain of sums, t = (..(s + b1) + ..) + bn, behind a product s of
// matrices. The exponent of its weight takes the terms from the other end,
//
//   c t - r = c s + (c b1 + .. + (c bn - r))
//
// where c t is nearly r, if the weight counts: c (bk + .. + bn) - r then is
// what the score was before bk, with the other sign. So nothing on the way is
// larger than s or what the score's own sums come to, nor are its roundings. A
// term that is a sum stays one: x - y may be small where x and y are not.
//

#include "ScoreArithmetic.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_FOLDSCORESPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// What all elements of a tile are multiplied by: the product of a constant and
/// of scalars.
struct Factor {
  double constant = 1;
  SmallVector<Value> scalars;
};

struct Term {
  Value tile;
  Factor factor;
};

/// The terms of a score, and the weight's fused multiply-add that takes it.
class Score {
public:
  /// The score in `weight` = fma(t, c, r), if it is a chain of sums, or a
  /// product with factors, and only branches need it besides.
  static std::optional<Score> match(math::FmaOp weight);
  void fold();
  /// In the order in which the exponent takes them.
  ArrayRef<Term> getTerms() const { return terms; }
  /// What the score itself is computed by.
  const llvm::SetVector<Operation *> &getArithmetic() const {
    return arithmetic;
  }

private:
  explicit Score(math::FmaOp weight) : weight(weight) {}
  /// Null where another block computes it: it is there already.
  Operation *opOf(Value value) const;
  /// `value`, or what it is a multiple of, and the whole factor.
  Term behindProducts(Value value, Factor factor);
  void collect(Value value, Factor factor);
  Value splat(OpBuilder &builder, const Factor &factor);

  math::FmaOp weight;
  SmallVector<Term> terms;
  llvm::SetVector<Operation *> arithmetic;
};
} // namespace

/// `factor` times a value that is the same everywhere; nothing if it is not.
static std::optional<Factor> times(Factor factor, Value value) {
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
    factor.constant *= elements.getSplatValue<APFloat>().convertToDouble();
    return factor;
  }
  if (auto splat = value.getDefiningOp<tensor::SplatOp>()) {
    factor.scalars.push_back(splat.getInput());
    return factor;
  }
  return std::nullopt;
}

/// What computes `value` in `block`, in order; nothing if it is not known. A
/// tile that a channel brings is there.
static std::optional<SmallVector<Operation *>> sliceOf(Value value,
                                                       Block *block) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block)
    return SmallVector<Operation *>();
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *other) {
    return other->getBlock() == block && !isa<GetOp>(other);
  };
  llvm::SetVector<Operation *> slice;
  if (failed(getBackwardSlice(op, &slice, options)))
    return std::nullopt;
  return slice.takeVector();
}

/// True if `value` is computed from a product of the same round.
static bool waits(Value value, Block *block) {
  auto slice = sliceOf(value, block);
  return !slice || llvm::any_of(*slice, llvm::IsaPred<WaitOp>);
}

static Factor negated(Factor factor) {
  factor.constant = -factor.constant;
  return factor;
}

/// The two terms of a sum that is multiplied by `factor`.
static std::optional<std::pair<Term, Term>> summandsOf(Operation *op,
                                                       const Factor &factor) {
  if (auto sum = dyn_cast_or_null<arith::AddFOp>(op))
    return std::pair(Term{sum.getLhs(), factor}, Term{sum.getRhs(), factor});
  if (auto difference = dyn_cast_or_null<arith::SubFOp>(op))
    return std::pair(Term{difference.getLhs(), factor},
                     Term{difference.getRhs(), negated(factor)});
  auto fma = dyn_cast_or_null<math::FmaOp>(op);
  if (!fma)
    return std::nullopt;
  for (auto [value, other] :
       {std::pair(fma.getA(), fma.getB()), std::pair(fma.getB(), fma.getA())})
    if (std::optional<Factor> product = times(factor, other))
      return std::pair(Term{value, *product}, Term{fma.getC(), factor});
  return std::nullopt;
}

Operation *Score::opOf(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == weight->getBlock() ? op : nullptr;
}

Term Score::behindProducts(Value value, Factor factor) {
  Operation *op = opOf(value);
  if (auto negation = dyn_cast_or_null<arith::NegFOp>(op)) {
    arithmetic.insert(op);
    return behindProducts(negation.getOperand(), negated(factor));
  }
  if (auto product = dyn_cast_or_null<arith::MulFOp>(op))
    for (auto [value, other] : {std::pair(product.getLhs(), product.getRhs()),
                                std::pair(product.getRhs(), product.getLhs())})
      if (std::optional<Factor> whole = times(factor, other)) {
        arithmetic.insert(op);
        return behindProducts(value, *whole);
      }
  return {value, std::move(factor)};
}

void Score::collect(Value value, Factor factor) {
  Term whole = behindProducts(value, std::move(factor));
  Operation *op = opOf(whole.tile);
  auto summands = summandsOf(op, whole.factor);
  Block *block = weight->getBlock();
  if (!summands ||
      waits(summands->first.tile, block) == waits(summands->second.tile, block))
    return terms.push_back(std::move(whole));
  arithmetic.insert(op);
  auto [term, chain] = std::move(*summands);
  if (waits(term.tile, block))
    std::swap(term, chain);
  terms.push_back(behindProducts(term.tile, std::move(term.factor)));
  collect(chain.tile, std::move(chain.factor));
}

std::optional<Score> Score::match(math::FmaOp weight) {
  Operation *score = weight.getA().getDefiningOp();
  std::optional<Factor> factor = times({}, weight.getB());
  if (!factor || !score || score->getBlock() != weight->getBlock() ||
      !getLayout(cast<RankedTensorType>(weight.getType())))
    return std::nullopt;
  for (Operation *user : score->getUsers())
    if (user != weight && user->getBlock() == weight->getBlock())
      return std::nullopt;
  Score found(weight);
  found.collect(weight.getA(), *factor);
  if (found.arithmetic.empty())
    return std::nullopt;
  return found;
}

Value Score::splat(OpBuilder &builder, const Factor &factor) {
  Location loc = weight.getLoc();
  auto type = cast<RankedTensorType>(weight.getType());
  FloatAttr constant =
      builder.getFloatAttr(type.getElementType(), factor.constant);
  if (factor.scalars.empty())
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, constant));
  Value product = arith::ConstantOp::create(builder, loc, constant);
  for (Value scalar : factor.scalars)
    product = arith::MulFOp::create(builder, loc, product, scalar);
  return tensor::SplatOp::create(builder, loc, product, type);
}

static bool readsTerm(Operation *op) {
  return isa<GatherOp, LoadOp, ReadOp>(op);
}

/// Has branches read `term` once more, rather than keep what was read in
/// registers until it is known whether they are taken.
static void readInBranches(Value term, Block *block) {
  auto slice = sliceOf(term, block);
  if (!slice || llvm::none_of(*slice, readsTerm) ||
      !llvm::all_of(*slice, [](Operation *op) {
        return readsTerm(op) || isMemoryEffectFree(op);
      }))
    return;
  llvm::MapVector<Block *, SmallVector<OpOperand *>> uses;
  for (OpOperand &use : term.getUses())
    if (use.getOwner()->getBlock() != block)
      uses[use.getOwner()->getBlock()].push_back(&use);
  for (auto &[branch, operands] : uses) {
    OpBuilder builder(branch, branch->begin());
    IRMapping copies;
    for (Operation *op : *slice) {
      if (auto read = dyn_cast<ReadOp>(op))
        copies.map(read.getShared(),
                   HoldOp::create(builder, read.getLoc(),
                                  read.getShared().getType(), read.getShared())
                       .getResult());
      Operation *copy = builder.clone(*op, copies);
      if (auto load = dyn_cast<LoadOp>(copy))
        load.setAgain(true);
      else if (auto gather = dyn_cast<GatherOp>(copy))
        gather.setAgain(true);
    }
    for (OpOperand *operand : operands)
      operand->set(copies.lookup(term));
  }
}

/// A distance, or another number made of the places of elements.
static bool isOfPlaces(Value value) {
  auto converted = value.getDefiningOp<arith::SIToFPOp>();
  if (!converted)
    return false;
  Value places = converted.getIn();
  if (auto cast = places.getDefiningOp<arith::IndexCastOp>())
    places = cast.getIn();
  return getElementTypeOrSelf(places).isIndex();
}

void Score::fold() {
  OpBuilder builder(weight);
  Value sum = weight.getC();
  for (const Term &term : terms) {
    auto flags = isOfPlaces(term.tile) ? arith::FastMathFlags::reassoc
                                       : arith::FastMathFlags::none;
    sum = math::FmaOp::create(builder, weight.getLoc(), term.tile,
                              splat(builder, term.factor), sum, flags);
  }
  weight.replaceAllUsesWith(sum);
  weight.erase();
}

namespace {
struct FoldScoresPass
    : mlir::smx::gpu::impl::FoldScoresPassBase<FoldScoresPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<math::FmaOp> weights;
    // In the branch itself the score is there.
    kernel.walk([&](math::FmaOp fma) {
      if (isa<scf::ForOp>(fma->getParentOp()) && fma->hasOneUse() &&
          isa<math::Exp2Op>(*fma->getUsers().begin()))
        weights.push_back(fma);
    });
    llvm::SetVector<Operation *> arithmetic;
    SmallVector<std::pair<Value, Block *>> read;
    for (math::FmaOp weight : weights) {
      std::optional<Score> score = Score::match(weight);
      if (!score)
        continue;
      remark::passed(weight.getLoc(), remark::RemarkOpts::name("FoldScores")
                                          .category("smx-gpu-fold-scores"))
          << "weights are computed from the terms of a score: "
          << remark::metric("terms",
                            static_cast<int64_t>(score->getTerms().size()));
      for (const Term &term : score->getTerms())
        read.push_back({term.tile, weight->getBlock()});
      score->fold();
      arithmetic.insert_range(score->getArithmetic());
    }
    // Scores move into the branches that need them.
    sinkIntoBranches(kernel, getAnalysis<DominanceInfo>(),
                     [&](Operation *op) { return arithmetic.contains(op); });
    for (auto [term, block] : read)
      readInBranches(term, block);
  }
};
} // namespace
