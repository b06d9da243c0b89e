//===- SharedRowsPass.cpp - long rows, partly in shared memory ------------===//
//
// Where the threads of a block have more of a row than registers for it, the
// first piece of the tile stays in registers, and the others in shared memory.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "LoneRows.h"
#include "RowPieces.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/ElementBits.h"
#include "smx/IR/OptionBounds.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SHAREDROWSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::elementBits;

/// Reductions of all columns of the row that each warp makes of its own part,
/// of elements of at least `width` bits.
static int64_t countOfParts(KernelOp kernel, int64_t columns, int64_t width) {
  return llvm::count_if(
      kernel.getBody().front().getOps<ReduceOp>(), [&](ReduceOp reduce) {
        auto tile = cast<RankedTensorType>(reduce.getTile().getType());
        return tile.getNumElements() == columns &&
               tile.getDimSize(0) == int64_t(kernel.getWarps()) &&
               elementBits(tile) >= width;
      });
}

static int64_t countOfSums(KernelOp kernel) {
  return llvm::count_if(
      kernel.getBody().front().getOps<ReduceOp>(),
      [](ReduceOp reduce) { return reduce.getKind() == Combiner::Add; });
}

static bool hasExponentials(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<math::ExpOp, math::Exp2Op>(op) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

/// The row of a block, in the tiles that it is loaded as.
struct HeldRow {
  explicit HeldRow(KernelOp kernel);

  KernelOp kernel;
  /// Tiles of one shape.
  SmallVector<LoadOp> loads;
  /// Elements of a tile, and bits of the widest ones.
  int64_t columns = 0, widest = 0;
  /// What the block has.
  int64_t threads, cluster, minBlocks, sharedLimit;
  /// Bytes of registers that all tiles take of a thread.
  int64_t threadBytes = 0;
  /// Bits of what is the same for all rows, of each column.
  int64_t weightBits = 0;

  bool isNarrow() const { return widest < 32; }
  /// A row that fills multiprocessors leaves none of their threads to others
  /// that could compute while it arrives.
  bool isAlone() const {
    return cluster == mlir::smx::mostClusterBlocks &&
           threads == mlir::smx::blockRowThreads;
  }
  bool isMasked() const {
    return llvm::any_of(loads,
                        [](LoadOp load) { return !load.getValid().empty(); });
  }
  /// f16 is widened by conversions, whose operands take registers.
  bool isConverted() const {
    return llvm::any_of(loads, [](LoadOp load) {
      return load.getTile().getType().getElementType().isF16();
    });
  }
  /// Accesses of a tile that a thread has.
  int64_t accesses() const {
    LoadOp load = loads.front();
    RankedTensorType tile = load.getTile().getType();
    return getRegisterCount(tile) /
           cast<StripedAttr>(getLayout(tile)).getVector();
  }
  /// As many of those have their weights in registers at a time.
  int64_t accessesOfPiece() const {
    if (weightBits == 0)
      return accesses();
    if (weightBits <= 16)
      return 4;
    return weightBits <= 32 ? std::clamp<int64_t>(accesses() / 2, 1, 2) : 1;
  }
  /// There is shared memory for what is left of so many bytes of a thread.
  bool fits(int64_t bytesOfFirst) const {
    return (threadBytes - bytesOfFirst) * threads +
               mlir::smx::besidesRowBytes <=
           sharedLimit;
  }
  bool spillsSums(int64_t most) const;
  int64_t bytesOfFirst(int64_t most, int64_t mostOfPass) const;

private:
  void collectLoads();
};

struct SharedRowsPass
    : mlir::smx::gpu::impl::SharedRowsPassBase<SharedRowsPass> {
  using SharedRowsPassBase::SharedRowsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(
        context, {{"bytes", bytes, /*least=*/1}, {"states", states}});
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    bool isInRegisters =
        bool(kernel->removeDiscardableAttr(rowsInRegistersAttribute));
    uniteEqualOps(kernel);
    HeldRow row(kernel);
    if (row.loads.empty())
      return;
    int64_t most = mostBytes(row);
    if (isInRegisters || row.threadBytes <= most) {
      if (row.accesses() > row.accessesOfPiece())
        convert(row, row.threadBytes, 1);
      return;
    }
    int64_t first = row.bytesOfFirst(most, bytes);
    int64_t firstOfStates = row.isNarrow() ? first : most / 8 * 5;
    int64_t count = mostStates(row);
    // Each state has a reference of its own.
    if (count == 1 || !convert(row, firstOfStates, count))
      convert(row, first, 1);
  }

private:
  int64_t mostBytes(const HeldRow &row) const;
  int64_t mostStates(const HeldRow &row) const;
  bool convert(const HeldRow &row, int64_t bytesOfFirst, int64_t states);
};
} // namespace

