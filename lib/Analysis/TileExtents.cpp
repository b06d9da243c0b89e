//===- TileExtents.cpp - where the extent of a tile comes from ------------===//

#include "TileExtents.h"
#include "smx/IR/Smx.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx;

Value mlir::smx::getLoopInit(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return argument == loop.getInductionVar()
                 ? Value()
                 : loop.getTiedLoopInit(argument)->get();
    auto forall = dyn_cast<scf::ForallOp>(parent);
    if (forall && argument.getArgNumber() >= forall.getRank())
      return forall.getTiedOpOperand(argument)->get();
    return {};
  }
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return loop.getTiedLoopInit(cast<OpResult>(value))->get();
  if (auto forall = value.getDefiningOp<scf::ForallOp>())
    return forall.getTiedOpOperand(cast<OpResult>(value))->get();
  return {};
}

static TileExtent extentFrom(OpFoldResult size) {
  TileExtent extent;
  extent.constant = getConstantIntValue(size);
  if (!extent.constant)
    extent.index = cast<Value>(size);
  return extent;
}

/// Extent `dim` of a slice whose type may lack some unit dimensions of `sizes`.
static TileExtent extentOfSlice(ArrayRef<OpFoldResult> sizes,
                                const llvm::SmallBitVector &dropped,
                                int64_t dim) {
  for (auto [position, size] : llvm::enumerate(sizes))
    if (!dropped[position] && dim-- == 0)
      return extentFrom(size);
  llvm_unreachable("a slice has a size for each dimension of its type");
}

/// Extent `dim` of the result of a finish, from the tensors that its maps
/// address.
static TileExtent extentOfFinish(FinishOp finish, int64_t dim) {
  SmallVector<AffineMap> maps = finish.getOperandMaps();
  AffineExpr wanted = finish.getResultMap().getResult(dim);
  for (auto [operand, map] : llvm::zip(finish->getOperands(), maps))
    if (std::optional<unsigned> position = map.getResultPosition(wanted))
      return traceExtent(operand, *position);
  return {std::nullopt, {}, finish.getResult(), dim};
}

TileExtent mlir::smx::traceExtent(Value shaped, int64_t dim) {
  TileExtent unknown{std::nullopt, {}, shaped, dim};
  auto type = cast<ShapedType>(shaped.getType());
  // The verifier of `dim` ops lets a dimension pass that is none.
  if (!type.hasRank() || dim < 0 || dim >= type.getRank())
    return unknown;
  if (!type.isDynamicDim(dim)) {
    unknown.constant = type.getDimSize(dim);
    return unknown;
  }
  if (Value init = getLoopInit(shaped))
    return traceExtent(init, dim);
  Operation *op = shaped.getDefiningOp();
  if (!op)
    return unknown;
  auto dynamicSize = [&](ValueRange sizes) {
    TileExtent extent = unknown;
    extent.index = sizes[type.getDynamicDimIndex(dim)];
    return extent;
  };
  return llvm::TypeSwitch<Operation *, TileExtent>(op)
      .Case(
          [&](tensor::EmptyOp op) { return dynamicSize(op.getDynamicSizes()); })
      .Case<memref::AllocOp, memref::AllocaOp>(
          [&](auto op) { return dynamicSize(op.getDynamicSizes()); })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>([&](auto op) {
        return extentOfSlice(op.getMixedSizes(), op.getDroppedDims(), dim);
      })
      .Case<tensor::CastOp, memref::CastOp>(
          [&](auto op) { return traceExtent(op.getSource(), dim); })
      .Case([&](tensor::InsertSliceOp op) {
        return traceExtent(op.getDest(), dim);
      })
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>(
          [&](auto op) { return extentFrom(op.getMixedOutputShape()[dim]); })
      .Case<tensor::CollapseShapeOp, memref::CollapseShapeOp>([&](auto op) {
        ReassociationIndices group = op.getReassociationIndices()[dim];
        return group.size() == 1 ? traceExtent(op.getSrc(), group[0]) : unknown;
      })
      .Case([&](IdentityOp op) {
        ValueRange extents = op.getExtents();
        for (Value result : op.getResults()) {
          if (result == shaped)
            return dynamicSize(extents);
          extents = extents.drop_front(
              cast<ShapedType>(result.getType()).getNumDynamicDims());
        }
        return unknown;
      })
      .Case([&](UpdateOp op) {
        return traceExtent(
            op.getStates()[cast<OpResult>(shaped).getResultNumber()], dim);
      })
      .Case([&](MergeOp op) {
        return traceExtent(
            op.getLhs()[cast<OpResult>(shaped).getResultNumber()], dim);
      })
      .Case([&](FinishOp op) { return extentOfFinish(op, dim); })
      .Case<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp,
            CrossEntropyBackwardOp, SoftmaxBackwardOp, LogSoftmaxBackwardOp,
            MaskOp>(
          [&](auto op) { return traceExtent(op->getOperand(0), dim); })
      // The axis is static in the types of its results.
      .Case([&](TopKSoftmaxOp op) { return traceExtent(op.getInput(), dim); })
      .Case<LogSumExpOp, CrossEntropyOp>([&](auto op) {
        return traceExtent(op.getInput(), dim + (dim >= int64_t(op.getAxis())));
      })
      .Case([&](SoftmaxDotOp op) {
        int64_t axis = op.getScores().getType().getRank() - 1;
        return traceExtent(op.getValues(), dim + (dim >= axis));
      })
      .Case([&](AttentionOp op) {
        bool isColumn = dim == op.getNumBatchDims() + 1;
        return traceExtent(isColumn ? op.getValue() : op.getQuery(), dim);
      })
      .Case([&](DestinationStyleOpInterface op) {
        return traceExtent(op.getTiedOpOperand(cast<OpResult>(shaped))->get(),
                           dim);
      })
      .Default([&](Operation *) { return unknown; });
}

