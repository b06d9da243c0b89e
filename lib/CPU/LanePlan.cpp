//===- LanePlan.cpp - which loop becomes lanes, which becomes registers ---===//

#include "LanePlan.h"

#include "LaneCombiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::smx;

/// What a dynamic extent counts for when nests are compared.
static constexpr int64_t assumedExtent = 4096;

bool smx::accumulatesAlong(linalg::GenericOp op, unsigned init, unsigned dim) {
  return !op.getMatchingIndexingMap(op.getDpsInitOperand(init))
              .isFunctionOfDim(dim);
}

static bool accumulates(linalg::GenericOp op) {
  for (unsigned init = 0; init < op.getNumDpsInits(); ++init)
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (accumulatesAlong(op, init, dim))
        return true;
  return false;
}

/// The dimension that `map`'s last result is, when `type` is contiguous along
/// it; -1 otherwise.
static int64_t contiguousDim(AffineMap map, MemRefType type) {
  if (type.getRank() == 0)
    return -1;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return -1;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last ? int64_t(last.getPosition()) : -1;
}

LaneAccess smx::classifyAccess(linalg::GenericOp op, OpOperand &operand,
                               unsigned dim, int64_t *line) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || !map.isFunctionOfDim(dim))
    return LaneAccess::Invariant;
  unsigned uses = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
    return expr.isFunctionOfDim(dim);
  });
  bool pure = llvm::any_of(map.getResults(), [&](AffineExpr expr) {
    auto dimExpr = dyn_cast<AffineDimExpr>(expr);
    return dimExpr && dimExpr.getPosition() == dim;
  });
  int64_t contiguous = contiguousDim(map, type);
  if (uses != 1 || !pure || contiguous < 0)
    return LaneAccess::Irregular;
  if (contiguous == dim)
    return LaneAccess::UnitStride;
  if (line)
    *line = contiguous;
  return LaneAccess::Crossed;
}

/// True when every op of the body means the same on vectors.
static bool bodyRunsInLanes(linalg::GenericOp op) {
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (isa<linalg::IndexOp, arith::ConstantOp>(nested))
      continue;
    // A masked-off lane would divide by zero, which traps.
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
            nested))
      return false;
    if (!OpTrait::hasElementwiseMappableTraits(&nested))
      return false;
    for (Value value : nested.getOperands())
      if (!value.getType().isIntOrIndexOrFloat())
        return false;
  }
  return true;
}

namespace {
/// How wide the elements are that a body works on.
struct ElementWidths {
  int64_t typical = 8; ///< bits of the type of most operations: one register
  int64_t widest = 8;  ///< bits of the widest: may take several registers
};
} // namespace

/// Floats decide where there are any (indices are narrowed where they meet
/// floats). Half precisions are only loaded and stored, and a body that works
/// in f32 but adds up in f64 fills its registers with f32.
static ElementWidths elementWidths(linalg::GenericOp op) {
  int64_t single = 0, wide = 0, floats = 0, ints = 8;
  auto note = [&](Type type) {
    type = getElementTypeOrSelf(type);
    if (isa<FloatType>(type))
      floats = std::max<int64_t>(floats, type.getIntOrFloatBitWidth());
    else if (isa<IntegerType>(type))
      ints = std::max<int64_t>(ints, type.getIntOrFloatBitWidth());
  };
  for (Value operand : op->getOperands())
    note(operand.getType());
  for (Operation &nested : op.getBody()->without_terminator())
    for (Value result : nested.getResults()) {
      note(result.getType());
      // A conversion belongs to neither side.
      if (isa<arith::ExtFOp, arith::TruncFOp>(nested))
        continue;
      single += result.getType().isF32();
      wide += result.getType().isF64();
    }
  if (!floats)
    return {ints, ints};
  return {floats == 64 && single > wide ? 32 : floats, floats};
}

namespace {
/// A dimension that could run along the lanes, with the reasons to prefer it in
/// falling weight.
struct Candidate {
  int64_t dim = -1;
  int64_t line = -1; ///< contiguous dimension of crossed operands
  int rank = 0;      ///< 0: not usable
  int unitOperands = 0;

  bool operator<(const Candidate &other) const {
    return std::tie(rank, unitOperands, dim) <
           std::tie(other.rank, other.unitOperands, other.dim);
  }
};
} // namespace

static Candidate judge(linalg::GenericOp op, unsigned dim, int64_t lanes,
                       int64_t extent) {
  Candidate candidate;
  candidate.dim = dim;
  if (extent == 1)
    return candidate;
  bool reduces = false;
  for (unsigned init = 0; init < op.getNumDpsInits(); ++init) {
    if (!accumulatesAlong(op, init, dim))
      continue;
    reduces = true;
    if (failed(LaneCombiner::match(op, init)))
      return candidate;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t line = -1;
    switch (classifyAccess(op, operand, dim, &line)) {
    case LaneAccess::Invariant:
      break;
    case LaneAccess::UnitStride:
      ++candidate.unitOperands;
      break;
    case LaneAccess::Crossed:
      if (accumulates(op) || (candidate.line >= 0 && candidate.line != line))
        return candidate;
      candidate.line = line;
      break;
    case LaneAccess::Irregular:
      return candidate;
    }
  }
  bool isShort = !ShapedType::isDynamic(extent) && extent < lanes;
  if (candidate.line >= 0)
    candidate.rank = 1;
  else if (isShort)
    candidate.rank = reduces ? 2 : 3;
  else
    candidate.rank = reduces ? 4 : 5;
  return candidate;
}

