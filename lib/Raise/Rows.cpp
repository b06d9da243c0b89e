//===- Rows.cpp - what raising to any row op needs ------------------------===//

#include "Rows.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::smx;

void mlir::smx::remarkNotRaised(Operation *op, StringRef target,
                                StringRef reason) {
  op->emitRemark() << "not raised to " << target << ": " << reason;
}

void mlir::smx::remarkRaised(Operation *op) {
  remark::passed(op->getLoc(),
                 remark::RemarkOpts::name("Raised").category("smx-raise"))
      << op->getName().getStringRef();
}

RowRoot::RowRoot(Operation *op)
    : op(op), positions(op->getContext(), getType().getShape()),
      reader(positions), result(reader.identityElement(op->getResult(0))) {}

bool mlir::smx::isElementwiseRoot(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !isTypeOfResults(type))
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics() &&
           linalgOp.getNumReductionLoops() == 0;
  return OpTrait::hasElementwiseMappableTraits(op);
}

static bool reaches(Operation *op, const llvm::SmallPtrSetImpl<Value> &sources,
                    llvm::DenseMap<Operation *, bool> &known,
                    llvm::SetVector<Operation *> &found) {
  auto [entry, isNew] = known.try_emplace(op, false);
  if (!isNew)
    return entry->second;
  bool result = false;
  auto visit = [&](Value operand) {
    if (sources.contains(operand)) {
      // The sizes of what is read serve others, too.
      result |= !isa<tensor::DimOp>(op);
      return;
    }
    Operation *producer = operand.getDefiningOp();
    if (producer && reaches(producer, sources, known, found))
      result = true;
  };
  // Values that the body captures count as operands.
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (inner == op ||
          operand.getParentRegion()->isProperAncestor(inner->getParentRegion()))
        visit(operand);
  });
  known[op] = result;
  if (result)
    found.insert(op);
  return result;
}

llvm::SetVector<Operation *> mlir::smx::opsBetween(ArrayRef<Value> sources,
                                                   Operation *root) {
  llvm::SmallPtrSet<Value, 4> set(sources.begin(), sources.end());
  llvm::DenseMap<Operation *, bool> known;
  llvm::SetVector<Operation *> found;
  reaches(root, set, known, found);
  return found;
}

bool mlir::smx::escapes(const llvm::SetVector<Operation *> &cluster,
                        const OpSet &users, const OpSet &roots) {
  auto isAmong = [&](Operation *user) {
    for (; user; user = user->getParentOp())
      if (users.contains(user))
        return true;
    return false;
  };
  auto needsOnlyShape = [](Operation *user) {
    return isa<tensor::DimOp>(user);
  };
  for (Operation *op : cluster) {
    if (roots.contains(op))
      continue;
    for (Value result : op->getResults()) {
      // Another result of an op in the cluster is computed for its own sake.
      bool isUsedInside = llvm::any_of(result.getUsers(), isAmong);
      for (Operation *user : result.getUsers())
        if (isUsedInside && !isAmong(user) && !needsOnlyShape(user))
          return true;
    }
  }
  return false;
}

bool SharedRows::admits(const llvm::SetVector<Operation *> &cluster,
                        Operation *root, StringRef target) {
  if (!isDecided) {
    clusters[root] = cluster;
    return false;
  }
  if (admitted.contains(root))
    return true;
  explain(root, target, "an intermediate value has another use");
  return false;
}

std::optional<TakenRow> mlir::smx::takeRow(RewriterBase &rewriter,
                                           SharedRows &shared,
                                           ElementReader &reader,
                                           const Element &row,
                                           ArrayRef<AffineExpr> order,
                                           Operation *root, StringRef target) {
  SmallVector<Value> sources;
  Value tensor = materialize(rewriter, reader, row, order, sources);
  if (!tensor) {
    shared.explain(root, target, "the row is not a tensor");
    return std::nullopt;
  }
  TakenRow taken{tensor, opsBetween(sources, root)};
  if (!shared.admits(taken.cluster, root, target))
    return std::nullopt;
  return taken;
}

std::optional<Quotient> mlir::smx::quotientOf(RowRoot &root) {
  Element e = root.reader.strip(root.result);
  if (!root.computes(e))
    return std::nullopt;
  return matchQuotient(root.reader, e);
}

void SharedRows::decide() {
  isDecided = true;
  for (auto &[root, cluster] : clusters)
    admitted.insert(root);
  // What one root leaves to another that is not raised keeps it, too.
  bool isChanged = true;
  while (isChanged) {
    OpSet users;
    for (auto &[root, cluster] : clusters)
      if (admitted.contains(root))
        users.insert(cluster.begin(), cluster.end());
    isChanged = false;
    for (auto &[root, cluster] : clusters)
      if (admitted.contains(root) && escapes(cluster, users, admitted))
        isChanged = admitted.erase(root);
  }
}

void mlir::smx::eraseUnused(RewriterBase &rewriter,
                            const llvm::SetVector<Operation *> &cluster) {
  // The cluster is in post-order: users come after what they use.
  for (Operation *op : llvm::reverse(cluster.getArrayRef()))
    if (op->use_empty())
      rewriter.eraseOp(op);
}
