//===- WideProductsFlag.h - a choice as tools spell it ----------*- C++ -*-===//
#ifndef SMX_PIPELINE_WIDEPRODUCTSFLAG_H
#define SMX_PIPELINE_WIDEPRODUCTSFLAG_H

#include "smx/Pipeline/RoadOptions.h"

#include "llvm/Support/CommandLine.h"

namespace mlir::smx {

inline constexpr llvm::StringLiteral wideProductsText =
    "what a GPU multiplies f32 and f64 matrices with:";

/// The values of a flag or pipeline option, and what is said of each.
inline llvm::cl::ValuesClass wideProductsValues() {
  return llvm::cl::values(
      clEnumValN(WideProducts::Fma, "fma", "fused multiply-adds (default)"),
      clEnumValN(WideProducts::MatrixUnit, "matrix-unit",
                 "f32 as three TF32 products, 2^-21 off in each term; f64 as "
                 "exact as by fma, in another order"));
}

} // namespace mlir::smx

#endif // SMX_PIPELINE_WIDEPRODUCTSFLAG_H
