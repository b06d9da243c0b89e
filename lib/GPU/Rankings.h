//===- Rankings.h - the largest keys of a row -------------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_RANKINGS_H
#define SMX_LIB_GPU_RANKINGS_H

#include "smx/GPU/SmxGpu.h"
#include "smx/IR/TopKKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::smx::gpu {

/// Keys, or nothing in places beyond the row; and of the keys those below
/// `before`.
struct KeysLeft {
  Value keys, inside, before;
};

/// A reduction to the largest key, then to the largest one below it, and so on.
struct Ranking {
  KeysLeft all;
  SmallVector<ReduceOp> ranks;
};

/// True for a tile of keys that is there for none.
bool isNothing(Value tile);

/// The rankings of a block, each of as many keys as it has.
SmallVector<Ranking> findRankings(Block &block);

/// True for columns and what is added to all of them.
bool risesAlongRow(Value places);

/// The scores as they were read, of which rows are found in `places` that rise;
/// null where smx_gpu.largest does not know their type or layout, or `count` of
/// them.
Value scoresOf(const KeyParts &parts, int64_t count);

/// Makes keys of single elements of the row.
class KeyBuilder {
public:
  KeyBuilder(OpBuilder &builder, Value scores, RankedTensorType slice)
      : builder(builder), scores(scores), slice(slice) {}

  /// Everything that `tile` is computed from has a value for a single element.
  static bool canBuild(Value tile, Value scores);

  /// What `tile` has where the scores have `value`, in `column`; or, if there
  /// are `places`, where these have it.
  Value build(Value tile, Value value, Value column, Value places = {});

private:
  Value build(Value tile, Value column, IRMapping &known);

  OpBuilder &builder;
  Value scores;
  RankedTensorType slice;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_RANKINGS_H
