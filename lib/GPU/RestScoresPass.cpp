//===- RestScoresPass.cpp - scores of the keys that are left over ---------===//

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_RESTSCORESPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// The last sum of the rounds of a tile, and behind it the scores of a few keys
/// more.
class RestScores {
public:
  /// Nothing if the product is no such sum.
  static std::optional<RestScores> match(MmaAsyncOp sum);
  void rewrite();
  Location getLoc() { return scores.getLoc(); }

private:
  bool findScores();
  bool findReader();
  void enterBranch();

  /// What gets the operand of the sum, the sum, its wait, and what is computed
  /// from it or given back before the branch.
  SmallVector<Operation *> last;
  MmaAsyncOp sum;
  WaitOp wait;
  /// Around the scores, which only some parts of a tile have; and what is given
  /// back behind it.
  scf::IfOp branch;
  SmallVector<Operation *> releases;
  MmaOp scores;
  GetOp keys;
  /// The first op behind the scores that reads the sum.
  Operation *reader = nullptr;
};
} // namespace

bool RestScores::findScores() {
  Block *block = branch.thenBlock();
  auto products = block->getOps<MmaOp>();
  if (products.empty())
    return false;
  scores = *products.begin();
  // What scores read has to come in front of the product.
  if (llvm::any_of(*block, llvm::IsaPred<LoadOp, GatherOp, ReadOp>))
    return false;
  keys = scores.getB().getDefiningOp<GetOp>();
  Operation *rows = scores.getA().getDefiningOp();
  return keys && keys->getBlock() == block && rows &&
         isa<SharedType>(scores.getA().getType()) &&
         rows->getBlock() == sum->getBlock() && rows->isBeforeInBlock(sum) &&
         !scores.getGuarded() &&
         matchPattern(scores.getAcc(), m_AnyZeroFloat());
}

/// Between the scores and the reader there may be arithmetic alone.
bool RestScores::findReader() {
  Value result = wait.getResult();
  auto reads = [&](Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return llvm::is_contained(inner->getOperands(), result)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (reader = scores->getNextNode(); reader && !reads(reader);
       reader = reader->getNextNode())
    if (!isa<ReleaseOp, AnyOp>(reader) && !isMemoryEffectFree(reader))
      return false;
  return reader != nullptr;
}

std::optional<RestScores> RestScores::match(MmaAsyncOp sum) {
  RestScores found;
  found.sum = sum;
  found.wait = dyn_cast<WaitOp>(sum->getNextNode());
  if (!found.wait || found.wait.getToken() != sum.getToken() ||
      sum.getUnless() || isa<SharedType>(sum.getA().getType()))
    return std::nullopt;
  Operation *next = sum;
  if (auto get = sum.getB().getDefiningOp<GetOp>();
      get && get->getNextNode() == sum)
    next = get;
  for (; next && !isa<scf::IfOp>(next); next = next->getNextNode()) {
    bool isFree = isMemoryEffectFree(next);
    if (next != sum && next != found.wait && !isa<GetOp, ReleaseOp>(next) &&
        !isFree)
      return std::nullopt;
    // What has nothing to do with the sum stays.
    if (!isFree || llvm::any_of(next->getOperands(), [&](Value operand) {
          return llvm::is_contained(found.last, operand.getDefiningOp());
        }))
      found.last.push_back(next);
  }
  if (!next)
    return std::nullopt;
  found.branch = cast<scf::IfOp>(next);
  if (!found.branch.elseBlock() || !found.findScores() || !found.findReader())
    return std::nullopt;
  for (next = next->getNextNode(); isa<ReleaseOp>(next);
       next = next->getNextNode())
    found.releases.push_back(next);
  // What both sides have is not there for what follows.
  for (Operation *op : found.last)
    for (Operation *user : op->getUsers())
      if (!llvm::is_contained(found.last, user) &&
          !found.branch->isAncestor(user))
        return std::nullopt;
  return found;
}

/// The sum goes to both sides of the branch, and so does what is given back
/// behind it: without more scores at once.
void RestScores::enterBranch() {
  IRMapping mapping;
  OpBuilder builder(&branch.elseBlock()->front());
  for (Operation *op : releases)
    builder.clone(*op, mapping);
  for (Operation *op : last)
    builder.clone(*op, mapping);
  for (Operation *op : last)
    for (auto [from, to] :
         llvm::zip(op->getResults(), mapping.lookup(op)->getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return branch.getElseRegion().isAncestor(
            use.getOwner()->getParentRegion());
      });
  Operation *first = &branch.thenBlock()->front();
  for (Operation *op : last)
    op->moveBefore(first);
  for (Operation *op : llvm::reverse(releases))
    op->moveAfter(scores);
}

void RestScores::rewrite() {
  enterBranch();
  // The scores first, as in a round.
  keys->moveBefore(last.front());
  OpBuilder builder(last.front());
  auto product = MmaAsyncOp::create(
      builder, scores.getLoc(), scores.getResult().getType(),
      TokenType::get(builder.getContext()), scores.getA(), scores.getB(),
      scores.getAcc(), scores.getTransposeB(), /*zero=*/true,
      /*unless=*/Value());
  builder.setInsertionPoint(scores);
  Value done = WaitOp::create(builder, scores.getLoc(), product.getToken(),
                              product.getResult(), /*pending=*/1);
  scores.getResult().replaceAllUsesWith(done);
  // What the sum gives back waits with it.
  SmallVector<Operation *> later{wait};
  for (Operation *op = wait->getNextNode(); isa<ReleaseOp>(op);
       op = op->getNextNode())
    later.push_back(op);
  for (Operation *op : later)
    op->moveBefore(reader);
  scores->erase();
}

namespace {
struct RestScoresPass
    : mlir::smx::gpu::impl::RestScoresPassBase<RestScoresPass> {
  using RestScoresPassBase::RestScoresPassBase;

  void runOnOperation() override {
    SmallVector<RestScores> found;
    getOperation().walk([&](MmaAsyncOp product) {
      if (std::optional<RestScores> rest = RestScores::match(product))
        found.push_back(*rest);
    });
    for (RestScores &rest : found) {
      remark::passed(rest.getLoc(), remark::RemarkOpts::name("RestScores")
                                        .category("smx-gpu-rest-scores"))
          << "the scores of the keys that are left over are multiplied beside "
             "the last sum of the rounds";
      rest.rewrite();
    }
  }
};
} // namespace
