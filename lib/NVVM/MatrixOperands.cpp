//===- MatrixOperands.cpp - what the matrix unit multiplies ---------------===//

#include "MatrixOperands.h"

namespace mlir::smx {

using ::smx::gpu::Coordinate;
using ::smx::gpu::PlaceBits;

//===----------------------------------------------------------------------===//
// 16-bit elements, by ldmatrix
//===----------------------------------------------------------------------===//

static NVVM::MMATypes nameOf(Type elementType) {
  return elementType.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
}

/// Where a lane's address into the rows of `a` lies.
static ThreadIntegerPlace laneInRows(ThreadCode &code) {
  ThreadIntegerPlace place =
      ::smx::gpu::columnMajorMatrices(ThreadInteger(code, code.lane()));
  place.row = place.row + ThreadInteger(code, code.warp()) * 16;
  return place;
}

static ThreadIntegerPlace laneInB(ThreadCode &code, bool isTransposed) {
  ThreadInteger lane(code, code.lane());
  return isTransposed ? ::smx::gpu::rowMajorMatrices(lane)
                      : ::smx::gpu::columnMajorMatrices(lane);
}

namespace {
class HalfOperands : public MatrixOperands {
public:
  HalfOperands(ThreadCode &code, const Product &product)
      : MatrixOperands(16, nameOf(product.elementType),
                       VectorType::get(2, product.elementType)),
        code(code), product(product),
        inB(code, product.sharedB, product.b,
            laneInB(code, product.isBTransposed), ::smx::gpu::matrixBits) {
    if (product.sharedA)
      inA.emplace(code, product.sharedA, product.a, laneInRows(code),
                  ::smx::gpu::matrixBits);
  }

  Fragment getA(int64_t i, int64_t k) override {
    if (inA)
      return load(inA->at({product.blockStride * i, k}), 4,
                  /*transposes=*/false);
    Fragment fragment;
    int64_t first = Product::registerOf(product.reduced, i, k / 8);
    for (int64_t r = 0; r < 4; ++r)
      fragment.push_back(code.getRegisters(product.a, first + 2 * r, 2));
    return fragment;
  }

  Fragment getB(int64_t k, int64_t n, int64_t groups) override {
    return load(inB.at(product.placeInB(k, n)), 2 * groups,
                /*transposes=*/!product.isBTransposed);
  }

  SmallVector<Fragment, 2> split(const Fragment &fragment) override {
    return {fragment};
  }

private:
  /// `count` (2 or 4) matrices of 8 x 8.
  Fragment load(Value address, int64_t count, bool transposes) {
    SmallVector<Type, 4> words(count, code.getI32Type());
    auto type = LLVM::LLVMStructType::getLiteral(code.getContext(), words);
    auto shape = NVVM::LdStMatrixShapeAttr::get(code.getContext(), 8, 8);
    Value matrices = NVVM::LdMatrixOp::create(
        code, type, address, count,
        transposes ? NVVM::MMALayout::col : NVVM::MMALayout::row, shape,
        NVVM::LdStMatrixEltType::B16);
    Fragment fragment;
    for (int64_t i : llvm::seq(count)) {
      Value word =
          LLVM::ExtractValueOp::create(code, matrices, ArrayRef<int64_t>{i});
      fragment.push_back(LLVM::BitcastOp::create(code, registerType, word));
    }
    return fragment;
  }

