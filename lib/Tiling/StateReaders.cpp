//===- StateReaders.cpp - what is made of a state -------------------------===//

#include "StateReaders.h"

#include "smx/IR/Smx.h"
#include "smx/IR/StateReaders.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// The finishes that a state comes to.
class StateReaders {
public:
  explicit StateReaders(UpdateOp update);
  bool areLogarithms() const;
  bool areRows() const {
    return llvm::any_of(finishes,
                        [](FinishOp finish) { return finish.isStreamed(); });
  }

private:
  void add(ValueRange more) { values.insert_range(more); }
  void follow(OpOperand &use);

  llvm::SetVector<Value> values;
  SmallVector<FinishOp> finishes;
  /// Something else reads the state.
  bool hasOthers = false;
};
} // namespace

StateReaders::StateReaders(UpdateOp update) {
  add(update.getResults());
  for (size_t i = 0; i != values.size(); ++i)
    for (OpOperand &use : values[i].getUses())
      follow(use);
}

void StateReaders::follow(OpOperand &use) {
  Operation *reader = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto finish = dyn_cast<FinishOp>(reader)) {
    finishes.push_back(finish);
  } else if (isa<UpdateOp, MergeOp, tensor::ExpandShapeOp,
                 tensor::CollapseShapeOp, tensor::CastOp,
                 tensor::ExtractSliceOp>(reader)) {
    add(reader->getResults());
  } else if (isa<scf::YieldOp>(reader) &&
             isa<scf::ForOp, scf::IfOp>(reader->getParentOp())) {
    add(reader->getParentOp()->getResult(number));
  } else if (auto loop = dyn_cast<LoopLikeOpInterface>(reader)) {
    add(loop.getTiedLoopRegionIterArg(&use));
    add(loop.getTiedLoopResult(&use));
  } else if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(reader)) {
    add(insert.getTiedOpResult());
  } else if (!isa<tensor::DimOp>(reader)) {
    hasOthers = true;
  }
}

bool StateReaders::areLogarithms() const {
  return !hasOthers && llvm::all_of(finishes, [](FinishOp finish) {
    return finish.getQuantity() == "logsumexp" ||
           finish.getQuantity() == "log_softmax";
  });
}

void mlir::smx::markStateReaders(Operation *root) {
  root->walk([](UpdateOp update) {
    StateReaders readers(update);
    auto mark = UnitAttr::get(update.getContext());
    if (readers.areLogarithms())
      update->setAttr(forLogarithmAttribute, mark);
    if (readers.areRows())
      update->setAttr(forRowsAttribute, mark);
  });
}
