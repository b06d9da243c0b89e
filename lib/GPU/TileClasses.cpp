//===- TileClasses.cpp - which dimensions of tiles are the same -----------===//

#include "TileClasses.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::smx::gpu;

static RankedTensorType tensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

unsigned TileClasses::numberOf(Value tensor, int64_t dim) {
  auto [it, isNew] = numbers.try_emplace({tensor, dim}, members.size());
  if (isNew)
    members.push_back({tensor, dim});
  return it->second;
}

void TileClasses::unify(Value a, int64_t i, Value b, int64_t j) {
  equal.push_back({numberOf(a, i), numberOf(b, j)});
}

void TileClasses::unifyAll(Value a, Value b) {
  if (!tensorType(a))
    return;
  for (int64_t dim = 0, e = tensorType(a).getRank(); dim < e; ++dim)
    unify(a, dim, b, dim);
}

void TileClasses::visit(Operation *op) {
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (auto type = tensorType(value))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        numberOf(value, dim);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    SmallVector<std::optional<std::pair<Value, int64_t>>> first(
        linalgOp.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop || !tensorType(operand.get()))
          continue;
        auto &known = first[loop.getPosition()];
        if (known)
          unify(operand.get(), dim, known->first, known->second);
        else
          known = {operand.get(), int64_t(dim)};
      }
    }
    for (auto [result, init] :
         llvm::zip(op->getResults(), linalgOp.getDpsInits()))
      unifyAll(result, init);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, init, yielded, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                   loop.getYieldedValues(), loop.getResults())) {
      unifyAll(argument, init);
      unifyAll(argument, yielded);
      unifyAll(argument, result);
    }
  } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    for (auto [dim, size] : llvm::enumerate(empty.getMixedSizes()))
      if (auto value = dyn_cast<Value>(size))
        if (auto extent = value.getDefiningOp<tensor::DimOp>())
          if (std::optional<int64_t> of = extent.getConstantIndex())
            unify(empty, dim, extent.getSource(), *of);
  } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (tensorType(cast.getSource()) && tensorType(cast.getDest()))
      unifyAll(cast.getSource(), cast.getDest());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    // Dimensions of one element that are put beside others.
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      for (int64_t position : group)
        if (shape[position] != 1 || group.size() == 1)
          unify(expand.getSrc(), dim, expand.getResult(), position);
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    unifyAll(insert.getResult(), insert.getDest());
  }
}

/// The extent of a dimension, if the op that makes the tensor names it.
static OpFoldResult namedExtent(Value tensor, int64_t dim) {
  auto type = tensorType(tensor);
  if (!type.isDynamicDim(dim))
    return Builder(tensor.getContext()).getIndexAttr(type.getDimSize(dim));
  if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
    if (slice.getSourceType().getRank() == type.getRank())
      return slice.getMixedSizes()[dim];
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>()) {
    OpFoldResult size = empty.getMixedSizes()[dim];
    auto value = dyn_cast<Value>(size);
    if (!value || !value.getDefiningOp<tensor::DimOp>())
      return size;
  }
  return {};
}

void TileClasses::measure() {
  info.resize(classes.getNumClasses());
  for (auto [number, member] : llvm::enumerate(members)) {
    Info &of = info[classes[number]];
    if (of.extent && isa<Attribute>(of.extent))
      continue;
    OpFoldResult extent = namedExtent(member.first, member.second);
    if (extent && (!of.extent || isa<Attribute>(extent)))
      of.extent = extent;
  }
  for (Info &of : info) {
    if (!of.extent) // Only views of global memory: their extents are not used.
      continue;
    if (std::optional<int64_t> constant = getConstantIntValue(of.extent)) {
      of.bound = *constant;
      continue;
    }
    FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, cast<Value>(of.extent),
        /*stopCondition=*/nullptr, /*closedUB=*/true);
    of.bound = succeeded(bound) ? *bound : ShapedType::kDynamic;
  }
}

static bool reducesAnything(Operation *root) {
  return root
      ->walk([](linalg::LinalgOp op) {
        return op.getNumReductionLoops() != 0 ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

void TileClasses::joinRowsOfResults(scf::ForallOp nest) {
  auto inserts = llvm::to_vector(
      nest.getTerminator().getRegion().getOps<tensor::ParallelInsertSliceOp>());
  if (inserts.empty())
    return;
  auto leader = [&](tensor::ParallelInsertSliceOp insert, int64_t dim) {
    return classes.findLeader(numberOf(insert.getSource(), dim));
  };
  auto isAmong = [&](unsigned c, tensor::ParallelInsertSliceOp insert) {
    return llvm::any_of(llvm::seq(insert.getSourceType().getRank()),
                        [&](int64_t dim) { return leader(insert, dim) == c; });
  };
  for (auto other : llvm::drop_begin(inserts)) {
    auto first = inserts.front();
    RankedTensorType a = first.getSourceType(), b = other.getSourceType(),
                     of = first.getDestType(), to = other.getDestType();
    if (a.getRank() != of.getRank() || b.getRank() != to.getRank())
      continue;
    for (int64_t dim = 0; dim < std::min(a.getRank(), b.getRank()); ++dim)
      if (a.getDimSize(dim) != 1 && a.getDimSize(dim) == b.getDimSize(dim) &&
          of.getDimSize(dim) == to.getDimSize(dim) &&
          first.getMixedOffsets()[dim] == other.getMixedOffsets()[dim] &&
          !isAmong(leader(first, dim), other) &&
          !isAmong(leader(other, dim), first))
        classes.join(numberOf(first.getSource(), dim),
                     numberOf(other.getSource(), dim));
  }
}

TileClasses TileClasses::compute(Operation *root) {
  TileClasses result;
  root->walk([&](Operation *op) { result.visit(op); });
  result.classes.grow(result.members.size());
  for (auto [a, b] : result.equal)
    result.classes.join(a, b);
  if (auto nest = dyn_cast<scf::ForallOp>(root); nest && !reducesAnything(nest))
    result.joinRowsOfResults(nest);
  result.classes.compress();
  result.measure();
  return result;
}

TileClasses::Class TileClasses::classOf(Value tensor, int64_t dim) const {
  return classes[numbers.at({tensor, dim})];
}

SmallVector<TileClasses::Class> TileClasses::classesOf(Value tensor) const {
  SmallVector<Class> result;
  for (int64_t dim = 0, e = tensorType(tensor).getRank(); dim < e; ++dim)
    result.push_back(classOf(tensor, dim));
  return result;
}

SmallVector<TileClasses::Class>
TileClasses::iterationClassesOf(linalg::LinalgOp op) const {
  SmallVector<Class> result(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        result[loop.getPosition()] = classOf(operand.get(), dim);
  return result;
}
