//===- SplitVectors.cpp - vectors as values of their own ------------------===//

#include "SplitVectors.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static unsigned lengthOf(Value *vector) {
  return cast<FixedVectorType>(vector->getType())->getNumElements();
}

/// The place of an insertion or extraction, if it is one that the vector has.
static std::optional<unsigned> placeIn(Value *vector, Value *place) {
  auto *constant = dyn_cast<ConstantInt>(place);
  if (!constant || !isa<FixedVectorType>(vector->getType()) ||
      constant->getValue().uge(lengthOf(vector)))
    return std::nullopt;
  return constant->getZExtValue();
}

/// True if every element of the result is computed by the same op from the
/// elements of the operands in its place, or from operands that are scalars.
static bool isElementwise(const Instruction &op) {
  auto *result = dyn_cast<FixedVectorType>(op.getType());
  if (!result)
    return false;
  if (auto *call = dyn_cast<IntrinsicInst>(&op))
    return isTriviallyVectorizable(call->getIntrinsicID());
  if (auto *cast = dyn_cast<CastInst>(&op)) {
    auto *source = dyn_cast<FixedVectorType>(cast->getSrcTy());
    return source && source->getNumElements() == result->getNumElements();
  }
  return isa<UnaryOperator, BinaryOperator, CmpInst, SelectInst, FreezeInst>(
      op);
}

/// True if the bits of some elements are those of one, on either side.
static bool isRegrouping(const BitCastInst &op) {
  auto *from = dyn_cast<FixedVectorType>(op.getSrcTy());
  auto *to = dyn_cast<FixedVectorType>(op.getDestTy());
  return from && to && from->getNumElements() != to->getNumElements() &&
         (from->getNumElements() % to->getNumElements() == 0 ||
          to->getNumElements() % from->getNumElements() == 0);
}

/// True if two elements each are a register.
static bool isWords(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getScalarSizeInBits() == 16 &&
         vector->getNumElements() % 2 == 0;
}

/// Extrema of 16-bit elements: there is an instruction for two.
static bool isPairwise(const Instruction &op) {
  auto *extremum = dyn_cast<IntrinsicInst>(&op);
  if (!extremum || !isWords(op.getType()))
    return false;
  return is_contained({Intrinsic::maxnum, Intrinsic::minnum, Intrinsic::maximum,
                       Intrinsic::minimum},
                      extremum->getIntrinsicID());
}

/// The vector whose elements these are, all of them in order; or null.
static Value *findVector(ArrayRef<Value *> elements) {
  Value *vector = nullptr;
  for (auto [i, element] : enumerate(elements)) {
    auto *extract = dyn_cast<ExtractElementInst>(element);
    if (!extract || (vector && extract->getVectorOperand() != vector))
      return nullptr;
    vector = extract->getVectorOperand();
    if (!isa<FixedVectorType>(vector->getType()) ||
        lengthOf(vector) != elements.size() ||
        placeIn(vector, extract->getIndexOperand()) != i)
      return nullptr;
  }
  return vector;
}

/// A vector of these elements.
static Value *createVector(IRBuilder<> &builder, ArrayRef<Value *> elements) {
  if (Value *vector = findVector(elements))
    return vector;
  Value *vector = PoisonValue::get(
      FixedVectorType::get(elements.front()->getType(), elements.size()));
  for (auto [i, element] : enumerate(elements))
    vector = builder.CreateInsertElement(vector, element, uint64_t(i));
  return vector;
}

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
  /// Of insertions, one into the result of the other, down to another vector.
  Elements elementsOfChain(InsertElementInst *last);
  Elements extractElements(Value *vector);
  /// Whoever takes an element takes it from where it is computed.
  void forward(ExtractElementInst *extract);
  void split(PHINode *phi);
  /// Of 16-bit elements: two are a register.
  void splitIntoPairs(PHINode *phi);
  void split(Instruction *op);
  void splitIntoPairs(IntrinsicInst *op);
  void splitShuffle(ShuffleVectorInst *op);
  void splitRegrouping(BitCastInst *op);
  Value *createElement(IRBuilder<> &builder, Instruction *op,
                       ArrayRef<Value *> operands);
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

Value *VectorSplitter::createElement(IRBuilder<> &builder, Instruction *op,
                                     ArrayRef<Value *> operands) {
  Type *type = cast<FixedVectorType>(op->getType())->getElementType();
  if (auto *cast = dyn_cast<CastInst>(op))
    return builder.CreateCast(cast->getOpcode(), operands[0], type);
  if (auto *compare = dyn_cast<CmpInst>(op))
    return builder.CreateCmp(compare->getPredicate(), operands[0], operands[1]);
  if (isa<SelectInst>(op))
    return builder.CreateSelect(operands[0], operands[1], operands[2]);
  if (isa<FreezeInst>(op))
    return builder.CreateFreeze(operands[0]);
  if (auto *call = dyn_cast<IntrinsicInst>(op)) {
    Intrinsic::ID id = call->getIntrinsicID();
    SmallVector<Type *> overloads;
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, /*OpdIdx=*/-1, nullptr))
      overloads.push_back(type);
    for (auto [i, operand] : enumerate(operands))
      if (isVectorIntrinsicWithOverloadTypeAtArg(id, i, nullptr))
        overloads.push_back(operand->getType());
    return builder.CreateIntrinsic(id, overloads, operands);
  }
  return builder.CreateNAryOp(op->getOpcode(), operands);
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
  IRBuilder<> builder(op->getParent(), *op->getInsertionPointAfterDef());
  op->replaceAllUsesWith(createVector(builder, elementsOf(op)));
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
