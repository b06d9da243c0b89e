//===- BlockSchedule.h - how a block of threads holds its tiles -*- C++ -*-===//
//
// Chosen per loop nest, from the classes of its dimensions and the products in
// it; nothing else is looked at.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_BLOCKSCHEDULE_H
#define SMX_LIB_GPU_BLOCKSCHEDULE_H

#include "TileClasses.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx::gpu {

/// A linalg op that is a matrix product on tiles: `out[m, n] += a[m, k] b[k,
/// n]`.
struct TileProduct {
  OpOperand *a = nullptr, *b = nullptr;
  TileClasses::Class rows, columns, reduced;
  /// Where `a` is 0, `b` does not count, whatever it holds.
  bool guarded = false;
};

/// Recognises a product; none if the op is something else.
std::optional<TileProduct> matchProduct(linalg::GenericOp op,
                                        const TileClasses &classes);

struct BlockSchedule {
  /// The class whose extent is the rows of the tiles; none if a tile has one.
  std::optional<TileClasses::Class> rows;
  /// Layout of all two-dimensional register tiles.
  LayoutAttrInterface layout;
  /// The dimension of a tile that rows lie along: 0, or 1 where rows are the
  /// fastest dimension of memory.
  int64_t rowDim = 0;
  int64_t warps = 1;
  /// The rows are those of several warpgroups, which smx-gpu-roles parts.
  bool hasWarpgroups = false;
  /// Dimensions of products: a tile has them also where they have one element.
  llvm::SmallDenseSet<TileClasses::Class> productDims;

  /// True if a tile has a dimension for the class, beside that of its rows.
  bool isTiled(TileClasses::Class c, const TileClasses &classes) const {
    return c != rows && (classes.boundOf(c) != 1 || productDims.contains(c));
  }

  /// Extent of a tile along its rows, as padded.
  int64_t rowExtent = 1;
  /// Extent of a tile along a class of `bound` elements, as padded.
  int64_t paddedExtent(int64_t bound) const;
};

/// What a caller may decide; 0 lets the model choose.
struct ScheduleOptions {
  int64_t warps = 0;
  /// A warpgroup to 64 rows where 16-bit matrices are multiplied.
  bool warpgroups = false;
  /// Most blocks of a kernel of several warpgroups.
  int64_t blocks = 0;
};

/// Chooses the schedule of one loop nest. Fails, with a diagnostic that names
/// the dimension, where tiles are not two-dimensional or have no static bound.
///
/// The model: products take the fragment layout, on at most 4 warps: more of
/// them would read the shared operand more often (and on a warpgroup to 64 of
/// 128 or 192 rows where asked for, which smx-gpu-roles parts). Reductions
/// without products take the striped layout: 16 bytes a thread, about 16
/// elements each, 32 to 512 threads.
FailureOr<BlockSchedule> chooseSchedule(scf::ForallOp nest,
                                        const TileClasses &classes,
                                        const ScheduleOptions &options);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_BLOCKSCHEDULE_H
