//===- ExactProducts.cpp - products by fused multiply-adds ----------------===//
//
// A thread has two rows of each block of 16, and of every 8 columns two, like
// the accumulator. The four threads of a row hold a's row between them: from
// registers an element comes by a shuffle among the four, from shared memory
// all four read the same address.
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::smx;
using ::smx::gpu::Coordinate;
using ::smx::gpu::PlaceBits;
using ::smx::gpu::SharedTile;

namespace {
class ExactProduct {
public:
  /// `round` (i32, null: 0) counts products as deep as this one that come
  /// before it along a's columns.
  ExactProduct(ThreadCode &code, const TileProduct &product, Value round = {});
  Value emit();

private:
  /// a's elements in rows `8 * half` of block `i`, columns k to k + chunk - 1.
  SmallVector<Value> rowOfA(int64_t i, int64_t half, int64_t k);
  /// b's elements for rows k to k + chunk - 1, this thread's two columns of
  /// group `g`: by row, then column.
  SmallVector<Value> columnsOfB(int64_t k, int64_t g);
  Value fromLane(Value value, int64_t lane);
  Value addProduct(Value sum, Value a, Value b);
  SmallVector<Value> load(ThreadAddresses &addresses, Coordinate step,
                          int64_t count);

  ThreadCode &code;
  const TileProduct &product;
  /// Elements of a row of a at a time: those in 16 bytes, or half of them.
  int64_t chunk;
  std::optional<ThreadAddresses> addressesInA, addressesInB;
  /// Of a guarded product: what hides a term is below this number (i32), and
  /// nothing else is. -0 is the lowest one, which nothing is below.
  Value endOfHidden;
};
} // namespace

ExactProduct::ExactProduct(ThreadCode &code, const TileProduct &product,
                           Value round)
    : code(code), product(product) {
  int64_t bytes = product.elementType.getIntOrFloatBitWidth() / 8;
  chunk = 16 / bytes;
  // A guarded term asks what a's element is: a predicate for each of them, of
  // which a thread has seven. Beside a wide accumulator there is no room for
  // more.
  constexpr int64_t wideAccumulator = 128;
  if (product.isGuarded &&
      product.blocks * product.columns / 2 * bytes / 4 >= wideAccumulator)
    chunk /= 2;
  ThreadInteger lane(code, code.lane()), zero(code, code.i32(0));
  ThreadInteger column = lane % 4 * 2, first = zero;
  int64_t bitsOfFirst = 0;
  if (round) {
    first = ThreadInteger(code, round) * product.reduced;
    bitsOfFirst = ~(product.reduced * bytes - 1);
  }
  if (product.isBTransposed)
    addressesInB.emplace(code, product.sharedB, product.b,
                         ThreadIntegerPlace{column, first},
                         PlaceBits{6, bitsOfFirst});
  else
    addressesInB.emplace(code, product.sharedB, product.b,
                         ThreadIntegerPlace{zero, column},
                         PlaceBits{0, 6 * bytes});
  if (product.sharedA) {
    ThreadInteger row = ThreadInteger(code, code.warp()) * 16 + lane / 4;
    addressesInA.emplace(code, product.sharedA, product.a,
                         ThreadIntegerPlace{row, first},
                         PlaceBits{~15 | 7, bitsOfFirst});
  }
}

SmallVector<Value> ExactProduct::load(ThreadAddresses &addresses,
                                      Coordinate step, int64_t count) {
  auto type = VectorType::get(count, product.elementType);
  Value vector = loadShared(code, type, addresses.at(step));
  SmallVector<Value> elements;
  for (int64_t i : llvm::seq(count))
    elements.push_back(code.getRegister(vector, i));
  return elements;
}

Value ExactProduct::fromLane(Value value, int64_t lane) {
  // Segments of four lanes: the clamp's upper half is 32 - 4.
  constexpr int64_t segmentsOfFour = 28 << 8 | 31;
  auto shuffle = [&](Value word) -> Value {
    return NVVM::ShflOp::create(code, word.getType(), code.allLanes(), word,
                                code.i32(lane), code.i32(segmentsOfFour),
                                NVVM::ShflKind::idx, UnitAttr());
  };
  if (value.getType().isF32())
    return shuffle(value);
  auto words = VectorType::get(2, code.getI32Type());
  Value halves = LLVM::BitcastOp::create(code, words, value);
  Value moved = code.fromRegisters({shuffle(code.getRegister(halves, 0)),
                                    shuffle(code.getRegister(halves, 1))});
  return LLVM::BitcastOp::create(code, value.getType(), moved);
}

SmallVector<Value> ExactProduct::rowOfA(int64_t i, int64_t half, int64_t k) {
  if (addressesInA)
    return load(*addressesInA, {product.blockStride * i + 8 * half, k}, chunk);
  SmallVector<Value> elements;
  for (int64_t column = k; column < k + chunk; ++column) {
    int64_t first = TileProduct::registerOf(product.reduced, i, column / 8);
    Value held = code.getRegister(product.a, first + 2 * half + column % 2);
    elements.push_back(fromLane(held, column % 8 / 2));
  }
  return elements;
}

