//===- UnevenTiles.cpp - tiles that take different times ------------------===//

#include "UnevenTiles.h"
#include "NumberSweep.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace mlir::smx::gpu;

/// The bounds of a loop, one after the other.
static std::array<Value, 2> boundsOf(scf::ForOp loop) {
  return {loop.getLowerBound(), loop.getUpperBound()};
}

/// What `numbers` are computed from in a round of `walk`; none if that is not
/// known.
static FailureOr<llvm::SetVector<Operation *>> codeOf(ArrayRef<Value> numbers,
                                                      scf::ForOp walk) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return walk->isProperAncestor(op); };
  llvm::SetVector<Operation *> code;
  for (Value number : numbers)
    if (failed(getBackwardSlice(number, &code, options)))
      return failure();
  return code;
}

/// True if something in memory says how many rounds a loop in a tile has.
static bool dependOnData(scf::ForOp walk) {
  return walk.getBody()
      ->walk([&](scf::ForOp loop) {
        auto code = codeOf(boundsOf(loop), walk);
        return succeeded(code) &&
                       llvm::any_of(*code, llvm::IsaPred<memref::LoadOp>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Tiles of a row, if nothing but the place in it, number % tiles, decides the
/// bounds.
static std::optional<int64_t> countTilesOfRow(scf::ForOp walk,
                                              ArrayRef<Value> bounds) {
  auto code = codeOf(bounds, walk);
  if (failed(code))
    return std::nullopt;
  std::optional<int64_t> count;
  for (Operation *op : *code) {
    if (!llvm::is_contained(op->getOperands(), walk.getInductionVar()))
      continue;
    auto place = dyn_cast<arith::RemUIOp>(op);
    std::optional<int64_t> tiles =
        place ? getConstantIntValue(place.getRhs()) : std::nullopt;
    if (!tiles || (count && count != tiles))
      return std::nullopt;
    count = tiles;
  }
  return count;
}

/// Rounds of the tiles of a row of tiles, in order; none if they follow from
/// anything but the place in it.
static SmallVector<int64_t> roundsOfTiles(scf::ForOp walk) {
  SmallVector<Value> bounds;
  SmallVector<int64_t> steps;
  for (auto loop : walk.getBody()->getOps<scf::ForOp>()) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!step || !loop.getBody()->getOps<scf::ForOp>().empty())
      return {};
    steps.push_back(*step);
    llvm::append_range(bounds, boundsOf(loop));
  }
  std::optional<int64_t> tiles = countTilesOfRow(walk, bounds);
  std::optional<NumberSweep> sweep =
      tiles ? NumberSweep::of(bounds) : std::nullopt;
  SmallVector<int64_t> rounds;
  if (sweep)
    sweep->forAll([&](ArrayRef<int64_t> values) {
      int64_t sum = 0;
      for (auto [i, step] : llvm::enumerate(steps))
        if (values[2 * i] < values[2 * i + 1])
          sum += llvm::divideCeil(values[2 * i + 1] - values[2 * i], step);
      rounds.push_back(sum);
      return true;
    });
  return static_cast<int64_t>(rounds.size()) == tiles ? rounds
                                                      : SmallVector<int64_t>();
}

bool mlir::smx::gpu::areTilesUneven(scf::ForOp walk,
                                    std::optional<int64_t> tiles,
                                    std::optional<int64_t> blocks) {
  if (dependOnData(walk))
    return true;
  // What the beginning and the end of a tile take, in rounds; and what drawing
  // is to gain, as it takes a launch more.
  constexpr int64_t besidesRounds = 2;
  constexpr double leastGain = 1.1;
  SmallVector<int64_t> rounds = roundsOfTiles(walk);
  const auto ofRow = static_cast<int64_t>(rounds.size());
  if (!tiles || !blocks || ofRow < 2 || *tiles % ofRow != 0)
    return false;
  SmallVector<int64_t> ofBlocks(*blocks, 0);
  for (int64_t tile = 0; tile < *tiles; ++tile)
    ofBlocks[tile % *blocks] += rounds[tile % ofRow] + besidesRounds;
  const int64_t all =
      std::accumulate(ofBlocks.begin(), ofBlocks.end(), int64_t(0));
  return *llvm::max_element(ofBlocks) * *blocks >
         leastGain * static_cast<double>(all);
}
