//===- DataMasks.cpp - masks that data decide, and intersections ----------===//

#include "smx/IR/IndexMath.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::smx;

//===----------------------------------------------------------------------===//
// #smx.key_lengths
//===----------------------------------------------------------------------===//

SmallVector<DataSteps> KeyLengthsAttr::getDataSteps() const {
  return {DataSteps()};
}

Attribute KeyLengthsAttr::parse(AsmParser &parser, Type) {
  bool causal = succeeded(parser.parseOptionalLess());
  if (causal && (parser.parseKeyword("causal") || parser.parseGreater()))
    return {};
  return get(parser.getContext(), causal);
}

void KeyLengthsAttr::print(AsmPrinter &printer) const {
  if (getCausal())
    printer << "<causal>";
}

VisibleKeys KeyLengthsAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                             Value firstRow, Value numRows,
                                             Value rows, Value keys,
                                             ArrayRef<IndexRange> data) const {
  IndexMath math{builder, loc};
  Value zero = math.constant(0);
  Value full = data[0].least, end = data[0].most;
  if (getCausal()) {
    // Behind the first row, and behind the last one, of the block.
    full = math.sub(full, math.sub(math.add(rows, -1), firstRow));
    end = math.sub(end, math.sub(rows, math.add(firstRow, numRows)));
  }
  return {zero, zero, math.clamp(full, keys), math.clamp(end, keys)};
}

Value KeyLengthsAttr::buildIsVisible(OpBuilder &builder, Location loc,
                                     Value row, Value key, Value rows,
                                     Value keys, ValueRange data) const {
  IndexMath math{builder, loc};
  Value end = data[0];
  if (getCausal())
    end = math.sub(end, math.sub(math.add(rows, -1), row));
  return math.less(key, end);
}

bool KeyLengthsAttr::isAllVisible(int64_t rows, int64_t keys) const {
  return false;
}

//===----------------------------------------------------------------------===//
// #smx.key_ranges
//===----------------------------------------------------------------------===//

SmallVector<DataSteps> KeyRangesAttr::getDataSteps() const {
  return {DataSteps{1, 0}, DataSteps{1, 0}};
}

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
// #smx.blocks
//===----------------------------------------------------------------------===//

LogicalResult BlocksAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rows, int64_t keys) {
  if (rows >= 1 && keys >= 1)
    return success();
  return emitError() << "expected blocks of at least 1 row and 1 key, got "
                     << rows << " and " << keys;
}

SmallVector<DataSteps> BlocksAttr::getDataSteps() const {
  return {DataSteps{getRows(), getKeys()}};
}

// Which blocks are seen is no range: tiling lists them.
VisibleKeys BlocksAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                         Value firstRow, Value numRows,
                                         Value rows, Value keys,
                                         ArrayRef<IndexRange>) const {
  Value zero = IndexMath{builder, loc}.constant(0);
  return {zero, zero, zero, keys};
}

Value BlocksAttr::buildIsVisible(OpBuilder &builder, Location loc, Value row,
                                 Value key, Value rows, Value keys,
                                 ValueRange data) const {
  IndexMath math{builder, loc};
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, data[0],
                               math.constant(0));
}

bool BlocksAttr::isAllVisible(int64_t rows, int64_t keys) const {
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
      return emitError() << "expected each of the masks to be one, got "
                         << mask;
  return success();
}

SmallVector<DataSteps> AllOfAttr::getDataSteps() const {
  SmallVector<DataSteps> steps;
  for (MaskAttrInterface part : partsOf(*this))
    llvm::append_range(steps, part.getDataSteps());
  return steps;
}

VisibleKeys AllOfAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                        Value firstRow, Value numRows,
                                        Value rows, Value keys,
                                        ArrayRef<IndexRange> data) const {
  IndexMath math{builder, loc};
  std::optional<VisibleKeys> all;
  for (MaskAttrInterface part : partsOf(*this)) {
    size_t count = part.getDataSteps().size();
    VisibleKeys one = part.buildVisibleKeys(builder, loc, firstRow, numRows,
                                            rows, keys, data.take_front(count));
    data = data.drop_front(count);
    all = all ? math.intersection(*all, one) : one;
  }
  return *all;
}

Value AllOfAttr::buildIsVisible(OpBuilder &builder, Location loc, Value row,
                                Value key, Value rows, Value keys,
                                ValueRange data) const {
  Value all;
  for (MaskAttrInterface part : partsOf(*this)) {
    size_t count = part.getDataSteps().size();
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