  ThreadCode &code;
  const Product &product;
  ThreadAddresses inB;
  std::optional<ThreadAddresses> inA;
};
} // namespace

//===----------------------------------------------------------------------===//
// Single precision, in two parts
//===----------------------------------------------------------------------===//

/// The instruction wants lane l to hold columns l % 4 and l % 4 + 4 of a, but
/// the accumulator's layout has 2 (l % 4) and the next one. The order of the
/// reduced dimension is free: b is fetched in that other order too.
static ThreadIntegerPlace pairInRows(ThreadCode &code) {
  ThreadInteger lane(code, code.lane());
  return {ThreadInteger(code, code.warp()) * 16 + lane / 4, lane % 4 * 2};
}

static ThreadIntegerPlace pairInB(ThreadCode &code, bool isTransposed) {
  ThreadInteger lane(code, code.lane());
  ThreadInteger column = lane / 4, pair = lane % 4 * 2;
  return isTransposed ? ThreadIntegerPlace{column, pair}
                      : ThreadIntegerPlace{pair, column};
}

namespace {
class SingleOperands : public MatrixOperands {
public:
  SingleOperands(ThreadCode &code, const Product &product)
      : MatrixOperands(8, NVVM::MMATypes::tf32, code.getF32Type()), code(code),
        product(product),
        inB(code, product.sharedB, product.b,
            pairInB(code, product.isBTransposed),
            product.isBTransposed ? PlaceBits{7, 6 * 4} : PlaceBits{6, 7 * 4}) {
    if (product.sharedA)
      inA.emplace(code, product.sharedA, product.a, pairInRows(code),
                  PlaceBits{~8, 6 * 4});
  }

  Fragment getA(int64_t i, int64_t k) override {
    // Upper row, lower row, then the same for the second column.
    Fragment rows[2];
    for (int64_t half = 0; half < 2; ++half) {
      if (inA) {
        rows[half] = loadPair(*inA, {product.blockStride * i + 8 * half, k});
        continue;
      }
      int64_t first = Product::registerOf(product.reduced, i, k / 8) + 2 * half;
      rows[half] = {code.getRegister(product.a, first),
                    code.getRegister(product.a, first + 1)};
    }
    return {rows[0][0], rows[1][0], rows[0][1], rows[1][1]};
  }

  Fragment getB(int64_t k, int64_t n, int64_t groups) override {
    Fragment fragment;
    for (int64_t g = 0; g < groups; ++g) {
      int64_t column = n + 8 * g;
      if (product.isBTransposed) {
        llvm::append_range(fragment, loadPair(inB, {column, k}));
        continue;
      }
      for (int64_t row = k; row < k + 2; ++row)
        fragment.push_back(
            loadShared(code, code.getF32Type(), inB.at({row, column})));
    }
    return fragment;
  }

  /// x = big + small, where big has the leading 11 bits, and small the other
  /// 13, of which the unit takes 11.
  SmallVector<Fragment, 2> split(const Fragment &fragment) override {
    Fragment big, small;
    for (Value x : fragment) {
      Value bits = LLVM::BitcastOp::create(code, code.getI32Type(), x);
      Value kept = LLVM::AndOp::create(code, bits, code.i32(~0x1fff));
      big.push_back(LLVM::BitcastOp::create(code, code.getF32Type(), kept));
      Value rest = LLVM::FSubOp::create(code, x, big.back());
      // Where nothing is left: also for an infinity, which leaves a NaN.
      Value isExact =
          LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, bits, kept);
      Value zero = LLVM::ConstantOp::create(code, code.getF32Type(),
                                            code.getF32FloatAttr(0));
      small.push_back(LLVM::SelectOp::create(code, isExact, zero, rest));
    }
    return {big, small};
  }

private:
  Fragment loadPair(ThreadAddresses &addresses, Coordinate at) {
    auto type = VectorType::get(2, code.getF32Type());
    Value pair = loadShared(code, type, addresses.at(at));
    return {code.getRegister(pair, 0), code.getRegister(pair, 1)};
  }

  ThreadCode &code;
  const Product &product;
  ThreadAddresses inB;
  std::optional<ThreadAddresses> inA;
};
} // namespace

std::unique_ptr<MatrixOperands> makeMatrixOperands(ThreadCode &code,
                                                   const Product &product) {
  if (product.elementType.isF32())
    return std::make_unique<SingleOperands>(code, product);
  return std::make_unique<HalfOperands>(code, product);
}

} // namespace mlir::smx
