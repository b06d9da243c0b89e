//===- DemandOrder.h - values are computed when they are needed -*- C++ -*-===//
#ifndef SMX_LIB_NVVM_DEMANDORDER_H
#define SMX_LIB_NVVM_DEMANDORDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace mlir::smx {

/// An attribute of functions that are to be put in order of demand.
inline constexpr llvm::StringLiteral demandOrderAttribute = "smx-demand-order";

/// Orders every block so that a value without effects is computed before its
/// first user, and the operands of one user one after the other, each with all
/// that only it needs. What has effects or reads memory stays where it is. Of
/// arithmetic on many registers that ends in few, as a row reduction, few are
/// then live at a time; the assembler hides latencies, but does not change the
/// order of hundreds of instructions for the sake of registers. Conversions to
/// fewer bits for other blocks follow their operands.
///
/// Expects scalars: a vector operation is one value here.
struct DemandOrderPass : llvm::PassInfoMixin<DemandOrderPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_DEMANDORDER_H
