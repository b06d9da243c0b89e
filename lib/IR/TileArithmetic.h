//===- TileArithmetic.h - linalg on tiles as arithmetic ---------*- C++ -*-===//
//
// What the algebras are written with: scalar arithmetic inside a body, and
// generics over the dimensions of a streaming reduction. Private to lib/IR.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_IR_TILEARITHMETIC_H
#define SMX_LIB_IR_TILEARITHMETIC_H

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::smx {

/// Scalar floating-point arithmetic at one place of a body.
struct ScalarMath {
  OpBuilder &b;
  Location loc;

  Value constant(double value, FloatType type) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y,
            arith::FastMathFlags flags = arith::FastMathFlags::none) {
    return arith::DivFOp::create(b, loc, x, y, flags);
  }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value exp(Value x) { return math::ExpOp::create(b, loc, x); }
  /// 2^x; a result below the smallest normal number may be flushed to 0.
  Value exp2(Value x) {
    return math::Exp2Op::create(b, loc, x, arith::FastMathFlags::afn);
  }
  /// The same where only the leading `bits` bits matter. The attribute is a
  /// hint that whoever expands the exponential may use.
  Value exp2(Value x, int bits) {
    Value power = exp2(x);
    setBits(power, bits);
    return power;
  }
  void setBits(Value exponential, int bits) {
    exponential.getDefiningOp()->setAttr("result_bits",
                                         b.getI32IntegerAttr(bits));
  }
  Value log(Value x) { return math::LogOp::create(b, loc, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value sqrt(Value x, arith::FastMathFlags flags = arith::FastMathFlags::none) {
    return math::SqrtOp::create(b, loc, x, flags);
  }
  /// `x > y ? x : y`: one instruction on every target. A NaN in `x` is dropped.
  Value max(Value x, Value y) { return select(greater(x, y), x, y); }
  /// The smaller of two numbers, none of them a NaN.
  Value min(Value x, Value y) {
    return arith::MinNumFOp::create(b, loc, x, y, arith::FastMathFlags::nnan);
  }
  Value greater(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, y);
  }
  Value equal(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  }
  /// True for -0 and nothing else.
  Value isNegativeZero(Value x) {
    auto type = cast<FloatType>(x.getType());
    Type bits = b.getIntegerType(type.getWidth());
    Value sign = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(bits, APInt::getSignMask(type.getWidth())));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                 arith::BitcastOp::create(b, loc, bits, x),
                                 sign);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// `x` rounded or extended to `type`.
  Value cast(Value x, Type type) {
    unsigned from = x.getType().getIntOrFloatBitWidth();
    unsigned to = type.getIntOrFloatBitWidth();
    if (x.getType() == type)
      return x;
    if (from < to)
      return arith::ExtFOp::create(b, loc, type, x);
    if (from > to)
      return arith::TruncFOp::create(b, loc, type, x);
    // f16 and bf16: by way of f32.
    return cast(arith::ExtFOp::create(b, loc, b.getF32Type(), x), type);
  }
};

/// A tensor and how it is addressed in the domain.
struct TileOperand {
  Value tensor;
  AffineMap map;
};

/// An update taken apart, for an algebra that expands it.
struct UpdateOperands {
  explicit UpdateOperands(Operation *operation)
      : op(cast<UpdateOp>(operation)), maps(op.getOperandMaps()),
        states(op.getStates()), row(maps[0]), stream(row.getNumResults()) {}

  TileOperand state(unsigned i) { return {states[i], maps[i]}; }
  TileOperand input(unsigned i) {
    return {op.getInputs()[i], maps[states.size() + i]};
  }
  Location loc() { return op.getLoc(); }

  UpdateOp op;
  SmallVector<AffineMap> maps;
  ValueRange states;
  /// Of what each row has one of; and the dimension behind the rows.
  AffineMap row;
  unsigned stream;
};

/// An uninitialised tensor of the shape of `like`, of `elementType`.
Value emptyLike(OpBuilder &builder, Location loc, Value like, Type elementType);
/// An uninitialised tensor of `type`, its dynamic extents read off `source`.
Value emptyFor(OpBuilder &builder, Location loc, RankedTensorType type,
               Value source, AffineMap sourceMap, AffineMap resultMap);
/// A tensor of `type` that holds `value` everywhere.
Value filledTensor(OpBuilder &builder, Location loc, RankedTensorType type,
                   ValueRange extents, double value);
/// The same, of the type and shape of `like`.
Value filledLike(OpBuilder &builder, Location loc, Value like, double value);

/// A state of `op`, of which component `n` is `valueOf(n)` everywhere.
SmallVector<Value> filledState(OpBuilder &builder, IdentityOp op,
                               function_ref<double(unsigned)> valueOf);
/// A state of `op` whose components are all 0.
inline SmallVector<Value> zeroState(OpBuilder &builder, IdentityOp op) {
  return filledState(builder, op, [](unsigned) { return 0.0; });
}
/// The extent of a tile along dimension `stream` of the domain, as a `type`.
Value streamExtent(OpBuilder &builder, Location loc, const TileOperand &tile,
                   unsigned stream, FloatType type);
/// What an algebra demands of the number that it adds to a variance.
LogicalResult verifyEpsilon(function_ref<InFlightDiagnostic()> emitError,
                            FloatAttr epsilon);

/// Builds generics over the dimensions of a domain; dimensions that no operand
/// of a generic uses are left out of it.
struct TileArithmetic {
  using Body = llvm::function_ref<SmallVector<Value>(ScalarMath, ValueRange)>;
  OpBuilder &builder;
  Location loc;

  /// Elementwise; fresh results of the shapes of `likes`. The body sees the
  /// inputs.
  SmallVector<Value> map(StringRef name, ArrayRef<TileOperand> inputs,
                         ArrayRef<TileOperand> likes, Body body);
  /// Elementwise; results take the places of `outputs`, whose contents are not
  /// read. The body sees the inputs.
  SmallVector<Value> mapOnto(StringRef name, ArrayRef<TileOperand> inputs,
                             ArrayRef<TileOperand> outputs, Body body);
  /// Elementwise update of `output`. The body sees the inputs and the output's
  /// element.
  Value mapInto(StringRef name, ArrayRef<TileOperand> inputs,
                TileOperand output, Body body);
  /// Reduces over `reduced`. The body sees the inputs and the outputs'
  /// elements.
  SmallVector<Value> reduce(StringRef name, ArrayRef<TileOperand> inputs,
                            ArrayRef<TileOperand> outputs,
                            ArrayRef<unsigned> reduced, Body body);
  /// `output` and all of `input` along `reduced`, added up.
  Value sum(StringRef name, TileOperand input, TileOperand output,
            unsigned reduced) {
    return reduce(name, {input}, {output}, {reduced},
                  [](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    return {m.add(v[0], v[1])};
                  })[0];
  }
};

/// A few units in the last place of f32 are nothing to the results, of 16 bits,
/// and arithmetic of a row's own values takes long beside that of its elements:
/// up to 1024 of them, or of a tile. (Of long rows on a GPU, ptxas keeps more
/// in registers without the calls of exact division, and spills.) `rows` are
/// the dimensions that the row's own values have.
bool asksLittleOfRow(TileOperand row, AffineMap rows, RankedTensorType results);

} // namespace mlir::smx

#endif // SMX_LIB_IR_TILEARITHMETIC_H
