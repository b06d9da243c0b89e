//===- BufferizePass.cpp - one-shot bufferization, our boundary -----------===//

#include "smx/Bufferize/BoundaryType.h"
#include "smx/Bufferize/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/WholeResults.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "smx/Bufferize/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

static Value copyOf(OpBuilder &builder, Location loc, Value tensor) {
  return bufferization::AllocTensorOp::create(
      builder, loc, cast<RankedTensorType>(tensor.getType()),
      /*dynamicSizes=*/ValueRange(), /*copy=*/tensor);
}

namespace {
struct BufferizePass : mlir::smx::impl::BufferizePassBase<BufferizePass> {
  void runOnOperation() override {
    if (failed(checkRanks()))
      return signalPassFailure();
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.allowReturnAllocsFromLoops = true;
    options.functionArgTypeConverterFn =
        [](bufferization::TensorLikeType type, Attribute, FunctionOpInterface,
           const bufferization::BufferizationOptions &) {
          return cast<bufferization::BufferLikeType>(
              Type(getBoundaryType(cast<TensorType>(Type(type)))));
        };
    // Tensors in a kernel are register tiles, and stay.
    options.opFilter.denyOperation([](Operation *op) {
      return isa<gpu::KernelOp>(op) || op->getParentOfType<gpu::KernelOp>();
    });
    keepUnwritten();
    dropEmptyCollapses();
    IRRewriter rewriter(&getContext());
    bufferization::BufferizationState bufferizationState;
    if (failed(eliminate(rewriter, options)) || failed(keepResults(options)) ||
        failed(keepCarried(options)) ||
        failed(makeConstants(options, bufferizationState)) ||
        failed(bufferization::runOneShotModuleBufferize(getOperation(), options,
                                                        bufferizationState)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      allocateDense(function);
      freeScratch(function);
    }
  }

  /// A buffer at a function's boundary has a size for each dimension.
  LogicalResult checkRanks() {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                                function.getResultTypes()))
        if (isa<UnrankedTensorType>(type))
          return function.emitError("takes or gives ")
                 << type << "; expected tensors with a rank, "
                 << "of which any extent may be open (tensor<?x?xf32>)";
    return success();
  }

  /// Results are computed where they are wanted, not copied there.
  LogicalResult
  eliminate(RewriterBase &rewriter,
            const bufferization::OneShotBufferizationOptions &options) {
    bufferization::OneShotAnalysisState state(getOperation(), options);
    if (failed(bufferization::analyzeModuleOp(getOperation(), state)))
      return failure();
    return bufferization::eliminateEmptyTensors(rewriter, getOperation(),
                                                state);
  }

  /// Bufferization takes what a body does not read for overwritten; but some
  /// elements may not be written at all, and keep what was there.
  void keepUnwritten() {
    getOperation().walk([](linalg::LinalgOp op) {
      if (!op.hasPureTensorSemantics() || op->getParentOfType<gpu::KernelOp>())
        return;
      for (OpOperand &init : op.getDpsInitsMutable()) {
        if (op.payloadUsesValueFromOperand(&init) || writesAll(op, init) ||
            init.get().getDefiningOp<tensor::EmptyOp>())
          continue;
        OpBuilder builder(op);
        init.set(copyOf(builder, op.getLoc(), init.get()));
      }
    });
  }

  /// Of an open extent and a 0 the collapsed extent of a tensor is open, and
  /// that of memory, as upstream computes it, 0, which its verifier refuses.
  /// Nothing is in such a tensor, so that a new one is as good as a view.
  void dropEmptyCollapses() {
    getOperation().walk([](tensor::CollapseShapeOp op) {
      if (!llvm::is_contained(op.getSrcType().getShape(), 0))
        return;
      OpBuilder builder(op);
      Location loc = op.getLoc();
      SmallVector<OpFoldResult> all =
          tensor::getMixedSizes(builder, loc, op.getSrc());
      SmallVector<OpFoldResult> collapsed;
      for (const ReassociationIndices &group : op.getReassociationIndices()) {
        AffineExpr product = builder.getAffineConstantExpr(1);
        SmallVector<OpFoldResult> sizes;
        for (int64_t dim : group) {
          product = product * builder.getAffineSymbolExpr(sizes.size());
          sizes.push_back(all[dim]);
        }
        collapsed.push_back(affine::makeComposedFoldedAffineApply(
            builder, loc, product, sizes));
      }
      Value empty = tensor::EmptyOp::create(
          builder, loc, collapsed, op.getResultType().getElementType());
      op.replaceAllUsesWith(
          builder.createOrFold<tensor::CastOp>(loc, op.getResultType(), empty));
      op.erase();
    });
  }

