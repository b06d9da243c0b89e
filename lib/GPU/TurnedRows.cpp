//===- TurnedRows.cpp - each block has some of the shorter tiles ----------===//

#include "TurnedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value before = arith::MulIOp::create(builder, loc, row, constant(tiles));
  Value waves = arith::DivUIOp::create(builder, loc, before, constant(blocks));
  Value by = arith::MulIOp::create(builder, loc, waves, constant(turn));
  Value sum = arith::AddIOp::create(builder, loc, number, by);
  return arith::RemUIOp::create(builder, loc, sum, constant(tiles));
}
