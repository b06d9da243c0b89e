//===- Reductions.cpp - reduce and broadcast of register tiles ------------===//
//
// A reduction combines a thread's own registers (halves onto halves; of one
// long row, and of columns, a few running results first), then lanes
// (butterfly, nearest first), then warps through shared memory (in the order of
// warps; many warps along columns by a butterfly, too, in WarpsOfColumns.cpp).
// The order depends on the layout alone.
//
//===----------------------------------------------------------------------===//

#include "AdjacentRows.h"
#include "Clusters.h"
#include "KernelLowering.h"
#include "Largest.h"
#include "WarpExchange.h"
#include "WarpsOfColumns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;
using ::smx::gpu::wordBytes;

/// The threads along `dim` fill whole warps or a power of two of lanes.
static LogicalResult checkLanes(gpu::ReduceOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  ThreadsAlong along = threadsAlong(gpu::getLayout(tile), op.getDim());
  bool distance =
      llvm::isPowerOf2_64(along.distance) || along.distance % warpThreads == 0;
  bool lanes =
      llvm::isPowerOf2_64(along.count) || along.count % along.lanes() == 0;
  if (distance && lanes && llvm::isPowerOf2_64(along.lanes()))
    return success();
  return op.emitOpError() << "can not combine " << along.count
                          << " threads that are " << along.distance
                          << " apart: expected powers of two or whole warps";
}

/// The registers of the tile that belong to register `i` of its slice.
static SmallVector<int64_t> registersOfRow(RankedTensorType tile, int64_t dim,
                                           RankedTensorType slice, int64_t i) {
  int64_t position = gpu::getElement(slice, 0, i).row;
  SmallVector<int64_t> registers;
  for (int64_t k : llvm::seq(gpu::getRegisterCount(tile))) {
    ::smx::gpu::Coordinate at = gpu::getElement(tile, 0, k);
    if ((dim == 1 ? at.row : at.column) == position)
      registers.push_back(k);
  }
  return registers;
}

int64_t KernelPlan::scratchBytes(Operation *op) {
  if (auto reduce = dyn_cast<gpu::ReduceOp>(op)) {
    auto tile = cast<RankedTensorType>(reduce.getTile().getType());
    auto slice = cast<RankedTensorType>(reduce.getResult().getType());
    ThreadsAlong along = threadsAlong(gpu::getLayout(tile), reduce.getDim());
    if (along.warps() == 1)
      return 0;
    return along.warps() * WarpsOfColumns(along, slice).bytes;
  }
  return convertScratchBytes(op) + clusterScratchBytes(op) +
         collectScratchBytes(op) + largestScratchBytes(op) +
         adjacentScratchBytes(op);
}

/// Combines the values of the warps along rows: the place of a value in scratch
/// is [position, warp].
static SmallVector<Value> combineWarps(ThreadCode &code, gpu::Combiner kind,
                                       RankedTensorType slice,
                                       ThreadsAlong along, Value scratch,
                                       bool isFree, ArrayRef<Value> values) {
  Type type = values.front().getType();
  int64_t bytes = elementBytes(type), warps = along.warps();
  int64_t rowBytes = bytes * warps;
  Value position = code.threadPart(slice).row;
  Value row = code.advance(scratch, code.mul(position, code.i32(rowBytes)));
  WarpAlong warp(code, along);
  Value mine = code.advance(row, code.mul(warp.number, code.i32(bytes)));

  SmallVector<int64_t> offsets;
  for (int64_t i : llvm::seq<int64_t>(values.size()))
    offsets.push_back(gpu::getElement(slice, 0, i).row * rowBytes);

  if (!isFree)
    code.groupBarrier();
  code.when(warp.isFirstLane, [&] {
    for (auto [value, offset] : llvm::zip(values, offsets))
      LLVM::StoreOp::create(code, value, code.advance(mine, offset), bytes);
  });
  code.groupBarrier();

  // A value of each warp in every thread takes no more than half of its
  // registers; of more, a lane reads one.
  if (offsets.size() == 1 &&
      warps * bytes > code.team.launchRegisters * wordBytes / 2 &&
      warps <= warpThreads && llvm::isPowerOf2_64(warps)) {
    Value lane = code.remainder(code.lane(), warps);
    Value result = LLVM::LoadOp::create(
        code, type,
        code.advance(row, code.add(code.mul(lane, code.i32(bytes)),
                                   code.i32(offsets.front()))),
        bytes);
    for (int64_t step = 1; step < warps; step *= 2)
      result = combine(code, kind, result, exchange(code, result, step));
    return {result};
  }
  int64_t run = std::min<int64_t>(16 / bytes, warps & -warps);
  SmallVector<Value> results;
  for (int64_t offset : offsets) {
    SmallVector<Value> parts;
    for (int64_t w = 0; w < warps; w += run) {
      Value part = LLVM::LoadOp::create(code, VectorType::get(run, type),
                                        code.advance(row, offset + w * bytes),
                                        run * bytes);
      for (int64_t k : llvm::seq(run))
        parts.push_back(code.getRegister(part, k));
    }
    results.push_back(combineAll(code, kind, parts, offsets.size()));
  }
  return results;
}

