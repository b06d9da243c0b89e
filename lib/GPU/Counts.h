//===- Counts.h - counts of kernels and roles in the IR's text --*- C++ -*-===//
#ifndef SMX_LIB_GPU_COUNTS_H
#define SMX_LIB_GPU_COUNTS_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::smx::gpu {

/// Parses the integers of a kernel or role, as `name(value)` in this order;
/// those with a default may be missing.
ParseResult parseCounts(OpAsmParser &parser, NamedAttrList &attributes,
                        ArrayRef<StringRef> names);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_COUNTS_H