SmallVector<Value> ExactProduct::columnsOfB(int64_t k, int64_t g) {
  SmallVector<Value> elements(2 * chunk);
  if (product.isBTransposed) {
    for (int64_t column = 0; column < 2; ++column) {
      SmallVector<Value> along =
          load(*addressesInB, {8 * g + column, k}, chunk);
      for (int64_t step = 0; step < chunk; ++step)
        elements[2 * step + column] = along[step];
    }
    return elements;
  }
  for (int64_t step = 0; step < chunk; ++step)
    llvm::copy(load(*addressesInB, {k + step, 8 * g}, 2),
               elements.begin() + 2 * step);
  return elements;
}

Value ExactProduct::addProduct(Value sum, Value a, Value b) {
  Value result = LLVM::FMAOp::create(code, a, b, sum);
  if (!product.isGuarded)
    return result;
  // Of an f64 the upper word: with that of -0, it is no more than 2^-1042 away
  // from it.
  Value word;
  if (a.getType().isF64()) {
    Value bits = LLVM::BitcastOp::create(code, code.getI64Type(), a);
    word = LLVM::TruncOp::create(
        code, code.getI32Type(),
        LLVM::LShrOp::create(
            code, bits,
            LLVM::ConstantOp::create(code, code.getI64IntegerAttr(32))));
  } else {
    word = LLVM::BitcastOp::create(code, code.getI32Type(), a);
  }
  Value isHidden =
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::slt, word, endOfHidden);
  return LLVM::SelectOp::create(code, isHidden, sum, result);
}

Value ExactProduct::emit() {
  if (product.isGuarded) {
    constexpr int64_t lowest = std::numeric_limits<int32_t>::min();
    endOfHidden = code.i32(lowest + 1);
    if (product.guardCondition)
      endOfHidden = LLVM::SelectOp::create(code, product.guardCondition,
                                           endOfHidden, code.i32(lowest));
  }
  SmallVector<Value> sums;
  int64_t count = cast<VectorType>(product.acc.getType()).getNumElements();
  for (int64_t i : llvm::seq(count))
    sums.push_back(code.getRegister(product.acc, i));
  for (int64_t k = 0; k < product.reduced; k += chunk) {
    SmallVector<SmallVector<Value>> a;
    for (int64_t i = 0; i < product.blocks; ++i)
      for (int64_t half = 0; half < 2; ++half)
        a.push_back(rowOfA(i, half, k));
    for (int64_t g = 0; g < product.columns / 8; ++g) {
      SmallVector<Value> b = columnsOfB(k, g);
      for (int64_t row = 0; row < 2 * product.blocks; ++row)
        for (int64_t step = 0; step < chunk; ++step)
          for (int64_t column = 0; column < 2; ++column) {
            Value &sum =
                product.slice(sums, row / 2, g)[2 * (row % 2) + column];
            sum = addProduct(sum, a[row][step], b[2 * step + column]);
          }
    }
  }
  return code.fromRegisters(sums);
}

static int64_t bytesToRow(mlir::smx::gpu::SharedType type, int64_t rows) {
  SharedTile tile = sharedTileOf(type);
  int64_t row = tile.swizzleBytes;
  return rows * (row ? row : tile.columns * tile.elementBytes);
}

/// How much of the reduced dimension a round of the loop takes: so much that
/// rows of the next round lie in the same phases of the swizzle, and that a
/// round is long compared to its ends: addresses in a are among them.
static int64_t reducedPerRound(const TileProduct &product) {
  const int64_t longEnough = product.sharedA ? 256 : 128;
  int64_t step = SharedTile::phases;
  int64_t terms = product.columns / 2 * product.blocks;
  while (step * terms < longEnough && product.reduced % (2 * step) == 0)
    step *= 2;
  return product.reduced % step == 0 ? step : product.reduced;
}

/// The columns of a register operand that belong to a round of `step` columns.
static Value columnsOfRound(ThreadCode &code, const TileProduct &product,
                            Value round, int64_t step) {
  SmallVector<Value> registers;
  for (int64_t i = 0; i < product.blocks; ++i)
    for (int64_t r = 0; r < step / 2; ++r) {
      int64_t first = TileProduct::registerOf(product.reduced, i, 0) + r;
      Value chosen = code.getRegister(product.a, first);
      for (int64_t other = 1; other < product.reduced / step; ++other) {
        Value isThis = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                                            round, code.i32(other));
        chosen = LLVM::SelectOp::create(
            code, isThis, code.getRegister(product.a, first + other * step / 2),
            chosen);
      }
      registers.push_back(chosen);
    }
  return code.fromRegisters(registers);
}

Value mlir::smx::multiplyExactly(ThreadCode &code, const TileProduct &product) {
  int64_t step = reducedPerRound(product);
  if (step == product.reduced)
    return ExactProduct(code, product).emit();
  // A round is a product of the same tiles, further on.
  int64_t inB = product.isBTransposed ? 0 : bytesToRow(product.sharedB, step);
  auto ofRound = [&](Value round, Value sums) -> Value {
    TileProduct part = product;
    part.reduced = step;
    part.acc = sums;
    part.b = code.advance(product.b, code.mul(round, code.i32(inB)));
    if (!product.sharedA)
      part.a = columnsOfRound(code, product, round, step);
    return ExactProduct(code, part, round).emit();
  };
  return code.repeat(product.reduced / step, product.acc, ofRound);
}
