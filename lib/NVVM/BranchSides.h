//===- BranchSides.h - kernels whose branches compute apart -----*- C++ -*-===//
#ifndef SMX_LIB_NVVM_BRANCHSIDES_H
#define SMX_LIB_NVVM_BRANCHSIDES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::smx {

/// An attribute of functions in which both sides of a branch compute the same,
/// so that no side holds registers that only the other one needs.
inline constexpr llvm::StringLiteral branchSidesAttribute = "smx-branch-sides";

/// An attribute of such a branch, an scf.if.
inline constexpr llvm::StringLiteral sidesAttribute = "smx.sides";

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_BRANCHSIDES_H
