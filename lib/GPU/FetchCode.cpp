//===- FetchCode.cpp - the code of the role that fetches ------------------===//

#include "FetchCode.h"

#include "DealtTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx::gpu {

/// Bytes that the engine wants rows to start at multiples of.
static constexpr int64_t rowAlignment = 16;

TensorCopy TensorCopy::of(PutOp put) {
  ChannelType channel = put.getChannel().getType();
  // A copy by threads that is asynchronous has rows that are aligned.
  return {put.getSource(),
          put.getOffsets(),
          put.getValid(),
          put.getDims(),
          channel.getShape(),
          channel.getSwizzle(),
          put.getCopy() == CopyKind::Async ? rowAlignment : 0};
}

bool isRest(Value value, int64_t size, int64_t extent, Value offset) {
  auto min = value.getDefiningOp<affine::AffineMinOp>();
  if (!min || min.getNumOperands() != 1 || min.getOperand(0) != offset)
    return false;
  AffineExpr place = min.getMap().getNumDims()
                         ? getAffineDimExpr(0, min.getContext())
                         : getAffineSymbolExpr(0, min.getContext());
  return llvm::all_of(min.getMap().getResults(), [&](AffineExpr expr) {
    return expr == getAffineConstantExpr(size, min.getContext()) ||
           expr == extent - place;
  });
}

/// True if what is not valid of the columns is beyond those of the memref,
/// where the engine gives zeros.
static bool hasColumnsOfMemory(const TensorCopy &copy) {
  int64_t size = copy.shape[1];
  Value valid = copy.valid[1], offset = copy.offsets[copy.dims[1]];
  if (getConstantIntValue(valid) == size)
    return true;
  int64_t extent =
      cast<MemRefType>(copy.source.getType()).getDimSize(copy.dims[1]);
  if (ShapedType::isDynamic(extent))
    return false;
  if (matchPattern(offset, m_Zero()))
    return getConstantIntValue(valid) == std::min(extent, size);
  return isRest(valid, size, extent, offset);
}

StringRef whyNoTensorCopy(const TensorCopy &copy) {
  if (copy.aligned < rowAlignment)
    return "rows are not known to start at multiples of 16 bytes";
  if (copy.swizzle == 0)
    return "a tile has no swizzle";
  if (copy.shape[0] > 256 || copy.shape[0] % 8 != 0)
    return "a tile has more than 256 rows, or no multiple of 8";
  auto memref = cast<MemRefType>(copy.source.getType());
  auto argument = dyn_cast<BlockArgument>(copy.source);
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()) ||
      memref.getRank() > 5)
    return "a tile comes from memory that is no argument of at most 5 "
           "dimensions";
  // Of sizes that are not known the host asks.
  constexpr int64_t mostElements = int64_t(1) << 31;
  if (llvm::any_of(memref.getShape(),
                   [](int64_t size) { return size > mostElements; }))
    return "a dimension has more than 2^31 elements, which coordinates of 32 "
           "bits do not reach";
  if (llvm::is_contained(copy.dims, -1))
    return "a tile repeats";
  if (copy.valid.empty())
    return "";
  if (!hasColumnsOfMemory(copy))
    return "the columns of a tile are not those of memory";
  return "";
}

LogicalResult FetchCode::put(Location loc, const TensorCopy &copy,
                             Value channel, int64_t firstRow) {
  if (!areKnown(copy.source) || !areKnown(copy.offsets))
    return failure();
  auto offsets = llvm::map_to_vector(
      copy.offsets, [&](Value value) { return mapping.lookup(value); });
  if (firstRow) {
    Value &row = offsets[copy.dims[0]];
    row = arith::AddIOp::create(
        builder, loc, row,
        arith::ConstantIndexOp::create(builder, loc, firstRow));
  }
  PutOp::create(builder, loc, mapping.lookup(copy.source), offsets,
                /*valid=*/ValueRange(), mapping.lookup(channel), copy.dims,
                CopyKind::Tensor, copy.aligned);
  return success();
}

LogicalResult FetchCode::cloneBranch(scf::IfOp branch) {
  if (!areKnown(branch.getCondition()))
    return failure();
  bool hasElse = branch.elseBlock() != nullptr;
  auto copy =
      scf::IfOp::create(builder, branch.getLoc(), /*resultTypes=*/TypeRange(),
                        mapping.lookup(branch.getCondition()), hasElse);
  auto cloneSide = [&](Block *from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(to->getTerminator());
    for (Operation &inner : from->without_terminator())
      if (failed(clone(inner)))
        return failure();
    return success();
  };
  if (failed(cloneSide(branch.thenBlock(), copy.thenBlock())))
    return failure();
  return hasElse ? cloneSide(branch.elseBlock(), copy.elseBlock()) : success();
}

LogicalResult FetchCode::clone(Operation &op) {
  bool puts = op.walk([&](Operation *inner) {
                  return isa<PutOp>(inner) || operands.contains(*inner)
                             ? WalkResult::interrupt()
                             : WalkResult::advance();
                }).wasInterrupted();
  if (!puts) {
    bool isNumber = llvm::none_of(op.getResultTypes(), [](Type type) {
      return isa<ShapedType, SharedType, ChannelType>(type);
    });
    if (op.getNumResults() && !op.getNumRegions() && isNumber &&
        areKnown(op.getOperands()))
      builder.clone(op, mapping);
    return success();
  }
  if (auto fetched = dyn_cast<PutOp>(op))
    return put(op.getLoc(), TensorCopy::of(fetched), fetched.getChannel(),
               /*firstRow=*/0);
  if (operands.contains(op))
    return operands.put(op, *this);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return cloneBranch(branch);
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop ||
      !areKnown({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
    return failure();
  auto copy = scf::ForOp::create(
      builder, loop.getLoc(), mapping.lookup(loop.getLowerBound()),
      mapping.lookup(loop.getUpperBound()), mapping.lookup(loop.getStep()));
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(copy.getBody());
  for (Operation &inner : loop.getBody()->without_terminator())
    if (failed(clone(inner)))
      return failure();
  return success();
}

} // namespace mlir::smx::gpu
