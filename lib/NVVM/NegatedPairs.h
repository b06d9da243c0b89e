//===- NegatedPairs.h - pairs of negated elements ---------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_NEGATEDPAIRS_H
#define SMX_LIB_NVVM_NEGATEDPAIRS_H

#include "llvm/IR/PassManager.h"

namespace mlir::smx {

/// Negates vectors of 16-bit elements that are put together, not each element:
/// one instruction negates two.
///
///   (-a, -b) = -(a, b)
///
/// It is not for speed alone. From two bf16 that were negated one by one ptxas
/// 13.0 makes an operand with a sign, and of the first operand of an extremum
/// of three pairs, which sm_90 has (VHMNMX), it loses the sign: the machine
/// code of max(max((-a, -b), c), d) is that of max(max((a, b), c), d).
struct NegatedPairsPass : llvm::PassInfoMixin<NegatedPairsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_NEGATEDPAIRS_H
