//===- SplitVectors.cpp - vectors as values of their own ------------------===//

#include "SplitVectors.h"

#include "VectorElements.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace mlir::smx;

namespace {
class VectorSplitter {
public:
  VectorSplitter(Function &function, unsigned leastBits)
      : function(function), leastBits(leastBits) {}
  void run();

private:
  /// True if vectors of this type are computed an element at a time.
  bool isSplit(Type *type) const {
    unsigned bits = type->getScalarSizeInBits();
    return isa<FixedVectorType>(type) && (bits == 1 || bits >= leastBits);
  }
  bool isSplit(const Instruction &op) const {
    auto *compare = dyn_cast<CmpInst>(&op);
    return isSplit(compare ? compare->getOperand(0)->getType() : op.getType());
  }
  using Elements = SmallVector<Value *, 0>;
  /// Valid until the next call.
  const Elements &elementsOf(Value *vector);
  /// The elements of insertions, one into the result of the other, down to
  /// another vector.
  Elements elementsOfChain(InsertElementInst *last);
  Elements extractElements(Value *vector);
  /// Whoever takes an element takes it from where it is computed.
  void forward(ExtractElementInst *extract);
  void split(PHINode *phi);
  /// Splits vectors of 16-bit elements: two are a register.
  void splitIntoPairs(PHINode *phi);
  void split(Instruction *op);
  void splitIntoPairs(IntrinsicInst *op);
  void splitShuffle(ShuffleVectorInst *op);
  void splitRegrouping(BitCastInst *op);
  void fillPhis();
  /// Puts a vector together for users that were not split.
  void join(Instruction *op);

  Function &function;
  const unsigned leastBits;
  DenseMap<Value *, Elements> known;
  DenseMap<PHINode *, SmallVector<PHINode *>> pairsOf;
  /// What was split, in order.
  SmallVector<Instruction *> splits;
};
} // namespace

VectorSplitter::Elements
VectorSplitter::elementsOfChain(InsertElementInst *last) {
  Elements elements(lengthOf(last));
  Value *vector = last;
  while (auto *insert = dyn_cast<InsertElementInst>(vector)) {
    std::optional<unsigned> place = placeIn(insert, insert->getOperand(2));
    if (known.contains(insert) || !place)
      break;
    if (!elements[*place])
      elements[*place] = insert->getOperand(1);
    vector = insert->getOperand(0);
  }
  if (llvm::is_contained(elements, nullptr))
    for (auto [element, below] :
         llvm::zip_equal(elements, vector == last ? extractElements(vector)
                                                  : elementsOf(vector)))
      if (!element)
        element = below;
  return elements;
}

VectorSplitter::Elements VectorSplitter::extractElements(Value *vector) {
  Elements elements;
  auto *constant = dyn_cast<Constant>(vector);
  for (unsigned i = 0, e = lengthOf(vector); constant && i != e; ++i)
    if (Constant *element = constant->getAggregateElement(i))
      elements.push_back(element);
  if (constant && elements.size() == lengthOf(vector))
    return elements;
  elements.clear();
  // Behind the definition, so that every user can have them.
  BasicBlock::iterator place = function.getEntryBlock().getFirstInsertionPt();
  if (auto *op = dyn_cast<Instruction>(vector))
    place = *op->getInsertionPointAfterDef();
  IRBuilder<> builder(place->getParent(), place);
  for (unsigned i = 0, e = lengthOf(vector); i != e; ++i)
    elements.push_back(builder.CreateExtractElement(vector, uint64_t(i)));
  return elements;
}

const VectorSplitter::Elements &VectorSplitter::elementsOf(Value *vector) {
  if (auto found = known.find(vector); found != known.end())
    return found->second;
  auto *insert = dyn_cast<InsertElementInst>(vector);
  Elements elements =
      insert ? elementsOfChain(insert) : extractElements(vector);
  return known[vector] = std::move(elements);
}

