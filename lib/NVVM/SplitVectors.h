//===- SplitVectors.h - vectors as values of their own ----------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_SPLITVECTORS_H
#define SMX_LIB_NVVM_SPLITVECTORS_H

#include "llvm/IR/PassManager.h"

namespace mlir::smx {

/// Computes vectors of a fixed length an element at a time; what needs a whole
/// vector, as a store, gets one that is put together. LLVM's scalarizer does
/// that too, and much more, but looks at every insertion as at a new vector:
/// its time grows with the square of the length, and fragments are long.
///
///   %c = fadd <2 x float> %a, %b    ->    %c0 = fadd float %a0, %b0
///                                         %c1 = fadd float %a1, %b1
///
/// Elements of fewer than `leastBits` stay together, but for truth values.
struct SplitVectorsPass : llvm::PassInfoMixin<SplitVectorsPass> {
  explicit SplitVectorsPass(unsigned leastBits = 0) : leastBits(leastBits) {}
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  unsigned leastBits;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_SPLITVECTORS_H
