//===- NormalizeNest.cpp - loop nests in the form that kernels take -------===//

#include "NormalizeNest.h"

#include "BlockSchedule.h"
#include "NestShape.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::smx::gpu;

static void hoistExtents(scf::ForallOp nest) {
  nest.walk([&](tensor::DimOp dim) {
    if (dim.getConstantIndex() &&
        !nest->isAncestor(dim.getSource().getParentBlock()->getParentOp())) {
      Operation *index = dim.getIndex().getDefiningOp();
      if (index && nest->isAncestor(index))
        index->moveBefore(nest);
      dim->moveBefore(nest);
    }
  });
}

static LogicalResult expandMaps(scf::ForallOp nest) {
  SmallVector<affine::AffineApplyOp> applies;
  nest.walk([&](affine::AffineApplyOp apply) {
    if (isa<linalg::GenericOp>(apply->getParentOp()))
      applies.push_back(apply);
  });
  for (affine::AffineApplyOp apply : applies) {
    OpBuilder builder(apply);
    auto expanded =
        affine::expandAffineMap(builder, apply.getLoc(), apply.getAffineMap(),
                                llvm::to_vector(apply.getOperands()));
    if (!expanded)
      return apply.emitOpError("expected divisors above 0");
    apply.getResult().replaceAllUsesWith(expanded->front());
    apply.erase();
  }
  return success();
}

/// A tile of a group of rows sees one place of what the group shares: `i
/// floordiv n` is 0 for all of its rows if there are at most n.
static void foldQuotients(scf::ForallOp nest) {
  nest.walk([](linalg::GenericOp generic) {
    SmallVector<int64_t> extents = generic.getStaticLoopRanges();
    bool isChanged = false;
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    for (AffineMap &map : maps) {
      for (auto [position, expr] : llvm::enumerate(map.getResults())) {
        auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
        if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
          continue;
        auto dim = dyn_cast<AffineDimExpr>(quotient.getLHS());
        auto size = dyn_cast<AffineConstantExpr>(quotient.getRHS());
        if (!dim || !size ||
            ShapedType::isDynamic(extents[dim.getPosition()]) ||
            extents[dim.getPosition()] > size.getValue())
          continue;
        map = map.dropResult(position).insertResult(
            getAffineConstantExpr(0, generic.getContext()), position);
        isChanged = true;
      }
    }
    if (isChanged)
      generic.setIndexingMapsAttr(
          Builder(generic.getContext()).getAffineMapArrayAttr(maps));
  });
}

static void hoistFromBodies(scf::ForallOp nest) {
  nest.walk([](linalg::GenericOp generic) {
    Block *body = generic.getBlock();
    for (Operation &op :
         llvm::make_early_inc_range(body->without_terminator())) {
      bool isInvariant = llvm::all_of(op.getOperands(), [&](Value operand) {
        return operand.getParentBlock() != body;
      });
      if (isInvariant && !isa<linalg::IndexOp>(op) && isPure(&op))
        op.moveBefore(generic);
    }
  });
}

/// True for what is only written to: an empty or filled tensor, or a part of an
/// empty one.
static bool hasNoContent(Value tensor) {
  if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
    return slice.getSource().getDefiningOp<tensor::EmptyOp>() != nullptr;
  return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(
      tensor.getDefiningOp());
}

/// Equal tensors without a content of their own are one value after CSE, which
/// says nothing about what their dimensions are.
static void separateInits(scf::ForallOp nest) {
  SmallVector<OpOperand *> uses;
  nest.walk([&](Operation *op) {
    // A slice has dimensions of its own.
    if (isa<tensor::ExtractSliceOp>(op))
      return;
    for (OpOperand &use : op->getOpOperands())
      if (hasNoContent(use.get()) && !use.get().hasOneUse())
        uses.push_back(&use);
  });
  llvm::SetVector<Operation *> originals;
  for (OpOperand *use : uses) {
    OpBuilder builder(use->getOwner());
    Operation *original = use->get().getDefiningOp();
    originals.insert(original);
    Operation *copy = builder.clone(*original);
    use->set(copy->getResult(0));
    if (auto fill = dyn_cast<linalg::FillOp>(copy))
      if (auto empty = fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>()) {
        builder.setInsertionPoint(copy);
        fill.getOutputsMutable()[0].set(builder.clone(*empty)->getResult(0));
      }
  }
  for (Operation *original : llvm::reverse(originals))
    if (isOpTriviallyDead(original))
      original->erase();
}

static bool isOfHost(Value tensor, scf::ForallOp nest) {
  return !nest->isAncestor(tensor.getParentBlock()->getParentOp());
}