/// Extrema of 16-bit elements come two at a time.
static bool combinesPairs(gpu::Combiner kind, ArrayRef<Value> values) {
  auto type = dyn_cast<FloatType>(values.front().getType());
  return type && type.getWidth() == 16 && values.size() % 2 == 0 &&
         llvm::is_contained({gpu::Combiner::MaxNum, gpu::Combiner::MinNum},
                            kind);
}

/// Combines the values of a single row.
static Value combineRow(ThreadCode &code, gpu::Combiner kind,
                        SmallVector<Value> values) {
  if (!combinesPairs(kind, values))
    return combineAll(code, kind, values, 1);
  SmallVector<Value> pairs;
  for (size_t i = 0; i < values.size(); i += 2)
    pairs.push_back(code.fromRegisters({values[i], values[i + 1]}));
  Value pair = combineAll(code, kind, pairs, 1);
  return combine(code, kind, code.getRegister(pair, 0),
                 code.getRegister(pair, 1));
}

namespace {
struct LowerReduce : TilePattern<gpu::ReduceOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(checkLanes(op)))
      return failure();
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    auto slice = cast<RankedTensorType>(op.getResult().getType());
    int64_t dim = op.getDim();
    ThreadCode code(rewriter, op, plan);
    ThreadsAlong along = threadsAlong(gpu::getLayout(tile), dim);

    SmallVector<Value> rows;
    for (int64_t i : llvm::seq(gpu::getRegisterCount(slice))) {
      SmallVector<Value> values;
      for (int64_t k : registersOfRow(tile, dim, slice, i))
        values.push_back(code.getRegister(adaptor.getTile(), k));
      int64_t count = gpu::getRegisterCount(slice);
      Value row = count == 1 ? combineRow(code, op.getKind(), values)
                             : combineAll(code, op.getKind(), values, count,
                                          /*areColumns=*/dim == 0);
      for (int64_t step = 1; step < along.lanes(); step *= 2)
        row = combine(code, op.getKind(), row,
                      exchange(code, row, step * along.distance));
      rows.push_back(row);
    }
    if (along.warps() > 1 && along.distance > 1)
      rows = combineWarpsOfColumns(code, op.getKind(), slice, along,
                                   code.scratch(plan, op),
                                   plan.isScratchFree(op), rows);
    else if (along.warps() > 1)
      rows = combineWarps(code, op.getKind(), slice, along,
                          code.scratch(plan, op), plan.isScratchFree(op), rows);
    rewriter.replaceOp(op, code.fromRegisters(rows));
    return success();
  }
};
} // namespace

namespace {
struct LowerPartialReduce : TilePattern<gpu::PartialReduceOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::PartialReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType tile = op.getTile().getType(),
                     part = op.getResult().getType();
    ThreadCode code(rewriter, op, plan);
    SmallVector<Value> parts;
    for (int64_t i : llvm::seq(gpu::getRegisterCount(part))) {
      ::smx::gpu::Coordinate to = gpu::getElement(part, 0, i);
      Value combined;
      for (int64_t k : llvm::seq(gpu::getRegisterCount(tile))) {
        ::smx::gpu::Coordinate from = gpu::getElement(tile, 0, k);
        if (from.row != to.row || from.column % part.getDimSize(1) != to.column)
          continue;
        Value value = code.getRegister(adaptor.getTile(), k);
        combined =
            combined ? combine(code, op.getKind(), combined, value) : value;
      }
      parts.push_back(combined);
    }
    rewriter.replaceOp(op, code.fromRegisters(parts));
    return success();
  }
};
} // namespace

