//===- DataMasks.cpp - masks that data decide, and intersections ----------===//

#include "smx/IR/IndexMath.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::smx;

//===----------------------------------------------------------------------===//
// #smx.key_lengths
//===----------------------------------------------------------------------===//

SmallVector<bool> KeyLengthsAttr::getDataPerRow() const { return {false}; }

VisibleKeys KeyLengthsAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                             Value firstRow, Value numRows,
                                             Value rows, Value keys,
                                             ArrayRef<IndexRange> data) const {
  IndexMath math{builder, loc};
  Value zero = math.constant(0);
  return {zero, zero, math.clamp(data[0].least, keys),
          math.clamp(data[0].most, keys)};
}

Value KeyLengthsAttr::buildIsVisible(OpBuilder &builder, Location loc,
                                     Value row, Value key, Value rows,
                                     Value keys, ValueRange data) const {
  return IndexMath{builder, loc}.less(key, data[0]);
}

bool KeyLengthsAttr::isAllVisible(int64_t rows, int64_t keys) const {
  return false;
}

//===----------------------------------------------------------------------===//
// #smx.key_ranges
//===----------------------------------------------------------------------===//

SmallVector<bool> KeyRangesAttr::getDataPerRow() const { return {true, true}; }

VisibleKeys KeyRangesAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                            Value firstRow, Value numRows,
                                            Value rows, Value keys,
                                            ArrayRef<IndexRange> data) const {
  IndexMath math{builder, loc};
  return {math.clamp(data[0].least, keys), math.clamp(data[0].most, keys),
          math.clamp(data[1].least, keys), math.clamp(data[1].most, keys)};
}

Value KeyRangesAttr::buildIsVisible(OpBuilder &builder, Location loc, Value row,
                                    Value key, Value rows, Value keys,
                                    ValueRange data) const {
  return IndexMath{builder, loc}.isWithin(key, data[0], data[1]);
}

bool KeyRangesAttr::isAllVisible(int64_t rows, int64_t keys) const {
  return false;
}

//===----------------------------------------------------------------------===//
// #smx.all_of
//===----------------------------------------------------------------------===//

static auto partsOf(AllOfAttr mask) {
  return llvm::map_range(mask.getMasks(), [](Attribute part) {
    return cast<MaskAttrInterface>(part);
  });
}

LogicalResult AllOfAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<Attribute> masks) {
  if (masks.size() < 2)
    return emitError() << "expected at least 2 masks, got " << masks.size();
  for (Attribute mask : masks)
    if (!isa<MaskAttrInterface>(mask))
      return emitError() << "expected masks, got " << mask;
  return success();
}

SmallVector<bool> AllOfAttr::getDataPerRow() const {
  SmallVector<bool> perRow;
  for (MaskAttrInterface part : partsOf(*this))
    llvm::append_range(perRow, part.getDataPerRow());
  return perRow;
}

VisibleKeys AllOfAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                        Value firstRow, Value numRows,
                                        Value rows, Value keys,
                                        ArrayRef<IndexRange> data) const {
  IndexMath math{builder, loc};
  std::optional<VisibleKeys> all;
  for (MaskAttrInterface part : partsOf(*this)) {
    size_t count = part.getDataPerRow().size();
    VisibleKeys one = part.buildVisibleKeys(builder, loc, firstRow, numRows,
                                            rows, keys, data.take_front(count));
    data = data.drop_front(count);
    if (!all) {
      all = one;
      continue;
    }
    all->begin = math.max(all->begin, one.begin);
    all->fullBegin = math.max(all->fullBegin, one.fullBegin);
    all->fullEnd = math.min(all->fullEnd, one.fullEnd);
    all->end = math.min(all->end, one.end);
  }
  return *all;
}

Value AllOfAttr::buildIsVisible(OpBuilder &builder, Location loc, Value row,
                                Value key, Value rows, Value keys,
                                ValueRange data) const {
  Value all;
  for (MaskAttrInterface part : partsOf(*this)) {
    size_t count = part.getDataPerRow().size();
    Value one = part.buildIsVisible(builder, loc, row, key, rows, keys,
                                    data.take_front(count));
    data = data.drop_front(count);
    all = all ? arith::AndIOp::create(builder, loc, all, one).getResult() : one;
  }
  return all;
}

bool AllOfAttr::isAllVisible(int64_t rows, int64_t keys) const {
  return llvm::all_of(partsOf(*this), [&](MaskAttrInterface part) {
    return part.isAllVisible(rows, keys);
  });
}
