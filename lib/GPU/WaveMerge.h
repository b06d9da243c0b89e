//===- WaveMerge.h - a launch that merges parts of tiles --------*- C++ -*-===//
#ifndef SMX_LIB_GPU_WAVEMERGE_H
#define SMX_LIB_GPU_WAVEMERGE_H

#include "WaveTile.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::smx::gpu {

/// The last tiles of a walk, cut along the keys.
struct WaveCut {
  /// Tiles that are not cut, which come first, and those that are.
  int64_t whole, tiles;
  /// Parts of a tile, and rounds of each but the last, which may have fewer.
  int64_t parts, rounds;

  int64_t getItems() const { return whole + tiles * parts; }
};

/// The kernel that merges what the parts of each tile have left. A block has
/// some rows of one, and a thread holds them of all parts at once.
class WaveMerge {
public:
  /// Nothing if threads have no registers for so many parts.
  static std::optional<WaveMerge> of(const WaveTile &tile, const WaveCut &cut);

  /// Memory for the states of all parts: (tile, part, row), and (tile, part,
  /// row, column).
  MemRefType getMemoryOfRows() const;
  MemRefType getMemoryOfValues() const;
  /// Builds it behind the walk's kernel, with a launch behind `launch`
  /// that reads `states`: references, sums and values.
  void build(LaunchOp launch, ValueRange states);

private:
  WaveMerge(const WaveTile &tile, const WaveCut &cut, StripedAttr layout,
            int64_t rows)
      : tile(tile), cut(cut), layout(layout), rows(rows) {}

  Type convert(Type type) const;
  /// An argument of the kernel that the launch binds to `operand`.
  Value argumentFor(Value operand);
  /// What is a number or a constant of the walk's kernel, for the tile.
  Value numberFor(Value value);
  WalkState mergeStates(Value cutTile, ValueRange states);
  void cloneResults(const WalkState &state);
  void cloneStore(StoreOp store);
  /// How many rows from here on are those of results, if not all.
  Value countRows();

  WaveTile tile;
  WaveCut cut;
  StripedAttr layout;
  int64_t rows;

  KernelOp kernel;
  OpBuilder builder{static_cast<MLIRContext *>(nullptr)};
  LaunchOp walkLaunch;
  SmallVector<Value> operands;
  IRMapping mapping;
  /// The first of the block's rows in its tile.
  Value firstRow;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_WAVEMERGE_H
