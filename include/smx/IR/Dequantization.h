//===- Dequantization.h - tiles widened as they are read --------*- C++ -*-===//
#ifndef SMX_IR_DEQUANTIZATION_H
#define SMX_IR_DEQUANTIZATION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// The operand of f8E4M3FN that `op` widens, element by element, to 16 bits,
/// with scales of whatever granularity: they and all else in its body are
/// elementwise. Null if it does something else. A block of threads computes it
/// between the copy to shared memory and the matrix unit.
OpOperand *findQuantized(linalg::GenericOp op);

/// The most rows of a tile that what they are multiplied by is widened with, in
/// each tile anew; for more it is widened before, and once.
inline constexpr int64_t mostRowsToWidenFor = 32;

} // namespace mlir::smx

#endif // SMX_IR_DEQUANTIZATION_H
