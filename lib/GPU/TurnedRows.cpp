//===- TurnedRows.cpp - each block has some of the shorter tiles ----------===//

#include "TurnedRows.h"

#include "Indices.h"

#include <numeric>

using namespace mlir;
using namespace mlir::smx::gpu;

TurnedRows TurnedRows::of(int64_t tiles, int64_t blocks) {
  int64_t turn = 0;
  while (std::gcd(blocks + turn, tiles) != 1)
    ++turn;
  return {tiles, blocks, turn};
}

Value TurnedRows::emit(OpBuilder &builder, Location loc, Value number,
                       Value row) const {
  if (turn == 0)
    return number;
  Indices b(loc, builder);
  Value waves = b.over(b.times(row, tiles), blocks);
  return b.rest(b.plus(number, b.times(waves, turn)), tiles);
}
