//===- TensorStores.cpp - tiles written by the tensor copy engine ---------===//
//
// A warp has 16 rows of a fragment in one piece, and in the shared tile they
// are a box of their own: it writes them there, and its first lane hands them
// to the engine. So no warp waits for another one. The engine itself counts
// what this lane has handed over, and what of that was read.
//
//===----------------------------------------------------------------------===//

#include "TensorStores.h"

#include "GlobalTile.h"
#include "SharedBarriers.h"
#include "TensorCopies.h"
#include "ThreadAddresses.h"

#include "smx/NVVM/Chip.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {

void waitForTensorStores(ThreadCode &code, int64_t later) {
  NVVM::CpAsyncBulkWaitGroupOp::create(code, static_cast<uint32_t>(later),
                                       code.getUnitAttr());
}

namespace {
/// What the executing thread does for a tensor store. A shared tile with fewer
/// columns than the tile has takes one panel after the other, in turn.
class Store {
public:
  Store(ThreadCode &code, gpu::TensorStoreOp op, Value shared)
      : code(code), dims(op.getDims()), type(op.getShared().getType()),
        shared(shared), tile(op.getTile().getType()),
        panelColumns(type.getSwizzle() / elementBytes(type.getElementType())),
        blockRows(cast<gpu::FragmentAttr>(tile.getEncoding()).getWarps() *
                  fragmentRows),
        blocks(tile.getDimSize(0) / blockRows),
        warpRow(code.mul(code.warp(), code.i32(fragmentRows))),
        sharedRow(code.add(code.mul(code.group(), code.i32(tile.getDimSize(0))),
                           warpRow)) {}

  void run(Value value, Value map, ValueRange offsets);

private:
  /// The warp's rows from `column` on, to their place in shared memory.
  void write(ThreadAddresses &addresses, Value value, int64_t column,
             int64_t columns);
  /// From there to global memory; executed by one lane.
  void send(Value map, ValueRange offsets, int64_t column, int64_t columns);

  ThreadCode &code;
  ArrayRef<int64_t> dims;
  gpu::SharedType type;
  Value shared;
  RankedTensorType tile;
  int64_t panelColumns;
  /// Rows of which each warp has a piece, and how many of these there are.
  int64_t blockRows, blocks;
  /// The warp's first row in the group's tile and in the shared one: i32.
  Value warpRow, sharedRow;
};
} // namespace

void Store::run(Value value, Value map, ValueRange offsets) {
  // Computed for every tile: it would take registers through a loop of products
  // otherwise.
  ThreadInteger thread(code, opaque(code, code.thread()));
  ThreadIntegerPlace place =
      ::smx::gpu::columnMajorMatrices(thread % ::smx::gpu::warpThreads);
  place.row = place.row + ThreadInteger(code, sharedRow);
  ThreadAddresses addresses(code, type, shared, place, ::smx::gpu::matrixBits);

  const int64_t all = tile.getDimSize(1), held = type.getShape()[1];
  const int64_t columns = held == all ? all : panelColumns;
  for (int64_t column = 0; column < all; column += columns) {
    // What the first lane has handed over from there is read: the others wait
    // for it.
    waitForTensorStores(code, held / columns - 1);
    code.warpBarrier();
    write(addresses, value, column, columns);
    // Each lane makes its own writes visible to the engine.
    fenceWritesForEngine(code);
    code.warpBarrier();
    code.when(code.isFirstLane(), [&] { send(map, offsets, column, columns); });
  }
}

void Store::write(ThreadAddresses &addresses, Value value, int64_t column,
                  int64_t columns) {
  // An instruction takes a square of 16 x 16: two groups of 8 columns, each of
  // 4 registers, those of the upper row first.
  constexpr int64_t square = 16, groupColumns = 8, perGroup = 4;
  const int64_t groups = tile.getDimSize(1) / groupColumns,
                held = type.getShape()[1];
  auto shape = NVVM::LdStMatrixShapeAttr::get(code.getContext(), 8, 8);
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t at = column; at < column + columns; at += square) {
      int64_t first = perGroup * (block * groups + at / groupColumns);
      SmallVector<Value, 4> words;
      for (int64_t i = 0; i < 2 * perGroup; i += 2)
        words.push_back(LLVM::BitcastOp::create(
            code, code.getI32Type(), code.getRegisters(value, first + i, 2)));
      NVVM::StMatrixOp::create(
          code, addresses.at({block * blockRows, at % held}), words,
          NVVM::MMALayout::row, shape, NVVM::LdStMatrixEltType::B16);
    }
}

void Store::send(Value map, ValueRange offsets, int64_t column,
                 int64_t columns) {
  const int64_t span = type.getSwizzle(),
                panelBytes = type.getShape()[0] * span;
  for (int64_t block = 0; block < blocks; ++block) {
    Value further = code.i32(block * blockRows);
    SmallVector<Value> coordinates =
        boxCoordinates(code, offsets, dims, code.add(warpRow, further));
    Value firstColumn = coordinates.front();
    Value from = code.advance(
        shared, code.mul(code.add(sharedRow, further), code.i32(span)));
    for (int64_t at = column; at < column + columns; at += panelColumns) {
      if (at)
        coordinates.front() = code.add(firstColumn, code.i32(at));
      int64_t panel = at % type.getShape()[1] / panelColumns;
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          code, map, code.advance(from, panel * panelBytes), coordinates,
          /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
          /*predicate=*/Value());
    }
  }
  NVVM::CpAsyncBulkCommitGroupOp::create(code);
}

namespace {
struct LowerTensorStore : TilePattern<gpu::TensorStoreOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::TensorStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!chipOf(op).hasTensorCopies())
      return op.emitOpError("needs sm_90 or newer; 'smx_gpu.store' does "
                            "without");
    Value map = mapParameter(plan, op);
    ThreadCode code(rewriter, op, plan);
    Store(code, op, adaptor.getShared())
        .run(adaptor.getTile(), map, adaptor.getOffsets());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateTensorStorePatterns(const TileTypeConverter &converter,
                                 const KernelPlan &plan,
                                 RewritePatternSet &patterns) {
  patterns.add<LowerTensorStore>(converter, plan);
}

} // namespace mlir::smx
