//===- NegatedPairs.cpp - pairs of negated elements -----------------------===//

#include "NegatedPairs.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// Nobody inserts anything else into the vector.
static bool isWhole(const InsertElementInst &insert) {
  return none_of(insert.users(), [&](const User *user) {
    return isa<InsertElementInst>(user) && user->getOperand(0) == &insert;
  });
}

/// What is negated to give the elements of a vector that insertions put
/// together, the last of which this is; nothing if another element is there.
static SmallVector<Value *> negatedElements(InsertElementInst &last) {
  auto *type = dyn_cast<FixedVectorType>(last.getType());
  if (!type || type->getNumElements() % 2 != 0 ||
      type->getScalarSizeInBits() != 16)
    return {};
  SmallVector<Value *> elements(type->getNumElements());
  for (Value *vector = &last; is_contained(elements, nullptr);) {
    Value *below, *negated;
    uint64_t place;
    if (!match(vector, m_InsertElt(m_Value(below), m_FNeg(m_Value(negated)),
                                   m_ConstantInt(place))) ||
        place >= elements.size())
      return {};
    if (!elements[place])
      elements[place] = negated;
    vector = below;
  }
  return elements;
}

PreservedAnalyses mlir::smx::NegatedPairsPass::run(Function &function,
                                                   FunctionAnalysisManager &) {
  SmallVector<WeakTrackingVH> replaced;
  for (Instruction &op : instructions(function)) {
    auto *insert = dyn_cast<InsertElementInst>(&op);
    if (!insert || !isWhole(*insert))
      continue;
    SmallVector<Value *> elements = negatedElements(*insert);
    if (elements.empty())
      continue;
    IRBuilder<> builder(insert);
    Value *vector = PoisonValue::get(insert->getType());
    for (auto [i, element] : enumerate(elements))
      vector = builder.CreateInsertElement(vector, element, uint64_t(i));
    insert->replaceAllUsesWith(builder.CreateFNeg(vector));
    replaced.emplace_back(insert);
  }
  RecursivelyDeleteTriviallyDeadInstructions(replaced);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
