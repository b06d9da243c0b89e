//===- LanePlan.h - which loops become lanes or registers -------*- C++ -*-===//
//
// The decision of smx-cpu-vectorize, apart from its emission.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_CPU_LANEPLAN_H
#define SMX_LIB_CPU_LANEPLAN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// How an operand moves when one loop dimension steps by one.
enum class LaneAccess {
  Invariant,  ///< it does not
  UnitStride, ///< to the next element in memory
  Crossed, ///< to the next line, while another parallel dimension is contiguous
  Irregular ///< anything else
};

/// The register file that a nest is blocked for.
struct VectorRegisters {
  int64_t bits = 512; ///< width of one register
  int64_t count = 32; ///< how many there are
};

/// The loop nest chosen for one linalg.generic. Dimensions are those of the op.
struct LanePlan {
  /// The dimension that runs along the lanes of a vector; -1: scalar code.
  int64_t lane = -1;
  /// The parallel dimension unrolled into registers; -1: none.
  int64_t row = -1;
  /// Lanes of a vector; 1 in scalar code.
  int64_t lanes = 1;
  /// Vectors along the lane dimension in one block.
  int64_t vectors = 1;
  /// Rows in one block.
  int64_t rows = 1;
  /// An operand is contiguous along `row` instead of `lane`: blocks are
  /// transposed in registers.
  bool crossed = false;
  /// All dimensions, outermost loop first.
  SmallVector<unsigned> order;

  bool isScalar() const { return lane < 0; }
};

/// How `operand` (a memref or a scalar) of `op` moves along `dim`. For Crossed,
/// `*line` is the contiguous dimension.
LaneAccess classifyAccess(linalg::GenericOp op, OpOperand &operand,
                          unsigned dim, int64_t *line = nullptr);

/// True when the result of `op` numbered `init` does not depend on loop `dim`,
/// i.e. accumulates along it.
bool accumulatesAlong(linalg::GenericOp op, unsigned init, unsigned dim);

/// Chooses the nest of `op`, which must have memref operands only (scalars
/// allowed).
LanePlan planLanes(linalg::GenericOp op, VectorRegisters registers);

} // namespace mlir::smx

#endif // SMX_LIB_CPU_LANEPLAN_H
