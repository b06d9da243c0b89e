//===- Materialize.cpp - from an expression back to a tensor --------------===//

#include "Rows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::smx;

static int64_t extentOf(const Positions &positions, AffineExpr position) {
  auto dim = dyn_cast<AffineDimExpr>(position);
  return dim ? positions.extent(dim.getPosition()) : 1;
}

Value mlir::smx::findTensor(ElementReader &reader, Element e,
                            ArrayRef<AffineExpr> order) {
  const Positions &positions = reader.getPositions();
  auto matches = [&](const Element &e) {
    auto type = dyn_cast<RankedTensorType>(e.value.getType());
    if (!type || type.getRank() != (int64_t)order.size())
      return false;
    for (auto [k, wanted] : llvm::enumerate(order)) {
      int64_t extent = extentOf(positions, wanted);
      if (type.getDimSize(k) == 1 && extent == 1)
        continue;
      if (e.at[k] != wanted || !e.covers(k, extent))
        return false;
    }
    return true;
  };
  while (!matches(e)) {
    std::optional<Element> next = reader.step(e);
    if (!next)
      return {};
    e = std::move(*next);
  }
  return e.value;
}

namespace {
/// Clones a scalar expression of one body into a new elementwise op over
/// `order`.
class ExpressionToGeneric {
public:
  ExpressionToGeneric(ElementReader &reader, ArrayRef<AffineExpr> order)
      : reader(reader), order(order) {}
  LogicalResult collect(Element e);
  Value build(RewriterBase &rewriter, const Element &root);
  ArrayRef<Element> getInputs() const { return inputs; }

private:
  AffineMap mapFor(const Element &input) const;
  Value sizeOf(RewriterBase &rewriter, Location loc, unsigned k) const;
  Value emit(OpBuilder &builder, Location loc, const Element &e,
             ValueRange arguments);

  ElementReader &reader;
  ArrayRef<AffineExpr> order;
  SmallVector<Element> inputs;
};
} // namespace

/// The tensor element that a block argument stands for; other elements as they
/// are.
static Element enterTensor(ElementReader &reader, const Element &e) {
  if (!isa<BlockArgument>(e.value) || !e.body)
    return e;
  std::optional<Element> next = reader.step(e);
  return next ? *next : e;
}

LogicalResult ExpressionToGeneric::collect(Element e) {
  e = enterTensor(reader, e);
  if (e.isTensor()) {
    if (!llvm::is_contained(inputs, e))
      inputs.push_back(e);
    return success();
  }
  // A number from outside of all bodies: a constant, an argument.
  if (!e.body)
    return success();
  Operation *op = e.value.getDefiningOp();
  if (!op || op->getNumRegions() > 0 || !isPure(op))
    return failure();
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return success(llvm::is_contained(order, e.at[index.getDim()]));
  for (unsigned n = 0; n < op->getNumOperands(); ++n)
    if (failed(collect(reader.operand(e, n))))
      return failure();
  return success();
}

AffineMap ExpressionToGeneric::mapFor(const Element &input) const {
  const Positions &positions = reader.getPositions();
  MLIRContext *context = positions.getContext();
  SmallVector<AffineExpr> loops(positions.size(), positions.constant(0));
  for (auto [k, position] : llvm::enumerate(order))
    if (auto dim = dyn_cast<AffineDimExpr>(position))
      loops[dim.getPosition()] = getAffineDimExpr(k, context);
  SmallVector<AffineExpr> at;
  for (AffineExpr expr : input.at)
    at.push_back(expr.replaceDims(loops));
  return AffineMap::get(order.size(), 0, at, context);
}

Value ExpressionToGeneric::sizeOf(RewriterBase &rewriter, Location loc,
                                  unsigned k) const {
  for (const Element &input : inputs)
    for (auto [dim, at] : llvm::enumerate(input.at))
      if (at == order[k])
        return tensor::DimOp::create(rewriter, loc, input.value, dim);
  return {};
}

Value ExpressionToGeneric::emit(OpBuilder &builder, Location loc,
                                const Element &root, ValueRange arguments) {
  Element e = enterTensor(reader, root);
  if (e.isTensor())
    return arguments[std::distance(inputs.begin(), llvm::find(inputs, e))];
  if (!e.body)
    return e.value;
  Operation *op = e.value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto loop = llvm::find(order, e.at[index.getDim()]);
    return linalg::IndexOp::create(builder, loc,
                                   std::distance(order.begin(), loop));
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand,
                emit(builder, loc, reader.scalarElement(operand, e.at, e.body),
                     arguments));
  return builder.clone(*op, mapping)->getResult(0);
}

Value ExpressionToGeneric::build(RewriterBase &rewriter, const Element &root) {
  Location loc = root.value.getLoc();
  const Positions &positions = reader.getPositions();
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (auto [k, position] : llvm::enumerate(order)) {
    shape.push_back(extentOf(positions, position));
    if (!ShapedType::isDynamic(shape.back()))
      continue;
    sizes.push_back(sizeOf(rewriter, loc, k));
    if (!sizes.back())
      return {};
  }
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const Element &input : inputs) {
    // The new op runs over all of what it reads.
    for (auto [k, at] : llvm::enumerate(input.at))
      if (isa<AffineDimExpr>(at) && !input.covers(k, extentOf(positions, at)))
        return {};
    tensors.push_back(input.value);
    maps.push_back(mapFor(input));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(order.size()));
  if (!inversePermutation(concatAffineMaps(maps, rewriter.getContext())))
    return {};
  auto type = RankedTensorType::get(shape, root.getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
  SmallVector<utils::IteratorType> iterators(order.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange(type), tensors, ValueRange(empty), maps,
      iterators, [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc,
                                emit(builder, loc, root, arguments));
      });
  return generic.getResult(0);
}

Value mlir::smx::materialize(RewriterBase &rewriter, ElementReader &reader,
                             const Element &e, ArrayRef<AffineExpr> order,
                             SmallVectorImpl<Value> &sources) {
  if (Value tensor = findTensor(reader, e, order)) {
    sources.push_back(tensor);
    return tensor;
  }
  ExpressionToGeneric expression(reader, order);
  if (failed(expression.collect(e)) || expression.getInputs().empty())
    return {};
  for (const Element &input : expression.getInputs())
    sources.push_back(input.value);
  return expression.build(rewriter, e);
}
