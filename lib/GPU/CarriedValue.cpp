//===- CarriedValue.cpp - what loops hand to their next run ---------------===//

#include "CarriedValue.h"

using namespace mlir;

scf::IfOp mlir::smx::gpu::withResult(RewriterBase &rewriter, scf::IfOp branch,
                                     Type type) {
  auto types = llvm::to_vector(branch.getResultTypes());
  types.push_back(type);
  rewriter.setInsertionPoint(branch);
  auto wider =
      scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  wider.getThenRegion().takeBody(branch.getThenRegion());
  wider.getElseRegion().takeBody(branch.getElseRegion());
  if (wider.getElseRegion().empty()) {
    rewriter.createBlock(&wider.getElseRegion());
    scf::YieldOp::create(rewriter, branch.getLoc());
  }
  rewriter.replaceOp(branch, wider.getResults().drop_back());
  return wider;
}

void mlir::smx::gpu::takeThen(RewriterBase &rewriter, scf::IfOp branch) {
  scf::YieldOp yield = branch.thenYield();
  SmallVector<Value> results(yield.getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(branch.thenBlock(), branch);
  rewriter.replaceOp(branch, results);
}

void mlir::smx::gpu::carryOn(RewriterBase &rewriter, scf::ForOp first,
                             scf::ForOp last) {
  Value carried = last.getResults().back(), none = first.getInitArgs().back();
  // What has the value of before once that has a name.
  SmallVector<std::pair<Operation *, unsigned>> begins;
  auto hasBefore = [&](Operation *op, unsigned operand) {
    begins.push_back({op, operand});
  };
  hasBefore(first, first->getNumOperands() - 1);
  while (true) {
    Operation *parent = carried.getDefiningOp()->getParentOp();
    if (auto outer = dyn_cast<scf::ForOp>(parent)) {
      auto wider = cast<scf::ForOp>(*outer.replaceWithAdditionalYields(
          rewriter, none, /*replaceInitOperandUsesInLoop=*/false,
          [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
            return SmallVector<Value>{carried};
          }));
      for (auto [op, operand] : begins)
        op->setOperand(operand, wider.getRegionIterArgs().back());
      begins.clear();
      hasBefore(wider, wider->getNumOperands() - 1);
      carried = wider.getResults().back();
    } else if (auto outer = dyn_cast<scf::IfOp>(parent)) {
      scf::IfOp wider = withResult(rewriter, outer, carried.getType());
      for (Region *region : {&wider.getThenRegion(), &wider.getElseRegion()}) {
        bool runs = region == carried.getParentRegion();
        Operation *yield = region->front().getTerminator();
        yield->insertOperands(yield->getNumOperands(), runs ? carried : none);
        if (!runs)
          hasBefore(yield, yield->getNumOperands() - 1);
      }
      carried = wider.getResults().back();
    } else {
      return;
    }
  }
}
