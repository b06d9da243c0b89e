//===- IndexMath.h - index arithmetic that folds ----------------*- C++ -*-===//
#ifndef SMX_IR_INDEXMATH_H
#define SMX_IR_INDEXMATH_H

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::smx {

/// Index arithmetic, written as it is read. What is computed from constants is
/// one.
struct IndexMath {
  OpBuilder &b;
  Location loc;
  Value constant(int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }
  Value add(Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value sub(Value x, Value y) {
    return b.createOrFold<arith::SubIOp>(loc, x, y);
  }
  Value add(Value x, int64_t y) { return y == 0 ? x : add(x, constant(y)); }
  Value mul(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  }
  Value div(Value x, Value y) {
    return b.createOrFold<arith::DivSIOp>(loc, x, y);
  }
  Value ceilDiv(Value x, Value y) {
    return b.createOrFold<arith::CeilDivSIOp>(loc, x, y);
  }
  Value max(Value x, Value y) {
    return b.createOrFold<arith::MaxSIOp>(loc, x, y);
  }
  Value min(Value x, Value y) {
    return b.createOrFold<arith::MinSIOp>(loc, x, y);
  }
  Value atLeast(Value x, int64_t least) { return max(x, constant(least)); }
  Value clamp(Value x, Value high) { return min(atLeast(x, 0), high); }
  /// x mod y, for x that is not negative and y > 0.
  Value rem(Value x, Value y) {
    return b.createOrFold<arith::RemSIOp>(loc, x, y);
  }
  /// x mod y, which is not negative, for any x and y > 0.
  Value remainder(Value x, int64_t y) {
    Value size = constant(y);
    Value rest = rem(x, size);
    return b.createOrFold<arith::SelectOp>(loc, less(rest, constant(0)),
                                           add(rest, size), rest);
  }
  Value less(Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
  }
  Value lessEqual(Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, x, y);
  }
  /// begin <= x < end.
  Value isWithin(Value x, Value begin, Value end) {
    return b.createOrFold<arith::AndIOp>(loc, lessEqual(begin, x),
                                         less(x, end));
  }
  /// An integer, or an index, as an index.
  Value asIndex(Value x) {
    if (x.getType().isIndex())
      return x;
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
  }
  /// The keys that are visible by both.
  VisibleKeys intersection(const VisibleKeys &x, const VisibleKeys &y) {
    return {max(x.begin, y.begin), max(x.fullBegin, y.fullBegin),
            min(x.fullEnd, y.fullEnd), min(x.end, y.end)};
  }
  /// The key that row `row` meets on the diagonal.
  Value diagonal(Anchor anchor, Value row, Value rows, Value keys) {
    if (anchor == Anchor::TopLeft)
      return row;
    return add(row, sub(keys, rows));
  }
};

} // namespace mlir::smx

#endif // SMX_IR_INDEXMATH_H
