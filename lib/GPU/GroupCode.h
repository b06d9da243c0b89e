//===- GroupCode.h - code of one group of warps -----------------*- C++ -*-===//
//
// A block's tile of rows is cut into as many parts as there are groups; a group
// computes its part with the same ops. What knows rows by number moves: loads,
// stores and positions.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_GROUPCODE_H
#define SMX_LIB_GPU_GROUPCODE_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::smx::gpu {

/// The warps of a group that has the asynchronous matrix unit.
inline constexpr int64_t warpgroupWarps = 4;

/// How a kernel is divided.
struct GroupShape {
  /// Groups of the role, and rows of a group's part of a tile.
  int64_t groups = 1, rows = 64;
  /// Columns of the widest product.
  int64_t columns = 0;
  /// Columns of the widest sum of weighted values.
  int64_t sumColumns = 0;
  /// Products of a loop overlap with what follows them.
  bool overlapsProducts = true;
  /// Rounds of whole tiles have a loop of their own.
  bool splitsRounds = true;
  /// The last product of a loop with cut tiles is summed apart.
  bool sumsApart = true;
  /// Groups ask for values only of tiles that are cut for their own rows.
  bool asksApart = true;
  /// Groups keep their turn until the products of a round are done.
  bool keepsTurns = true;
};

class DealtTiles;

/// Clones ops of a kernel into a role.
class GroupCode {
public:
  /// `operands` are fetched by another role. `turns` may be null: no order
  /// among the groups.
  GroupCode(OpBuilder &builder, const GroupShape &shape,
            const DealtTiles &operands, Value turns);

  IRMapping mapping;

  /// The type of a group's part of a tile; other types are what they are.
  Type convert(Type type) const;
  /// Clones what stands in `block` before its terminator. Puts are left out.
  void clone(Block &block);
  void clone(Operation &op);
  /// Gives back the fetched tiles that `op`, of which code is emitted
  /// elsewhere, is the last to use.
  void releaseOperandsOf(Operation &op);

  SmallVector<Value> lookup(ValueRange values) const;
  SmallVector<Type> convert(TypeRange types) const;
  OpBuilder &getBuilder() { return builder; }
  const GroupShape &getShape() const { return shape; }
  /// The shape wants it, and no terms are fetched beside keys and values.
  bool keepsTurn() const;
  void takeTurn(Location loc);
  void passTurn(Location loc);

private:
  void cloneOp(Operation &op);
  void cloneLoop(scf::ForOp loop);
  void cloneBranch(scf::IfOp branch);
  void clonePosition(PositionOp op);
  /// True if `op` asks which rows are there, and all rows of a group are or
  /// none: then there is one question for them, of numbers.
  bool cloneRowLimit(arith::CmpIOp op);
  void cloneProduct(MmaOp op);
  /// Offsets and valid rows of a load or store, as of the group's first row.
  template <typename OpTy>
  void moveRows(OpTy op);

  OpBuilder &builder;
  const GroupShape &shape;
  const DealtTiles &operands;
  Value turns, firstRow;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_GROUPCODE_H
