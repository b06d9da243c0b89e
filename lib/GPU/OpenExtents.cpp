//===- OpenExtents.cpp - what a kernel has to be made for -----------------===//

#include "smx/GPU/OpenExtents.h"

#include "TileClasses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace mlir::smx::gpu;

/// Adds the extents of arguments of `function` that index arithmetic computes
/// `value` from.
static void addExtentsBehind(Value value, func::FuncOp function,
                             std::set<ArgumentExtent> &extents) {
  llvm::SetVector<Value> behind;
  behind.insert(value);
  for (size_t i = 0; i < behind.size(); ++i) {
    Operation *op = behind[i].getDefiningOp();
    if (!op)
      continue;
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      Value source = dim.getSource();
      while (auto cast = source.getDefiningOp<tensor::CastOp>())
        source = cast.getSource();
      auto argument = dyn_cast<BlockArgument>(source);
      std::optional<int64_t> index = dim.getConstantIndex();
      if (argument && index &&
          argument.getOwner() == &function.getBody().front())
        extents.insert({argument.getArgNumber(), *index});
      continue;
    }
    behind.insert(op->operand_begin(), op->operand_end());
  }
}

FailureOr<SmallVector<ArgumentExtent>>
mlir::smx::gpu::findOpenExtents(func::FuncOp function) {
  std::set<ArgumentExtent> extents;
  for (auto nest : function.getBody().getOps<scf::ForallOp>()) {
    TileClasses classes = TileClasses::compute(nest);
    for (TileClasses::Class c = 0; c < classes.size(); ++c)
      if (classes.boundOf(c) == ShapedType::kDynamic)
        addExtentsBehind(cast<Value>(classes.extentOf(c)), function, extents);
  }
  return SmallVector<ArgumentExtent>(extents.begin(), extents.end());
}
