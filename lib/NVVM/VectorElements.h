//===- VectorElements.h - vectors of LLVM IR, by element --------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_VECTORELEMENTS_H
#define SMX_LIB_NVVM_VECTORELEMENTS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace mlir::smx {

/// Elements of a vector of a fixed length.
unsigned lengthOf(llvm::Value *vector);

/// The place of an insertion or extraction, if it is one that the vector has.
std::optional<unsigned> placeIn(llvm::Value *vector, llvm::Value *place);

/// True if every element of the result is computed by the same op from the
/// elements of the operands in its place, or from operands that are scalars.
bool isElementwise(const llvm::Instruction &op);

/// True if the bits of some elements are those of one, on either side.
bool isRegrouping(const llvm::BitCastInst &op);

/// True if two elements each are a register.
bool isWords(llvm::Type *type);

/// Extrema of 16-bit elements: there is an instruction for two.
bool isPairwise(const llvm::Instruction &op);

/// A vector of these elements: the one that they were taken from, if they are
/// all of it in order.
llvm::Value *createVector(llvm::IRBuilder<> &builder,
                          llvm::ArrayRef<llvm::Value *> elements);

/// What `op`, which is elementwise, computes of elements of its operands.
llvm::Value *createElement(llvm::IRBuilder<> &builder, llvm::Instruction *op,
                           llvm::ArrayRef<llvm::Value *> operands);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_VECTORELEMENTS_H