void VectorSplitter::forward(ExtractElementInst *extract) {
  Value *vector = extract->getVectorOperand();
  std::optional<unsigned> place = placeIn(vector, extract->getIndexOperand());
  if (!place || !isSplit(vector->getType()))
    return;
  Value *element = elementsOf(vector)[*place];
  if (element == extract)
    return;
  extract->replaceAllUsesWith(element);
  extract->eraseFromParent();
}

void VectorSplitter::split(PHINode *phi) {
  IRBuilder<> builder(phi);
  Elements elements;
  Type *type = cast<FixedVectorType>(phi->getType())->getElementType();
  for (unsigned i = 0, e = lengthOf(phi); i != e; ++i) {
    PHINode *element = builder.CreatePHI(type, phi->getNumIncomingValues());
    element->copyIRFlags(phi);
    elements.push_back(element);
  }
  known[phi] = std::move(elements);
  splits.push_back(phi);
}

void VectorSplitter::splitIntoPairs(PHINode *phi) {
  IRBuilder<> builder(phi);
  auto *type = FixedVectorType::get(phi->getType()->getScalarType(), 2);
  SmallVector<PHINode *> pairs;
  for (unsigned i = 0, e = lengthOf(phi); i != e; i += 2) {
    pairs.push_back(builder.CreatePHI(type, phi->getNumIncomingValues()));
    pairs.back()->copyIRFlags(phi);
  }
  builder.SetInsertPoint(phi->getParent(),
                         phi->getParent()->getFirstInsertionPt());
  Elements elements;
  for (PHINode *pair : pairs) {
    Elements &two = known[pair];
    for (uint64_t k : {0, 1})
      two.push_back(builder.CreateExtractElement(pair, k));
    append_range(elements, two);
  }
  pairsOf[phi] = std::move(pairs);
  known[phi] = std::move(elements);
  splits.push_back(phi);
}

void VectorSplitter::split(Instruction *op) {
  SmallVector<Value *> vectors(op->operands());
  if (auto *call = dyn_cast<CallBase>(op))
    vectors.assign(call->arg_begin(), call->arg_end());
  // A call of this may move those of another.
  SmallVector<Elements> elementsOfOperands;
  for (Value *vector : vectors)
    elementsOfOperands.push_back(isa<FixedVectorType>(vector->getType())
                                     ? elementsOf(vector)
                                     : Elements(lengthOf(op), vector));
  IRBuilder<> builder(op);
  Elements elements;
  for (unsigned i = 0, e = lengthOf(op); i != e; ++i) {
    SmallVector<Value *> operands;
    for (const Elements &of : elementsOfOperands)
      operands.push_back(of[i]);
    Value *element = createElement(builder, op, operands);
    // Folded, it may be what was there before.
    if (auto *made = dyn_cast<Instruction>(element);
        made && made->getOpcode() == op->getOpcode() &&
        !is_contained(operands, element))
      made->copyIRFlags(op);
    elements.push_back(element);
  }
  known[op] = std::move(elements);
  splits.push_back(op);
}

void VectorSplitter::splitIntoPairs(IntrinsicInst *op) {
  Elements a = elementsOf(op->getArgOperand(0)),
           b = elementsOf(op->getArgOperand(1)), elements;
  IRBuilder<> builder(op);
  for (size_t i = 0; i != a.size(); i += 2) {
    Value *pair = builder.CreateBinaryIntrinsic(
        op->getIntrinsicID(), createVector(builder, ArrayRef(a).slice(i, 2)),
        createVector(builder, ArrayRef(b).slice(i, 2)), op);
    for (uint64_t k : {0, 1})
      elements.push_back(builder.CreateExtractElement(pair, k));
  }
  known[op] = std::move(elements);
  splits.push_back(op);
}

void VectorSplitter::splitShuffle(ShuffleVectorInst *op) {
  int length = lengthOf(op->getOperand(0));
  Elements elements;
  for (int from : op->getShuffleMask())
    elements.push_back(
        from < 0
            ? PoisonValue::get(op->getType()->getElementType())
            : elementsOf(op->getOperand(from < length ? 0 : 1))[from % length]);
  known[op] = std::move(elements);
  splits.push_back(op);
}

