//===- Expectation.cpp - how exact a result is to be ----------------------===//

#include "Expectation.h"

#include "smx/IR/Smx.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace smx::run;
namespace reference = smx::reference;
using reference::DType;
using reference::OpFamily;

/// The family of an smx op's result, and the extent of the axis it reduces (1
/// if open).
static std::optional<std::pair<OpFamily, int64_t>>
familyOf(mlir::OpResult value) {
  using Found = std::pair<OpFamily, int64_t>;
  auto extent = [](mlir::Value tensor, int64_t axis) {
    int64_t size =
        mlir::cast<mlir::RankedTensorType>(tensor.getType()).getDimSize(axis);
    return mlir::ShapedType::isDynamic(size) ? int64_t(1) : size;
  };
  using namespace mlir::smx;
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Found>>(
             value.getOwner())
      .Case([&](SoftmaxOp op) {
        return Found(OpFamily::Softmax, extent(op.getInput(), op.getAxis()));
      })
      .Case([&](TopKSoftmaxOp op) {
        return Found(OpFamily::Softmax, extent(op.getInput(), op.getAxis()));
      })
      .Case<LogSoftmaxOp, LogSumExpOp, CrossEntropyOp>([&](auto op) {
        return Found(OpFamily::LogSumExp, extent(op.getInput(), op.getAxis()));
      })
      .Case([&](SoftmaxDotOp op) {
        return Found(
            OpFamily::WeightedSum,
            extent(op.getScores(), op.getScores().getType().getRank() - 1));
      })
      .Case<LayerNormOp, RmsNormOp>([&](auto op) {
        return Found(OpFamily::Norm, extent(op.getInput(), op.getAxis()));
      })
      .Case<CrossEntropyBackwardOp, SoftmaxBackwardOp, LogSoftmaxBackwardOp>(
          [&](auto op) {
            return Found(OpFamily::WeightedSum,
                         extent(op->getOperand(0), op.getAxis()));
          })
      .Case([&](AttentionOp op) {
        return Found(value.getResultNumber() == 0 ? OpFamily::WeightedSum
                                                  : OpFamily::LogSumExp,
                     extent(op.getKey(), op.getKey().getType().getRank() - 2));
      })
      .Default(std::nullopt);
}

/// The value that `value` only gives another shape or element type; unless
/// `mayRound`, one that has all its numbers.
static mlir::Value lookThrough(mlir::Value value, bool mayRound = true) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (mlir::isa<mlir::tensor::CastOp, mlir::tensor::ExpandShapeOp,
                  mlir::tensor::CollapseShapeOp, mlir::tensor::ReshapeOp,
                  mlir::linalg::TransposeOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    auto generic = mlir::dyn_cast<mlir::linalg::GenericOp>(op);
    const bool converts =
        generic && generic.getNumDpsInputs() == 1 &&
        llvm::all_of(generic.getBody()->without_terminator(),
                     [&](mlir::Operation &inner) {
                       return mlir::isa<mlir::arith::ExtFOp>(inner) ||
                              (mayRound &&
                               mlir::isa<mlir::arith::TruncFOp>(inner));
                     });
    if (!converts)
      break;
    value = generic.getDpsInputs()[0];
  }
  return value;
}

/// True if `op` reduces numbers that the function computes, or rounds, itself:
/// what that did to them is there in the result, however it is reduced.
static bool areScoresComputed(mlir::Operation *op) {
  return mlir::isa<mlir::smx::AttentionOp>(op) ||
         llvm::any_of(op->getOperands(), [](mlir::Value operand) {
           return lookThrough(operand, /*mayRound=*/false).getDefiningOp();
         });
}

/// How exact a weighted sum in `result` can be that is computed from
/// `operands`. On a GPU weights are rounded to the type of the values that they
/// are multiplied by; a CPU computes in f32 what is not of f64.
static DType precisionOf(DType result, mlir::Type operands,
                         mlir::smx::Target target) {
  if (operands.isF64())
    return result;
  if (operands.isF32() || target == mlir::smx::Target::Cpu)
    return DType::F32;
  // Those of 8 bits are widened to f16.
  return operands.isBF16() ? DType::BF16 : DType::F16;
}

