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

namespace {
class ExactProduct {
public:
  ExactProduct(ThreadCode &code, const Product &product);
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
  const Product &product;
  /// Elements in 16 bytes.
  int64_t chunk;
  std::optional<ThreadAddresses> addressesInA, addressesInB;
};
} // namespace

ExactProduct::ExactProduct(ThreadCode &code, const Product &product)
    : code(code), product(product) {
  int64_t bytes = product.elementType.getIntOrFloatBitWidth() / 8;
  chunk = 16 / bytes;
  ThreadInteger lane(code, code.lane()), zero(code, code.i32(0));
  ThreadInteger column = lane % 4 * 2;
  if (product.isBTransposed)
    addressesInB.emplace(code, product.sharedB, product.b,
                         ThreadIntegerPlace{column, zero}, PlaceBits{6, 0});
  else
    addressesInB.emplace(code, product.sharedB, product.b,
                         ThreadIntegerPlace{zero, column},
                         PlaceBits{0, 6 * bytes});
  if (product.sharedA) {
    ThreadInteger row = ThreadInteger(code, code.warp()) * 16 + lane / 4;
    addressesInA.emplace(code, product.sharedA, product.a,
                         ThreadIntegerPlace{row, zero}, PlaceBits{~15 | 7, 0});
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
    return NVVM::ShflOp::create(code, word.getType(), code.i32(-1), word,
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
    int64_t first = Product::registerOf(product.reduced, i, column / 8);
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
  Value zero = LLVM::ConstantOp::create(code, a.getType(),
                                        FloatAttr::get(a.getType(), 0));
  Value isZero = LLVM::FCmpOp::create(code, LLVM::FCmpPredicate::oeq, a, zero);
  return LLVM::SelectOp::create(code, isZero, sum, result);
}

Value ExactProduct::emit() {
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

Value mlir::smx::multiplyExactly(ThreadCode &code, const Product &product) {
  return ExactProduct(code, product).emit();
}