Value isAnyOfWarp(ThreadCode &code, ArrayRef<Value> values) {
  Value isAny = values.front();
  for (Value value : values.drop_front())
    isAny = LLVM::OrOp::create(code, isAny, value);
  return NVVM::VoteSyncOp::create(code, code.getI1Type(), code.allLanes(),
                                  isAny, NVVM::VoteSyncKind::any);
}

namespace {
struct LowerAny : TilePattern<gpu::AnyOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::AnyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    SmallVector<Value> elements;
    for (int64_t i :
         llvm::seq(gpu::getRegisterCount(op.getElements().getType())))
      elements.push_back(code.getRegister(adaptor.getElements(), i));
    rewriter.replaceOp(op, isAnyOfWarp(code, elements));
    return success();
  }
};

/// A vote behind the barrier says to ptxas that a warp does not part here.
struct LowerAnyOfWarps : TilePattern<gpu::AnyOfWarpsOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::AnyOfWarpsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    rewriter.replaceOp(
        op, isAnyOfWarp(code, code.isAnyOfGroup(adaptor.getIsTrue())));
    return success();
  }
};
} // namespace

SmallVector<Value> valuesOfRegisters(ThreadCode &code, RankedTensorType slice,
                                     Value values, RankedTensorType tile) {
  llvm::DenseMap<int64_t, Value> places;
  for (int64_t i : llvm::seq(gpu::getRegisterCount(slice)))
    places[gpu::getElement(slice, 0, i).row] = code.getRegister(values, i);
  bool alongRows = gpu::getSlice(slice).getDim() == 1;
  return llvm::map_to_vector(
      llvm::seq(gpu::getRegisterCount(tile)), [&](int64_t i) {
        ::smx::gpu::Coordinate at = gpu::getElement(tile, 0, i);
        return places.lookup(alongRows ? at.row : at.column);
      });
}

namespace {
struct LowerBroadcast : TilePattern<gpu::BroadcastOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    rewriter.replaceOp(op, code.fromRegisters(valuesOfRegisters(
                               code, op.getValues().getType(),
                               adaptor.getValues(), op.getTile().getType())));
    return success();
  }
};

struct LowerRescale : TilePattern<gpu::RescaleOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::RescaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType tile = op.getTile().getType(),
                     slice = op.getFactors().getType();
    ThreadCode code(rewriter, op, plan);
    // By warps: a branch that all of its threads take costs next to nothing.
    Value one =
        LLVM::ConstantOp::create(code, slice.getElementType(),
                                 code.getFloatAttr(slice.getElementType(), 1));
    SmallVector<Value> isOther;
    for (int64_t i : llvm::seq(gpu::getRegisterCount(slice)))
      isOther.push_back(
          LLVM::FCmpOp::create(code, LLVM::FCmpPredicate::une,
                               code.getRegister(adaptor.getFactors(), i), one));
    Value moves = isAnyOfWarp(code, isOther);
    auto multiply = [&]() -> Value {
      SmallVector<Value> factors =
          valuesOfRegisters(code, slice, adaptor.getFactors(), tile);
      for (auto [i, factor] : llvm::enumerate(factors))
        factor = LLVM::FMulOp::create(
            code, code.getRegister(adaptor.getTile(), i), factor);
      return code.fromRegisters(factors);
    };
    rewriter.replaceOp(op,
                       code.choose(adaptor.getTile().getType(), moves, multiply,
                                   [&] { return adaptor.getTile(); }));
    return success();
  }
};
} // namespace

void populateReductionPatterns(const TileTypeConverter &converter,
                               const KernelPlan &plan,
                               RewritePatternSet &patterns) {
  patterns.add<LowerReduce, LowerPartialReduce, LowerAny, LowerAnyOfWarps,
               LowerBroadcast, LowerRescale>(converter, plan);
  populateConvertPatterns(converter, plan, patterns);
}

} // namespace mlir::smx
