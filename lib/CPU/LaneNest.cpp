//===- LaneNest.cpp - emission of a planned nest --------------------------===//

#include "LaneNest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::smx;

LaneNest::LaneNest(RewriterBase &b, linalg::GenericOp op, LanePlan plan,
                   LaneNestOptions options)
    : b(b), op(op), plan(std::move(plan)), options(std::move(options)),
      loc(op.getLoc()) {
  for (Range range :
       cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(b, loc))
    extents.push_back(range.size);
  ArrayRef<unsigned> order = this->plan.order;
  for (unsigned init = 0; init < op.getNumDpsInits(); ++init) {
    int64_t from = order.size();
    while (from > 0 && accumulatesAlong(op, init, order[from - 1]))
      --from;
    carriedFrom.push_back(from == int64_t(order.size()) ? -1 : from);
    combiners.push_back(LaneCombiner::match(op, init));
  }
  initials.resize(op.getNumDpsInits());
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned depth = 0;
    for (auto [position, dim] : llvm::enumerate(order))
      if (variesAlong(operand, dim))
        depth = position + 1;
    loadDepth.push_back(depth);
  }
}

bool LaneNest::variesAlong(OpOperand &operand, int64_t dim) const {
  return dim >= 0 && isa<MemRefType>(operand.get().getType()) &&
         op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim);
}

bool LaneNest::inLanes(OpOperand &operand, const Point &point) const {
  return point.lanes > 1 && variesAlong(operand, plan.lane);
}

Value LaneNest::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value LaneNest::plus(Value base, int64_t offset) {
  return offset == 0
             ? base
             : b.createOrFold<arith::AddIOp>(loc, base, constant(offset));
}

void LaneNest::emit() {
  Point point;
  point.base.resize(op.getNumLoops());
  Accumulators accs(op.getNumDpsInits());
  emitLevel(0, point, accs, {});
}

void LaneNest::emitLevel(unsigned depth, const Point &point, Accumulators &accs,
                         Loads loads) {
  if (depth == plan.order.size())
    return emitPoint(point, accs, loads);
  hoistLoads(depth, point, loads);
  if (plan.crossed && plan.order[depth] == plan.lane)
    return emitCrossed(depth, point, loads);
  openAccumulators(depth, point, accs);
  for (const Segment &segment : segmentsOf(plan.order[depth]))
    emitSegment(depth, segment, point, accs, loads);
  closeAccumulators(depth, point, accs);
}

void LaneNest::emitSegment(unsigned depth, const Segment &segment,
                           const Point &point, Accumulators &accs,
                           const Loads &loads) {
  int64_t dim = plan.order[depth];
  auto enter = [&](Value base, Accumulators &inner) {
    Point next = point;
    next.base[dim] = base;
    if (dim == plan.row)
      next.rows = segment.rows;
    if (dim == plan.lane) {
      next.vectors = segment.vectors;
      next.lanes = segment.lanes;
      if (segment.masked) {
        Value left = b.createOrFold<arith::SubIOp>(loc, segment.upper, base);
        auto type = VectorType::get({segment.lanes}, b.getI1Type());
        next.mask = vector::CreateMaskOp::create(b, loc, type, left);
      }
    }
    emitLevel(depth + 1, next, inner, loads);
  };
  if (segment.once)
    return enter(segment.lower, accs);

  SmallVector<Value> flat;
  for (ArrayRef<Value> acc : accs)
    flat.append(acc.begin(), acc.end());
  auto unflatten = [&](ValueRange values) {
    for (SmallVector<Value> &acc : accs) {
      llvm::copy(values.take_front(acc.size()), acc.begin());
      values = values.drop_front(acc.size());
    }
  };
  auto loop = scf::ForOp::create(b, loc, segment.lower, segment.upper,
                                 constant(segment.step), flat);
  {
    OpBuilder::InsertionGuard guard(b);
    // Without accumulators the builder has put the terminator there already.
    if (flat.empty())
      b.setInsertionPoint(loop.getBody()->getTerminator());
    else
      b.setInsertionPointToEnd(loop.getBody());
    unflatten(loop.getRegionIterArgs());
    enter(loop.getInductionVar(), accs);
    if (!flat.empty()) {
      SmallVector<Value> results;
      for (ArrayRef<Value> acc : accs)
        results.append(acc.begin(), acc.end());
      scf::YieldOp::create(b, loc, results);
    }
  }
  unflatten(loop.getResults());
}

void LaneNest::hoistLoads(unsigned depth, const Point &point, Loads &loads) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    unsigned number = operand->getOperandNumber();
    if (loadDepth[number] != depth)
      continue;
    bool crossed = plan.crossed && classifyAccess(op, *operand, plan.lane) ==
                                       LaneAccess::Crossed;
    if (crossed)
      continue;
    int64_t rows = variesAlong(*operand, plan.row) ? point.rows : 1;
    int64_t vectors = inLanes(*operand, point) ? point.vectors : 1;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        loads[{number, r, v}] = load(*operand, point, r, v);
  }
}