void VectorSplitter::splitRegrouping(BitCastInst *op) {
  auto *type = cast<FixedVectorType>(op->getType());
  Elements from = elementsOf(op->getOperand(0)), to;
  IRBuilder<> builder(op);
  if (size_t group = from.size() / type->getNumElements()) {
    for (ArrayRef<Value *> rest = from; !rest.empty();
         rest = rest.drop_front(group))
      to.push_back(
          builder.CreateBitCast(createVector(builder, rest.take_front(group)),
                                type->getElementType()));
  } else {
    group = type->getNumElements() / from.size();
    for (Value *element : from) {
      Value *vector = builder.CreateBitCast(
          element, FixedVectorType::get(type->getElementType(), group));
      for (size_t i = 0; i != group; ++i)
        to.push_back(builder.CreateExtractElement(vector, uint64_t(i)));
    }
  }
  known[op] = std::move(to);
  splits.push_back(op);
}

void VectorSplitter::fillPhis() {
  for (Instruction *op : splits) {
    auto *phi = dyn_cast<PHINode>(op);
    if (!phi)
      continue;
    for (auto [value, from] :
         zip_equal(phi->incoming_values(), phi->blocks())) {
      Elements incoming = elementsOf(value);
      if (auto pairs = pairsOf.find(phi); pairs != pairsOf.end()) {
        IRBuilder<> builder(from->getTerminator());
        for (auto [i, pair] : enumerate(pairs->second))
          pair->addIncoming(
              createVector(builder, ArrayRef(incoming).slice(2 * i, 2)), from);
        continue;
      }
      for (auto [element, own] : zip_equal(incoming, elementsOf(phi)))
        cast<PHINode>(own)->addIncoming(element, from);
    }
  }
}

void VectorSplitter::join(Instruction *op) {
  const Elements &elements = elementsOf(op);
  // Elements of pairs of a phi are taken from these behind all phis.
  auto *phi = dyn_cast<PHINode>(op);
  Instruction *last =
      phi && pairsOf.contains(phi) ? cast<Instruction>(elements.back()) : op;
  IRBuilder<> builder(last->getParent(), *last->getInsertionPointAfterDef());
  op->replaceAllUsesWith(createVector(builder, elements));
}

/// Erases what names elements for nobody, users before what they use.
static void eraseUnused(Function &function) {
  for (BasicBlock *block : post_order(&function))
    for (Instruction &op : make_early_inc_range(reverse(*block)))
      if (isa<InsertElementInst, ExtractElementInst>(op) && op.use_empty())
        op.eraseFromParent();
}

void VectorSplitter::run() {
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &op : make_early_inc_range(*block)) {
      auto *regrouping = dyn_cast<BitCastInst>(&op);
      if (auto *extract = dyn_cast<ExtractElementInst>(&op))
        forward(extract);
      else if (regrouping && isRegrouping(*regrouping) &&
               isSplit(op.getOperand(0)->getType()) && isSplit(op.getType()))
        splitRegrouping(regrouping);
      else if (!isSplit(op))
        continue;
      else if (auto *phi = dyn_cast<PHINode>(&op))
        isWords(phi->getType()) ? splitIntoPairs(phi) : split(phi);
      else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&op))
        splitShuffle(shuffle);
      else if (isPairwise(op))
        splitIntoPairs(cast<IntrinsicInst>(&op));
      else if (isElementwise(op))
        split(&op);
    }
  fillPhis();
  for (Instruction *op : splits)
    op->dropAllReferences();
  // Elements of pairs may be extractions: they are needed until here.
  for (Instruction *op : splits)
    if (!op->use_empty())
      join(op);
  eraseUnused(function);
  for (Instruction *op : splits)
    op->eraseFromParent();
}

PreservedAnalyses mlir::smx::SplitVectorsPass::run(Function &function,
                                                   FunctionAnalysisManager &) {
  VectorSplitter(function, leastBits).run();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
