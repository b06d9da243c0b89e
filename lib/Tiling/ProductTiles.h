//===- ProductTiles.h - what the tiles of products take ---------*- C++ -*-===//
#ifndef SMX_LIB_TILING_PRODUCTTILES_H
#define SMX_LIB_TILING_PRODUCTTILES_H

#include "smx/IR/Smx.h"
#include "smx/Tiling/ProductExtents.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx {

/// What a block has in shared memory of a reduction with an accumulator: rows
/// of the first product's left operand (queries), and stages of what is
/// streamed (keys and values). In bytes.
struct ProductTiles {
  /// Bytes of a row of queries or keys, and of values.
  int64_t keyBytes = 0, valueBytes = 0;
  int64_t stages = 1;
  /// Bytes of what each score reads for itself, if a tile of it is copied as
  /// well.
  int64_t termBytes = 0;
  /// The extent of the stream, if it is known.
  std::optional<int64_t> extent;

  static constexpr int64_t piece = productPiece;

  int64_t bytesOf(int64_t rows, int64_t stream) const {
    int64_t streamed = stages * llvm::alignTo(stream, piece);
    // What is left at the end has a stage of its own, unless it is as long.
    int64_t left = extent ? llvm::alignTo(*extent % stream, piece) : 0;
    if (left != int64_t(llvm::alignTo(stream, piece)))
      streamed += left;
    int64_t paddedRows = llvm::alignTo(rows, piece);
    return paddedRows * keyBytes +
           streamed * (keyBytes + valueBytes + paddedRows * termBytes);
  }

  /// The longest tile of the stream, `stream` or shorter, that `bytes` have
  /// room for beside so many rows; 0 if none is.
  int64_t fittingStream(int64_t rows, int64_t stream, int64_t bytes) const {
    while (stream > piece && bytesOf(rows, stream) > bytes)
      stream = llvm::alignDown(stream - 1, piece);
    return bytesOf(rows, stream) <= bytes ? stream : 0;
  }
};

/// True for sums of products of floating-point numbers, which blocks multiply
/// as matrices; any other reduction of two operands has no such tiles.
bool isSumOfProducts(linalg::LinalgOp op);

/// Bytes of a row of what `scores` are products of, as padded; 0 if they are
/// none.
int64_t bytesOfFactors(Value scores);

/// True if values are streamed as they lie in memory, in fewer bits, and a
/// block of few rows widens them for itself.
bool areWidened(Value values);

/// How many of `columns` an accumulator of `elementBytes` has room for: all of
/// them, or strips of about the same size.
int64_t columnsOfStrip(int64_t columns, int64_t elementBytes);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_PRODUCTTILES_H
