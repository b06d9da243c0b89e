//===- TileWalk.h - loops of a role over tiles of rows ----------*- C++ -*-===//
#ifndef SMX_LIB_GPU_TILEWALK_H
#define SMX_LIB_GPU_TILEWALK_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::smx::gpu {

/// The loop of a role over tiles of rows, or the two of it (a block takes a
/// long and a short tile together), and the parts of its body: a head, rounds
/// that loops of their own run, and a tail.
struct TileWalk {
  /// Nothing for a role that does anything else.
  static std::optional<TileWalk> match(RoleOp role);

  /// Numbers of a tile: a counter of each loop.
  using Place = SmallVector<Value, 2>;
  /// `mapping` is given the counters of `place`, and what is computed from
  /// those of outer loops.
  void enter(OpBuilder &builder, IRMapping &mapping, const Place &place);
  /// Clones what the head computes from the place of the tile alone.
  void cloneNumbers(OpBuilder &builder, IRMapping &mapping);
  Place first();
  /// The place after that of `mapping`, or this one again after the last.
  Place next(OpBuilder &builder, const IRMapping &mapping);
  /// Writes the loops anew around what `body` does, in front of the old ones;
  /// they carry `state`.
  void
  rebuild(OpBuilder &builder, ValueRange state,
          function_ref<SmallVector<Value>(IRMapping &mapping, ValueRange state)>
              body);
  void erase() { loops.front().erase(); }
  bool isOfHead(Operation *op) const;

  static bool isNumber(Operation *op);

  /// From the outer one to the inner one.
  SmallVector<scf::ForOp, 2> loops;
  /// In the body of the inner one, in order; `rounds` are loops and numbers.
  SmallVector<Operation *> head, rounds, tail;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_TILEWALK_H