//===----------------------------------------------------------------------===//
// Constant upper bounds
//===----------------------------------------------------------------------===//

static bool isBounded(Value index);

static bool isBounded(AffineExpr expr, ArrayRef<Value> dims,
                      ArrayRef<Value> symbols) {
  if (isa<AffineConstantExpr>(expr))
    return true;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return isBounded(dims[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return isBounded(symbols[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Mod)
    return isBounded(binary.getRHS(), dims, symbols);
  return isBounded(binary.getLHS(), dims, symbols) &&
         isBounded(binary.getRHS(), dims, symbols);
}

static bool isBounded(const TileExtent &extent) {
  if (extent.constant)
    return true;
  if (extent.index)
    return isBounded(extent.index);
  // An argument's extent has no bound. What another op makes is not known, and
  // not an error.
  return !isa<BlockArgument>(extent.shaped);
}

static bool isBounded(Value index) {
  if (matchPattern(index, m_Constant()))
    return true;
  Operation *op = index.getDefiningOp();
  if (!op)
    return false;
  auto areBounded = [](ValueRange values) {
    return llvm::all_of(values, [](Value value) { return isBounded(value); });
  };
  auto mapBounded = [](AffineExpr expr, unsigned numDims, ValueRange operands) {
    SmallVector<Value> values(operands);
    return isBounded(expr, ArrayRef(values).take_front(numDims),
                     ArrayRef(values).drop_front(numDims));
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](affine::AffineApplyOp apply) {
        AffineMap map = apply.getAffineMap();
        return mapBounded(map.getResult(0), map.getNumDims(),
                          apply.getMapOperands());
      })
      .Case([&](affine::AffineMinOp min) {
        AffineMap map = min.getAffineMap();
        return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
          return mapBounded(expr, map.getNumDims(), min.getOperands());
        });
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto min) {
        return isBounded(min.getLhs()) || isBounded(min.getRhs());
      })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto rem) { return isBounded(rem.getRhs()); })
      .Case([&](arith::SelectOp select) {
        return isBounded(select.getTrueValue()) &&
               isBounded(select.getFalseValue());
      })
      .Case<tensor::DimOp, memref::DimOp>([&](auto dim) {
        std::optional<int64_t> position = dim.getConstantIndex();
        return position && isBounded(traceExtent(dim.getSource(), *position));
      })
      .Default([&](Operation *) {
        return isa<arith::ArithDialect>(op->getDialect()) &&
               areBounded(op->getOperands());
      });
}

bool mlir::smx::hasBoundedExtents(Value input, AffineMap map,
                                  unsigned numTiledDims) {
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && dim.getPosition() < numTiledDims &&
        !isBounded(traceExtent(input, position)))
      return false;
  }
  return true;
}
