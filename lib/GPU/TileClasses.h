//===- TileClasses.h - which dimensions of tiles are the same ---*- C++ -*-===//
//
// Two dimensions of tensors in a tiled loop nest are in one class if a linalg
// op or a loop makes them the same: the rows of scores, of the running maximum
// and of the accumulator are one class, the keys of a tile of scores and of
// values another. What a dimension means for a schedule is a property of its
// class.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_TILECLASSES_H
#define SMX_LIB_GPU_TILECLASSES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/IntEqClasses.h"

namespace mlir::smx::gpu {

class TileClasses {
public:
  /// The classes of all tensors in `root`.
  static TileClasses compute(Operation *root);

  using Class = unsigned;
  Class classOf(Value tensor, int64_t dim) const;
  SmallVector<Class> classesOf(Value tensor) const;
  /// The class of each iteration dimension.
  SmallVector<Class> iterationClassesOf(linalg::LinalgOp op) const;

  unsigned size() const { return info.size(); }
  /// Largest extent of the class; ShapedType::kDynamic where it has no bound.
  int64_t boundOf(Class c) const { return info[c].bound; }
  /// Extent of the class: a constant, or a value of the loop nest.
  OpFoldResult extentOf(Class c) const { return info[c].extent; }

private:
  struct Info {
    OpFoldResult extent;
    int64_t bound = 0;
  };
  unsigned numberOf(Value tensor, int64_t dim);
  void unify(Value a, int64_t i, Value b, int64_t j);
  void unifyAll(Value a, Value b);
  void visit(Operation *op);
  /// Of a nest that reduces nothing: where all keys of attention are known to
  /// be hidden, no op has both the rows of the average and those of the
  /// log-sum-exp. What is written to the same places along a dimension is one
  /// class, unless the other tile has it along another dimension.
  void joinRowsOfResults(scf::ForallOp nest);
  void measure();

  llvm::DenseMap<std::pair<Value, int64_t>, unsigned> numbers;
  SmallVector<std::pair<Value, int64_t>> members;
  SmallVector<std::pair<unsigned, unsigned>> equal;
  llvm::IntEqClasses classes;
  SmallVector<Info> info;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_TILECLASSES_H
