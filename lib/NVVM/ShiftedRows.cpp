//===- ShiftedRows.cpp - rows that start at any address -------------------===//

#include "ShiftedRows.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;
using ::smx::gpu::wordBytes;

static constexpr int64_t pieceBytes = ::smx::gpu::accessBytes,
                         pieceWords = pieceBytes / wordBytes;

bool isShiftedRow(RankedTensorType tile, const GlobalTile &memory) {
  auto striped = dyn_cast_or_null<gpu::StripedAttr>(gpu::getLayout(tile));
  return striped && tile.getDimSize(0) == 1 && striped.getRowThreads() == 1 &&
         striped.getColumnThreads() % warpThreads == 0 && memory.contiguous() &&
         memory.aligned < pieceBytes && memory.elementBytes >= 2 &&
         striped.getVector() * memory.elementBytes == pieceBytes &&
         !tile.getElementType().isIndex();
}

namespace {
/// The part of a row that one thread moves, in pieces of 16 bytes: piece `i` is
/// that in which the thread's vector `i` starts.
class ShiftedRow {
public:
  ShiftedRow(ThreadCode &code, RankedTensorType tile, const GlobalTile &memory);

  Value load();
  void store(Value value);

private:
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::ICmpOp::create(code, predicate, a, b);
  }
  Value either(Value a, Value b) { return LLVM::OrOp::create(code, a, b); }
  Value select(Value condition, Value a, Value b) {
    return LLVM::SelectOp::create(code, condition, a, b);
  }
  /// i32: bytes from the row's start to the thread's vector `i`.
  Value bytesBefore(int64_t i) {
    return code.add(before, code.i32(i * stripe));
  }
  /// i1: piece `i + next` ends before the row does.
  Value isInside(int64_t i, int64_t next) {
    Value end = code.add(bytesBefore(i), code.i32((next + 1) * pieceBytes));
    return compare(LLVM::ICmpPredicate::sle, end, shiftedBytes);
  }
  /// i1: element `k` of the thread's vector `i` is one of the row.
  Value isOfRow(int64_t i, int64_t k) {
    Value end = code.add(bytesBefore(i), code.i32((k + 1) * bytes));
    return compare(LLVM::ICmpPredicate::sle, end, rowBytes);
  }
  /// Four words from byte `shift` on of the words, or those that lie `shift`
  /// bytes before them.
  SmallVector<Value> shifted(ArrayRef<Value> words, Value is8, Value is4,
                             Value order);
  Value fromWords(ArrayRef<Value> words) {
    return LLVM::BitcastOp::create(code, vector, code.fromRegisters(words));
  }
  SmallVector<Value> wordsOf(Value piece) {
    return llvm::map_to_vector(llvm::seq(pieceWords), [&](int64_t k) {
      return code.getRegister(piece, k);
    });
  }

  ThreadCode &code;
  int64_t bytes, elements, vectors, stripe;
  VectorType vector, words;
  /// i32: how far the row starts behind a multiple of 16 bytes, the bytes of
  /// the row, both together, and bytes from its start to the thread's part.
  Value shift, rowBytes, shiftedBytes, before;
  /// The thread's element 0, and piece 0.
  Value element, piece;
  Value isShifted;
};
} // namespace

ShiftedRow::ShiftedRow(ThreadCode &code, RankedTensorType tile,
                       const GlobalTile &memory)
    : code(code), bytes(memory.elementBytes), elements(pieceBytes / bytes),
      vectors(gpu::getRegisterCount(tile) / elements),
      vector(VectorType::get(elements, registerElement(tile.getElementType()))),
      words(VectorType::get(pieceWords, code.getI32Type())) {
  int64_t columns = tile.getDimSize(1);
  stripe = cast<gpu::StripedAttr>(gpu::getLayout(tile)).getColumnThreads() *
           pieceBytes;
  Value row = memory.start(code);
  Value address = LLVM::PtrToIntOp::create(code, code.getI64Type(), row);
  shift = code.remainder(
      LLVM::TruncOp::create(code, code.getI32Type(), address), pieceBytes);
  isShifted = compare(LLVM::ICmpPredicate::ne, shift, code.i32(0));
  Value valid = memory.dims[1].valid ? memory.dims[1].valid : code.i32(columns);
  if (Value rows = memory.dims[0].valid)
    valid = select(compare(LLVM::ICmpPredicate::sgt, rows, code.i32(0)), valid,
                   code.i32(0));
  rowBytes = code.mul(valid, code.i32(bytes));
  shiftedBytes = code.add(rowBytes, shift);
  before = code.mul(code.thread(), code.i32(pieceBytes));
  element = code.advance(row, before);
  piece = code.advance(element, LLVM::SubOp::create(code, code.i32(0), shift));
}

SmallVector<Value> ShiftedRow::shifted(ArrayRef<Value> words, Value is8,
                                       Value is4, Value order) {
  SmallVector<Value> all(words);
  for (auto [steps, isIt] : {std::pair<size_t, Value>(2, is8), {1, is4}}) {
    SmallVector<Value> next;
    for (size_t k = 0; k + steps < all.size(); ++k)
      next.push_back(select(isIt, all[k + steps], all[k]));
    all = next;
  }
  SmallVector<Value> result;
  for (int64_t k : llvm::seq(pieceWords))
    result.push_back(bytes >= wordBytes
                         ? all[k]
                         : Value(NVVM::PermuteOp::create(
                               code, code.getI32Type(), all[k], all[k + 1],
                               order, NVVM::PermuteMode::DEFAULT)));
  return result;
}

