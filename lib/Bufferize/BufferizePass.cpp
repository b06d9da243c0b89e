//===- BufferizePass.cpp - one-shot bufferization, our boundary -----------===//

#include "smx/Bufferize/BoundaryType.h"
#include "smx/Bufferize/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::smx {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "smx/Bufferize/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {
struct BufferizePass : mlir::smx::impl::BufferizePassBase<BufferizePass> {
  void runOnOperation() override {
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
    IRRewriter rewriter(&getContext());
    bufferization::BufferizationState bufferizationState;
    if (failed(eliminate(rewriter, options)) ||
        failed(bufferization::runOneShotModuleBufferize(getOperation(), options,
                                                        bufferizationState)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      freeScratch(function);
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

  /// Scratch never leaves the block that allocates it unless the block yields
  /// it: results go to destinations.
  static void freeScratch(func::FuncOp function) {
    function.walk([](memref::AllocOp alloc) {
      Operation *terminator = alloc->getBlock()->getTerminator();
      SmallVector<Value> aliases{alloc.getResult()};
      for (size_t i = 0; i < aliases.size(); ++i)
        for (Operation *user : aliases[i].getUsers()) {
          if (user == terminator)
            return;
          // What an inner block yields is a result of the op around it.
          Operation *source = user->hasTrait<OpTrait::IsTerminator>()
                                  ? user->getParentOp()
                                  : user;
          for (Value result : source->getResults())
            if (isa<BaseMemRefType>(result.getType()))
              aliases.push_back(result);
        }
      OpBuilder builder(terminator);
      memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
    });
  }
};
} // namespace
