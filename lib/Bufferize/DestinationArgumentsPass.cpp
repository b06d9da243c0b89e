//===- DestinationArgumentsPass.cpp - results into the caller's memory ----===//

#include "smx/Bufferize/BoundaryType.h"
#include "smx/Bufferize/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx {
#define GEN_PASS_DEF_DESTINATIONARGUMENTSPASS
#include "smx/Bufferize/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {
struct DestinationArgumentsPass
    : mlir::smx::impl::DestinationArgumentsPassBase<DestinationArgumentsPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SymbolUserMap users(symbols, getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isPrivate() || function.isDeclaration() ||
          !users.getUsers(function).empty())
        continue;
      if (failed(rewrite(function)))
        return signalPassFailure();
    }
  }

  static LogicalResult rewrite(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitError("expected a function of one block, got ")
             << function.getBody().getBlocks().size()
             << "; structured control flow (scf) would work";
    auto returnOp =
        cast<func::ReturnOp>(function.getBody().front().getTerminator());
    for (Type type : function.getResultTypes())
      if (!isa<RankedTensorType>(type))
        return function.emitError("expected ranked tensor results, got ")
               << type;
    OpBuilder builder(returnOp);
    keepArguments(function);
    SmallVector<Value> results(returnOp.getOperands());
    for (Value result : results) {
      auto type = cast<RankedTensorType>(result.getType());
      unsigned position = function.getNumArguments();
      if (failed(function.insertArgument(position, getBoundaryType(type), {},
                                         result.getLoc())))
        return failure();
      auto materialize = bufferization::MaterializeInDestinationOp::create(
          builder, result.getLoc(), Type(), result,
          function.getArgument(position));
      materialize.setRestrict(true);
      materialize.setWritable(true);
    }
    returnOp.getOperandsMutable().clear();
    return function.eraseResults(
        llvm::BitVector(function.getNumResults(), true));
  }

  /// The caller's inputs stay as they are. Where one is only the shape of what
  /// an op writes, it is not even copied.
  static void keepArguments(func::FuncOp function) {
    OpBuilder builder(function.getContext());
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        continue;
      function.setArgAttr(
          argument.getArgNumber(),
          bufferization::BufferizationDialect::kWritableAttrName,
          builder.getBoolAttr(false));
      for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
        auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
        if (!op || !op.isDpsInit(&use) ||
            op.payloadUsesValueFromOperand(&use) ||
            !op.getMatchingIndexingMap(&use).isPermutation())
          continue;
        builder.setInsertionPoint(op);
        use.set(tensor::EmptyOp::create(
            builder, op.getLoc(),
            tensor::getMixedSizes(builder, op.getLoc(), argument),
            type.getElementType()));
      }
    }
  }
};
} // namespace
