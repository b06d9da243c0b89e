//===- FetchCode.h - the code of the role that fetches ----------*- C++ -*-===//
#ifndef SMX_LIB_GPU_FETCHCODE_H
#define SMX_LIB_GPU_FETCHCODE_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::smx::gpu {

/// A tile of memory that the tensor copy engine is to bring.
struct TensorCopy {
  Value source;
  ValueRange offsets, valid;
  ArrayRef<int64_t> dims;
  /// The tile in shared memory: its shape, and the swizzle in bytes.
  ArrayRef<int64_t> shape;
  int64_t swizzle;
  /// Bytes that all rows start at multiples of.
  int64_t aligned;

  static TensorCopy of(PutOp put);
};

/// Why the engine can not make the copy, or "". Rows that are not valid it
/// brings as they are in memory; columns have to be those of memory.
StringRef whyNoTensorCopy(const TensorCopy &copy);

/// True for `min(size, extent - offset)`.
bool isRest(Value value, int64_t size, int64_t extent, Value offset);

class DealtTiles;

/// Clones puts, with the loops and branches around them and the numbers that
/// they need, and makes the loads of `operands`.
class FetchCode {
public:
  FetchCode(OpBuilder &builder, const DealtTiles &operands)
      : builder(builder), operands(operands) {}
  IRMapping mapping;

  /// Fails if a put depends on a tile.
  LogicalResult clone(Operation &op);
  /// A put of the tile whose rows start `firstRow` further down. Fails if its
  /// address depends on a tile.
  LogicalResult put(Location loc, const TensorCopy &copy, Value channel,
                    int64_t firstRow);

private:
  LogicalResult cloneBranch(scf::IfOp branch);
  bool areKnown(ValueRange values) const {
    return llvm::all_of(values,
                        [&](Value value) { return mapping.contains(value); });
  }

  OpBuilder &builder;
  const DealtTiles &operands;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_FETCHCODE_H
