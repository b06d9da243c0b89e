//===- LoopRounds.cpp - how often each block runs -------------------------===//

#include "LoopRounds.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

LoopRounds::LoopRounds(func::FuncOp function, ArrayRef<int64_t> extents,
                       int64_t maxRounds)
    : function(function), roundsLeft(maxRounds) {
  for (Value argument : function.getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type || !type.hasRank())
      continue;
    for (int64_t dim = 0; dim < type.getRank() && !extents.empty(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      evaluator.bindExtent(argument, dim, extents.front());
      extents = extents.drop_front();
    }
  }
  findPositionsThatMatter();
}

void LoopRounds::findPositionsThatMatter() {
  llvm::SetVector<Value> worklist;
  auto add = [&](ArrayRef<OpFoldResult> values) {
    for (OpFoldResult value : values)
      if (auto dynamic = dyn_cast<Value>(value))
        worklist.insert(dynamic);
  };
  function.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<scf::ForOp, scf::ForallOp, scf::ParallelOp>(
            [&](LoopLikeOpInterface loop) {
              for (auto bounds :
                   {loop.getLoopLowerBounds(), loop.getLoopUpperBounds(),
                    loop.getLoopSteps()})
                add(*bounds);
            })
        .Case([&](scf::IfOp branch) { worklist.insert(branch.getCondition()); })
        .Case<tensor::ExtractSliceOp, memref::SubViewOp>(
            [&](auto slice) { add(slice.getMixedSizes()); })
        .Case<tensor::EmptyOp, memref::AllocOp, memref::AllocaOp>(
            [&](auto empty) {
              worklist.insert_range(empty.getDynamicSizes());
            });
  });
  for (size_t next = 0; next < worklist.size(); ++next) {
    Value value = worklist[next];
    if (Operation *op = value.getDefiningOp())
      worklist.insert_range(op->getOperands());
    else
      positionsThatMatter.insert(value);
  }
}

void LoopRounds::run(Visit visit) {
  if (!function.getBody().hasOneBlock()) {
    leaveOut("control flow between blocks");
    return;
  }
  walk(function.getBody().front(), 1, visit);
}

void LoopRounds::walk(Block &block, int64_t times, Visit visit) {
  visit(block, times);
  for (Operation &op : block) {
    llvm::TypeSwitch<Operation *>(&op)
        .Case<scf::ForOp, scf::IfOp>(
            [&](auto structured) { walk(structured, times, visit); })
        .Case<scf::ForallOp, scf::ParallelOp>([&](LoopLikeOpInterface loop) {
          walkParallel(loop.getLoopRegions().front()->front(),
                       *loop.getLoopLowerBounds(), *loop.getLoopUpperBounds(),
                       *loop.getLoopSteps(), 0, times, visit);
        })
        .Case([&](scf::WhileOp) { leaveOut("loops of unknown length"); })
        .Case([&](CallOpInterface) { leaveOut("called functions"); });
  }
}

void LoopRounds::walkRange(Value position, std::optional<int64_t> lower,
                           std::optional<int64_t> upper,
                           std::optional<int64_t> step, int64_t times,
                           llvm::function_ref<void(int64_t times)> round) {
  if (!lower || !upper || !step || *step <= 0) {
    leaveOut("loops of dynamic bounds");
    return;
  }
  int64_t rounds =
      *upper <= *lower ? 0 : llvm::divideCeil(*upper - *lower, *step);
  if (rounds == 0)
    return;
  if (!positionsThatMatter.contains(position)) {
    round(times * rounds);
    return;
  }
  if (rounds > roundsLeft) {
    leaveOut("loops with too many different rounds");
    return;
  }
  roundsLeft -= rounds;
  for (int64_t i = 0; i < rounds; ++i) {
    size_t mark = evaluator.mark();
    evaluator.bind(position, *lower + i * *step);
    round(times);
    evaluator.forgetSince(mark);
  }
}

void LoopRounds::walk(scf::ForOp loop, int64_t times, Visit visit) {
  walkRange(loop.getInductionVar(), evaluator.evaluate(loop.getLowerBound()),
            evaluator.evaluate(loop.getUpperBound()),
            evaluator.evaluate(loop.getStep()), times,
            [&](int64_t times) { walk(*loop.getBody(), times, visit); });
}

void LoopRounds::walk(scf::IfOp branch, int64_t times, Visit visit) {
  std::optional<int64_t> condition = evaluator.evaluate(branch.getCondition());
  if (!condition)
    leaveOut("the second branch of a condition that depends on data");
  if (condition.value_or(1))
    walk(*branch.thenBlock(), times, visit);
  else if (branch.elseBlock())
    walk(*branch.elseBlock(), times, visit);
}

void LoopRounds::walkParallel(Block &body, ArrayRef<OpFoldResult> lower,
                              ArrayRef<OpFoldResult> upper,
                              ArrayRef<OpFoldResult> step, unsigned dim,
                              int64_t times, Visit visit) {
  if (dim == lower.size()) {
    walk(body, times, visit);
    return;
  }
  walkRange(body.getArgument(dim), evaluator.evaluate(lower[dim]),
            evaluator.evaluate(upper[dim]), evaluator.evaluate(step[dim]),
            times, [&](int64_t times) {
              walkParallel(body, lower, upper, step, dim + 1, times, visit);
            });
}
