//===- OpenExtents.cpp - what a kernel has to be made for -----------------===//

#include "smx/GPU/OpenExtents.h"

#include "TileClasses.h"
#include "smx/IR/Smx.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;

/// An argument, and a dimension of it.
using ArgumentPlace = std::pair<unsigned, int64_t>;

/// Adds the extents of arguments of `function` that index arithmetic computes
/// `value` from.
static void addExtentsBehind(Value value, func::FuncOp function, bool areNeeded,
                             std::map<ArgumentPlace, bool> &extents) {
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
        extents[{argument.getArgNumber(), *index}] |= areNeeded;
      continue;
    }
    behind.insert(op->operand_begin(), op->operand_end());
  }
}

/// The classes of all that is computed in `nest`. What loops carry whole, as
/// results are, stays in memory.
static llvm::SmallDenseSet<TileClasses::Class>
classesOfTiles(scf::ForallOp nest, const TileClasses &classes) {
  llvm::SmallDenseSet<TileClasses::Class> found;
  nest.walk([&](Operation *op) {
    if (!isa<linalg::LinalgOp, MaskOp>(op))
      return;
    for (Value tensor : op->getOperands())
      if (isa<RankedTensorType>(tensor.getType()))
        found.insert_range(classes.classesOf(tensor));
  });
  return found;
}

FailureOr<SmallVector<ArgumentExtent>>
mlir::smx::gpu::findOpenExtents(func::FuncOp function) {
  std::map<ArgumentPlace, bool> extents;
  for (auto nest : function.getBody().getOps<scf::ForallOp>()) {
    TileClasses classes = TileClasses::compute(nest);
    auto ofTiles = classesOfTiles(nest, classes);
    for (TileClasses::Class c = 0; c < classes.size(); ++c)
      if (classes.boundOf(c) == ShapedType::kDynamic)
        addExtentsBehind(cast<Value>(classes.extentOf(c)), function,
                         ofTiles.contains(c), extents);
  }
  SmallVector<ArgumentExtent> found;
  for (auto [place, isNeeded] : extents)
    found.push_back({place.first, place.second, isNeeded});
  return found;
}
