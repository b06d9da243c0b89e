//===- GlobalAccess.cpp - load and store of register tiles ----------------===//
//
// A thread moves runs of neighbouring elements, as wide as the tile's layout
// and the promised alignment allow. Where the columns are cut by `valid` at a
// place that may not divide the runs, the run that it cuts is moved element by
// element.
//
//===----------------------------------------------------------------------===//

#include "AdjacentRows.h"
#include "FragmentStores.h"
#include "GlobalTile.h"
#include "SharedBarriers.h"
#include "ShiftedRows.h"
#include "SlidRows.h"
#include "smx/GPU/ClusterValues.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx {

namespace {
/// The part of a tile of global memory that one thread moves.
class ThreadTile {
public:
  /// `valid`: the extents as the op has them.
  ThreadTile(ThreadCode &code, RankedTensorType type, const GlobalTile &memory,
             ValueRange valid)
      : code(code), type(type), memory(memory), base(memory.start(code)) {
    striped = dyn_cast_or_null<gpu::StripedAttr>(gpu::getLayout(type));
    if (striped && !valid.empty())
      columns = getConstantIntValue(valid.back());
    ThreadCoordinate at = code.threadPart(type);
    Value places[] = {at.row, at.column};
    for (auto [d, dim] : llvm::enumerate(memory.dims)) {
      base = code.advance(base, byteOffset(code, memory, d, places[d], 0));
      left.push_back(dim.valid
                         ? LLVM::SubOp::create(code, dim.valid, places[d],
                                               LLVM::IntegerOverflowFlags::nsw)
                         : Value());
      // Of one row LLVM would move what has no mask to where it is used.
      if (striped && striped.getRowThreads() > 1 && dim.valid)
        if (auto range = gpu::rangeInBlocks(valid[d], code.team.cluster))
          surelyValid[d] = range->first - farthestPlace(d);
    }
    owner = code.isOwner(type);
  }

  int64_t registers() const { return gpu::getRegisterCount(type); }

  /// Elements of the widest access.
  int64_t widestRun() const {
    if (!memory.contiguous())
      return 1;
    int64_t bytes = std::min(accessBytes, memory.aligned & -memory.aligned);
    return std::clamp<int64_t>(bytes / memory.elementBytes, 1,
                               neighbouringRegisters(type));
  }

  /// i1: no run of `n` elements is cut by `valid`; null: that is known, or
  /// which ones may be.
  Value runsAreWhole(int64_t n) {
    Value valid = memory.dims.back().valid;
    if (n == 1 || !valid || columns)
      return {};
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                                code.remainder(valid, n), code.i32(0));
  }
  /// False if the run of `n` elements from register `i` on is known not to be
  /// cut by `valid`.
  bool mayBeCut(int64_t i, int64_t n) const {
    if (n == 1 || !left.back() || (columns && *columns % n == 0))
      return false;
    int64_t first = place(i, left.size() - 1);
    if (first + n - 1 < surelyValid[left.size() - 1])
      return false;
    if (!columns)
      return true;
    int64_t others = farthestPlace(1);
    return first < *columns && *columns < first + others + n;
  }

  Value address(int64_t i) {
    Value result = base;
    for (auto d : llvm::seq<int64_t>(memory.dims.size()))
      if (int64_t constant = place(i, d))
        result = code.advance(result,
                              byteOffset(code, memory, d, Value(), constant));
    return result;
  }

  /// i1: register `i` stands for a valid place, and so do the `next` columns
  /// behind it; null: always.
  Value isValid(int64_t i, int64_t next = 0) {
    Value all;
    for (auto [d, rest] : llvm::enumerate(left)) {
      int64_t last = place(i, d) + (d + 1 == left.size() ? next : 0);
      if (rest && last >= surelyValid[d])
        all = code.both(all, code.less(code.i32(last), rest));
    }
    return all;
  }
  /// i1: the first place of a run is valid, but not the last one.
  Value isCut(int64_t i, int64_t n) {
    Value cut = code.negated(isValid(i, n - 1));
    return code.both(isValid(i), cut);
  }

  ThreadCode &code;
  RankedTensorType type;
  const GlobalTile &memory;
  /// i1: this thread writes what it holds; null: always.
  Value owner;
  /// Set for rows, of which a run that is cut is moved element by element; of
  /// other tiles, in loops with products, all are.
  gpu::StripedAttr striped;

private:
  int64_t place(int64_t i, int64_t d) const {
    ::smx::gpu::Coordinate at = gpu::getElement(type, 0, i);
    return d == 0 ? at.row : at.column;
  }

  /// Where register 0 of the last thread is, from that of the first one.
  int64_t farthestPlace(int64_t d) const {
    return d == 0 ? striped.getRowThreads() - 1
                  : (striped.getColumnThreads() - 1) * striped.getVector();
  }