/// What `op` rounds its result to, if that is a number with a floating point.
/// Weights of attention are rounded in its result, and not in its log-sum-exp.
static std::optional<DType> roundingOf(mlir::Operation *op, DType result,
                                       bool isAveraged,
                                       mlir::smx::Target target) {
  using namespace mlir;
  if (auto attention = dyn_cast<mlir::smx::AttentionOp>(op))
    return isAveraged
               ? std::optional(precisionOf(
                     result, attention.getQuery().getType().getElementType(),
                     target))
               : std::nullopt;
  auto type = op->getNumResults() == 0
                  ? FloatType()
                  : dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  if (!type || op->hasTrait<OpTrait::ConstantLike>() ||
      isa<arith::ExtFOp, linalg::LinalgOp>(op) ||
      isa<tensor::TensorDialect>(op->getDialect()))
    return std::nullopt;
  return reference::dtypeFromName(debugString(type));
}

/// The least precise type that what `value` is computed from is rounded to: no
/// result is more exact than that, whatever its own type.
static DType narrowestBehind(mlir::Value value, DType result,
                             mlir::smx::Target target) {
  llvm::SetVector<mlir::Operation *> slice;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  if (failed(mlir::getBackwardSlice(value, &slice, options)))
    return result;
  DType narrowest = result;
  auto isAveraged = [&](mlir::Operation *op) {
    auto attention = mlir::dyn_cast<mlir::smx::AttentionOp>(op);
    return attention &&
           (attention.getResult() == value ||
            llvm::any_of(attention.getResult().getUsers(),
                         [&](mlir::Operation *user) {
                           return llvm::any_of(slice, [&](auto *known) {
                             return known->isAncestor(user);
                           });
                         }));
  };
  for (mlir::Operation *op : slice)
    op->walk([&](mlir::Operation *inner) {
      std::optional<DType> rounding =
          roundingOf(inner, result, isAveraged(inner), target);
      if (rounding && reference::mantissaBits(*rounding) <
                          reference::mantissaBits(narrowest))
        narrowest = *rounding;
    });
  return narrowest;
}

/// What is known of each term of a product of f32 that is three products of
/// TF32: they lack that of both rests.
static constexpr int bitsOfSplit = 21;

/// True if `op` multiplies matrices of f32 that a matrix unit has to be given
/// in parts.
static bool isSplit(mlir::Operation *op, const mlir::smx::RoadOptions &road) {
  if (road.target == mlir::smx::Target::Cpu ||
      road.wideProducts != mlir::smx::WideProducts::MatrixUnit)
    return false;
  auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(op);
  return (mlir::isa<mlir::smx::AttentionOp>(op) ||
          (linalg && mlir::linalg::isaContractionOpInterface(linalg))) &&
         mlir::getElementTypeOrSelf(op->getOperand(0)).isF32();
}

/// True if `value`, but for `op` itself, is computed from such products.
static bool hasSplitBehind(mlir::Value value, mlir::Operation *op,
                           const mlir::smx::RoadOptions &road) {
  llvm::SetVector<mlir::Operation *> slice;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  return succeeded(mlir::getBackwardSlice(value, &slice, options)) &&
         llvm::any_of(slice, [&](mlir::Operation *other) {
           return other != op && isSplit(other, road);
         });
}

Expectation smx::run::expectationOf(mlir::func::FuncOp raised, size_t number,
                                    DType dtype,
                                    const mlir::smx::RoadOptions &road,
                                    const mlir::smx::EvaluationNotes &notes) {
  Expectation expectation;
  expectation.how.dtype = dtype;
  // Anything that is not recognised is some sum of products.
  expectation.how.family = OpFamily::WeightedSum;
  mlir::Operation *terminator = raised.getBody().front().getTerminator();
  auto result = mlir::dyn_cast<mlir::OpResult>(
      lookThrough(terminator->getOperand(number)));
  if (auto found = result ? familyOf(result) : std::nullopt) {
    std::tie(expectation.how.family, expectation.how.rowLength) = *found;
    expectation.isRecognised = true;
    expectation.how.areScoresComputed = areScoresComputed(result.getOwner());
    expectation.how.largestScore = notes.meanScores.lookup(result.getOwner());
    if (expectation.how.areScoresComputed)
      expectation.how.largestScore =
          std::max(expectation.how.largestScore,
                   notes.largestScores.lookup(result.getOwner()));
    if (isSplit(result.getOwner(), road))
      expectation.how.scoreBits = bitsOfSplit;
  }
  if (hasSplitBehind(terminator->getOperand(number),
                     expectation.isRecognised ? result.getOwner() : nullptr,
                     road))
    expectation.how.productBits = bitsOfSplit;
  if (mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(
          terminator->getOperand(number).getType()))) {
    expectation.how.dtype =
        narrowestBehind(terminator->getOperand(number), dtype, road.target);
    expectation.how.stored = dtype;
  }
  return expectation;
}
