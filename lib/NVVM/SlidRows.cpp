//===- SlidRows.cpp - rows slid to where accesses start -------------------===//

#include "SlidRows.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx {

using ::smx::gpu::wordBytes;

namespace {
/// The part of a tile that one thread moves, in accesses of `run` registers.
class SlidRows {
public:
  SlidRows(ThreadCode &code, RankedTensorType tile, const GlobalTile &memory,
           const SlidPlaces &places);

  Value load(bool lasting);
  void store(Value value);

private:
  /// i1: the thread's first access starts where one may.
  Value isAligned();
  bool isKnownAligned() const {
    return memory.aligned % (run * memory.elementBytes) == 0;
  }
  /// What is known of the access from register `i` on, of all threads.
  bool mayStartBefore(int64_t i) const { return columnOf(i) < vector; }
  bool mayEndBehind(int64_t i) const {
    return !known || !isRowKnown ||
           columnOf(i) + (columnThreads - 1) * vector + run > known->first;
  }
  bool isBehind(int64_t i) const {
    return known && columnOf(i) >= known->second + vector - 1;
  }

  int64_t columnOf(int64_t i) const {
    return gpu::getElement(tile, 0, i).column;
  }
  Value address(int64_t i) {
    return code.advance(start, columnOf(i) * memory.elementBytes);
  }
  /// i1: column `k` of the access from register `i` on is not before the row's
  /// first one; or not behind its last one.
  Value isFrom(int64_t i, int64_t k) {
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::sge,
                                code.add(column, code.i32(columnOf(i) + k)),
                                low);
  }
  Value isBefore(int64_t i, int64_t k) {
    return code.less(code.add(column, code.i32(columnOf(i) + k)), high);
  }
  /// i1: all of the access is in the row; null: that is known.
  Value isWhole(int64_t i) {
    return code.both(mayStartBefore(i) ? isFrom(i, 0) : Value(),
                     mayEndBehind(i) ? isBefore(i, run - 1) : Value());
  }
  /// i1: some of it is, and some is not; null: no thread has such a one.
  Value isCut(int64_t i) {
    if (!mayStartBefore(i) && !mayEndBehind(i))
      return {};
    return code.both(code.negated(isWhole(i)),
                     code.both(isFrom(i, run - 1), isBefore(i, 0)));
  }
  Value isOfRow(int64_t i, int64_t k) {
    return code.both(mayStartBefore(i) ? isFrom(i, k) : Value(),
                     mayEndBehind(i) ? isBefore(i, k) : Value());
  }

  Value loadAccesses(bool lasting);
  void storeAccesses(Value value);
  Value loadElements(int64_t i);
  void storeElements(int64_t i, Value value, Value predicate = {});
  /// The accesses that the row has a part of.
  void loadCut(SmallVectorImpl<Value> &loaded);
  /// Wherever the thread's first column is.
  Value loadOthers();
  void storeOthers(Value value);
  /// Pairs of elements that are in one word of memory are moved together, of an
  /// access that is in the row.
  Value loadWords(int64_t i);
  void storeWords(int64_t i, Value value);
  /// False if there are no such pairs.
  bool splitWords();
  /// Bytes of two words.
  Value permuted(Value first, Value second, Value order);

  ThreadCode &code;
  RankedTensorType tile;
  const GlobalTile &memory;
  int64_t vector, columnThreads, run, registers;
  VectorType access, type;
  /// The fewest and the most columns from the tile's first one to the end of
  /// the row, if known; true if its own number is below the valid ones.
  std::optional<std::pair<int64_t, int64_t>> known;
  bool isRowKnown = false;
  /// i32: the first column of the tile that is in the row and the first one
  /// behind it; the thread's first column.
  Value low, high, column;
  /// The thread's first column.
  Value start;
  /// Of pairs: bytes from the start of a word to that column (i32), and whether
  /// there are some.
  Value behind, isOdd;
};
} // namespace

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

