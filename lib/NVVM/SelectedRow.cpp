//===- SelectedRow.cpp - the largest of a row, by a bound -----------------===//

#include "SelectedRow.h"

#include "Candidates.h"
#include "WarpExchange.h"
#include "smx/IR/FallingKeys.h"
#include "smx/IR/SelectedRows.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::accessBytes;
using ::smx::gpu::warpThreads;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

bool SelectedRow::finds(gpu::LargestOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  auto layout = cast<gpu::StripedAttr>(gpu::getLayout(tile));
  return !op.getMemory() && layout.getColumnThreads() == warpThreads &&
         isSelectedRow(mlir::smx::elementBits(tile), op.getCount(),
                       tile.getDimSize(1));
}

/// Few rows have more elements that reach the bound (one in some thousand).
int64_t SelectedRow::listedOf(int64_t count) {
  return std::max<int64_t>(llvm::PowerOf2Ceil(2 * count), warpThreads);
}

/// Of the lanes' elements, in accesses of all lanes.
static int64_t bytesOfElements(int64_t registers, int64_t elementBits) {
  return llvm::alignTo(registers * elementBits / 8, accessBytes) * warpThreads;
}

int64_t SelectedRow::bytesOf(RankedTensorType tile, int64_t count) {
  if (count == 1)
    return 0;
  int64_t keyBytes = LaneKeys::areWords(tile) ? 4 : 8,
          list = listedOf(count) * keyBytes, columns = tile.getDimSize(1);
  if (!isListed(columns, count))
    return list;
  return bytesOfElements(columns / warpThreads, mlir::smx::elementBits(tile)) +
         list;
}

SelectedRow::SelectedRow(ThreadCode &code, RankedTensorType tile, Value memory,
                         ArrayRef<Value> columns, int64_t count)
    : code(code), tile(tile), memory(memory), columns(columns), count(count),
      elementBits(mlir::smx::elementBits(tile)),
      areWords(LaneKeys::areWords(tile)), keys(code, tile) {}

Value SelectedRow::at(Value number, int64_t bytes, int64_t offset) {
  return code.advance(code.advance(memory, offset),
                      code.mul(number, code.i32(bytes)));
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// A lane finds its elements by their numbers there.
void SelectedRow::storeRow(Value all) {
  // What is left of the last access is of several sizes.
  int64_t bytes = elementBits / 8, together = accessBytes / bytes;
  for (int64_t i = 0, some; i < registers(); i += some) {
    int64_t inAccess = i % together;
    some = llvm::bit_floor<uint64_t>(
        std::min(together - inAccess, registers() - i));
    some = std::min(some, inAccess ? inAccess & -inAccess : together);
    LLVM::StoreOp::create(
        code, code.getRegisters(all, i, some),
        at(code.lane(), accessBytes,
           i / together * warpThreads * accessBytes + inAccess * bytes),
        some * bytes);
  }
}

Value SelectedRow::columnOf(Value i) {
  int64_t vector = cast<gpu::StripedAttr>(gpu::getLayout(tile)).getVector();
  Value run =
      code.mul(code.quotient(i, vector), code.i32(warpThreads * vector));
  return code.add(columns[0], code.add(run, code.remainder(i, vector)));
}

Value SelectedRow::keyOf(int64_t word, Value bit) {
  int64_t bytes = elementBits / 8, together = accessBytes / bytes;
  Value i = registerOf(word, bit);
  Value access = code.add(
      code.mul(code.quotient(i, together), code.i32(warpThreads)), code.lane());
  Value address =
      code.advance(at(access, accessBytes, 0),
                   code.mul(code.remainder(i, together), code.i32(bytes)));
  Value element = LLVM::LoadOp::create(
      code, VectorType::get(1, tile.getElementType()), address, bytes);
  return keys.of(element, {columnOf(i)}).front();
}

/// Behind the elements, those of a lane behind those of the lanes before.
void SelectedRow::list(const Marks &marks) {
  constexpr int64_t wholeWarp = 0;
  Value mine = countOfLane(marks), all = mine;
  for (int64_t step = 1; step < warpThreads; step *= 2) {
    Value before = NVVM::ShflOp::create(
        code, code.getI32Type(), code.allLanes(), all, code.i32(step),
        code.i32(wholeWarp), NVVM::ShflKind::up, UnitAttr());
    all = LLVM::SelectOp::create(code, code.less(code.lane(), code.i32(step)),
                                 all, code.add(all, before));
  }
  Value first = LLVM::SubOp::create(code, all, mine);
  for (auto [word, bits] : llvm::enumerate(marks)) {
    auto listIt = [&](Value number, Value bit) {
      LLVM::StoreOp::create(
          code, keyOf(word, bit),
          at(code.add(first, number), keyBytes(), listOffset()), keyBytes());
    };
    first = code.add(first, forEachMark(code, bits, listIt));
  }
}

/// Lanes whose numbers differ by the bits of `mask` order their keys, the
/// larger ones first; of two blocks that both fall, if they are mirrored.
void SelectedRow::orderWith(SmallVector<Value> &ofLane, int64_t mask,
                            bool isMirrored) {
  int64_t last = ofLane.size() - 1, upper = llvm::bit_floor<uint64_t>(mask);
  SmallVector<Value> others;
  for (int64_t i : llvm::seq(last + 1))
    others.push_back(exchange(code, ofLane[isMirrored ? last - i : i], mask));
  Value isFirst = LLVM::ICmpOp::create(
      code, LLVM::ICmpPredicate::eq,
      LLVM::AndOp::create(code, code.lane(), code.i32(upper)), code.i32(0));
  for (auto [mine, other] : llvm::zip_equal(ofLane, others)) {
    Value isLarger =
        LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ugt, mine, other);
    mine = LLVM::SelectOp::create(
        code, LLVM::XOrOp::create(code, isLarger, isFirst), other, mine);
  }
}

