//===- LaneSegments.cpp - blocks and remainders of one dimension ----------===//

#include "LaneNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::smx;

SmallVector<LaneNest::Segment> LaneNest::segmentsOf(unsigned dim) {
  if (plan.crossed && int64_t(dim) == plan.row)
    return {crossedRow};
  if (int64_t(dim) == plan.lane)
    return laneSegments(dim);
  if (int64_t(dim) == plan.row)
    return rowSegments(dim);
  Segment all;
  all.lower = constant(0);
  all.upper = getValueOrCreateConstantIndexOp(b, loc, extents[dim]);
  std::optional<int64_t> extent = getConstantIntValue(extents[dim]);
  if (extent == 0)
    return {};
  all.once = extent == 1;
  return {all};
}

SmallVector<LaneNest::Segment> LaneNest::laneSegments(unsigned dim) {
  int64_t block = plan.vectors * plan.lanes;
  SmallVector<Segment> segments;
  Segment whole;
  whole.lower = constant(0);
  whole.step = block;
  whole.vectors = plan.vectors;
  whole.lanes = plan.lanes;
  if (std::optional<int64_t> extent = getConstantIntValue(extents[dim])) {
    int64_t blocks = *extent / block;
    int64_t vectors = (*extent - blocks * block) / plan.lanes;
    int64_t masked = blocks * block + vectors * plan.lanes;
    if (blocks > 0) {
      whole.upper = constant(blocks * block);
      whole.once = blocks == 1;
      segments.push_back(whole);
    }
    Segment rest = whole;
    rest.once = true;
    if (vectors > 0) {
      rest.lower = constant(blocks * block);
      rest.vectors = vectors;
      segments.push_back(rest);
    }
    if (masked < *extent) {
      rest.lower = constant(masked);
      rest.upper = constant(*extent);
      rest.vectors = 1;
      rest.masked = true;
      segments.push_back(rest);
    }
    return segments;
  }
  Value upper = getValueOrCreateConstantIndexOp(b, loc, extents[dim]);
  Value blocks = arith::DivUIOp::create(b, loc, upper, constant(block));
  whole.upper = arith::MulIOp::create(b, loc, blocks, constant(block));
  Segment rest = whole;
  rest.lower = whole.upper;
  rest.upper = upper;
  rest.step = plan.lanes;
  rest.vectors = 1;
  rest.masked = true;
  return {whole, rest};
}

SmallVector<LaneNest::Segment> LaneNest::rowSegments(unsigned dim) {
  SmallVector<Segment> segments;
  Segment whole;
  whole.lower = constant(0);
  whole.step = whole.rows = plan.rows;
  if (std::optional<int64_t> extent = getConstantIntValue(extents[dim])) {
    int64_t blocks = *extent / plan.rows, rest = *extent % plan.rows;
    if (blocks > 0) {
      whole.upper = constant(blocks * plan.rows);
      whole.once = blocks == 1;
      segments.push_back(whole);
    }
    if (rest > 0) {
      whole.lower = constant(blocks * plan.rows);
      whole.rows = rest;
      whole.once = true;
      segments.push_back(whole);
    }
    return segments;
  }
  Value upper = getValueOrCreateConstantIndexOp(b, loc, extents[dim]);
  if (plan.rows == 1) {
    whole.upper = upper;
    return {whole};
  }
  Value blocks = arith::DivUIOp::create(b, loc, upper, constant(plan.rows));
  whole.upper = arith::MulIOp::create(b, loc, blocks, constant(plan.rows));
  Segment rest = whole;
  rest.lower = whole.upper;
  rest.upper = upper;
  rest.step = rest.rows = 1;
  return {whole, rest};
}
