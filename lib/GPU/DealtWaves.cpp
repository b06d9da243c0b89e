//===- DealtWaves.cpp - the last tiles of a walk, one by one --------------===//

#include "DealtWaves.h"

#include "Indices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::smx::gpu;

std::optional<DealtWaves> DealtWaves::of(int64_t tilesOfRow, int64_t rows,
                                         int64_t blocks) {
  // Of an odd number the tile in the middle is alone.
  if (tilesOfRow % 2 != 0 || blocks < 1)
    return std::nullopt;
  int64_t pairs = rows * (tilesOfRow / 2);
  // Whole waves alone leave no block idle.
  if (pairs < 2 * blocks || pairs % blocks == 0)
    return std::nullopt;
  return DealtWaves{tilesOfRow, pairs, blocks};
}

/// What `value` is where `variable` is `number`.
static std::optional<int64_t> valueOf(Value value, Value variable,
                                      int64_t number) {
  if (value == variable)
    return number;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op))
    return std::nullopt;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> found = valueOf(operand, variable, number);
    if (!found || !operand.getType().isIndex())
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *found));
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return std::nullopt;
  if (auto operand = dyn_cast<Value>(results.front()))
    return valueOf(operand, variable, number);
  return getConstantIntValue(results.front());
}

std::optional<int64_t> DealtWaves::countRounds(scf::ForallOp nest,
                                               int64_t tile) {
  std::optional<int64_t> from = getConstantIntValue(
                             nest.getMixedLowerBound().back()),
                         stride =
                             getConstantIntValue(nest.getMixedStep().back());
  if (!from || !stride)
    return std::nullopt;
  int64_t rounds = 0;
  for (scf::ForOp loop : nest.getBody()->getOps<scf::ForOp>()) {
    auto boundOf = [&](Value value) {
      return valueOf(value, nest.getInductionVars().back(),
                     *from + tile * *stride);
    };
    std::optional<int64_t> begin = boundOf(loop.getLowerBound()),
                           end = boundOf(loop.getUpperBound()),
                           step = boundOf(loop.getStep());
    if (!begin || !end || !step)
      return std::nullopt;
    rounds += llvm::divideCeil(std::max<int64_t>(0, *end - *begin), *step);
  }
  return rounds;
}

DealtWaves::Place DealtWaves::longest(OpBuilder &builder, Location loc,
                                      Value number) const {
  Indices b(loc, builder);
  // They begin with pair `begin` of a row: that one has none of those before.
  int64_t first = wavesOfPairs() * blocks, firstRow = first / pairsOfRow(),
          begin = first % pairsOfRow(),
          rows = llvm::divideCeil(pairs, pairsOfRow()) - firstRow,
          before = begin * (rows - 1);
  Value inside = b.minus(number, b.number(before));
  Place place{b.plus(b.number(begin), b.over(inside, rows)),
              b.plus(b.number(firstRow), b.rest(inside, rows))};
  if (before == 0)
    return place;
  Value isBefore = b.isBelow(number, before);
  return {b.choose(isBefore, b.over(number, rows - 1), place.tile),
          b.choose(isBefore,
                   b.plus(b.number(firstRow + 1), b.rest(number, rows - 1)),
                   place.row)};
}

DealtWaves::Place DealtWaves::emitWalk(OpBuilder &builder, Location loc) const {
  Indices b(loc, builder);
  int64_t tilesOfPairs = 2 * wavesOfPairs(), dealt = 2 * dealtPairs(),
          waves = dealt / blocks, last = dealt % blocks;
  Value block = ::mlir::gpu::BlockIdOp::create(b, ::mlir::gpu::Dimension::x),
        fromBack = b.minus(blocks - 1, block);
  Value isLater = b.isBelow(waves % 2 != 0 ? fromBack : block, last);
  Value count = b.choose(isLater, b.number(tilesOfPairs + waves + 1),
                         b.number(tilesOfPairs + waves));
  auto loop = scf::ForOp::create(b, b.number(0), count, b.number(1));
  builder.setInsertionPointToStart(loop.getBody());
  b.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  Value isPair = b.isBelow(k, tilesOfPairs), isOdd = b.isOdd(k);

  Value pair = b.plus(b.times(b.over(k, 2), blocks), block);
  Value i = b.rest(pair, pairsOfRow());
  Place ofPair{b.choose(isOdd, i, b.minus(tilesOfRow - 1, i)),
               b.over(pair, pairsOfRow())};

  // As many tiles go before, an even number of a block.
  Value wave = b.minus(k, b.number(tilesOfPairs));
  Value u = b.plus(b.times(wave, blocks), b.choose(isOdd, fromBack, block));
  Value isLong = b.isBelow(u, dealtPairs());
  Place alone = longest(b, loc, b.choose(isLong, u, b.minus(dealt - 1, u)));
  alone.tile =
      b.choose(isLong, b.minus(tilesOfRow - 1, alone.tile), alone.tile);
  // The rest says to those who ask in which range the number is.
  return {b.rest(b.choose(isPair, ofPair.tile, alone.tile), tilesOfRow),
          b.choose(isPair, ofPair.row, alone.row)};
}
