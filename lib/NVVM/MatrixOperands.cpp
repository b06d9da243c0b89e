//===- MatrixOperands.cpp - what the matrix unit multiplies ---------------===//

#include "MatrixOperands.h"
#include "GlobalTile.h"

namespace mlir::smx {

using ::smx::gpu::Coordinate;
using ::smx::gpu::PlaceBits;
using ::smx::gpu::warpThreads;

/// How far the rounds have gone along a dimension.
static ThreadInteger movedBy(ThreadCode &code, LoopPlace place) {
  if (!place.round)
    return {code, code.i32(0)};
  return ThreadInteger(code, place.round) * place.stride;
}

Value MatrixOperands::addressInA(int64_t i, int64_t rows, LoopPlace k) {
  Coordinate step{product.blockStride * i + rows, k.first};
  if (!k.round)
    return inA->at(step);
  return inA->at(step, {ThreadInteger(code, code.i32(0)), movedBy(code, k)});
}

Value MatrixOperands::addressInB(LoopPlace k, LoopPlace n) {
  Coordinate step = product.placeInB(k.first, n.first);
  if (!k.round && !n.round)
    return inB->at(step);
  ThreadInteger reduced = movedBy(code, k), column = movedBy(code, n);
  return inB->at(step, product.isBTransposed
                           ? ThreadIntegerPlace{column, reduced}
                           : ThreadIntegerPlace{reduced, column});
}

Fragment MatrixOperands::getA(int64_t i, LoopPlace k) {
  if (inA)
    return loadA(i, k);
  Fragment fragment = heldA(i, k.first);
  if (!k.round)
    return fragment;
  // Registers have no addresses: one of all is chosen.
  for (int64_t round = 1; k.first + round * k.stride < product.reduced;
       ++round) {
    Value isThis = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, k.round,
                                        code.i32(round));
    for (auto [chosen, other] :
         llvm::zip(fragment, heldA(i, k.first + round * k.stride)))
      chosen = LLVM::SelectOp::create(code, isThis, other, chosen);
  }
  return fragment;
}

//===----------------------------------------------------------------------===//
// 16-bit elements, by ldmatrix
//===----------------------------------------------------------------------===//

static NVVM::MMATypes nameOf(Type elementType) {
  return elementType.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
}

