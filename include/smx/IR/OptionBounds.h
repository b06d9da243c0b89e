//===- OptionBounds.h - what options of passes can be -----------*- C++ -*-===//
#ifndef SMX_IR_OPTIONBOUNDS_H
#define SMX_IR_OPTIONBOUNDS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <limits>

namespace mlir::smx {

/// An option of a pass that counts something.
struct OptionBound {
  /// As a pipeline spells it: "tile-rows".
  StringRef name;
  int64_t value;
  /// The smallest and the largest value that make sense.
  int64_t least = 0, most = std::numeric_limits<int64_t>::max();
};

/// Fails, with a diagnostic, for the first of `options` that is out of its
/// bounds. For `Pass::initialize`, which has no op to report at.
LogicalResult checkOptions(MLIRContext *context, ArrayRef<OptionBound> options);

} // namespace mlir::smx

#endif // SMX_IR_OPTIONBOUNDS_H
