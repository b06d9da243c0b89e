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

SmallVector<Value> MatrixProduct::sumsOf(Columns columns) {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < product.blocks; ++i) {
    int64_t first = Product::registerOf(product.columns, i, columns.first);
    for (int64_t r = 0; r < 4 * columns.count; ++r)
      sums.push_back(code.getRegister(product.acc, first + r));
  }
  return sums;
}

void MatrixProduct::addStep(SmallVectorImpl<Value> &sums, Columns columns,
                            ReducedPlace k, bool onlyFinite) {
  SmallVector<SmallVector<Fragment, 2>> a;
  for (int64_t i = 0; i < product.blocks; ++i)
    a.push_back(operands->split(operands->getA(i, k)));
  int64_t end = columns.first + columns.count;
  for (int64_t group = columns.first; group < end; group += 2) {
    Fragment fragment = operands->getB(k, 8 * group, fetched(columns, group));
    SmallVector<Fragment, 2> b =
        operands->split(onlyFinite ? finite(fragment) : fragment);
    for (int64_t i = 0; i < product.blocks; ++i)
      for (int64_t g = 0; g < fetched(columns, group); ++g) {
        auto ofGroup = llvm::map_to_vector<2>(
            b, [&](const Fragment &part) { return groupOf(part, g); });
        multiply(slice(sums, columns, i, group + g), a[i], ofGroup);
      }
  }
}

Value MatrixProduct::emit() {
  // What is done again needs the sums from before: of few columns at a time,
  // unless there are registers for all.
  int64_t groups = product.columns / 8, together = groups;
  if (product.isGuarded && groups * product.blocks > 16)
    together = std::max<int64_t>(2, 8 / product.blocks);
  SmallVector<SmallVector<Value>> parts;
  for (int64_t first = 0; first < groups; first += together) {
    Columns columns{first, std::min(together, groups - first)};
    SmallVector<Value> before = sumsOf(columns), sums = before;
    for (int64_t k = 0; k < product.reduced; k += operands->depth)
      addStep(sums, columns, {k, Value()}, /*onlyFinite=*/false);
    if (product.isGuarded) {
      Value result = code.fromRegisters(sums);
      sums = registersOf(code.choose(
          result.getType(), isAnyNotFinite(sums),
          [&] { return multiplyGuarded(columns, code.fromRegisters(before)); },
          [&] { return result; }));
    }
    parts.push_back(sums);
  }
  SmallVector<Value> registers;
  for (int64_t i = 0; i < product.blocks; ++i)
    for (const SmallVector<Value> &part : parts) {
      int64_t count = part.size() / product.blocks;
      llvm::append_range(registers,
                         ArrayRef<Value>(part).slice(i * count, count));
    }
  return code.fromRegisters(registers);
}

Value multiplyOnMatrixUnit(ThreadCode &code, const Product &product) {
  return MatrixProduct(code, product).emit();
}

} // namespace mlir::smx
