//===- Targets.h - the integer operand of a cross entropy -------*- C++ -*-===//
#ifndef SMX_LIB_ONLINE_TARGETS_H
#define SMX_LIB_ONLINE_TARGETS_H

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::smx {

/// Arithmetic on the targets of an op.
class Targets {
public:
  /// `op` is a cross entropy or its gradient.
  template <typename OpT>
  Targets(OpBuilder &builder, OpT op, ArrayRef<OpFoldResult> rowSizes)
      : builder(builder), loc(op.getLoc()), input(op.getInput()),
        targets(op.getTargets()), axis(op.getAxis()), rowSizes(rowSizes) {
    if (std::optional<uint64_t> value = op.getIgnored())
      ignored = static_cast<int64_t>(*value);
  }

  /// The scores at the targets: logits of type `element`, negated if asked for;
  /// NaN for a target out of range.
  Value scores(Type element, bool isNegated);
  /// 0 for rows that are ignored, 1 for others.
  Value weights(Type element);

  /// True for a target that names a place of a row of `extent` places.
  static Value isInRange(OpBuilder &b, Location loc, Value index,
                         Value extent) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                                 extent);
  }
  static Value constant(OpBuilder &b, Location loc, double value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  static Value isEqual(OpBuilder &b, Location loc, Value target,
                       int64_t number) {
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, target,
        arith::ConstantOp::create(b, loc,
                                  b.getIntegerAttr(target.getType(), number)));
  }

  std::optional<int64_t> ignored;

private:
  using Body = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

  /// One value per row from `inputs`, which have one per row.
  Value mapRows(ValueRange inputs, Type element, Body body);
  Value maskedSum(Value extent, Type element, bool isNegated);
  static Value asScore(OpBuilder &b, Location loc, Value logit, Type element,
                       bool isNegated) {
    if (logit.getType() != element)
      logit = arith::ExtFOp::create(b, loc, element, logit);
    return isNegated ? arith::NegFOp::create(b, loc, logit).getResult() : logit;
  }

  OpBuilder &builder;
  Location loc;
  Value input, targets;
  unsigned axis;
  ArrayRef<OpFoldResult> rowSizes;
};

} // namespace mlir::smx

#endif // SMX_LIB_ONLINE_TARGETS_H
