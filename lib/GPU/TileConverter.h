//===- TileConverter.h - tensors of a loop nest become tiles ----*- C++ -*-===//
//
// Walks the body of one loop nest over tiles and writes the body of a kernel:
// tensors in global memory become memrefs with offsets, all others register
// tiles with a layout.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_TILECONVERTER_H
#define SMX_LIB_GPU_TILECONVERTER_H

#include "BlockSchedule.h"
#include "GlobalViews.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::smx::gpu {

class TileConverter {
public:
  /// The whole of a tensor outside of the nest; an empty view for others, and
  /// where one of the conditions is not known before the nest. There is one per
  /// dimension, or none at all: where it holds, all indices along the dimension
  /// are the same (a stride of 0). It may be null: it never does.
  using OutsideTensor =
      function_ref<GlobalView(Value tensor, ArrayRef<Value> isFixed)>;

  /// `builder` stands at the end of the kernel's entry block; `outside` gives
  /// the kernel's value for one that is defined outside of the nest.
  TileConverter(OpBuilder &builder, const TileClasses &classes,
                const BlockSchedule &schedule,
                function_ref<Value(Value)> outside, OutsideTensor outsideTensor)
      : builder(builder), classes(classes), schedule(schedule),
        outside(outside), outsideTensor(outsideTensor) {}

  /// The tensor `value` lies in `view`; writes to it are stores.
  void setDestination(Value value, GlobalView view) {
    views[value] = std::move(view);
    destinations.insert(value);
  }
  void setScalar(Value value, Value inKernel) { scalars.map(value, inKernel); }
  /// Where the block's part begins, along the class that is spread over a
  /// cluster, and its rank.
  void setPart(Value start, Value rank) {
    partStart = start;
    partRank = rank;
  }

  LogicalResult convertBlock(Block *block);
  /// Writes a tile that is inserted into a destination; nothing to do for a
  /// destination that has been written.
  LogicalResult store(Location loc, Value tensor, Value destination,
                      ArrayRef<OpFoldResult> offsets);

private:
  LogicalResult convert(Operation *op);
  LogicalResult convertLoop(scf::ForOp loop);
  LogicalResult convertSlice(Operation *op, Value result, Value source,
                             ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> strides);
  LogicalResult convertGeneric(linalg::GenericOp op);
  FailureOr<Value> firstOperand(linalg::GenericOp op,
                                const TileProduct &product);
  Value channelFor(Location loc, Value memory, ChannelType type,
                   bool followsProduct);
  LogicalResult convertProduct(linalg::GenericOp op,
                               const TileProduct &product);
  /// True if `op` widens what products multiply by, and nobody else reads it.
  bool isWidenedOperand(linalg::GenericOp op) const;
  /// What `op` makes of `stage`, a shared tile along classes `dims` of its
  /// operand of 8 bits; seen by all warps.
  FailureOr<Value> widenStage(linalg::GenericOp op, Value stage,
                              ArrayRef<std::optional<TileClasses::Class>> dims);
  LogicalResult convertExtract(tensor::ExtractOp op);
  LogicalResult convertFill(linalg::FillOp op);
  LogicalResult convertTranspose(linalg::TransposeOp op);
  LogicalResult loadIfTile(Operation *op, Value view);
  LogicalResult loadAheadOf(scf::ForOp loop);
  /// The input that `op` gives in another order, or repeated, and no more.
  static OpOperand *movedInput(linalg::GenericOp op);
  /// The memory that is the result of `op`, if it only moves what is there.
  std::optional<GlobalView> viewOfRead(linalg::GenericOp op);

  /// The register type of a tensor: two-dimensional if it has a dimension that
  /// is not one of rows, else the slice. None, with a diagnostic, if it has
  /// two.
  FailureOr<RankedTensorType> tileTypeOf(Value tensor, Operation *user);
  RankedTensorType tileType(std::optional<TileClasses::Class> other,
                            Type elementType);
  /// The dimension of the classes that is neither one of rows nor of one
  /// element.
  FailureOr<std::optional<TileClasses::Class>>
  otherClass(ArrayRef<TileClasses::Class> dims, Operation *user);

