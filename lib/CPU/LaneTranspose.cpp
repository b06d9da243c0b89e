//===- LaneTranspose.cpp - operands contiguous along other loops ----------===//

#include "LaneNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::smx;

SmallVector<Value> smx::transposeSquare(OpBuilder &b, Location loc,
                                        SmallVector<Value> vectors) {
  int64_t size = vectors.size();
  // Step s exchanges the off-diagonal quarters of every 2s x 2s block.
  for (int64_t s = 1; s < size; s *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < size; ++lane) {
      low.push_back(lane & s ? size + lane - s : lane);
      high.push_back(lane & s ? size + lane : lane + s);
    }
    for (int64_t k = 0; k < size; ++k) {
      if (k & s)
        continue;
      Value upper = vectors[k], lower = vectors[k + s];
      vectors[k] = vector::ShuffleOp::create(b, loc, upper, lower, low);
      vectors[k + s] = vector::ShuffleOp::create(b, loc, upper, lower, high);
    }
  }
  return vectors;
}

/// Loops over lane x row: whole squares first, then what is left over in scalar
/// loops.
void LaneNest::emitCrossed(unsigned depth, const Point &point,
                           const Loads &loads) {
  int64_t size = plan.lanes;
  auto wholeAndRest = [&](int64_t dim) {
    Segment whole, rest;
    whole.lower = constant(0);
    whole.step = whole.rows = whole.lanes = size;
    rest.upper = getValueOrCreateConstantIndexOp(b, loc, extents[dim]);
    std::optional<int64_t> extent = getConstantIntValue(extents[dim]);
    if (extent) {
      whole.upper = constant(*extent / size * size);
      whole.once = *extent / size == 1;
    } else {
      Value blocks = arith::DivUIOp::create(b, loc, rest.upper, constant(size));
      whole.upper = arith::MulIOp::create(b, loc, blocks, constant(size));
    }
    rest.lower = whole.upper;
    SmallVector<Segment> segments;
    if (!extent || *extent >= size)
      segments.push_back(whole);
    if (!extent || *extent % size)
      segments.push_back(rest);
    return segments;
  };
  SmallVector<Segment> laneParts = wholeAndRest(plan.lane);
  SmallVector<Segment> rowParts = wholeAndRest(plan.row);
  Accumulators none(op.getNumDpsInits());
  for (const Segment &laneSegment : laneParts) {
    for (const Segment &rowSegment : rowParts) {
      // One square-aligned part at a time; the parts' loops are siblings.
      Segment lane = laneSegment, row = rowSegment;
      bool square = lane.step == size && row.step == size;
      if (!square) {
        lane.step = lane.lanes = row.step = row.rows = 1;
        lane.once = row.once = false;
      }
      crossedRow = row;
      emitSegment(depth, lane, point, none, loads);
    }
  }
}

void LaneNest::emitCrossedBlock(const Point &point, Loads loads) {
  int64_t size = plan.lanes;
  LaneBody body(op, size);
  auto isCrossed = [&](OpOperand &operand) {
    return classifyAccess(op, operand, plan.lane) == LaneAccess::Crossed;
  };
  SmallVector<SmallVector<LaneValue>> arguments(size);
  for (OpOperand &operand : op->getOpOperands()) {
    bool used = op.payloadUsesValueFromOperand(&operand);
    SmallVector<Value> lines;
    if (used && isCrossed(operand)) {
      for (int64_t lane = 0; lane < size; ++lane)
        lines.push_back(
            loadVector(operand, point, indicesOf(operand, point, 0, 0, lane)));
      lines = transposeSquare(b, loc, lines);
    }
    for (int64_t r = 0; r < size; ++r) {
      auto hoisted = loads.find({operand.getOperandNumber(), 0, 0});
      if (!used)
        arguments[r].emplace_back();
      else if (!lines.empty())
        arguments[r].push_back({lines[r], false});
      else if (hoisted != loads.end())
        arguments[r].push_back(hoisted->second);
      else
        arguments[r].push_back(load(operand, point, r, 0));
    }
  }
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  for (int64_t r = 0; r < size; ++r) {
    SmallVector<LaneValue> indices = loopIndices(point, r, 0);
    for (auto [init, result] :
         llvm::enumerate(body.emit(b, arguments[r], indices)))
      results[init].push_back(body.materialize(b, loc, result));
  }
  for (OpOperand &output : op.getDpsInitsMutable()) {
    unsigned init = output.getOperandNumber() - op.getNumDpsInputs();
    bool crossed = isCrossed(output);
    if (crossed)
      results[init] = transposeSquare(b, loc, results[init]);
    for (int64_t k = 0; k < size; ++k)
      storeVector(output, point,
                  crossed ? indicesOf(output, point, 0, 0, k)
                          : indicesOf(output, point, k, 0),
                  results[init][k]);
  }
}
