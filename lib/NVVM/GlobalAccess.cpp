//===- GlobalAccess.cpp - load and store of register tiles ----------------===//
//
// A thread moves runs of neighbouring elements, as wide as the tile's layout
// and the promised alignment allow. Where the columns are cut by `valid` at a
// place that does not divide the runs, all threads take a second path, element
// by element: the choice is the same in the whole block.
//
//===----------------------------------------------------------------------===//

#include "FragmentStores.h"
#include "GlobalTile.h"
#include "ShiftedRows.h"

#include "mlir/IR/Matchers.h"

namespace mlir::smx {

/// Widest access of a thread, in bytes.
static constexpr int64_t widestAccess = 16;

namespace {
/// The part of a tile of global memory that one thread moves.
class ThreadTile {
public:
  ThreadTile(ThreadCode &code, RankedTensorType type, const GlobalTile &memory)
      : code(code), type(type), memory(memory), base(memory.start(code)) {
    ThreadCoordinate at = code.threadPart(type);
    Value places[] = {at.row, at.column};
    for (auto [d, dim] : llvm::enumerate(memory.dims)) {
      base = code.advance(base, byteOffset(code, memory, d, places[d], 0));
      left.push_back(dim.valid
                         ? LLVM::SubOp::create(code, dim.valid, places[d],
                                               LLVM::IntegerOverflowFlags::nsw)
                         : Value());
    }
    owner = code.isOwner(type);
  }

  int64_t registers() const { return gpu::getRegisterCount(type); }

  /// Elements of the widest access.
  int64_t widestRun() const {
    if (!memory.contiguous())
      return 1;
    int64_t bytes = std::min(widestAccess, memory.aligned & -memory.aligned);
    return std::clamp<int64_t>(bytes / memory.elementBytes, 1,
                               neighbouringRegisters(type));
  }

  /// i1: no run of `n` elements is cut by `valid`; null: known to be so.
  Value runsAreWhole(int64_t n) {
    Value valid = memory.dims.back().valid;
    if (n == 1 || !valid)
      return {};
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                                code.remainder(valid, n), code.i32(0));
  }

  Value address(int64_t i) {
    Value result = base;
    for (auto d : llvm::seq<int64_t>(memory.dims.size()))
      if (int64_t constant = place(i, d))
        result = code.advance(result,
                              byteOffset(code, memory, d, Value(), constant));
    return result;
  }

  /// i1: register `i` stands for a valid place; null: always.
  Value isValid(int64_t i) {
    Value all;
    for (auto [d, rest] : llvm::enumerate(left))
      if (rest)
        all = both(all, code.less(code.i32(place(i, d)), rest));
    return all;
  }

  Value both(Value a, Value b) {
    return !a ? b : !b ? a : Value(LLVM::AndOp::create(code, a, b));
  }

  ThreadCode &code;
  RankedTensorType type;
  const GlobalTile &memory;
  /// i1: this thread writes what it holds; null: always.
  Value owner;

private:
  int64_t place(int64_t i, int64_t d) const {
    ::smx::gpu::Coordinate at = gpu::getElement(type, 0, i);
    return d == 0 ? at.row : at.column;
  }

  /// Element of register 0.
  Value base;
  /// Valid places from the thread's first one on, per dimension; null: all.
  SmallVector<Value, 2> left;
};
} // namespace

/// All registers of the tile, in accesses of `n` elements.
static Value loadRuns(ThreadTile &tile, VectorType type, int64_t n,
                      gpu::LoadOp op) {
  ThreadCode &code = tile.code;
  auto run = VectorType::get(n, type.getElementType());
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < tile.registers(); i += n)
    vectors.push_back(loadGlobal(code, tile.address(i), run, tile.isValid(i),
                                 op.getAgain(), op.getLasting()));
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

static void storeRuns(ThreadTile &tile, Value value, int64_t n) {
  ThreadCode &code = tile.code;
  for (int64_t i = 0; i < tile.registers(); i += n)
    storeGlobal(code, code.getRegisters(value, i, n), tile.address(i),
                tile.both(tile.owner, tile.isValid(i)));
}

namespace {
struct LowerLoad : TilePattern<gpu::LoadOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tileType = cast<RankedTensorType>(op.getTile().getType());
    auto type = cast<VectorType>(getTypeConverter()->convertType(tileType));
    ThreadCode code(rewriter, op, plan);
    GlobalTile memory = makeGlobalTile(
        code, cast<MemRefType>(op.getSource().getType()), adaptor.getSource(),
        adaptor.getOffsets(), adaptor.getValid(), op.getDims(),
        tileType.getShape(), op.getAligned());
    if (isShiftedRow(tileType, memory)) {
      rewriter.replaceOp(op, loadShiftedRow(code, tileType, memory));
      return success();
    }
    ThreadTile tile(code, tileType, memory);
    int64_t n = tile.widestRun();
    Value whole = tile.runsAreWhole(n);
    Value result =
        whole ? code.choose(
                    type, whole, [&] { return loadRuns(tile, type, n, op); },
                    [&] { return loadRuns(tile, type, 1, op); })
              : loadRuns(tile, type, n, op);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerStore : TilePattern<gpu::StoreOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tileType = cast<RankedTensorType>(op.getTile().getType());
    ThreadCode code(rewriter, op, plan);
    GlobalTile memory = makeGlobalTile(
        code, cast<MemRefType>(op.getDestination().getType()),
        adaptor.getDestination(), adaptor.getOffsets(), adaptor.getValid(),
        op.getDims(), tileType.getShape(), op.getAligned());
    Value value = adaptor.getTile();
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
    ThreadTile tile(code, tileType, memory);
    int64_t n = tile.widestRun();
    if (Value whole = tile.runsAreWhole(n)) {
      code.when(whole, [&] { storeRuns(tile, value, n); });
      Value cut =
          LLVM::XOrOp::create(code, whole,
                              LLVM::ConstantOp::create(code, code.getI1Type(),
                                                       code.getBoolAttr(true)));
      code.when(cut, [&] { storeRuns(tile, value, 1); });
    } else if (hasOneOwnerOfWarps(tileType)) {
      // What is stored once a row is computed in the branch, too.
      Value owner = std::exchange(tile.owner, Value());
      code.when(owner, [&] { storeRuns(tile, value, n); });
    } else if (Value stores = isOfStoringWarps(tile, op)) {
      // What only these warps store is computed by them alone.
      code.when(stores, [&] { storeRuns(tile, value, n); });
    } else {
      storeRuns(tile, value, n);
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
}

} // namespace mlir::smx
