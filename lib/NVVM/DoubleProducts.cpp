//===- DoubleProducts.cpp - products of f64 on the matrix unit ------------===//
//
// mma.m8n8k4: lane l holds a's row l / 4 and column l % 4, b's row l % 4 and
// column l / 4, and the sums of row l / 4 and columns 2 (l % 4) and the next.
// The order of the reduced dimension is free: of 8 of its places the even ones
// make one instruction and the odd ones another, so that a's registers, which
// are laid out like the sums, are operands as they are.
//
//===----------------------------------------------------------------------===//

#include "MatrixOperands.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
class DoubleProduct {
public:
  DoubleProduct(ThreadCode &code, const TileProduct &product);
  Value emit();

private:
  /// a in the upper (`half` = 0) or lower 8 rows of block `i`, columns from k:
  /// the even place of the pair, then the odd one.
  Fragment pairOfA(int64_t i, int64_t half, int64_t k);
  /// b in rows from k, columns of group `g`.
  Fragment pairOfB(int64_t k, int64_t g);
  void multiply(MutableArrayRef<Value> sums, Value a, Value b);

  ThreadCode &code;
  const TileProduct &product;
  std::optional<ThreadAddresses> inA, inB;
};
} // namespace

DoubleProduct::DoubleProduct(ThreadCode &code, const TileProduct &product)
    : code(code), product(product) {
  inB.emplace(pairsOfB(code, product, code.thread()));
  if (product.sharedA)
    inA.emplace(pairsOfA(code, product, code.thread()));
}

Fragment DoubleProduct::pairOfA(int64_t i, int64_t half, int64_t k) {
  if (inA)
    return loadPair(code, product.elementType,
                    inA->at({product.blockStride * i + 8 * half, k}));
  int64_t first = TileProduct::registerOf(product.reduced, i, k / 8) + 2 * half;
  return {code.getRegister(product.a, first),
          code.getRegister(product.a, first + 1)};
}

Fragment DoubleProduct::pairOfB(int64_t k, int64_t g) {
  if (product.isBTransposed)
    return loadPair(code, product.elementType, inB->at({8 * g, k}));
  Fragment pair;
  for (int64_t row : {0, 1})
    pair.push_back(
        loadShared(code, product.elementType, inB->at({k + row, 8 * g})));
  return pair;
}

void DoubleProduct::multiply(MutableArrayRef<Value> sums, Value a, Value b) {
  SmallVector<Type, 2> f64(2, code.getF64Type());
  auto type = LLVM::LLVMStructType::getLiteral(code.getContext(), f64);
  constexpr NVVM::MMATypes name = NVVM::MMATypes::f64;
  Value result = NVVM::MmaOp::create(
      code, type, ValueRange{a}, ValueRange{b}, sums, {8, 8, 4}, std::nullopt,
      std::nullopt, std::array{name, name},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [field, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(
        code, result, ArrayRef<int64_t>{static_cast<int64_t>(field)});
}

Value DoubleProduct::emit() {
  SmallVector<Value> sums;
  int64_t count = cast<VectorType>(product.acc.getType()).getNumElements();
  for (int64_t i : llvm::seq(count))
    sums.push_back(code.getRegister(product.acc, i));
  for (int64_t k = 0; k < product.reduced; k += 8) {
    SmallVector<Fragment> a;
    for (int64_t i = 0; i < product.blocks; ++i)
      for (int64_t half : {0, 1})
        a.push_back(pairOfA(i, half, k));
    for (int64_t g = 0; g < product.columns / 8; ++g) {
      Fragment b = pairOfB(k, g);
      for (int64_t place : {0, 1})
        for (int64_t row = 0; row < 2 * product.blocks; ++row)
          multiply(product.slice(sums, row / 2, g).slice(2 * (row % 2), 2),
                   a[row][place], b[place]);
    }
  }
  return code.fromRegisters(sums);
}

/// How far it is to the place `columns` further on in a row: whole spans of the
/// swizzle, each of which all rows have before the next one.
static int64_t bytesToColumn(mlir::smx::gpu::SharedType type, int64_t columns) {
  ::smx::gpu::SharedTile tile = sharedTileOf(type);
  int64_t bytes = columns * tile.elementBytes;
  return tile.swizzleBytes ? bytes * tile.rows : bytes;
}

/// Columns of a that a round of a loop multiplies, where both operands are read
/// along them from shared memory. The assembler would bring loads of the whole
/// product forward until no register is left, and spill what is needed behind
/// it. Shorter rounds wait for their loads more often.
static int64_t columnsPerRound(const TileProduct &product) {
  constexpr int64_t longest = 64, span = 16;
  if (!product.sharedA || !product.isBTransposed)
    return product.reduced;
  for (int64_t step = longest; step != 0; step -= span)
    if (product.reduced % step == 0)
      return step;
  return product.reduced;
}

Value mlir::smx::multiplyDoubles(ThreadCode &code, const TileProduct &product) {
  int64_t step = columnsPerRound(product);
  if (step == product.reduced)
    return DoubleProduct(code, product).emit();
  int64_t inA = bytesToColumn(product.sharedA, step),
          inB = bytesToColumn(product.sharedB, step);
  auto ofRound = [&](Value round, Value sums) -> Value {
    TileProduct part = product;
    part.reduced = step;
    part.acc = sums;
    part.a = code.advance(product.a, code.mul(round, code.i32(inA)));
    part.b = code.advance(product.b, code.mul(round, code.i32(inB)));
    return DoubleProduct(code, part).emit();
  };
  return code.repeat(product.reduced / step, product.acc, ofRound);
}