  /// Element of register 0.
  Value base;
  /// Of the last dimension, for all threads; none: not known.
  std::optional<int64_t> columns;
  /// Valid places from the thread's first one on, per dimension; null: all.
  SmallVector<Value, 2> left;
  /// Places of registers that are valid in all threads, per dimension.
  int64_t surelyValid[2] = {0, 0};
};
} // namespace

/// All registers of the tile, in accesses of `n` elements, of which `mayBeCut`
/// says whether `valid` cuts one.
static Value loadRuns(ThreadTile &tile, int64_t n, gpu::LoadOp op,
                      bool mayBeCut) {
  ThreadCode &code = tile.code;
  Type element = registerElement(tile.type.getElementType());
  auto isCut = [&](int64_t i) { return mayBeCut && tile.mayBeCut(i, n); };
  auto load = [&](int64_t i, int64_t count, int64_t next) {
    return loadGlobal(code, tile.address(i), VectorType::get(count, element),
                      tile.isValid(i, next), op.getAgain(), op.getLasting());
  };
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < tile.registers(); i += n)
    vectors.push_back(load(i, n, isCut(i) ? n - 1 : 0));
  // Everything else is on its way by then.
  for (int64_t i = 0; i < tile.registers(); i += n)
    if (isCut(i)) {
      Value &whole = vectors[i / n];
      auto elements = [&] {
        SmallVector<Value> loaded;
        for (int64_t k : llvm::seq(n))
          loaded.push_back(load(i + k, 1, /*next=*/0));
        return code.fromVectors(loaded);
      };
      whole = code.choose(whole.getType(), tile.isCut(i, n), elements,
                          [&] { return whole; });
    }
  return code.fromVectors(vectors);
}

/// Values of rows that whole warps hold.
static bool hasOneOwnerOfWarps(RankedTensorType type) {
  gpu::SliceAttr slice = gpu::getSlice(type);
  auto striped = slice && slice.getDim() == 1
                     ? dyn_cast<gpu::StripedAttr>(slice.getParent())
                     : gpu::StripedAttr();
  return striped && striped.getColumnThreads() % ::smx::gpu::warpThreads == 0;
}

/// i1: the thread is in a warp that stores some of the columns; null: all are
/// not known to be, or all do.
static Value isOfStoringWarps(ThreadTile &tile, gpu::StoreOp op) {
  auto striped = dyn_cast_or_null<gpu::StripedAttr>(gpu::getLayout(tile.type));
  APInt valid;
  if (!striped || tile.registers() != 1 || striped.getVector() != 1 ||
      op.getValid().empty() ||
      !matchPattern(op.getValid().back(), m_ConstantInt(&valid)))
    return {};
  int64_t columns =
      llvm::alignTo(valid.getSExtValue(), ::smx::gpu::warpThreads);
  if (columns >= striped.getColumnThreads() ||
      striped.getColumnThreads() % ::smx::gpu::warpThreads != 0)
    return {};
  ThreadCode &code = tile.code;
  return code.less(code.remainder(code.thread(), striped.getColumnThreads()),
                   code.i32(columns));
}

static void storeRuns(ThreadTile &tile, Value value, int64_t n, bool mayBeCut) {
  ThreadCode &code = tile.code;
  auto isCut = [&](int64_t i) { return mayBeCut && tile.mayBeCut(i, n); };
  auto store = [&](int64_t i, int64_t count, int64_t next) {
    storeGlobal(code, code.getRegisters(value, i, count), tile.address(i),
                code.both(tile.owner, tile.isValid(i, next)));
  };
  for (int64_t i = 0; i < tile.registers(); i += n)
    store(i, n, isCut(i) ? n - 1 : 0);
  for (int64_t i = 0; i < tile.registers(); i += n)
    if (isCut(i))
      code.when(code.both(tile.owner, tile.isCut(i, n)), [&] {
        for (int64_t k : llvm::seq(n))
          store(i + k, 1, /*next=*/0);
      });
}

/// Where a slid tile would be without its slide, as a tile of which everything
/// is valid.
template <typename OpTy>
static GlobalTile memoryOfSlid(ThreadCode &code, OpTy op,
                               typename OpTy::Adaptor adaptor, Value descriptor,
                               ArrayRef<int64_t> shape) {
  return makeGlobalTile(
      code, op.getMemoryType(), descriptor, adaptor.getOffsets(),
      /*valid=*/ValueRange(), op.getDims(), shape, op.getAligned());
}

template <typename OpTy>
static SlidPlaces placesOfSlid(const ThreadCode &code, OpTy op,
                               typename OpTy::Adaptor adaptor) {
  return {adaptor.getSlide(), adaptor.getOffsets()[op.getDims()[1]],
          adaptor.getValid()[1], adaptor.getValid()[0],
          gpu::rangeInBlocks(op.getValid()[1], code.team.cluster)};
}