/// The parallel dimension along which a vector, once loaded, serves several
/// accumulators.
static int64_t chooseRow(linalg::GenericOp op, unsigned lane,
                         ArrayRef<int64_t> extents) {
  int64_t best = -1, bestExtent = 1;
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    bool parallel = true;
    for (unsigned init = 0; init < op.getNumDpsInits(); ++init)
      parallel &= !accumulatesAlong(op, init, dim);
    if (dim == lane || !parallel)
      continue;
    bool shares = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *in) {
      return classifyAccess(op, *in, lane) == LaneAccess::UnitStride &&
             classifyAccess(op, *in, dim) == LaneAccess::Invariant;
    });
    int64_t extent =
        ShapedType::isDynamic(extents[dim]) ? assumedExtent : extents[dim];
    if (shares && extent > bestExtent) {
      best = dim;
      bestExtent = extent;
    }
  }
  return best;
}

/// Cycles of a contraction's step over its block grid, for a machine with two
/// multiply-adds and two loads a cycle and a multiply-add latency of four.
static double contractionCost(int64_t vectors, int64_t rows,
                              int64_t extentVectors, int64_t extentRows,
                              bool laneReduces) {
  auto block = [&](int64_t v, int64_t r) {
    if (v == 0 || r == 0)
      return 0.0;
    double loads = laneReduces ? v + v * r : v + r;
    return std::max({v * r / 2.0, loads / 2.0, 4.0}) + 0.5;
  };
  int64_t v = extentVectors / vectors, r = extentRows / rows;
  int64_t restV = extentVectors % vectors, restR = extentRows % rows;
  double remainders = (restV ? 1.0 : 0.0) + (restR ? 1.0 : 0.0);
  return v * r * block(vectors, rows) + r * block(restV, rows) +
         v * block(vectors, restR) + block(restV, restR) + remainders;
}

/// Fills in the block of a contraction.
static void blockContraction(LanePlan &plan, VectorRegisters registers,
                             ArrayRef<int64_t> extents, int64_t accumulators,
                             bool laneReduces) {
  auto known = [](int64_t extent) {
    return ShapedType::isDynamic(extent) ? assumedExtent : extent;
  };
  int64_t extentVectors =
      std::max<int64_t>(known(extents[plan.lane]) / plan.lanes, 1);
  int64_t extentRows = known(extents[plan.row]);
  double best = 0;
  for (int64_t v = 1; v <= std::min<int64_t>(4, extentVectors); ++v)
    for (int64_t r = 1; r <= std::min<int64_t>(12, extentRows); ++r) {
      // One register more for the broadcast element.
      if (accumulators * v * r + v + 1 > registers.count)
        break;
      double cost =
          contractionCost(v, r, extentVectors, extentRows, laneReduces);
      if (best == 0 || cost < best) {
        best = cost;
        plan.vectors = v;
        plan.rows = r;
      }
    }
}

/// Vectors of a block that no row dimension multiplies: enough to hide latency,
/// without a remainder if possible.
static int64_t blockLanes(int64_t extent, int64_t lanes, int64_t most) {
  if (ShapedType::isDynamic(extent))
    return most;
  int64_t vectors = std::max<int64_t>(extent / lanes, 1);
  if (vectors <= most)
    return vectors;
  for (int64_t v = most; v > most / 2; --v)
    if (vectors % v == 0)
      return v;
  return most;
}

LanePlan smx::planLanes(linalg::GenericOp op, VectorRegisters registers) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  unsigned numLoops = op.getNumLoops();
  LanePlan plan;
  Candidate best;
  if (bodyRunsInLanes(op)) {
    ElementWidths widths = elementWidths(op);
    plan.lanes = std::max<int64_t>(registers.bits / widths.typical, 1);
    registers.count = registers.count * widths.typical / widths.widest;
    for (unsigned dim = 0; dim < numLoops; ++dim)
      best = std::max(best, judge(op, dim, plan.lanes, extents[dim]));
  }
  bool scalar = best.rank == 0 || plan.lanes < 2;
  SmallVector<unsigned> outer, inner;
  int64_t accumulators = 0;
  for (unsigned init = 0; init < op.getNumDpsInits(); ++init) {
    bool carried = false;
    for (unsigned dim = 0; dim < numLoops; ++dim)
      carried |= accumulatesAlong(op, init, dim);
    accumulators += carried;
  }
  if (!scalar) {
    plan.lane = best.dim;
    plan.crossed = best.line >= 0;
    int64_t extent = extents[plan.lane];
    if (plan.crossed)
      plan.row = best.line;
    else if (!ShapedType::isDynamic(extent) && extent < plan.lanes &&
             llvm::isPowerOf2_64(extent))
      plan.lanes = extent;
    if (!plan.crossed && accumulators > 0)
      plan.row = chooseRow(op, plan.lane, extents);
  } else {
    plan.lanes = 1;
  }
  bool laneReduces = false;
  for (unsigned dim = 0; dim < numLoops; ++dim) {
    bool reduces = false;
    for (unsigned init = 0; init < op.getNumDpsInits(); ++init)
      reduces |= accumulatesAlong(op, init, dim);
    if (dim == plan.lane)
      laneReduces = reduces;
    else if (dim != plan.row)
      (reduces ? inner : outer).push_back(dim);
  }

  plan.order = outer;
  if (plan.lane >= 0 && !laneReduces)
    plan.order.push_back(plan.lane);
  if (plan.row >= 0)
    plan.order.push_back(plan.row);
  plan.order.append(inner);
  if (laneReduces)
    plan.order.push_back(plan.lane);
  if (scalar)
    return plan;

  if (plan.crossed)
    plan.rows = plan.lanes;
  else if (plan.row >= 0)
    blockContraction(plan, registers, extents, accumulators, laneReduces);
  else
    plan.vectors = blockLanes(extents[plan.lane], plan.lanes,
                              accumulators == 1 ? registers.count / 4
                                                : registers.count / 8);
  return plan;
}
