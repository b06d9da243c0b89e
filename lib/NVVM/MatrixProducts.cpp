//===- MatrixProducts.cpp - products on the matrix unit -------------------===//

#include "MatrixProduct.h"

namespace mlir::smx {

/// What the instruction takes: f16 as vectors, all else as 32 bits.
static Fragment asOperand(ThreadCode &code, const Fragment &fragment,
                          NVVM::MMATypes type) {
  if (type == NVVM::MMATypes::f16)
    return fragment;
  return llvm::map_to_vector<4>(fragment, [&](Value value) -> Value {
    return LLVM::BitcastOp::create(code, code.getI32Type(), value);
  });
}

void MatrixProduct::multiplyParts(MutableArrayRef<Value> sums,
                                  const Fragment &a, const Fragment &b) {
  SmallVector<Type, 4> f32(4, code.getF32Type());
  auto type = LLVM::LLVMStructType::getLiteral(code.getContext(), f32);
  NVVM::MMATypes name = operands->type;
  Value result = NVVM::MmaOp::create(
      code, type, asOperand(code, a, name), asOperand(code, b, name), sums,
      {16, 8, operands->depth}, std::nullopt, std::nullopt,
      std::array{name, name},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [field, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(
        code, result, ArrayRef<int64_t>{static_cast<int64_t>(field)});
}

void MatrixProduct::multiply(MutableArrayRef<Value> sums, ArrayRef<Fragment> a,
                             ArrayRef<Fragment> b) {
  // Small terms first, so that fewer of their bits are lost.
  for (const Fragment &part : llvm::reverse(a.drop_front()))
    multiplyParts(sums, part, b.front());
  for (const Fragment &part : llvm::reverse(b))
    multiplyParts(sums, a.front(), part);
}

SmallVector<Value> MatrixProduct::registersOf(Value tile) {
  int64_t count = cast<VectorType>(tile.getType()).getNumElements();
  return llvm::map_to_vector(
      llvm::seq(count), [&](int64_t i) { return code.getRegister(tile, i); });
}

SmallVector<SmallVector<Fragment, 2>> MatrixProduct::partsOfA(LoopPlace k) {
  SmallVector<SmallVector<Fragment, 2>> parts;
  for (int64_t i = 0; i < product.blocks; ++i)
    parts.push_back(operands->split(operands->getA(i, k)));
  return parts;
}

void MatrixProduct::addGroups(Sums &sums, int64_t group, int64_t count,
                              ArrayRef<SmallVector<Fragment, 2>> a, LoopPlace k,
                              LoopPlace n, bool onlyFinite) {
  Fragment fragment = operands->getB(k, n, count);
  SmallVector<Fragment, 2> b =
      operands->split(onlyFinite ? finite(fragment) : fragment);
  for (int64_t i = 0; i < product.blocks; ++i)
    for (int64_t g = 0; g < count; ++g) {
      auto ofGroup = llvm::map_to_vector<2>(
          b, [&](const Fragment &part) { return groupOf(part, g); });
      multiply(sums.slice(i, group + g), a[i], ofGroup);
    }
}

Value MatrixProduct::multiplyAll() {
  Sums sums{registersOf(product.acc), product.columns / 8};
  for (int64_t k = 0; k < product.reduced; k += operands->depth) {
    SmallVector<SmallVector<Fragment, 2>> a = partsOfA(k);
    for (int64_t group = 0; group < sums.groups; group += 2)
      addGroups(sums, group, std::min<int64_t>(2, sums.groups - group), a, k,
                8 * group, /*onlyFinite=*/false);
  }
  return code.fromRegisters(sums.registers);
}

Value MatrixProduct::emit() {
  if (!product.isGuarded)
    return multiplyAll();
  return emitGuarded([&] { return multiplyAll(); });
}

Value multiplyOnMatrixUnit(ThreadCode &code, const TileProduct &product) {
  return MatrixProduct(code, product).emit();
}

} // namespace mlir::smx
