//===- MaskConstants.h - masks that are added as constants ------*- C++ -*-===//
#ifndef SMX_RAISE_MASKCONSTANTS_H
#define SMX_RAISE_MASKCONSTANTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::smx {

/// Makes constants of 0 and one number that hides (a buffer of zeros and -inf,
/// which is added to scores) choices between the two, as other masks are:
///
///   dense<[[0, -inf], [0, 0]]>
///     ==>  select dense<[[true, false], [true, true]]>, dense<0>, dense<-inf>
void separateMaskConstants(RewriterBase &rewriter, Operation *root);

/// Makes choices between constants constants again.
void joinMaskConstants(Operation *root);

} // namespace mlir::smx

#endif // SMX_RAISE_MASKCONSTANTS_H