  /// A loop that carried other memory in every round would have to free what it
  /// got with the last one: what lies elsewhere is copied at the end of a
  /// round.
  LogicalResult
  keepCarried(const bufferization::OneShotBufferizationOptions &options) {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop->getParentOfType<gpu::KernelOp>() &&
          llvm::any_of(loop.getResultTypes(), llvm::IsaPred<RankedTensorType>))
        loops.push_back(loop);
    });
    // The analysis takes longer than all else here.
    if (loops.empty())
      return success();
    bufferization::OneShotAnalysisState state(getOperation(), options);
    if (failed(bufferization::analyzeModuleOp(getOperation(), state)))
      return failure();
    for (scf::ForOp loop : loops) {
      OpBuilder builder(loop.getBody()->getTerminator());
      for (auto [carried, yielded] :
           llvm::zip_equal(loop.getRegionIterArgs(),
                           loop.getYieldedValuesMutable().value()))
        if (isa<RankedTensorType>(carried.getType()) &&
            !state.areEquivalentBufferizedValues(carried, yielded.get()))
          yielded.set(bufferization::MaterializeInDestinationOp::create(
                          builder, loop.getLoc(), yielded.get(), carried)
                          .getResult());
    }
    return success();
  }

  /// What is computed in the memory of one result may be another result, too
  /// (the init of a reduction that is also returned), and would be overwritten
  /// before it is read: it is copied where it is computed.
  LogicalResult
  keepResults(const bufferization::OneShotBufferizationOptions &options) {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<bufferization::MaterializeInDestinationOp> results;
      function.walk([&](bufferization::MaterializeInDestinationOp op) {
        if (isa<BaseMemRefType>(op.getDest().getType()))
          results.push_back(op);
      });
      // A copy may let another result be computed where it was not before.
      FailureOr<bool> copied = true;
      while (results.size() > 1 && succeeded(copied) && *copied)
        copied = copyOverwritten(results, options);
      if (failed(copied))
        return failure();
    }
    return success();
  }

  /// Globals for the constants of all functions, in order. Bufferization, which
  /// finds them then, goes through functions in an order that differs from run
  /// to run, and so would their names and places.
  LogicalResult
  makeConstants(const bufferization::OneShotBufferizationOptions &options,
                bufferization::BufferizationState &state) {
    WalkResult made = getOperation().walk([&](arith::ConstantOp constant) {
      if (!isa<RankedTensorType>(constant.getType()) ||
          constant->getParentOfType<gpu::KernelOp>())
        return WalkResult::advance();
      return WalkResult(bufferization::getGlobalFor(
          constant, state.getSymbolTables(), options.bufferAlignment));
    });
    return failure(made.wasInterrupted());
  }

  /// True if one of `results`, which are in order, was overwritten, and is
  /// copied now.
  FailureOr<bool>
  copyOverwritten(ArrayRef<bufferization::MaterializeInDestinationOp> results,
                  const bufferization::OneShotBufferizationOptions &options) {
    bufferization::OneShotAnalysisState state(getOperation(), options);
    if (failed(bufferization::analyzeModuleOp(getOperation(), state)))
      return failure();
    for (auto [i, result] : llvm::enumerate(results)) {
      bufferization::MaterializeInDestinationOp op = result;
      Value source = op.getSource();
      if (llvm::none_of(results.take_front(i), [&](auto earlier) {
            return overwrites(earlier, source, state);
          }))
        continue;
      OpBuilder builder(op);
      builder.setInsertionPointAfterValue(source);
      op.getSourceMutable().assign(copyOf(builder, op.getLoc(), source));
      return true;
    }
    return false;
  }

  /// True if `value` may lie in the destination of `result`, which holds
  /// something else until `result` is copied there.
  static bool overwrites(bufferization::MaterializeInDestinationOp result,
                         Value value,
                         const bufferization::OneShotAnalysisState &state) {
    return llvm::any_of(result.getDest().getUsers(), [&](Operation *user) {
      auto memory = dyn_cast<bufferization::ToTensorOp>(user);
      return memory && state.areAliasingBufferizedValues(value, memory) &&
             !state.areEquivalentBufferizedValues(result.getSource(), memory);
    });
  }

  /// A view that does not have the layout which its reader takes is copied, by
  /// bufferization, into memory of the reader's type. That leaves strides open,
  /// which an allocation can not: it is dense.
  static void allocateDense(func::FuncOp function) {
    function.walk([](memref::AllocOp alloc) {
      MemRefType type = alloc.getType();
      if (type.getLayout().isIdentity() || !alloc.getSymbolOperands().empty())
        return;
      OpBuilder builder(alloc);
      auto dense =
          MemRefType::get(type.getShape(), type.getElementType(),
                          MemRefLayoutAttrInterface(), type.getMemorySpace());
      Value memory = memref::AllocOp::create(builder, alloc.getLoc(), dense,
                                             alloc.getDynamicSizes(),
                                             alloc.getAlignmentAttr());
      alloc.replaceAllUsesWith(
          memref::CastOp::create(builder, alloc.getLoc(), type, memory)
              .getResult());
      alloc.erase();
    });
  }

  /// Scratch never leaves the block that allocates it unless a branch yields
  /// it, which gets it from the block around then: results go to destinations.
  static void freeScratch(func::FuncOp function) {
    SmallVector<memref::AllocOp> scratch;
    function.walk([&](memref::AllocOp alloc) { scratch.push_back(alloc); });
    for (memref::AllocOp alloc : scratch) {
      bool leaves = leavesBlock(alloc);
      while (leaves && isa<scf::IfOp>(alloc->getParentOp()) &&
             moveOut(alloc, alloc->getParentOp()))
        leaves = leavesBlock(alloc);
      if (leaves)
        continue;
      OpBuilder builder(alloc->getBlock()->getTerminator());
      memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
    }
  }

  static bool leavesBlock(memref::AllocOp alloc) {
    Operation *terminator = alloc->getBlock()->getTerminator();
    SmallVector<Value> aliases{alloc.getResult()};
    for (size_t i = 0; i < aliases.size(); ++i)
      for (Operation *user : aliases[i].getUsers()) {
        if (user == terminator)
          return true;
        // What an inner block yields is a result of the op around it.
        Operation *source = user->hasTrait<OpTrait::IsTerminator>()
                                ? user->getParentOp()
                                : user;
        for (Value result : source->getResults())
          if (isa<BaseMemRefType>(result.getType()))
            aliases.push_back(result);
      }
    return false;
  }

  /// Moves `op`, and what it is computed of, in front of `branches` around it;
  /// false if an operand has to stay there.
  static bool moveOut(Operation *op, Operation *branches) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && branches->isProperAncestor(source) &&
          !(isPure(source) && moveOut(source, branches)))
        return false;
    }
    op->moveBefore(branches);
    return true;
  }
};
} // namespace
