//===- DealtTiles.h - tiles of which each group has its rows ----*- C++ -*-===//
//
// The first operand of a product that is loaded once and used in every round of
// a loop takes registers all the time: 64 a thread for 64 rows of 256 16-bit
// columns. The matrix unit reads it as well from shared memory, to where the
// fetching role brings the rows of each group.
//
// What scores read from memory, an element for each, takes registers under the
// products if it comes early, and time if it comes late. The fetching role
// brings it in the round's order, and a group reads it when it needs it.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_DEALTTILES_H
#define SMX_LIB_GPU_DEALTTILES_H

#include "FetchCode.h"
#include "GroupCode.h"

#include <functional>

namespace mlir::smx::gpu {

/// The loads of a kernel that the fetching role makes instead, and a channel
/// for each, of which every group is dealt its rows.
class DealtTiles {
public:
  /// Without `terms`, first operands alone.
  DealtTiles(KernelOp kernel, const GroupShape &shape, bool terms);

  bool haveTerms() const {
    return llvm::any_of(tiles, std::mem_fn(&Tile::isTerm));
  }
  void makeChannels(OpBuilder &builder);
  void eraseChannels();
  SmallVector<Value> getChannels() const;

  /// True if `op` is one of the loads.
  bool contains(Operation &op) const { return find(op); }
  /// The puts of a load. Fails if its address depends on a tile.
  LogicalResult put(Operation &load, FetchCode &code) const;
  /// The group's tile, which stands for a load: in shared memory for products,
  /// else in registers.
  void get(Operation &load, GroupCode &code) const;
  /// Releases the tiles that are last used in `op`, or that are there until the
  /// block ends of which it is the terminator.
  void releaseAfter(Operation &op, GroupCode &code) const;

private:
  struct Tile {
    LoadOp load;
    ChannelType type;
    /// The op beside the load that has the last use. A term is there until the
    /// block ends, as branches may read it again.
    Operation *last;
    bool isTerm;
    MakeChannelOp channel;

    TensorCopy getCopy() const;
  };
  void addFirstOperand(LoadOp load);
  void addTerm(LoadOp load);
  /// Takes a tile with so wide a swizzle, if the engine can bring it.
  bool add(LoadOp load, int64_t swizzle, Operation *last, bool isTerm);
  const Tile *find(Operation &op) const;

  const GroupShape &shape;
  SmallVector<Tile, 2> tiles;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_DEALTTILES_H