namespace {
struct LowerLoad : TilePattern<gpu::LoadOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tileType = cast<RankedTensorType>(op.getTile().getType());
    ThreadCode code(rewriter, op, plan);
    if (op.getSlide()) {
      rewriter.replaceOp(
          op, loadSlidRows(code, tileType,
                           memoryOfSlid(code, op, adaptor, adaptor.getSource(),
                                        tileType.getShape()),
                           placesOfSlid(code, op, adaptor), op.getLasting()));
      return success();
    }
    GlobalTile memory = makeGlobalTile(
        code, op.getMemoryType(), adaptor.getSource(), adaptor.getOffsets(),
        adaptor.getValid(), op.getDims(), tileType.getShape(), op.getAligned());
    if (op.getAdjacent()) {
      fetchAdjacent(op, rewriter);
      rewriter.replaceOp(op, AdjacentTile(code, tileType, memory,
                                          op.getAdjacentColumns(),
                                          code.scratch(plan, op))
                                 .read(op.getUnordered()));
      return success();
    }
    if (isShiftedRow(tileType, memory)) {
      rewriter.replaceOp(op, loadShiftedRow(code, tileType, memory));
      return success();
    }
    ThreadTile tile(code, tileType, memory, op.getValid());
    int64_t n = tile.widestRun();
    auto type = getTypeConverter()->convertType(tileType);
    Value whole = tile.runsAreWhole(n);
    Value result =
        whole ? code.choose(
                    type, whole, [&] { return loadRuns(tile, n, op, false); },
                    [&] {
                      return tile.striped ? loadRuns(tile, n, op, true)
                                          : loadRuns(tile, 1, op, false);
                    })
              : loadRuns(tile, n, op, true);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Asks for all tiles that the plan gathers at `first`, and waits for them.
  void fetchAdjacent(gpu::LoadOp first,
                     ConversionPatternRewriter &rewriter) const {
    ArrayRef<gpu::LoadOp> loads = plan.loadsFrom(first);
    if (loads.empty())
      return;
    ThreadCode code(rewriter, first, plan);
    for (gpu::LoadOp load : loads) {
      SmallVector<Value> operands;
      if (failed(rewriter.getRemappedValues(load->getOperands(), operands)))
        continue; // the conversion fails at what defines them
      OpAdaptor adaptor(operands, load);
      auto type = cast<RankedTensorType>(load.getTile().getType());
      GlobalTile memory =
          makeGlobalTile(code, load.getMemoryType(), adaptor.getSource(),
                         adaptor.getOffsets(), adaptor.getValid(),
                         load.getDims(), type.getShape(), load.getAligned());
      AdjacentTile(code, type, memory, load.getAdjacentColumns(),
                   code.scratch(plan, load))
          .fetch();
    }
    waitForCopies(code);
    code.teamBarrier();
  }
};

struct LowerStore : TilePattern<gpu::StoreOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tileType = cast<RankedTensorType>(op.getTile().getType());
    ThreadCode code(rewriter, op, plan);
    Value value = adaptor.getTile();
    if (op.getSlide()) {
      storeSlidRows(code, tileType,
                    memoryOfSlid(code, op, adaptor, adaptor.getDestination(),
                                 tileType.getShape()),
                    placesOfSlid(code, op, adaptor), value);
      rewriter.eraseOp(op);
      return success();
    }
    GlobalTile memory =
        makeGlobalTile(code, op.getMemoryType(), adaptor.getDestination(),
                       adaptor.getOffsets(), adaptor.getValid(), op.getDims(),
                       tileType.getShape(), op.getAligned());
    if (op.getAdjacent()) {
      AdjacentTile(code, tileType, memory, op.getAdjacentColumns(),
                   code.scratch(plan, op))
          .store(value);
      rewriter.eraseOp(op);
      return success();
    }
    if (storesWholeRows(op)) {
      storeWholeRows(code, op, memory, value);
      rewriter.eraseOp(op);
      return success();
    }
    if (isShiftedRow(tileType, memory)) {
      storeShiftedRow(code, tileType, memory, value);
      rewriter.eraseOp(op);
      return success();
    }
    ThreadTile tile(code, tileType, memory, op.getValid());
    int64_t n = tile.widestRun();
    if (Value whole = tile.runsAreWhole(n)) {
      code.when(whole, [&] { storeRuns(tile, value, n, false); });
      code.when(code.negated(whole), [&] {
        storeRuns(tile, value, tile.striped ? n : 1, tile.striped != nullptr);
      });
    } else if (hasOneOwnerOfWarps(tileType)) {
      // What is stored once a row is computed in the branch, too.
      Value owner = std::exchange(tile.owner, Value());
      code.when(owner, [&] { storeRuns(tile, value, n, true); });
    } else if (Value stores = isOfStoringWarps(tile, op)) {
      // What only these warps store is computed by them alone.
      code.when(stores, [&] { storeRuns(tile, value, n, true); });
    } else {
      storeRuns(tile, value, n, true);
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateGlobalTilePatterns(const TileTypeConverter &converter,
                                const KernelPlan &plan,
                                RewritePatternSet &patterns) {
  patterns.add<LowerLoad, LowerStore>(converter, plan);
  populateSlidePatterns(converter, plan, patterns);
}

} // namespace mlir::smx
