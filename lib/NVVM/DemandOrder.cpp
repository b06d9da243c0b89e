//===- DemandOrder.cpp - values are computed when they are needed ---------===//

#include "DemandOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// True if the instruction keeps its place among those that have to.
static bool isFixed(const Instruction &instruction) {
  return instruction.isTerminator() || isa<PHINode>(instruction) ||
         isa<AllocaInst>(instruction) || instruction.mayHaveSideEffects() ||
         instruction.mayReadFromMemory();
}

/// True if the instruction only names registers.
static bool isNaming(const Instruction &instruction) {
  return isa<InsertElementInst, ExtractElementInst, BitCastInst>(instruction);
}

namespace {
class BlockOrder {
public:
  explicit BlockOrder(BasicBlock &block) : block(block) {}
  void run();

private:
  /// Puts before `user` what it needs.
  void placeOperands(Instruction *user);
  void place(Instruction *instruction, Instruction *before);
  /// The arithmetic that `instruction` needs, through what only names
  /// registers.
  void collectSources(Instruction *instruction,
                      SmallSetVector<Instruction *, 4> &sources) const;
  /// The conversions to fewer bits that only other blocks need: they follow
  /// the last of their operands, which need no registers from then on.
  void findConversions();
  bool isFree(Instruction *instruction) const {
    return instruction && instruction->getParent() == &block &&
           !isFixed(*instruction) && !placed.contains(instruction);
  }

  BasicBlock &block;
  DenseSet<Instruction *> placed;
  DenseMap<Instruction *, SmallVector<Instruction *, 1>> conversionsOf;
  /// Operands of a conversion that are not placed yet.
  DenseMap<Instruction *, unsigned> missing;
};
} // namespace

void BlockOrder::collectSources(
    Instruction *instruction, SmallSetVector<Instruction *, 4> &sources) const {
  for (Value *value : instruction->operands()) {
    auto *operand = dyn_cast<Instruction>(value);
    if (!isFree(operand))
      continue;
    if (isNaming(*operand))
      collectSources(operand, sources);
    else
      sources.insert(operand);
  }
}

void BlockOrder::findConversions() {
  for (Instruction &instruction : block) {
    if (!isa<FPTruncInst>(instruction) ||
        llvm::any_of(instruction.users(), [&](User *user) {
          auto *at = cast<Instruction>(user);
          return at->getParent() == &block && !isa<PHINode>(at);
        }))
      continue;
    SmallSetVector<Instruction *, 4> sources;
    collectSources(&instruction, sources);
    missing[&instruction] = sources.size();
    for (Instruction *source : sources)
      conversionsOf[source].push_back(&instruction);
  }
}

void BlockOrder::place(Instruction *instruction, Instruction *before) {
  instruction->moveBefore(before->getIterator());
  placed.insert(instruction);
  for (Instruction *conversion : conversionsOf.lookup(instruction))
    if (--missing[conversion] == 0 && isFree(conversion)) {
      conversion->moveBefore(before->getIterator());
      placed.insert(conversion);
      placeOperands(conversion);
    }
}

void BlockOrder::placeOperands(Instruction *user) {
  // An instruction, and the first of its operands not looked at yet.
  SmallVector<std::pair<Instruction *, unsigned>> stack{{user, 0}};
  while (!stack.empty()) {
    auto &[instruction, next] = stack.back();
    if (next == instruction->getNumOperands()) {
      Instruction *done = instruction;
      stack.pop_back();
      if (done != user)
        place(done, user);
      continue;
    }
    auto *operand = dyn_cast<Instruction>(instruction->getOperand(next++));
    if (isFree(operand))
      stack.push_back({operand, 0});
  }
}

void BlockOrder::run() {
  findConversions();
  SmallVector<Instruction *> fixed;
  for (Instruction &instruction : block)
    if (isFixed(instruction))
      fixed.push_back(&instruction);
  for (Instruction *instruction : fixed)
    if (!isa<PHINode>(instruction) && !instruction->isTerminator())
      placeOperands(instruction);
  // What other blocks need is left before the terminator, in its old order.
  SmallVector<Instruction *> rest;
  for (Instruction &instruction : block)
    if (isFree(&instruction))
      rest.push_back(&instruction);
  for (Instruction *instruction : rest)
    instruction->moveBefore(block.getTerminator()->getIterator());
}

PreservedAnalyses mlir::smx::DemandOrderPass::run(Function &function,
                                                  FunctionAnalysisManager &) {
  for (BasicBlock &block : function)
    BlockOrder(block).run();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