SlidRows::SlidRows(ThreadCode &code, RankedTensorType tile,
                   const GlobalTile &memory, const SlidPlaces &places)
    : code(code), tile(tile), memory(memory),
      registers(gpu::getRegisterCount(tile)) {
  auto striped = cast<gpu::StripedAttr>(gpu::getLayout(tile));
  vector = striped.getVector();
  columnThreads = striped.getColumnThreads();
  run = std::clamp<int64_t>(accessBytes / memory.elementBytes, 1, vector);
  type = VectorType::get(registers, registerElement(tile.getElementType()));
  access = VectorType::get(run, type.getElementType());

  Value slide = LLVM::TruncOp::create(code, code.getI32Type(),
                                      code.getRegister(places.slide, /*i=*/0));
  ThreadCoordinate at = code.threadPart(tile);
  column = at.column;
  int64_t extent = tile.getDimSize(1);
  low = LLVM::SubOp::create(code, slide, code.clamped(places.column, extent));
  // Fewer than none: what is slid may be there all the same.
  Value moved = code.add(places.columns, code.i64(vector));
  high = code.add(
      slide, code.add(code.clamped(moved, extent + vector), code.i32(-vector)));
  known = places.columnsOfBlocks;
  if (std::optional<int64_t> rows = constantOf(places.rows))
    isRowKnown = *rows >= tile.getDimSize(0);
  if (!isRowKnown) {
    Value isValid =
        code.less(at.row, code.clamped(places.rows, tile.getDimSize(0)));
    high = LLVM::SelectOp::create(code, isValid, high, code.i32(0));
  }
  Value back = LLVM::SubOp::create(code, code.i32(0), slide);
  start = code.advance(memory.start(code),
                       byteOffset(code, memory, /*d=*/0, at.row, 0));
  start = code.advance(start, code.mul(back, code.i32(memory.elementBytes)));
  start = code.advance(start, code.mul(column, code.i32(memory.elementBytes)));
}

Value SlidRows::isAligned() {
  Value address = LLVM::PtrToIntOp::create(code, code.getI64Type(), start);
  Value low = LLVM::TruncOp::create(code, code.getI32Type(), address);
  return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                              code.remainder(low, run * memory.elementBytes),
                              code.i32(0));
}

bool SlidRows::splitWords() {
  // What the other side computes, too, would need registers in both.
  start = opaque(code, start);
  if (memory.elementBytes * 2 != wordBytes || run == 1)
    return false;
  Value address = LLVM::PtrToIntOp::create(code, code.getI64Type(), start);
  behind = code.remainder(
      LLVM::TruncOp::create(code, code.getI32Type(), address), wordBytes);
  isOdd =
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ne, behind, code.i32(0));
  return true;
}

Value SlidRows::permuted(Value first, Value second, Value order) {
  return NVVM::PermuteOp::create(code, code.getI32Type(), first, second, order,
                                 NVVM::PermuteMode::DEFAULT);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value SlidRows::loadElements(int64_t i) {
  auto one = VectorType::get(1, access.getElementType());
  SmallVector<Value> elements;
  for (int64_t k : llvm::seq(run))
    elements.push_back(
        loadGlobal(code, code.advance(address(i), k * memory.elementBytes), one,
                   isOfRow(i, k)));
  return code.fromVectors(elements);
}

void SlidRows::loadCut(SmallVectorImpl<Value> &loaded) {
  for (int64_t i = 0; i < registers; i += run)
    if (Value cut = isBehind(i) ? Value() : isCut(i)) {
      Value &whole = loaded[i / run];
      whole = code.choose(
          access, cut, [&] { return loadElements(i); }, [&] { return whole; });
    }
}

Value SlidRows::loadAccesses(bool lasting) {
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < registers; i += run)
    loaded.push_back(isBehind(i)
                         ? Value(LLVM::ZeroOp::create(code, access))
                         : loadGlobal(code, address(i), access, isWhole(i),
                                      /*again=*/false, lasting));
  loadCut(loaded);
  return code.fromVectors(loaded);
}

Value SlidRows::loadWords(int64_t i) {
  Value whole = isWhole(i), isApart = code.both(isOdd, whole),
        isTogether = code.both(code.negated(isOdd), whole);
  int64_t count = run * memory.elementBytes / wordBytes;
  auto word = VectorType::get(1, code.getI32Type());
  auto one = VectorType::get(1, code.getI16Type());
  // Where words start between elements, each of ours has the second element of
  // one and the first of the next; otherwise it is the next one.
  Value order =
      LLVM::SelectOp::create(code, isOdd, code.i32(0x5432), code.i32(0x7654));
  Value place = address(i), shifted = code.advance(place, behind);
  auto element = [&](int64_t k) -> Value {
    Value loaded = loadGlobal(
        code, code.advance(place, k * memory.elementBytes), one, isApart);
    return LLVM::ZExtOp::create(code, code.getI32Type(),
                                code.getRegister(loaded, 0));
  };
  auto wordAt = [&](Value at, int64_t k, Value predicate) {
    return code.getRegister(
        loadGlobal(code, code.advance(at, k * wordBytes), word, predicate), 0);
  };
  Value before = LLVM::ShlOp::create(code, element(0), code.i32(16));
  SmallVector<Value> words;
  for (int64_t k : llvm::seq(count - 1)) {
    Value next = wordAt(shifted, k, whole);
    words.push_back(permuted(before, next, order));
    before = next;
  }
  Value last = LLVM::OrOp::create(code, element(run - 1),
                                  wordAt(place, count - 1, isTogether));
  words.push_back(permuted(before, last, order));
  return LLVM::BitcastOp::create(code, access, code.fromRegisters(words));
}

