//===- LaneNest.h - emission of a planned nest ------------------*- C++ -*-===//
#ifndef SMX_LIB_CPU_LANENEST_H
#define SMX_LIB_CPU_LANENEST_H

#include "LaneBody.h"
#include "LaneCombiner.h"
#include "LanePlan.h"

#include "mlir/IR/PatternMatch.h"
#include <map>

namespace mlir::smx {

/// What the emission of one nest is told beside its plan.
struct LaneNestOptions {
  /// Per output: the scalar it holds when the nest starts, if that is known;
  /// otherwise null.
  SmallVector<Value> filled;
  /// Vector stores bypass the caches; every stored vector is aligned to its
  /// size.
  bool streaming = false;
  /// Per operand, where not null: a view of its type whose cache lines are
  /// fetched beside the operand's.
  SmallVector<Value> fetched;
};

/// Emits the loops of one linalg.generic at the builder's insertion point.
class LaneNest {
public:
  LaneNest(RewriterBase &b, linalg::GenericOp op, LanePlan plan,
           LaneNestOptions options);

  void emit();

private:
  /// Where the nest stands: the block of iterations that the loops entered so
  /// far select.
  struct Point {
    SmallVector<Value> base; ///< first index of every dimension entered
    int64_t rows = 1, vectors = 1, lanes = 1;
    Value mask; ///< lanes that exist; null: all
  };
  /// A range of one dimension that is walked in equal blocks.
  struct Segment {
    Value lower, upper;
    int64_t step = 1;
    int64_t rows = 1, vectors = 1, lanes = 1;
    bool once = false;   ///< exactly one block, at `lower`
    bool masked = false; ///< blocks may reach over `upper`
  };
  /// Accumulators of the outputs whose loops were entered: rows x vectors each;
  /// empty: none.
  using Accumulators = SmallVector<SmallVector<Value>>;
  /// Loaded values by (operand, row, vector).
  using Loads = std::map<std::tuple<unsigned, int64_t, int64_t>, LaneValue>;

  void emitLevel(unsigned depth, const Point &point, Accumulators &accs,
                 Loads loads);
  void emitSegment(unsigned depth, const Segment &segment, const Point &point,
                   Accumulators &accs, const Loads &loads);
  void emitPoint(const Point &point, Accumulators &accs, Loads &loads);
  void emitCrossed(unsigned depth, const Point &point, const Loads &loads);
  void emitCrossedBlock(const Point &point, Loads loads);

  void openAccumulators(unsigned depth, const Point &point, Accumulators &accs);
  void closeAccumulators(unsigned depth, const Point &point,
                         Accumulators &accs);
  void hoistLoads(unsigned depth, const Point &point, Loads &loads);

  SmallVector<Segment> segmentsOf(unsigned dim);
  SmallVector<Segment> laneSegments(unsigned dim);
  SmallVector<Segment> rowSegments(unsigned dim);

  SmallVector<Value> indicesOf(OpOperand &operand, const Point &point,
                               int64_t row, int64_t vector, int64_t lane = 0);
  LaneValue load(OpOperand &operand, const Point &point, int64_t row,
                 int64_t vector);
  void fetchVector(OpOperand &operand, const Point &point, ValueRange indices,
                   int64_t vector);
  Value loadVector(OpOperand &operand, const Point &point,
                   SmallVector<Value> indices);
  void storeVector(OpOperand &operand, const Point &point,
                   SmallVector<Value> indices, Value vector);
  void store(OpOperand &operand, const Point &point, int64_t row,
             int64_t vector, LaneValue value);
  SmallVector<LaneValue> loopIndices(const Point &point, int64_t row,
                                     int64_t vector);
  bool variesAlong(OpOperand &operand, int64_t dim) const;
  bool inLanes(OpOperand &operand, const Point &point) const;
  Value constant(int64_t value);
  Value plus(Value base, int64_t offset);

  RewriterBase &b;
  mutable linalg::GenericOp op;
  LanePlan plan;
  LaneNestOptions options;
  Location loc;
  /// Per dimension: the extent, static or dynamic.
  SmallVector<OpFoldResult> extents;
  /// Per output: the depth of the loops from which it accumulates; -1: it is
  /// stored in the innermost body.
  SmallVector<int64_t> carriedFrom;
  /// Per output: how partial accumulators merge, where the lanes are reduced.
  SmallVector<FailureOr<LaneCombiner>> combiners;
  /// Per output: the initial scalars (one a row) kept until the lanes are
  /// merged.
  SmallVector<SmallVector<Value>> initials;
  /// In a crossed nest: the part of the row dimension that is being emitted.
  Segment crossedRow;
  /// Per operand: the number of loops that must be entered before it can be
  /// loaded.
  SmallVector<unsigned> loadDepth;
};

/// Transposes a square of vectors: the result's k-th vector holds lane k of
/// every input.
SmallVector<Value> transposeSquare(OpBuilder &b, Location loc,
                                   SmallVector<Value> vectors);

} // namespace mlir::smx

#endif // SMX_LIB_CPU_LANENEST_H
