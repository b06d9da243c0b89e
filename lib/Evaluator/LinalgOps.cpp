//===- LinalgOps.cpp - linalg as loops over the iteration domain ----------===//
//
// Every structured op, named or generic, has maps, iterator types and a body;
// that is all that is looked at. One parallel dimension is executed as lanes,
// the others as a counter.
//
//===----------------------------------------------------------------------===//

#include "BodyProgram.h"

#include "smx/Reference/Softmax.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::smx;

/// The value of a quotient or another expression at a point. Much faster than
/// AffineMap::compose, which makes constants of the context.
static int64_t valueOf(AffineExpr expr, ArrayRef<int64_t> point) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  const int64_t a = valueOf(binary.getLHS(), point),
                b = valueOf(binary.getRHS(), point);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(a, b);
  default:
    return llvm::mod(a, b);
  }
}

namespace {
/// An index of an operand that is no sum of multiples, such as a quotient.
struct OtherIndex {
  AffineExpr expr;
  int64_t stride, extent;
};

/// Where an operand of the body lies: `offset + sum(strides[d] * index of
/// dimension d)`, and a stride times each other index.
struct Access {
  const double *in = nullptr;
  double *out = nullptr;
  bool isFloat = true;
  int64_t offset = 0;
  SmallVector<int64_t> strides;
  SmallVector<OtherIndex> others;

  int64_t at(ArrayRef<int64_t> point) const {
    int64_t place = offset;
    for (auto [stride, index] : llvm::zip(strides, point))
      place += stride * index;
    for (const OtherIndex &other : others)
      place += other.stride * valueOf(other.expr, point);
    return place;
  }
};

/// One structured op, ready to be executed.
class LoopNest {
public:
  static llvm::Expected<LoopNest> build(linalg::LinalgOp op, Frame &frame);
  llvm::Error run();
  void storeResults(linalg::LinalgOp op, Frame &frame);

private:
  explicit LoopNest(BodyProgram program) : program(std::move(program)) {}
  llvm::Error addOperand(linalg::LinalgOp op, OpOperand &operand, Frame &frame);
  /// The verifier looks at the first and the last place of a loop only.
  llvm::Error checkIndex(linalg::LinalgOp op, const OtherIndex &index);
  void chooseLanes(linalg::LinalgOp op);
  void runLanes(BodyProgram::Registers &registers,
                MutableArrayRef<int64_t> point, int64_t lanes);

  static constexpr int64_t maxLanes = 512;
  BodyProgram program;
  /// Extents of the loops, -1 while unknown.
  SmallVector<int64_t> sizes;
  SmallVector<Access> accesses;
  std::vector<Tensor> results;
  unsigned numInputs = 0;
  /// The dimension that runs over the lanes; none if no dimension is parallel.
  std::optional<unsigned> laneDim;
};
} // namespace

/// `expr` as `constant + sum(factors[d] * d)`, added up; false if it is not of
/// that form.
static bool addLinear(AffineExpr expr, int64_t factor, int64_t &constant,
                      MutableArrayRef<int64_t> factors) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    factors[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, constant, factors) &&
           addLinear(binary.getRHS(), factor, constant, factors);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && by &&
         addLinear(binary.getLHS(), factor * by.getValue(), constant, factors);
}

llvm::Error LoopNest::addOperand(linalg::LinalgOp op, OpOperand &operand,
                                 Frame &frame) {
  Access access;
  access.isFloat = hasFloatElements(operand.get().getType());
  access.strides.assign(sizes.size(), 0);
  const RuntimeValue &value = frame.get(operand.get());
  if (!value.tensor) {
    // A scalar operand is a tensor of one element.
    results.push_back(
        Tensor(Shape{}, storedElement(value.scalar, access.isFloat)));
    accesses.push_back(std::move(access));
    return llvm::Error::success();
  }
  const Tensor &tensor = *value.tensor;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t stride = 1;
  for (int64_t d = tensor.rank() - 1; d >= 0; --d) {
    AffineExpr expr = map.getResult(d);
    int64_t constant = 0;
    SmallVector<int64_t> factors(sizes.size(), 0);
    if (!addLinear(expr, 1, constant, factors)) {
      if (op.isDpsInit(&operand))
        return errorAt(op, "has a result whose indexing map is not linear");
      access.others.push_back({expr, stride, tensor.dim(d)});
      stride *= tensor.dim(d);
      continue;
    }
    access.offset += stride * constant;
    for (auto [total, factor] : llvm::zip(access.strides, factors))
      total += stride * factor;
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      int64_t &size = sizes[dim.getPosition()];
      if (size >= 0 && size != tensor.dim(d))
        return errorAt(op, "loop " + Twine(dim.getPosition()) + " has extent " +
                               Twine(size) + " by one operand and " +
                               Twine(tensor.dim(d)) + " by another");
      size = tensor.dim(d);
    }
    stride *= tensor.dim(d);
  }
  results.push_back(op.isDpsInit(&operand) ? tensor : Tensor());
  access.in = tensor.data();
  accesses.push_back(std::move(access));
  return llvm::Error::success();
}

llvm::Error LoopNest::checkIndex(linalg::LinalgOp op, const OtherIndex &index) {
  SmallVector<int64_t> point(sizes.size(), 0);
  while (true) {
    const int64_t value = valueOf(index.expr, point);
    if (value < 0 || value >= index.extent)
      return errorAt(op, "has an index " + Twine(value) +
                             " of a dimension with extent " +
                             Twine(index.extent));
    size_t d = 0;
    for (; d < point.size(); ++d) {
      if (!index.expr.isFunctionOfDim(d))
        continue;
      if (++point[d] < sizes[d])
        break;
      point[d] = 0;
    }
    if (d == point.size())
      return llvm::Error::success();
  }
}

