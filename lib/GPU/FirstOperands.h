//===- FirstOperands.h - first operands in shared memory --------*- C++ -*-===//
//
// The first operand of a product that is loaded once and used in every round of
// a loop takes registers all the time: 64 a thread for 64 rows of 256 16-bit
// columns. The matrix unit reads it as well from shared memory, to where the
// fetching role brings the rows of each group.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_FIRSTOPERANDS_H
#define SMX_LIB_GPU_FIRSTOPERANDS_H

#include "FetchCode.h"
#include "GroupCode.h"

namespace mlir::smx::gpu {

/// The loads of a kernel that the fetching role makes instead, and a channel
/// for each, of which every group is dealt its rows.
class FirstOperands {
public:
  FirstOperands(KernelOp kernel, const GroupShape &shape);

  void makeChannels(OpBuilder &builder);
  void eraseChannels();
  SmallVector<Value> getChannels() const;

  /// True if `op` is one of the loads.
  bool contains(Operation &op) const { return find(op); }
  /// The puts of a load. Fails if its address depends on a tile.
  LogicalResult put(Operation &load, FetchCode &code) const;
  /// The group's tile, which stands for a load.
  void get(Operation &load, GroupCode &code) const;
  /// Releases the tiles that are last used in `op`.
  void releaseAfter(Operation &op, GroupCode &code) const;

private:
  struct Operand {
    LoadOp load;
    ChannelType type;
    /// The op beside the load that has the last use.
    Operation *last;
    MakeChannelOp channel;

    TensorCopy getCopy() const;
  };
  const Operand *find(Operation &op) const;

  const GroupShape &shape;
  SmallVector<Operand, 1> operands;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_FIRSTOPERANDS_H
