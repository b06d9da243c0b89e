//===- IndexEvaluator.cpp - index arithmetic under given positions --------===//

#include "IndexEvaluator.h"
#include "TileExtents.h"
#include "smx/IR/AffineValue.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

void IndexEvaluator::bind(Value value, int64_t position) {
  known[value] = position;
}

void IndexEvaluator::bindExtent(Value shaped, int64_t dim, int64_t extent) {
  extents[{shaped, dim}] = extent;
}

void IndexEvaluator::forgetSince(size_t mark) {
  for (Value value : ArrayRef(trail).drop_front(mark))
    known.erase(value);
  trail.truncate(mark);
}

std::optional<int64_t> IndexEvaluator::evaluate(OpFoldResult index) {
  if (auto value = dyn_cast<Value>(index))
    return evaluate(value);
  return getConstantIntValue(index);
}

/// The number that an integer of `type` has for `value`: its last bits, with a
/// sign unless there is one bit only.
static int64_t wrapped(int64_t value, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return value;
  return integer.getWidth() == 1
             ? value & 1
             : llvm::SignExtend64(value, integer.getWidth());
}

std::optional<int64_t> IndexEvaluator::evaluate(Value index) {
  auto found = known.find(index);
  if (found != known.end())
    return found->second;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getBitWidth() == 1 ? constant.getZExtValue()
                                       : constant.getSExtValue();
  std::optional<int64_t> value = compute(index);
  if (value)
    value = wrapped(*value, index.getType());
  known[index] = value;
  trail.push_back(index);
  return value;
}

std::optional<int64_t> IndexEvaluator::compute(Value index) {
  Operation *op = index.getDefiningOp();
  if (!op)
    return std::nullopt;
  using Result = std::optional<int64_t>;
  auto binary = [&](auto function) -> Result {
    Result lhs = evaluate(op->getOperand(0)), rhs = evaluate(op->getOperand(1));
    return lhs && rhs ? function(*lhs, *rhs) : std::nullopt;
  };
  auto divided = [&](auto function) {
    return binary([&](int64_t x, int64_t y) {
      return y > 0 ? Result(function(x, y)) : std::nullopt;
    });
  };
  // What is not negative is the same number without a sign.
  auto natural = [&](auto function) {
    return binary([&](int64_t x, int64_t y) {
      return x >= 0 && y >= 0 ? function(x, y) : std::nullopt;
    });
  };
  auto dividedNatural = [&](auto function) {
    return natural([&](int64_t x, int64_t y) {
      return y > 0 ? Result(function(x, y)) : std::nullopt;
    });
  };
  auto quotient = [](int64_t x, int64_t y) { return x / y; };
  auto remainder = [](int64_t x, int64_t y) { return x % y; };
  auto mapResults = [&](AffineMap map) {
    SmallVector<Result> operands, results;
    for (Value operand : op->getOperands())
      operands.push_back(evaluate(operand));
    for (AffineExpr expr : map.getResults())
      results.push_back(
          affineValue(expr, ArrayRef(operands).take_front(map.getNumDims()),
                      ArrayRef(operands).drop_front(map.getNumDims())));
    return results;
  };
  auto extreme = [&](AffineMap map, auto choose) -> Result {
    SmallVector<Result> results = mapResults(map);
    Result best = results.front();
    for (Result result : results) {
      if (!result)
        return std::nullopt;
      best = choose(*best, *result);
    }
    return best;
  };
  auto smaller = [](int64_t x, int64_t y) { return Result(std::min(x, y)); };
  auto larger = [](int64_t x, int64_t y) { return Result(std::max(x, y)); };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return binary(llvm::checkedAdd<int64_t>); })
      .Case([&](arith::SubIOp) { return binary(llvm::checkedSub<int64_t>); })
      .Case([&](arith::MulIOp) { return binary(llvm::checkedMul<int64_t>); })
      .Case([&](arith::DivSIOp) { return divided(quotient); })
      .Case([&](arith::DivUIOp) { return dividedNatural(quotient); })
      .Case([&](arith::FloorDivSIOp) {
        return divided(llvm::divideFloorSigned<int64_t, int64_t>);
      })
      .Case([&](arith::CeilDivSIOp) {
        return divided(llvm::divideCeilSigned<int64_t, int64_t>);
      })
      .Case([&](arith::CeilDivUIOp) {
        return dividedNatural(llvm::divideCeilSigned<int64_t, int64_t>);
      })
      .Case([&](arith::RemSIOp) { return divided(remainder); })
      .Case([&](arith::RemUIOp) { return dividedNatural(remainder); })
      .Case([&](arith::MinSIOp) { return binary(smaller); })
      .Case([&](arith::MinUIOp) { return natural(smaller); })
      .Case([&](arith::MaxSIOp) { return binary(larger); })
      .Case([&](arith::MaxUIOp) { return natural(larger); })
      .Case([&](arith::CmpIOp compare) {
        Type type = compare.getLhs().getType();
        unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
        auto number = [width](int64_t x) {
          return APInt(width, x, /*isSigned=*/true, /*implicitTrunc=*/true);
        };
        return binary([&](int64_t x, int64_t y) {
          return Result(arith::applyCmpPredicate(compare.getPredicate(),
                                                 number(x), number(y)));
        });
      })
      .Case([&](arith::SelectOp select) -> Result {
        Result condition = evaluate(select.getCondition());
        if (!condition)
          return std::nullopt;
        return evaluate(*condition ? select.getTrueValue()
                                   : select.getFalseValue());
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto cast) -> Result {
        // What is true is -1 there.
        Result number = evaluate(cast.getIn());
        bool isBit = cast.getIn().getType().isInteger(1);
        return number && isBit ? -*number : number;
      })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](auto cast) -> Result {
        Result number = evaluate(cast.getIn());
        auto type = dyn_cast<IntegerType>(cast.getIn().getType());
        if (number && type && type.getWidth() < 64)
          return *number & llvm::maskTrailingOnes<uint64_t>(type.getWidth());
        return number && *number >= 0 ? number : std::nullopt;
      })
      .Case([&](arith::TruncIOp cast) { return evaluate(cast.getIn()); })
      .Case([&](affine::AffineApplyOp apply) {
        return mapResults(apply.getAffineMap()).front();
      })
      .Case([&](affine::AffineMinOp min) {
        return extreme(min.getAffineMap(), smaller);
      })
      .Case([&](affine::AffineMaxOp max) {
        return extreme(max.getAffineMap(), larger);
      })
      .Case<tensor::DimOp, memref::DimOp>([&](auto dim) -> Result {
        Result position = evaluate(dim.getIndex());
        return position ? extentOf(dim.getSource(), *position) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int64_t> IndexEvaluator::extentOf(Value shaped, int64_t dim) {
  TileExtent extent = traceExtent(shaped, dim);
  if (extent.constant)
    return extent.constant;
  if (extent.index)
    return evaluate(extent.index);
  auto found = extents.find({extent.shaped, extent.dim});
  if (found != extents.end())
    return found->second;
  return std::nullopt;
}

std::optional<int64_t> IndexEvaluator::elementsOf(Value shaped) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.hasRank())
    return std::nullopt;
  int64_t elements = 1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<int64_t> extent = extentOf(shaped, dim);
    if (!extent)
      return std::nullopt;
    std::optional<int64_t> product = llvm::checkedMul(elements, *extent);
    if (!product)
      return std::nullopt;
    elements = *product;
  }
  return elements;
}