  /// The register tile of a tensor; one in global memory is loaded.
  FailureOr<Value> tileOf(Value tensor, Operation *user);
  FailureOr<Value> load(Value tensor, RankedTensorType type, Operation *user);
  /// The value of all elements of a constant, or of a slice of one; null for
  /// other tensors.
  static TypedAttr splatOf(Value tensor);
  Value splat(Value scalar, RankedTensorType type);
  /// `value` (a scalar, a slice or a tile) as `type`.
  Value widened(Value value, RankedTensorType type);
  /// True where `tile` is inside the extent of class `c`, along `dim`.
  Value isInside(Location loc, RankedTensorType type, TileClasses::Class c,
                 int64_t dim);
  /// True if `tile` is known to be `fill` beyond the extent of class `c`.
  bool hasPadding(Value tile, TileClasses::Class c, TypedAttr fill);
  /// True if `mask` is known to hide, of each row that is there, all that is
  /// beyond the extent of class `c`, along `dim`.
  bool isHiddenBeyond(Value mask, TileClasses::Class c, int64_t dim);
  /// `tile`, with `fill` where it is beyond the extent of class `c`.
  Value withPadding(Value tile, TileClasses::Class c, int64_t dim,
                    TypedAttr fill);
  bool isPadded(TileClasses::Class c, int64_t paddedExtent) const {
    return classes.boundOf(c) != paddedExtent * schedule.partsOf(c) ||
           !getConstantIntValue(classes.extentOf(c));
  }
  /// The place along class `c` of each element of a tile of indices.
  Value positionsOf(Location loc, RankedTensorType type, int64_t dim,
                    std::optional<TileClasses::Class> c);
  /// How far `extent` of class `c` reaches into the block's part of it.
  Value inPart(Location loc, TileClasses::Class c, Value extent);

  /// Where a view's dimensions go in a tile of (row dimension, other).
  struct Box {
    SmallVector<Value> offsets, valid;
    SmallVector<int64_t> dims;
    int64_t aligned = 0;
  };
  /// `view`, moved by offsets of the nest.
  GlobalView shifted(GlobalView view, Location loc,
                     ArrayRef<OpFoldResult> offsets);
  Box boxOf(Value tensor, const GlobalView &view,
            ArrayRef<std::optional<TileClasses::Class>> tileDims,
            ArrayRef<int64_t> shape);
  /// The tile dimensions of a two-dimensional register tile.
  SmallVector<std::optional<TileClasses::Class>>
  tileDimsOf(std::optional<TileClasses::Class> other) const {
    if (schedule.rowDim == 0)
      return {schedule.rows, other};
    return {other, schedule.rows};
  }

  Value scalarOf(Value value);
  Value indexOf(OpFoldResult value);
  GlobalView *viewOf(Value tensor);

  friend class BodyConverter;
  OpBuilder &builder;
  const TileClasses &classes;
  const BlockSchedule &schedule;
  function_ref<Value(Value)> outside;
  OutsideTensor outsideTensor;

  IRMapping scalars;
  llvm::DenseMap<Value, Value> tiles;
  llvm::DenseMap<Value, GlobalView> views;
  llvm::DenseSet<Value> destinations;
  /// What masks put beyond the extent of a class.
  llvm::DenseMap<std::pair<Value, TileClasses::Class>, TypedAttr> padded;
  Value partStart, partRank;
  /// One channel per tensor and stage, shared by the loops that stream it; keys
  /// and values that lie in one tensor have two, as they are got in an order of
  /// their own: the second is of products whose first operand is computed from
  /// another one's result.
  std::array<llvm::MapVector<std::pair<Value, Type>, Value>, 2> channels;
  /// Tiles that stages are widened to: keys and values in turn.
  llvm::DenseMap<Type, Value> wideTiles;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_TILECONVERTER_H