/// All of a tensor of the host, as a tile.
static Value sliceAll(OpBuilder &builder, Value tensor, scf::ForallOp nest) {
  OpBuilder host(nest);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(host, nest.getLoc(), tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      strides(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      builder, nest.getLoc(), cast<RankedTensorType>(tensor.getType()), tensor,
      offsets, sizes, strides);
}

/// True for a product of matrices: neither factor has all of the result's
/// dimensions, as those of a sum along a row have.
static bool isMatrixProduct(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
}

/// A tile that is all of a tensor, in a nest of one round, has lost its slice
/// to folding: it gets one again, so that it is looked at as any other tile.
/// Products read other tiles than elementwise ops: queries may be computed of
/// what the keys are.
static void sliceWholeTensors(scf::ForallOp nest) {
  llvm::DenseMap<Value, Value> slices[2];
  nest.walk([&](linalg::LinalgOp op) {
    bool isProduct = isMatrixProduct(op);
    for (OpOperand *use : op.getDpsInputOperands()) {
      Value tensor = use->get();
      auto type = dyn_cast<RankedTensorType>(tensor.getType());
      if (!type || type.getRank() == 0 ||
          !isa<FloatType>(type.getElementType()) || !isOfHost(tensor, nest) ||
          hasNoContent(tensor) || tensor.getDefiningOp<arith::ConstantOp>())
        continue;
      Value &slice = slices[isProduct][tensor];
      if (!slice) {
        OpBuilder builder = OpBuilder::atBlockBegin(nest.getBody());
        slice = sliceAll(builder, tensor, nest);
      }
      use->set(slice);
    }
  });
}

/// Gives `use` a value of its own, whose dimensions are not those of other
/// uses: a tile of memory, or what is computed of such tiles for each element.
/// False if it is something else.
static bool separate(OpOperand &use, scf::ForallOp nest) {
  OpBuilder builder(use.getOwner());
  Value tensor = use.get();
  Operation *op = tensor.getDefiningOp();
  if (!isa<RankedTensorType>(tensor.getType()))
    return true;
  if (isOfHost(tensor, nest) && !hasNoContent(tensor)) {
    use.set(sliceAll(builder, tensor, nest));
    return true;
  }
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  bool isMap = generic && generic.getNumReductionLoops() == 0;
  if (!op || !(isMap || hasNoContent(tensor) ||
               isa<tensor::ExtractSliceOp, linalg::TransposeOp>(op)))
    return false;
  Operation *copy = builder.clone(*op);
  use.set(copy->getResult(cast<OpResult>(tensor).getResultNumber()));
  // A slice has dimensions of its own.
  return isa<tensor::ExtractSliceOp>(copy) ||
         llvm::all_of(copy->getOpOperands(), [&](OpOperand &operand) {
           return separate(operand, nest);
         });
}

/// Loops of `op` run over one class: a value is read, here or elsewhere, by the
/// one and by the other.
static bool confusesLoops(linalg::LinalgOp op, const TileClasses &classes) {
  llvm::SmallDenseSet<TileClasses::Class> found;
  return llvm::any_of(classes.iterationClassesOf(op), [&](auto of) {
    return classes.boundOf(of) != 1 && !found.insert(of).second;
  });
}

static bool confusesProduct(linalg::GenericOp op, const TileClasses &classes) {
  std::optional<TileProduct> product = matchProduct(op, classes);
  return product && (product->rows == product->columns ||
                     product->rows == product->reduced ||
                     product->columns == product->reduced);
}

/// Ops that have names have no form of their own, but for a fill and a
/// transpose.
static LogicalResult generalize(scf::ForallOp nest) {
  SmallVector<linalg::LinalgOp> named;
  nest.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp>(op))
      named.push_back(op);
  });
  IRRewriter rewriter(nest.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op->emitOpError("has no generic form");
  }
  return success();
}

FailureOr<TileClasses> mlir::smx::gpu::normalizeNest(scf::ForallOp nest) {
  WalkResult onTensors = nest.walk([](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics())
      return WalkResult::advance();
    op->emitOpError("expected tensors, got memory: kernels are made from loops "
                    "that are not bufferized yet");
    return WalkResult::interrupt();
  });
  if (onTensors.wasInterrupted())
    return failure();
  if (failed(generalize(nest)))
    return failure();
  hoistExtents(nest);
  if (failed(expandMaps(nest)))
    return failure();
  foldQuotients(nest);
  hoistFromBodies(nest);
  if (isOnlyTile(nest))
    sliceWholeTensors(nest);
  separateInits(nest);
  // A tensor multiplied by itself, or added to its transpose: two loops run
  // over dimensions of one value.
  llvm::SmallPtrSet<Operation *, 4> separated;
  while (true) {
    TileClasses classes = TileClasses::compute(nest);
    // The first one: others may only read what it gives.
    linalg::GenericOp confused;
    nest.walk([&](linalg::GenericOp op) {
      bool isNext = !confused ||
                    (separated.contains(confused) && !separated.contains(op));
      if (isNext &&
          (confusesProduct(op, classes) || confusesLoops(op, classes)))
        confused = op;
    });
    if (!confused)
      return classes;
    bool isSeparate =
        separated.insert(confused).second &&
        llvm::all_of(confused.getDpsInputOperands(), [&](OpOperand *operand) {
          return separate(*operand, nest);
        });
    if (!isSeparate)
      return confused->emitOpError(
          "reads a value by two of its loops that is reduced, or carried by a "
          "loop, beside it, and has one form on tiles; a tensor that is "
          "computed by a function of its own, or passed in, would work");
    // What nothing reads any more has no place among the tiles.
    nest.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return;
      separated.erase(op);
      op->erase();
    });
  }
}
