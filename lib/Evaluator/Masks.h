//===- Masks.h - masks of the dialect for the reference ---------*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_MASKS_H
#define SMX_LIB_EVALUATOR_MASKS_H

#include "smx/IR/Smx.h"
#include "smx/Reference/Masks.h"

#include "llvm/Support/Error.h"

namespace mlir::smx {

/// What `mask` reads on scores with these leading dimensions, with extents of 1
/// repeated.
std::vector<::smx::reference::Tensor>
spreadOverHeads(MaskAttrInterface mask, ArrayRef<::smx::reference::Tensor> data,
                ArrayRef<int64_t> leading);

/// `mask` of `op`, which reads `data`, in the reference's terms.
llvm::Expected<::smx::reference::Visible>
readMask(Operation *op, Attribute mask,
         ArrayRef<::smx::reference::Tensor> data);

} // namespace mlir::smx

#endif // SMX_LIB_EVALUATOR_MASKS_H
