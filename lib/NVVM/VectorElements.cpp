//===- VectorElements.cpp - vectors of LLVM IR, and their elements --------===//

#include "VectorElements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace mlir::smx;

unsigned mlir::smx::lengthOf(Value *vector) {
  return cast<FixedVectorType>(vector->getType())->getNumElements();
}

std::optional<unsigned> mlir::smx::placeIn(Value *vector, Value *place) {
  auto *constant = dyn_cast<ConstantInt>(place);
  if (!constant || !isa<FixedVectorType>(vector->getType()) ||
      constant->getValue().uge(lengthOf(vector)))
    return std::nullopt;
  return constant->getZExtValue();
}

bool mlir::smx::isElementwise(const Instruction &op) {
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

bool mlir::smx::isRegrouping(const BitCastInst &op) {
  auto *from = dyn_cast<FixedVectorType>(op.getSrcTy());
  auto *to = dyn_cast<FixedVectorType>(op.getDestTy());
  return from && to && from->getNumElements() != to->getNumElements() &&
         (from->getNumElements() % to->getNumElements() == 0 ||
          to->getNumElements() % from->getNumElements() == 0);
}

bool mlir::smx::isWords(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getScalarSizeInBits() == 16 &&
         vector->getNumElements() % 2 == 0;
}

bool mlir::smx::isPairwise(const Instruction &op) {
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

Value *mlir::smx::createVector(IRBuilder<> &builder,
                               ArrayRef<Value *> elements) {
  if (Value *vector = findVector(elements))
    return vector;
  Value *vector = PoisonValue::get(
      FixedVectorType::get(elements.front()->getType(), elements.size()));
  for (auto [i, element] : enumerate(elements))
    vector = builder.CreateInsertElement(vector, element, uint64_t(i));
  return vector;
}

Value *mlir::smx::createElement(IRBuilder<> &builder, Instruction *op,
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
