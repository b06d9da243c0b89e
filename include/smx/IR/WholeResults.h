//===- WholeResults.h - what linalg ops write -------------------*- C++ -*-===//
#ifndef SMX_IR_WHOLERESULTS_H
#define SMX_IR_WHOLERESULTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::smx {

/// True if `op` writes every element of the result that begins as `init`. An
/// output map may have constants, or a loop twice: (i) -> (i, 0), (i) -> (i,
/// i).
inline bool writesAll(linalg::LinalgOp op, OpOperand &init) {
  llvm::SmallBitVector seen(op.getNumLoops());
  for (auto [expr, extent] :
       llvm::zip(op.getMatchingIndexingMap(&init).getResults(),
                 cast<RankedTensorType>(init.get().getType()).getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim ? seen.test(dim.getPosition()) : extent != 1)
      return false;
    if (dim)
      seen.set(dim.getPosition());
  }
  return true;
}

} // namespace mlir::smx

#endif // SMX_IR_WHOLERESULTS_H