Value SlidRows::loadOthers() {
  bool hasPairs = splitWords();
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < registers; i += run)
    loaded.push_back(isBehind(i) ? Value(LLVM::ZeroOp::create(code, access))
                     : hasPairs  ? loadWords(i)
                                 : loadElements(i));
  if (hasPairs)
    loadCut(loaded);
  return code.fromVectors(loaded);
}

Value SlidRows::load(bool lasting) {
  if (isKnownAligned())
    return loadAccesses(lasting);
  return code.choose(
      type, isAligned(), [&] { return loadAccesses(lasting); },
      [&] { return loadOthers(); });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void SlidRows::storeElements(int64_t i, Value value, Value predicate) {
  for (int64_t k : llvm::seq(run))
    storeGlobal(code, code.getRegisters(value, i + k, 1),
                code.advance(address(i), k * memory.elementBytes),
                code.both(isOfRow(i, k), predicate));
}

void SlidRows::storeAccesses(Value value) {
  for (int64_t i = 0; i < registers; i += run)
    if (!isBehind(i))
      storeGlobal(code, code.getRegisters(value, i, run), address(i),
                  isWhole(i));
  // Branches behind everything else, which is one block then.
  for (int64_t i = 0; i < registers; i += run)
    if (Value cut = isBehind(i) ? Value() : isCut(i))
      code.when(cut, [&] { storeElements(i, value); });
}

void SlidRows::storeWords(int64_t i, Value value) {
  Value whole = isWhole(i), isApart = code.both(isOdd, whole),
        isTogether = code.both(code.negated(isOdd), whole);
  int64_t count = run * memory.elementBytes / wordBytes;
  Value own =
      LLVM::BitcastOp::create(code, VectorType::get(count, code.getI32Type()),
                              code.getRegisters(value, i, run));
  Value order =
      LLVM::SelectOp::create(code, isOdd, code.i32(0x5432), code.i32(0x3210));
  Value place = address(i), shifted = code.advance(place, behind);
  auto storeWord = [&](Value word, Value at, int64_t k, Value predicate) {
    storeGlobal(code, code.fromRegisters(word), code.advance(at, k * wordBytes),
                predicate);
  };
  for (int64_t k : llvm::seq(count - 1))
    storeWord(
        permuted(code.getRegister(own, k), code.getRegister(own, k + 1), order),
        shifted, k, whole);
  storeWord(code.getRegister(own, count - 1), place, count - 1, isTogether);
  for (int64_t k : {int64_t(0), run - 1})
    storeGlobal(code, code.getRegisters(value, i + k, 1),
                code.advance(place, k * memory.elementBytes), isApart);
}

/// No branches: each side of one is as few blocks as can be.
void SlidRows::storeOthers(Value value) {
  bool hasPairs = splitWords();
  for (int64_t i = 0; i < registers; i += run) {
    if (isBehind(i))
      continue;
    Value whole = isWhole(i);
    if (hasPairs)
      storeWords(i, value);
    if (!hasPairs || whole)
      storeElements(i, value, hasPairs ? code.negated(whole) : Value());
  }
}

void SlidRows::store(Value value) {
  if (isKnownAligned())
    return storeAccesses(value);
  code.when(
      isAligned(), [&] { storeAccesses(value); }, [&] { storeOthers(value); });
}

Value loadSlidRows(ThreadCode &code, RankedTensorType tile,
                   const GlobalTile &memory, const SlidPlaces &places,
                   bool lasting) {
  return SlidRows(code, tile, memory, places).load(lasting);
}

void storeSlidRows(ThreadCode &code, RankedTensorType tile,
                   const GlobalTile &memory, const SlidPlaces &places,
                   Value value) {
  SlidRows(code, tile, memory, places).store(value);
}

} // namespace mlir::smx
