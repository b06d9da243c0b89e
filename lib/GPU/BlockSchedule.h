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
  /// Bits of the elements that products multiply.
  int64_t productBits = 0;

  /// True if a tile has a dimension for the class, beside that of its rows.
  bool isTiled(TileClasses::Class c, const TileClasses &classes) const {
    return c != rows && (classes.boundOf(c) != 1 || productDims.contains(c));
  }

  /// Extent of a tile along its rows, as padded.
  int64_t rowExtent = 1;
  /// Extent of a block's tile along a class, as padded.
  int64_t paddedExtent(TileClasses::Class c, const TileClasses &classes) const;

  /// Blocks of a cluster, each of which has as long a part of the tiles along
  /// `spread`; 1: none.
  int64_t cluster = 1;
  std::optional<TileClasses::Class> spread;
  /// Blocks that a multiprocessor should have room for.
  int64_t minBlocks = 1;
  /// Rows that follow one another may be moved as one piece.
  bool hasAdjacentRows = false;
  /// Registers have all of a long row.
  bool isInRegisters = false;

  /// Tells the kernel what later passes may ask.
  void giveHints(KernelOp kernel) const;

  /// Blocks that the extent of the class is cut into.
  int64_t partsOf(TileClasses::Class c) const {
    return spread == c ? cluster : 1;
  }
};

/// What a caller may decide; 0 lets the model choose.
struct ScheduleOptions {
  int64_t warps = 0;
  /// A warpgroup to 64 rows where 16-bit matrices are multiplied.
  bool warpgroups = false;
  /// Most blocks of a kernel of several warpgroups.
  int64_t blocks = 0;
  /// Rounds of the longest tile from which the last tiles of a walk are dealt
  /// one by one; 0: never.
  int64_t deal = 0;
  /// Blocks that a row may be spread over.
  int64_t clusters = 1;
  /// Bytes that rows in memory are at multiples of; 0: not known.
  int64_t alignment = 0;
};

/// Chooses the schedule of one loop nest. Fails, with a diagnostic that names
/// the dimension, where tiles are not two-dimensional or have no static bound.
///
/// The model: products take the fragment layout, on at most 4 warps: more of
/// them would read the shared operand more often (and on a warpgroup to 64 of
/// 128 or 192 rows where asked for, which smx-gpu-roles parts). Reductions
/// without products take the striped layout: 16 bytes a thread, about 16
/// elements each (32 of rows of 16 bits that are only read, or that would leave
/// lanes of several warps idle; side by side one, where several rows to a block
/// may start at any element), 32 to 512 threads. A row of more than 4 KiB has 8
/// accesses of 16 bytes a thread, in as many blocks as 1024 threads of a
/// multiprocessor make (64 registers each); of 16-bit elements that are written
/// as well, fewer accesses and at least 256 threads; of keys, at least 4 k
/// threads. Where up to 256 threads can all have the same number of whole
/// accesses, they do. Of an aligned row of more than 64 KiB, 512 threads keep
/// what they have no registers for in shared memory, so that there are two
/// blocks; one of more than 128 KiB is spread over a cluster where the chip has
/// them, 128 KiB to a block (64 KiB, all in registers, if it is not aligned),
/// and more to a block of 1024 threads where 16 of them are too few. Some kinds
/// of aligned rows have other numbers of threads: sums of two rows,
/// exponentials of f32, rows that are summed twice, and sums of rows of 32 to
/// 64 KiB (LongRowClasses.h lists them). Rows along another dimension are
/// strips of columns, which blocks of a cluster share where one has no room for
/// them (smx/Tiling/ColumnStrips.h).
FailureOr<BlockSchedule> chooseSchedule(scf::ForallOp nest,
                                        const TileClasses &classes,
                                        const ScheduleOptions &options);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_BLOCKSCHEDULE_H