/// Lane by lane, the largest first (Batcher's bitonic sort, 1968).
void SelectedRow::sort(SmallVector<Value> &ofLane) {
  auto order = [&](Value &first, Value &second) {
    Value least = LLVM::UMinOp::create(code, first, second);
    first = LLVM::UMaxOp::create(code, first, second);
    second = least;
  };
  sortFalling(ofLane, order);
  for (int64_t lanes = 2; lanes <= warpThreads; lanes *= 2) {
    orderWith(ofLane, lanes - 1, /*isMirrored=*/true);
    for (int64_t step = lanes / 4; step >= 1; step /= 2)
      orderWith(ofLane, step, /*isMirrored=*/false);
    for (size_t step = ofLane.size() / 2; step >= 1; step /= 2)
      for (size_t i = 0; i < ofLane.size(); ++i)
        if ((i & step) == 0)
          order(ofLane[i], ofLane[i + step]);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value SelectedRow::firstColumn(const Marks &marks) {
  Value first = code.i32(tile.getDimSize(1));
  for (int64_t word = marks.size() - 1; word >= 0; --word) {
    Value bits = marks[word];
    Value isMarked =
        LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ne, bits, code.i32(0));
    Value column = columnOf(firstRegister(word, bits));
    first = LLVM::SelectOp::create(code, isMarked, column, first);
  }
  return NVVM::ReduxOp::create(code, code.getI32Type(), first,
                               NVVM::ReduxKind::UMIN, code.allLanes());
}

LargestOfRowInLanes SelectedRow::findFirst(Value all) {
  Value order = code.i32(0), infinity = orderOfInfinity();
  for (Value ofSet : ordersOfSets(all))
    order = LLVM::UMaxOp::create(code, order, ofSet);
  order = warpMaximum(code, order);
  // What reaches infinity may be NaN, which is above it.
  Value none = code.i32(tile.getDimSize(1));
  Value ofNaN = code.choose(
      code.getI32Type(),
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, order, infinity),
      [&] {
        return firstColumn(markReaching(all, infinity, /*greater=*/true));
      },
      [&] { return none; });
  Value isNaN = code.less(ofNaN, none);
  auto choose = [&](Value ifNaN, Value ifNot) -> Value {
    return LLVM::SelectOp::create(code, isNaN, ifNaN, ifNot);
  };
  auto type = cast<FloatType>(tile.getElementType());
  Value nan = LLVM::ConstantOp::create(
      code, type,
      FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics())));
  Value element = boundOf(order);
  if (element.getType() != type)
    element = code.getRegister(element, 0);
  Value column = choose(ofNaN, firstColumn(markReaching(all, order)));
  LargestOfRowInLanes found;
  found.elements.push_back(choose(nan, element));
  found.columns.push_back(
      LLVM::ZExtOp::create(code, code.getI64Type(), column));
  return found;
}

LargestOfRowInLanes SelectedRow::find(Value all, int64_t results,
                                      bool inLanes) {
  if (count == 1)
    return findFirst(all);
  auto listed = VectorType::get(sorted(), keyType());
  Value mine = at(code.lane(), sorted() * keyBytes(), listOffset());
  constexpr int64_t most = accessBytes;
  int64_t aligned = std::min(sorted() * keyBytes(), most);
  SmallVector<Value> ofLane;
  if (isListed(tile.getDimSize(1), count)) {
    storeRow(all);
    Value none = LLVM::ConstantOp::create(
        code, listed,
        DenseElementsAttr::get(listed, code.getIntegerAttr(keyType(), 0)));
    LLVM::StoreOp::create(code, none, mine, aligned);
    Marks marks = mark(all);
    code.warpBarrier();
    list(marks);
    code.warpBarrier();
    Value read = LLVM::LoadOp::create(code, listed, mine, aligned);
    for (int64_t i : llvm::seq(sorted()))
      ofLane.push_back(code.getRegister(read, i));
  } else {
    ofLane = keys.of(all, columns);
    ofLane.resize(sorted(), keys.constant(0));
  }
  sort(ofLane);
  LLVM::StoreOp::create(code, code.fromRegisters(ofLane), mine, aligned);
  code.warpBarrier();
  LargestOfRowInLanes found;
  for (int64_t i : llvm::seq(results)) {
    Value rank = code.i32(i);
    if (inLanes)
      rank = LLVM::UMinOp::create(
          code, code.add(code.lane(), code.i32(i * warpThreads)),
          code.i32(count - 1));
    Value key = LLVM::LoadOp::create(
        code, keyType(), at(rank, keyBytes(), listOffset()), keyBytes());
    found.elements.push_back(keys.elementOf(key));
    found.columns.push_back(keys.columnOf(key));
  }
  return found;
}

} // namespace mlir::smx
