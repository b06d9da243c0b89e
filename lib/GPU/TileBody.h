//===- TileBody.h - one generic, on tiles -----------------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_TILEBODY_H
#define SMX_LIB_GPU_TILEBODY_H

#include "TileConverter.h"
#include "TileReductions.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx::gpu {

/// One generic, on tiles.
class BodyConverter {
public:
  using Class = TileClasses::Class;

  BodyConverter(TileConverter &tiles, linalg::GenericOp op)
      : tiles(tiles), op(op), builder(tiles.builder) {}

  LogicalResult run();

private:
  LogicalResult bindArguments();
  LogicalResult convertOp(Operation *inner);
  LogicalResult convertExtract(tensor::ExtractOp extract);
  /// What is read of `view` at `places`, in the order of its dimensions, as a
  /// tile of indices `form` has elements; null if it is no tile of memory.
  Value loadExtracted(Location loc, RankedTensorType form,
                      const GlobalView &view, ArrayRef<Value> places);
  void convertAssert(cf::AssertOp assertion);
  LogicalResult convertResult(unsigned number);
  /// Result `number`, of `type`, which goes over the elements of `reduced`.
  FailureOr<Value> convertReduction(unsigned number, RankedTensorType type,
                                    Class reduced);
  /// The values of the rows of `tile` along class `reduced`, in all blocks.
  Value reduceRows(Combiner kind, Value tile, Class reduced);
  Value candidatesOf(const RunningPlace &place, Value value, Value position,
                     Class reduced);
  Value payloadAt(const RunningPlace &place, Value at, Value position,
                  Class reduced);
  /// The payload at the extremum that remains after a tile, per row: `start` if
  /// that is still `startingExtremum`.
  Value placeOfExtremum(const RunningPlace &place, Value start,
                        Value startingExtremum, Class reduced);
  /// The tile, slice or scalar that stands for `value` in the body.
  Value valueOf(Value value) {
    Value known = values.lookupOrNull(value);
    return known ? known : tiles.scalarOf(value);
  }
  RankedTensorType fullType(Type elementType) {
    return tiles.tileType(other, elementType);
  }
  /// The wider of the forms of `operands`: a tile, a slice, or null for
  /// scalars.
  RankedTensorType widestForm(ValueRange operands);
  FailureOr<Value> position(linalg::IndexOp index);
  /// The classes along the dimensions of `form`; null: only the first place.
  SmallVector<std::optional<Class>> dimsOf(RankedTensorType form);
  /// i1 tile of `form`: false where a place is padding; null if none is.
  Value insideOf(RankedTensorType form);
  bool isRunning(Value value);

  TileConverter &tiles;
  linalg::GenericOp op;
  OpBuilder &builder;
  SmallVector<Class> loops;
  std::optional<Class> other;
  IRMapping values;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_TILEBODY_H