/// Which bytes of two words come behind the first `shift % 4`.
static Value byteOrder(ThreadCode &code, Value shift) {
  Value odd = code.remainder(shift, wordBytes);
  return code.add(code.mul(odd, code.i32(0x1111)), code.i32(0x3210));
}

static Value hasBit(ThreadCode &code, Value value, int64_t bit) {
  Value masked = LLVM::AndOp::create(code, value, code.i32(bit));
  return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ne, masked,
                              code.i32(0));
}

Value ShiftedRow::load() {
  // All pieces first. Those that follow them are on their way by then, as
  // pieces of the neighbours, and take registers one after the other.
  SmallVector<Value> low, whole;
  for (int64_t i : llvm::seq(vectors)) {
    Value isWhole = select(isShifted, isInside(i, 1), isInside(i, 0));
    whole.push_back(isWhole);
    low.push_back(
        loadGlobal(code, code.advance(piece, i * stripe), words, isWhole));
  }
  Value is8 = hasBit(code, shift, 8), is4 = hasBit(code, shift, 4),
        order = byteOrder(code, shift);
  SmallVector<Value> result;
  for (int64_t i : llvm::seq(vectors)) {
    SmallVector<Value> all = wordsOf(low[i]);
    all.append(
        wordsOf(loadGlobal(code, code.advance(piece, i * stripe + pieceBytes),
                           words, code.both(whole[i], isShifted))));
    Value moved = fromWords(shifted(all, is8, is4, order));
    Value isEdge = code.both(isOfRow(i, 0), code.negated(whole[i]));
    result.push_back(code.choose(
        vector, isEdge,
        [&] {
          auto one = VectorType::get(1, vector.getElementType());
          SmallVector<Value> values;
          for (int64_t k : llvm::seq(elements))
            values.push_back(
                loadGlobal(code, code.advance(element, i * stripe + k * bytes),
                           one, isOfRow(i, k)));
          return code.fromVectors(values);
        },
        [&] { return moved; }));
  }
  return code.fromVectors(result);
}

void ShiftedRow::store(Value value) {
  constexpr int64_t allLanes = -1;
  // The words of the lane before, then the own ones: the piece starts 16 -
  // shift bytes into them.
  Value start = LLVM::SubOp::create(code, code.i32(pieceBytes), shift);
  Value is8 = hasBit(code, start, 8), is4 = hasBit(code, start, 4),
        order = byteOrder(code, start), lane = code.lane();
  Value isFirst = code.both(
            isShifted, compare(LLVM::ICmpPredicate::eq, lane, code.i32(0))),
        isLast =
            compare(LLVM::ICmpPredicate::eq, lane, code.i32(warpThreads - 1));
  for (int64_t i : llvm::seq(vectors)) {
    Value own = code.getRegisters(value, i * elements, elements);
    SmallVector<Value> mine =
        wordsOf(LLVM::BitcastOp::create(code, words, own));
    SmallVector<Value> all;
    for (Value word : mine)
      all.push_back(NVVM::ShflOp::create(
          code, code.getI32Type(), code.i32(allLanes), word, code.i32(1),
          code.i32(0), NVVM::ShflKind::up, UnitAttr()));
    all.append(mine);
    SmallVector<Value> moved = shifted(all, is8, is4, order);
    // Not shifted, all 16 bytes are the thread's own.
    for (auto [k, word] : llvm::enumerate(moved))
      word = select(isShifted, word, mine[k]);
    Value inside = code.both(isInside(i, 0), code.negated(isFirst)),
          nextInside = code.both(isInside(i, 1), code.negated(isLast));
    storeGlobal(code, code.fromRegisters(moved),
                code.advance(piece, i * stripe), inside);
    // Elements of the piece, and those of the next one, where it is not stored.
    Value hasEdge = either(code.negated(inside),
                           code.both(isShifted, code.negated(nextInside)));
    code.when(hasEdge, [&] {
      for (int64_t k : llvm::seq(elements)) {
        Value isOfPiece =
            compare(LLVM::ICmpPredicate::slt, code.i32(k * bytes), start);
        Value isLeft =
            select(isOfPiece, code.negated(inside), code.negated(nextInside));
        storeGlobal(code, code.getRegisters(own, k, 1),
                    code.advance(element, i * stripe + k * bytes),
                    code.both(isLeft, isOfRow(i, k)));
      }
    });
  }
}

Value loadShiftedRow(ThreadCode &code, RankedTensorType tile,
                     const GlobalTile &memory) {
  return ShiftedRow(code, tile, memory).load();
}

void storeShiftedRow(ThreadCode &code, RankedTensorType tile,
                     const GlobalTile &memory, Value value) {
  ShiftedRow(code, tile, memory).store(value);
}

} // namespace mlir::smx