/// Prefers the parallel dimension along which most operands are dense or
/// constant.
void LoopNest::chooseLanes(linalg::LinalgOp op) {
  int64_t best = -1;
  for (auto [d, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (type != utils::IteratorType::parallel)
      continue;
    int64_t dense = llvm::count_if(accesses, [&](const Access &access) {
      return access.strides[d] == 0 || access.strides[d] == 1;
    });
    const int64_t score = dense * maxLanes + std::min(sizes[d], maxLanes);
    if (score >= best) {
      best = score;
      laneDim = d;
    }
  }
}

llvm::Expected<LoopNest> LoopNest::build(linalg::LinalgOp op, Frame &frame) {
  auto program = BodyProgram::compile(*op.getBlock(), frame);
  if (!program)
    return program.takeError();
  LoopNest nest(std::move(*program));
  nest.sizes.assign(op.getNumLoops(), -1);
  nest.numInputs = op.getNumDpsInputs();
  for (OpOperand &operand : op->getOpOperands())
    if (llvm::Error error = nest.addOperand(op, operand, frame))
      return error;
  for (auto [d, size] : llvm::enumerate(nest.sizes))
    if (size < 0)
      return errorAt(op, "the extent of loop " + Twine(d) +
                             " does not follow from an operand");
  if (!llvm::is_contained(nest.sizes, 0))
    for (const Access &access : nest.accesses)
      for (const OtherIndex &index : access.others)
        if (llvm::Error error = nest.checkIndex(op, index))
          return error;
  // Addresses are taken last: `results` does not move any more.
  for (auto [i, access] : llvm::enumerate(nest.accesses)) {
    if (!access.in || i >= nest.numInputs)
      access.in = nest.results[i].data();
    if (i >= nest.numInputs)
      access.out = nest.results[i].data();
  }
  nest.chooseLanes(op);
  return nest;
}

void LoopNest::runLanes(BodyProgram::Registers &registers,
                        MutableArrayRef<int64_t> point, int64_t lanes) {
  for (auto [i, access] : llvm::enumerate(accesses)) {
    const double *from = access.in + access.at(point);
    const int64_t stride = laneDim ? access.strides[*laneDim] : 0;
    Slot *to = registers[i];
    if (access.others.empty()) {
      for (int64_t lane = 0; lane < lanes; ++lane)
        to[lane] = loadElement(from[lane * stride], access.isFloat);
      continue;
    }
    SmallVector<int64_t> ofLane(point);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      to[lane] = loadElement(access.in[access.at(ofLane)], access.isFloat);
      if (laneDim)
        ++ofLane[*laneDim];
    }
  }
  for (auto [dim, number] : program.getIndices()) {
    const bool isLane = laneDim && dim == int64_t(*laneDim);
    for (int64_t lane = 0; lane < lanes; ++lane)
      registers[number][lane] = intSlot(point[dim] + (isLane ? lane : 0));
  }
  program.run(registers, lanes);
  for (auto [i, number] : llvm::enumerate(program.getYields())) {
    const Access &access = accesses[numInputs + i];
    double *to = access.out + access.at(point);
    const int64_t stride = laneDim ? access.strides[*laneDim] : 0;
    const Slot *from = registers[number];
    for (int64_t lane = 0; lane < lanes; ++lane)
      to[lane * stride] = storedElement(from[lane], access.isFloat);
  }
}

llvm::Error LoopNest::run() {
  if (llvm::is_contained(sizes, 0))
    return llvm::Error::success();
  const int64_t extent = laneDim ? sizes[*laneDim] : 1;
  BodyProgram::Registers registers(program, std::min(extent, maxLanes));
  SmallVector<int64_t> point(sizes.size(), 0);
  while (true) {
    for (int64_t lane = 0; lane < extent; lane += maxLanes) {
      if (laneDim)
        point[*laneDim] = lane;
      runLanes(registers, point, std::min(maxLanes, extent - lane));
    }
    if (laneDim)
      point[*laneDim] = 0;
    // The next point of the other dimensions, the last one fastest.
    int64_t d = static_cast<int64_t>(sizes.size()) - 1;
    for (; d >= 0; --d) {
      if (laneDim && d == int64_t(*laneDim))
        continue;
      if (++point[d] < sizes[d])
        break;
      point[d] = 0;
    }
    if (d < 0)
      return registers.takeFailure();
  }
}

void LoopNest::storeResults(linalg::LinalgOp op, Frame &frame) {
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    frame.set(result, std::move(results[numInputs + i]));
}

llvm::Expected<bool> mlir::smx::evaluateLinalgOp(Operation *op, Frame &frame) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
    ::smx::reference::SoftmaxOptions options;
    options.axis = static_cast<int64_t>(softmax.getDimension());
    ::smx::reference::Tensor result =
        ::smx::reference::softmax(frame.tensor(softmax.getInput()), options);
    std::optional<::smx::reference::DType> dtype =
        getRoundedType(op->getResult(0).getType(), frame.getRounding());
    frame.set(op->getResult(0), dtype ? result.roundedTo(*dtype) : result);
    return true;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return false;
  if (!structured.hasPureTensorSemantics())
    return errorAt(op, "works on memory; the evaluator knows tensors only");
  auto nest = LoopNest::build(structured, frame);
  if (!nest)
    return nest.takeError();
  if (llvm::Error error = nest->run())
    return error;
  nest->storeResults(structured, frame);
  return true;
}