HeldRow::HeldRow(KernelOp kernel)
    : kernel(kernel), threads(kernel.getWarps() * ::smx::gpu::warpThreads),
      cluster(kernel.getCluster()), minBlocks(kernel.getMinBlocks()),
      sharedLimit(kernel.getSharedLimit()) {
  collectLoads();
  if (loads.empty())
    return;
  columns = loads.front().getTile().getType().getNumElements();
  int64_t bits = 0;
  for (LoadOp load : loads) {
    RankedTensorType tile = load.getTile().getType();
    widest = std::max<int64_t>(widest, elementBits(tile));
    bits += getRegisterCount(tile) * elementBits(tile);
  }
  threadBytes = mlir::smx::registerBytesOfRow(bits, widest == 64) / 8;
}

void HeldRow::collectLoads() {
  auto all = kernel.getBody().front().getOps<LoadOp>();
  // An only row has no other memory than such, either.
  bool isOnlyRow = llvm::all_of(all, isOfAllRows);
  for (LoadOp load : all) {
    RankedTensorType tile = load.getTile().getType();
    auto striped = dyn_cast_or_null<StripedAttr>(getLayout(tile));
    if (!striped || tile.getDimSize(0) != 1 || striped.getRowThreads() != 1 ||
        load.getDims().back() < 0 || elementBits(tile) < 8)
      continue;
    if (isOfAllRows(load) && !isOnlyRow)
      weightBits += elementBits(tile);
    else if (loads.empty() ||
             tile.getShape() == loads.front().getTile().getType().getShape())
      loads.push_back(load);
  }
}

/// Norms sum in f64: of more than 5 accesses ptxas computes all terms in pairs
/// of registers before it widens the first, and spills a few of 64. It does so
/// beside masks, where a row fills multiprocessors, and of one sum (RMS norm)
/// where a thread has no whole sets of 8 accesses, of `most` bytes.
bool HeldRow::spillsSums(int64_t most) const {
  if (widest != 32 || threads * minBlocks < mlir::smx::blockRowThreads)
    return false;
  bool isUnevenSum =
      loads.size() == 1 && countOfSums(kernel) == 1 && threadBytes % most != 0;
  bool spills =
      cluster == 1 ? isMasked() || isUnevenSum : isAlone() && loads.size() == 1;
  return spills && !hasExponentials(kernel);
}

/// Bytes of the first piece that a thread has, without masks of several rows.
/// Registers hold up to `most`: less than `mostOfPass` where elements are there
/// widened as well.
static int64_t bytesWithoutMasks(const HeldRow &row, int64_t most,
                                 int64_t mostOfPass) {
  if (most < mostOfPass)
    return most;
  // Where all warps meet, more of a narrow row in shared memory is faster.
  if (row.isNarrow() && countOfParts(row.kernel, row.columns, 1) == 0 &&
      row.fits(most / 2))
    return most / 2;
  // One of a single block that each warp sums a part of (softmax) would be
  // spilled with more.
  bool spills = (row.isNarrow() && row.cluster == 1) || row.spillsSums(most);
  if (spills && row.fits(most / 8 * 5))
    return most / 8 * 5;
  // Of wide elements the weights are kept as well, where there are any.
  return row.isNarrow() && !row.isConverted() ? most / 8 * 7 : most / 8 * 6;
}

/// Bytes of the first piece that a thread has.
int64_t HeldRow::bytesOfFirst(int64_t most, int64_t mostOfPass) const {
  int64_t first = bytesWithoutMasks(*this, most, mostOfPass);
  // Of two rows that end within an access a thread keeps one access of each,
  // if the rest fits: masks, and what is widened, take registers.
  if (isMasked() && loads.size() > 1)
    for (int64_t few : {most / 4, most / 2})
      if (fits(few))
        return std::min(first, few);
  return first;
}

/// Bytes of a thread's registers that a row may take.
int64_t SharedRowsPass::mostBytes(const HeldRow &row) const {
  // Weights take registers; and what is widened is kept there, too.
  if (row.weightBits > 0 && row.fits(bytes / 2))
    return bytes / 2;
  // Of two that widen its elements the assembler keeps those of the first.
  return row.isNarrow() && countOfParts(row.kernel, row.columns, 32) > 1
             ? mlir::smx::widenedThreadBytes
             : int64_t(bytes);
}

/// States that a row may have.
int64_t SharedRowsPass::mostStates(const HeldRow &row) const {
  if (states)
    return states;
  // Masks take the registers of a state.
  return row.widest == 32 && row.isAlone() && !row.isMasked() ? 2 : 1;
}

/// False, and nothing is changed, if the row can not be cut so.
bool SharedRowsPass::convert(const HeldRow &row, int64_t bytesOfFirst,
                             int64_t states) {
  if (!row.fits(bytesOfFirst))
    return false;
  KernelOp kernel = row.kernel;
  RowPieces pieces(kernel, row.loads,
                   row.widest == 64 ? bytesOfFirst / 2 : bytesOfFirst,
                   row.accessesOfPiece(), states);
  if (failed(pieces.run()))
    return false;
  if (row.isAlone() && states > 1)
    kernel->setDiscardableAttr(loneRowsAttribute, UnitAttr::get(&getContext()));
  remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("SharedRows").category("smx-gpu-shared-rows"))
      << "a row's tile in pieces, all but the first in shared memory: "
      << remark::metric("pieces", static_cast<int64_t>(pieces.count()));
  return true;
}