void LaneNest::openAccumulators(unsigned depth, const Point &point,
                                Accumulators &accs) {
  for (auto [init, from] : llvm::enumerate(carriedFrom)) {
    if (from != int64_t(depth))
      continue;
    OpOperand &output = *op.getDpsInitOperand(init);
    Type element = getElementTypeOrSelf(output.get().getType());
    bool laneReduces = plan.lane >= 0 && !variesAlong(output, plan.lane);
    int64_t vectors = laneReduces ? plan.vectors : point.vectors;
    initials[init].clear();
    for (int64_t r = 0; r < point.rows; ++r) {
      for (int64_t v = 0; v < vectors; ++v) {
        if (laneReduces && v > 0) {
          accs[init].push_back(accs[init].back());
          continue;
        }
        LaneValue start = options.filled[init] ? LaneValue{options.filled[init]}
                                               : load(output, point, r, v);
        auto type = VectorType::get({plan.lanes}, element);
        if (laneReduces) {
          initials[init].push_back(start.value);
          accs[init].push_back(
              combiners[init]->startLanes(b, loc, start.value, type));
        } else if (plan.lane >= 0) {
          accs[init].push_back(
              LaneBody(op, plan.lanes).materialize(b, loc, start));
        } else {
          accs[init].push_back(start.value);
        }
      }
    }
  }
}

void LaneNest::closeAccumulators(unsigned depth, const Point &point,
                                 Accumulators &accs) {
  for (auto [init, from] : llvm::enumerate(carriedFrom)) {
    if (from != int64_t(depth))
      continue;
    OpOperand &output = *op.getDpsInitOperand(init);
    bool laneReduces = plan.lane >= 0 && !variesAlong(output, plan.lane);
    int64_t vectors = accs[init].size() / point.rows;
    for (int64_t r = 0; r < point.rows; ++r) {
      ArrayRef<Value> row = ArrayRef(accs[init]).slice(r * vectors, vectors);
      if (!laneReduces) {
        for (auto [v, value] : llvm::enumerate(row))
          store(output, point, r, v, {value, plan.lane < 0});
        continue;
      }
      SmallVector<Value> merged(row);
      for (; merged.size() > 1; merged.resize((merged.size() + 1) / 2))
        for (size_t k = 0, half = (merged.size() + 1) / 2;
             k + half < merged.size(); ++k)
          merged[k] =
              combiners[init]->combine(b, loc, merged[k], merged[k + half]);
      Value total = combiners[init]->reduceLanes(b, loc, merged.front());
      total = combiners[init]->combine(b, loc, initials[init][r], total);
      store(output, point, r, 0, {total});
    }
    accs[init].clear();
  }
}

SmallVector<LaneValue> LaneNest::loopIndices(const Point &point, int64_t row,
                                             int64_t vector) {
  SmallVector<LaneValue> indices(op.getNumLoops());
  for (auto [dim, base] : llvm::enumerate(point.base)) {
    indices[dim].value = base;
    if (int64_t(dim) == plan.row)
      indices[dim].value = plus(base, row);
    if (int64_t(dim) == plan.lane) {
      indices[dim].value = plus(base, vector * point.lanes);
      indices[dim].ramp = point.lanes > 1 ? 1 : 0;
    }
  }
  return indices;
}

void LaneNest::emitPoint(const Point &point, Accumulators &accs, Loads &loads) {
  if (plan.crossed && point.lanes > 1)
    return emitCrossedBlock(point, loads);
  LaneBody body(op, point.lanes);
  for (int64_t r = 0; r < point.rows; ++r) {
    for (int64_t v = 0; v < point.vectors; ++v) {
      SmallVector<LaneValue> arguments;
      for (OpOperand *operand : op.getDpsInputOperands()) {
        unsigned number = operand->getOperandNumber();
        int64_t loadRow = variesAlong(*operand, plan.row) ? r : 0;
        int64_t loadVector = inLanes(*operand, point) ? v : 0;
        auto [it, isNew] = loads.try_emplace({number, loadRow, loadVector});
        if (isNew && op.payloadUsesValueFromOperand(operand))
          it->second = load(*operand, point, loadRow, loadVector);
        arguments.push_back(it->second);
      }
      for (auto [init, acc] : llvm::enumerate(accs)) {
        OpOperand &output = *op.getDpsInitOperand(init);
        if (!acc.empty())
          arguments.push_back(
              {acc[r * (acc.size() / point.rows) + v], point.lanes == 1});
        else if (op.payloadUsesValueFromOperand(&output))
          arguments.push_back(load(output, point, r, v));
        else
          arguments.emplace_back();
      }
      SmallVector<LaneValue> indices = loopIndices(point, r, v);
      SmallVector<LaneValue> results = body.emit(b, arguments, indices);
      for (auto [init, acc] : llvm::enumerate(accs)) {
        OpOperand &output = *op.getDpsInitOperand(init);
        if (acc.empty()) {
          store(output, point, r, v, results[init]);
          continue;
        }
        Value &slot = acc[r * (acc.size() / point.rows) + v];
        Value next = point.lanes == 1 ? results[init].value
                                      : body.materialize(b, loc, results[init]);
        bool laneReduces = point.mask && !variesAlong(output, plan.lane);
        slot = laneReduces
                   ? arith::SelectOp::create(b, loc, point.mask, next, slot)
                         .getResult()
                   : next;
      }
    }
  }
}
