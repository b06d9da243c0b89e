//===- DoubleProducts.cpp - products of f64 on the matrix unit ------------===//
//
// mma.m8n8k4: lane l holds a's row l / 4 and column l % 4, b's row l % 4 and
// column l / 4, and the sums of row l / 4 and columns 2 (l % 4) and the next.
// The order of the reduced dimension is free: of 8 of its places the even ones
// make one instruction and the odd ones another, so that a's registers, which
// are laid out like the sums, are operands as they are.
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::smx;
using ::smx::gpu::Coordinate;
using ::smx::gpu::PlaceBits;
using ::smx::gpu::warpThreads;

namespace {
class DoubleProduct {
public:
  DoubleProduct(ThreadCode &code, const Product &product);
  Value emit();

private:
  /// What one place of a pair multiplies: the even one, then the odd one.
  using Pair = std::array<Value, 2>;
  /// a in the upper (`half` = 0) or lower 8 rows of block `i`, columns from k.
  Pair pairOfA(int64_t i, int64_t half, int64_t k);
  /// b in rows from k, columns of group `g`.
  Pair pairOfB(int64_t k, int64_t g);
  Pair loadPair(ThreadAddresses &addresses, Coordinate step);
  void multiply(MutableArrayRef<Value> sums, Value a, Value b);

  ThreadCode &code;
  const Product &product;
  std::optional<ThreadAddresses> inA, inB;
};
} // namespace

DoubleProduct::DoubleProduct(ThreadCode &code, const Product &product)
    : code(code), product(product) {
  ThreadInteger lane(code, code.lane()), warp(code, code.warp());
  ThreadInteger eighth = lane / 4, pair = lane % 4 * 2;
  if (product.isBTransposed)
    inB.emplace(code, product.sharedB, product.b,
                ThreadIntegerPlace{eighth, pair}, PlaceBits{7, 6 * 8});
  else
    inB.emplace(code, product.sharedB, product.b,
                ThreadIntegerPlace{pair, eighth}, PlaceBits{6, 7 * 8});
  if (product.sharedA)
    inA.emplace(code, product.sharedA, product.a,
                ThreadIntegerPlace{warp * 16 + eighth, pair},
                PlaceBits{~8, 6 * 8});
}

DoubleProduct::Pair DoubleProduct::loadPair(ThreadAddresses &addresses,
                                            Coordinate step) {
  Value pair = loadShared(code, VectorType::get(2, code.getF64Type()),
                          addresses.at(step));
  return {code.getRegister(pair, 0), code.getRegister(pair, 1)};
}

DoubleProduct::Pair DoubleProduct::pairOfA(int64_t i, int64_t half, int64_t k) {
  if (inA)
    return loadPair(*inA, {product.blockStride * i + 8 * half, k});
  int64_t first = Product::registerOf(product.reduced, i, k / 8) + 2 * half;
  return {code.getRegister(product.a, first),
          code.getRegister(product.a, first + 1)};
}

DoubleProduct::Pair DoubleProduct::pairOfB(int64_t k, int64_t g) {
  if (product.isBTransposed)
    return loadPair(*inB, {8 * g, k});
  Pair pair;
  for (int64_t row : {0, 1})
    pair[row] = loadShared(code, code.getF64Type(), inB->at({k + row, 8 * g}));
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
    SmallVector<Pair> a;
    for (int64_t i = 0; i < product.blocks; ++i)
      for (int64_t half : {0, 1})
        a.push_back(pairOfA(i, half, k));
    for (int64_t g = 0; g < product.columns / 8; ++g) {
      Pair b = pairOfB(k, g);
      for (int64_t place : {0, 1})
        for (int64_t row = 0; row < 2 * product.blocks; ++row)
          multiply(product.slice(sums, row / 2, g).slice(2 * (row % 2), 2),
                   a[row][place], b[place]);
    }
  }
  return code.fromRegisters(sums);
}

Value mlir::smx::multiplyDoubles(ThreadCode &code, const Product &product) {
  return DoubleProduct(code, product).emit();
}
