//===- PackedMask.cpp - the same queries several times --------------------===//

#include "smx/IR/IndexMath.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult PackedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 MaskAttrInterface mask, int64_t queries) {
  if (queries < 1)
    return emitError() << "expected at least 1 query, got " << queries;
  for (DataSteps steps : mask.getDataSteps())
    if (steps.rows != 0)
      return emitError() << "expected a mask that reads nothing for each row, "
                            "got "
                         << mask;
  return success();
}

SmallVector<DataSteps> PackedAttr::getDataSteps() const {
  return getMask().getDataSteps();
}

VisibleKeys PackedAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                         Value firstRow, Value numRows,
                                         Value rows, Value keys,
                                         ArrayRef<IndexRange> data) const {
  IndexMath math{builder, loc};
  Value queries = math.constant(getQueries());
  // Rows that go on behind the last query are taken for all queries.
  Value first = math.remainder(firstRow, getQueries());
  Value isInside = math.lessEqual(math.add(first, numRows), queries);
  auto select = [&](Value inside, Value outside) {
    return builder.createOrFold<arith::SelectOp>(loc, isInside, inside,
                                                 outside);
  };
  return getMask().buildVisibleKeys(
      builder, loc, select(first, math.constant(0)), select(numRows, queries),
      queries, keys, data);
}

Value PackedAttr::buildIsVisible(OpBuilder &builder, Location loc, Value row,
                                 Value key, Value rows, Value keys,
                                 ValueRange data) const {
  IndexMath math{builder, loc};
  return getMask().buildIsVisible(builder, loc,
                                  math.remainder(row, getQueries()), key,
                                  math.constant(getQueries()), keys, data);
}

bool PackedAttr::isAllVisible(int64_t rows, int64_t keys) const {
  return getMask().isAllVisible(getQueries(), keys);
}
