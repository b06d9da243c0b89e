//===- DemandOrder.cpp - values are computed when they are needed ---------===//

#include "DemandOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

PreservedAnalyses
mlir::smx::ExpandShufflesPass::run(Function &function,
                                   FunctionAnalysisManager &) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    if (!shuffle || !isa<FixedVectorType>(shuffle->getType()))
      continue;
    IRBuilder<> builder(shuffle);
    int length = cast<FixedVectorType>(shuffle->getOperand(0)->getType())
                     ->getNumElements();
    Value *result = PoisonValue::get(shuffle->getType());
    for (auto [i, from] : enumerate(shuffle->getShuffleMask()))
      if (from >= 0) {
        Value *source = shuffle->getOperand(from < length ? 0 : 1);
        Value *element = builder.CreateExtractElement(
            source, static_cast<uint64_t>(from % length));
        result = builder.CreateInsertElement(result, element,
                                             static_cast<uint64_t>(i));
      }
    shuffle->replaceAllUsesWith(result);
    shuffle->eraseFromParent();
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

/// True if the instruction keeps its place among those that have to.
static bool isFixed(const Instruction &instruction) {
  return instruction.isTerminator() || isa<PHINode>(instruction) ||
         isa<AllocaInst>(instruction) || instruction.mayHaveSideEffects() ||
         instruction.mayReadFromMemory();
}

static void order(BasicBlock &block) {
  SmallVector<Instruction *> fixed;
  DenseSet<Instruction *> placed;
  for (Instruction &instruction : block)
    if (isFixed(instruction))
      fixed.push_back(&instruction);

  // An instruction, and the first of its operands not looked at yet.
  SmallVector<std::pair<Instruction *, unsigned>> stack;
  auto place = [&](Instruction *user) {
    stack.push_back({user, 0});
    while (!stack.empty()) {
      auto &[instruction, next] = stack.back();
      if (next == instruction->getNumOperands()) {
        if (instruction != user) {
          instruction->moveBefore(user->getIterator());
          placed.insert(instruction);
        }
        stack.pop_back();
        continue;
      }
      auto *operand = dyn_cast<Instruction>(instruction->getOperand(next++));
      if (operand && operand->getParent() == &block && !isFixed(*operand) &&
          !placed.contains(operand))
        stack.push_back({operand, 0});
    }
  };
  for (Instruction *instruction : fixed)
    if (!isa<PHINode>(instruction) && !instruction->isTerminator())
      place(instruction);
  // What other blocks need is left before the terminator, in its old order.
  SmallVector<Instruction *> rest;
  for (Instruction &instruction : block)
    if (!isFixed(instruction) && !placed.contains(&instruction))
      rest.push_back(&instruction);
  for (Instruction *instruction : rest)
    instruction->moveBefore(block.getTerminator()->getIterator());
}

PreservedAnalyses mlir::smx::DemandOrderPass::run(Function &function,
                                                  FunctionAnalysisManager &) {
  for (BasicBlock &block : function)
    order(block);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