Fragment loadMatrices(ThreadCode &code, Value address, int64_t count,
                      bool transposes, Type registerType) {
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

namespace {
class HalfOperands : public MatrixOperands {
public:
  HalfOperands(ThreadCode &code, const TileProduct &product, Value thread)
      : MatrixOperands(code, product, 16, nameOf(product.elementType),
                       VectorType::get(2, product.elementType)) {
    ThreadInteger lane = ThreadInteger(code, thread) % warpThreads;
    ThreadInteger warp = ThreadInteger(code, thread) / warpThreads;
    inB.emplace(code, product.sharedB, product.b,
                product.isBTransposed ? ::smx::gpu::rowMajorMatrices(lane)
                                      : ::smx::gpu::columnMajorMatrices(lane),
                ::smx::gpu::matrixBits);
    if (!product.sharedA)
      return;
    // Not before a loop, where every address that follows from it would take a
    // register.
    ThreadInteger laneHere(code, opaque(code, lane.getValue()));
    ThreadIntegerPlace place = ::smx::gpu::columnMajorMatrices(laneHere);
    place.row = place.row + warp * 16;
    inA.emplace(code, product.sharedA, product.a, place,
                ::smx::gpu::matrixBits);
  }

  Fragment loadA(int64_t i, LoopPlace k) override {
    return load(addressInA(i, 0, k), 4, /*transposes=*/false);
  }

  Fragment heldA(int64_t i, int64_t k) override {
    Fragment fragment;
    int64_t first = TileProduct::registerOf(product.reduced, i, k / 8);
    for (int64_t r = 0; r < 4; ++r)
      fragment.push_back(code.getRegisters(product.a, first + 2 * r, 2));
    return fragment;
  }

  Fragment getB(LoopPlace k, LoopPlace n, int64_t groups) override {
    return load(addressInB(k, n), 2 * groups,
                /*transposes=*/!product.isBTransposed);
  }

  SmallVector<Fragment, 2> split(const Fragment &fragment) override {
    return {fragment};
  }

private:
  Fragment load(Value address, int64_t count, bool transposes) {
    return loadMatrices(code, address, count, transposes, registerType);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

ThreadAddresses pairsOfA(ThreadCode &code, const TileProduct &product,
                         Value thread) {
  ThreadInteger lane = ThreadInteger(code, thread) % warpThreads;
  ThreadInteger warp = ThreadInteger(code, thread) / warpThreads;
  return {code, product.sharedA, product.a,
          ThreadIntegerPlace{warp * 16 + lane / 4, lane % 4 * 2},
          PlaceBits{~8, 6 * elementBytes(product.elementType)}};
}

ThreadAddresses pairsOfB(ThreadCode &code, const TileProduct &product,
                         Value thread) {
  int64_t bytes = elementBytes(product.elementType);
  ThreadInteger lane = ThreadInteger(code, thread) % warpThreads;
  ThreadInteger column = lane / 4, pair = lane % 4 * 2;
  if (product.isBTransposed)
    return {code, product.sharedB, product.b, ThreadIntegerPlace{column, pair},
            PlaceBits{7, 6 * bytes}};
  return {code, product.sharedB, product.b, ThreadIntegerPlace{pair, column},
          PlaceBits{6, 7 * bytes}};
}

Fragment loadPair(ThreadCode &code, Type element, Value address) {
  Value pair = loadShared(code, VectorType::get(2, element), address);
  return {code.getRegister(pair, 0), code.getRegister(pair, 1)};
}

//===----------------------------------------------------------------------===//
// Single precision, in two parts
//===----------------------------------------------------------------------===//

namespace {
/// The instruction wants lane l to hold columns l % 4 and l % 4 + 4 of a, but
/// the accumulator's layout has 2 (l % 4) and the next one. The order of the
/// reduced dimension is free: b is fetched in that other order too.
class SingleOperands : public MatrixOperands {
public:
  SingleOperands(ThreadCode &code, const TileProduct &product, Value thread)
      : MatrixOperands(code, product, 8, NVVM::MMATypes::tf32,
                       code.getF32Type()) {
    inB.emplace(pairsOfB(code, product, thread));
    if (product.sharedA)
      inA.emplace(pairsOfA(code, product, thread));
  }

  Fragment loadA(int64_t i, LoopPlace k) override {
    Fragment upper = loadPair(code, registerType, addressInA(i, 0, k));
    Fragment lower = loadPair(code, registerType, addressInA(i, 8, k));
    return {upper[0], lower[0], upper[1], lower[1]};
  }

  Fragment heldA(int64_t i, int64_t k) override {
    int64_t first = TileProduct::registerOf(product.reduced, i, k / 8);
    Fragment fragment;
    for (int64_t r : {0, 2, 1, 3})
      fragment.push_back(code.getRegister(product.a, first + r));
    return fragment;
  }

  Fragment getB(LoopPlace k, LoopPlace n, int64_t groups) override {
    Fragment fragment;
    for (int64_t group = 0; group < groups; ++group) {
      LoopPlace column = n + 8 * group;
      if (product.isBTransposed) {
        llvm::append_range(fragment,
                           loadPair(code, registerType, addressInB(k, column)));
        continue;
      }
      for (int64_t row : {0, 1})
        fragment.push_back(
            loadShared(code, code.getF32Type(), addressInB(k + row, column)));
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
};
} // namespace

std::unique_ptr<MatrixOperands>
makeMatrixOperands(ThreadCode &code, const TileProduct &product, Value thread) {
  if (product.elementType.isF32())
    return std::make_unique<SingleOperands>(code, product, thread);
  return std::make_unique<HalfOperands>(code, product, thread);
}

} // namespace mlir::smx
