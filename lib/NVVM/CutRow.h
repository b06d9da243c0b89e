//===- CutRow.h - the largest elements of a row, by cut keys ----*- C++ -*-===//
//
// Few results of elements of 32 bits are found by keys that are cut to a word.
// These are right unless elements that count agree in their upper bits, and are
// not in the order of their columns. Where some agree, the lanes look at whole
// elements; where the order is another one, they find the results by keys of
// two words.
//
// The elements are in shared memory, too: a lane takes that of any column from
// there, and its own again where it has to look, which so take no registers.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_CUTROW_H
#define SMX_LIB_NVVM_CUTROW_H

#include "LanesOfRow.h"

#include "smx/IR/CutKeys.h"

namespace mlir::smx {

/// Code for one row of f32 elements, of which lanes of a warp have `columns`.
class CutRow {
public:
  /// The results of an op whose rows are in lanes of a warp are found so.
  static bool finds(gpu::LargestOp op) {
    return haveCutKeys(elementBits(op.getTile().getType()), op.getCount());
  }
  /// Shared memory of one row of a tile: lanes that write at a time write to
  /// different banks.
  static int64_t bytesOf(RankedTensorType tile);

  CutRow(ThreadCode &code, RankedTensorType tile, Value memory,
         ArrayRef<Value> columns, int64_t count)
      : code(code), tile(tile), memory(memory), columns(columns), count(count),
        keys(LaneKeys::cut(code, tile)) {}

  /// Writes the elements of a lane, which then have to meet.
  void store(Value registers);

  /// As LanesOfRow does.
  LargestOfRowInLanes find(Value registers, int64_t results, bool inLanes);

private:
  static constexpr int64_t elementBytes = 4;

  int64_t lanes() const {
    return cast<gpu::StripedAttr>(gpu::getLayout(tile)).getColumnThreads();
  }
  /// Registers that are neighbours in memory.
  int64_t together() const {
    constexpr int64_t ofAccess = 4;
    return std::min(neighbouringRegisters(tile), ofAccess);
  }
  int64_t places() const;
  LanesOfRow lanesBy(LaneKeys &keys, Value registers, int64_t places) {
    return LanesOfRow(code, keys, keys.of(registers, columns), lanes(), count,
                      places);
  }

  Value at(Value column) {
    return code.advance(memory, code.mul(column, code.i32(elementBytes)));
  }
  Value load();
  Value elementOf(Value key);
  Value isLess(Value a, Value b) {
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ult, a, b);
  }
  Value isNone(Value key) {
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, key,
                                keys.constant(0));
  }
  Value areClose(const LanesOfRow &row, const LanesOfRow::Ranks &ranks);
  Value areOutOfOrder(const LanesOfRow &row, const LanesOfRow::Ranks &ranks);

  ThreadCode &code;
  RankedTensorType tile;
  Value memory;
  ArrayRef<Value> columns;
  int64_t count;
  LaneKeys keys;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_CUTROW_H
