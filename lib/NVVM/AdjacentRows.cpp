//===- AdjacentRows.cpp - rows that are one piece of memory ---------------===//

#include "AdjacentRows.h"

#include "ThreadAddresses.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {

using ::smx::gpu::accessBytes;

/// Accesses that the piece of a tile has a part of, at most.
static int64_t countAccesses(int64_t bytes) {
  return llvm::divideCeil(bytes + accessBytes - 1, accessBytes);
}

static int64_t bytesOf(RankedTensorType tile, int64_t columns) {
  return tile.getDimSize(0) * columns * elementBytes(tile.getElementType());
}

template <typename OpTy>
static int64_t scratchBytesOf(OpTy op) {
  if (!op.getAdjacent())
    return 0;
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  int64_t columns = op.getAdjacentColumns();
  // A thread may look beyond the end of the last row.
  return countAccesses(bytesOf(tile, columns)) * accessBytes +
         tile.getDimSize(1) * elementBytes(tile.getElementType());
}

int64_t adjacentScratchBytes(Operation *op) {
  if (auto load = dyn_cast<gpu::LoadOp>(op))
    return scratchBytesOf(load);
  if (auto store = dyn_cast<gpu::StoreOp>(op))
    return scratchBytesOf(store);
  return 0;
}

AdjacentTile::AdjacentTile(ThreadCode &code, RankedTensorType tile,
                           const GlobalTile &memory, int64_t columns,
                           Value scratch)
    : code(code), tile(tile), memory(memory), columns(columns),
      elementBytes(memory.elementBytes),
      one(VectorType::get(1, memory.elementType)),
      access(VectorType::get(accessBytes / elementBytes, memory.elementType)),
      start(memory.start(code)), shared(scratch), first(code.threadPart(tile)) {
  Value bits = LLVM::PtrToIntOp::create(code, code.getI64Type(), start);
  phase = code.remainder(LLVM::TruncOp::create(code, code.getI32Type(), bits),
                         accessBytes);
  Value behind = LLVM::ZExtOp::create(code, code.getI64Type(), phase);
  global = code.advance(start, LLVM::SubOp::create(code, code.i64(0), behind));
  const GlobalDim &rows = memory.dims[0];
  validRows = rows.valid ? rows.valid : code.i32(tile.getDimSize(0));
  end = code.add(phase, code.mul(validRows, code.i32(columns * elementBytes)));
  if (!rows.constantStride)
    isPiece = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, rows.stride,
                                   code.i64(columns));
}

void AdjacentTile::forEachAccess(Bytes move) {
  int64_t threads = code.team.groupThreads(),
          count = countAccesses(bytesOf(tile, columns));
  // Of the thread's first access: bytes from its last one to the end.
  Value firstPlace = code.mul(code.thread(), code.i32(accessBytes));
  Value left = LLVM::SubOp::create(
      code, end, code.add(firstPlace, code.i32(accessBytes - 1)));
  for (int64_t i = 0; i < count; i += threads) {
    Value number = code.add(code.thread(), code.i32(i));
    Value place = code.mul(number, code.i32(accessBytes));
    Value isBehind =
        i == 0
            ? LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::sge, place, phase)
                  .getResult()
            : Value();
    bool isInside = !memory.dims[0].valid &&
                    (i + threads) * accessBytes <= bytesOf(tile, columns);
    Value isWhole = code.both(
        isBehind,
        isInside ? Value() : code.less(code.i32(i * accessBytes), left));
    auto moveOne = [&] { move(place, isWhole); };
    if (i + threads > count)
      code.when(code.less(number, code.i32(count)), moveOne);
    else
      moveOne();
  }
}

void AdjacentTile::forEachEnd(Bytes move) {
  // A thread for each element of the first access, and of the last.
  int64_t elements = accessBytes / elementBytes;
  Value thread = code.thread();
  Value isOfFirst = code.less(thread, code.i32(elements));
  Value lastAccess =
      LLVM::AndOp::create(code, end, code.i32(-accessBytes)).getResult();
  Value at = LLVM::SelectOp::create(code, isOfFirst, code.i32(0), lastAccess);
  Value cut = LLVM::SelectOp::create(code, isOfFirst, phase,
                                     code.remainder(end, accessBytes));
  Value isCut =
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ne, cut, code.i32(0));
  Value isOfEnds = code.less(thread, code.i32(2 * elements));
  code.when(code.both(isOfEnds, isCut), [&] {
    Value place = code.add(
        at, code.mul(code.remainder(thread, elements), code.i32(elementBytes)));
    Value isBehind =
        LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::sge, place, phase);
    move(place, code.both(isBehind, code.less(place, end)));
  });
}

void AdjacentTile::forEachElement(
    llvm::function_ref<std::function<void()>(Element)> move) {
  constexpr int64_t batch = 8;
  int64_t threads = code.team.groupThreads(),
          count = tile.getDimSize(0) * columns;
  int64_t rounds = llvm::divideCeil(count, threads * batch);
  code.repeat(rounds, code.thread(), [&](Value, Value number) {
    SmallVector<std::function<void()>> rest;
    for (int64_t i = 0; i < batch; ++i) {
      Value element = code.add(number, code.i32(i * threads));
      Value row = code.quotient(element, columns),
            column = code.remainder(element, columns);
      Value isValid = code.less(row, validRows);
      Value from = code.advance(start, byteOffset(code, memory, 0, row, 0));
      from = code.advance(from, byteOffset(code, memory, 1, column, 0));
      Value isInTile = code.less(element, code.i32(count));
      Value inPiece = LLVM::SelectOp::create(
          code, isInTile, code.mul(element, code.i32(elementBytes)),
          code.i32(0));
      rest.push_back(move({code.add(phase, inPiece), from, isInTile,
                           code.both(isInTile, isValid)}));
    }
    for (const std::function<void()> &step : rest)
      step();
    return code.add(number, code.i32(batch * threads));
  });
}

void AdjacentTile::asPieceOr(llvm::function_ref<void()> ofPiece,
                             llvm::function_ref<void()> ofElements) {
  if (!isPiece)
    return memory.dims[0].constantStride == columns ? ofPiece() : ofElements();
  code.when(isPiece, ofPiece);
  code.when(code.negated(isPiece), ofElements);
}

void AdjacentTile::fetch() {
  auto ofPiece = [&] {
    // What is cut is left to others.
    forEachAccess([&](Value place, Value isWhole) {
      auto copy = [&] {
        NVVM::CpAsyncOp::create(code, code.advance(shared, place),
                                code.advance(global, place), accessBytes,
                                NVVM::LoadCacheModifierKind::CG, Value());
      };
      isWhole ? code.when(isWhole, copy) : copy();
    });
    clearRest();
    forEachEnd([&](Value place, Value isValid) {
      storeShared(code,
                  loadGlobal(code, code.advance(global, place), one, isValid),
                  code.advance(shared, place));
    });
  };
  auto ofElements = [&] {
    forEachElement([&](Element at) {
      Value element = loadGlobal(code, at.global, one, at.isValid);
      return [this, at, element] {
        code.when(at.isInTile, [&] {
          storeShared(code, element, code.advance(shared, at.place));
        });
      };
    });
  };
  asPieceOr(ofPiece, ofElements);
}

void AdjacentTile::clearRest() {
  if (!memory.dims[0].valid)
    return;
  Value isCut = code.less(validRows, code.i32(tile.getDimSize(0)));
  code.when(isCut, [&] {
    int64_t threads = code.team.groupThreads(),
            count = countAccesses(bytesOf(tile, columns));
    Value start = code.mul(code.thread(), code.i32(accessBytes));
    code.repeat(code.i32(llvm::divideCeil(count, threads)), start,
                [&](Value, Value place) {
                  Value isBeyond = LLVM::ICmpOp::create(
                      code, LLVM::ICmpPredicate::sge, place, end);
                  Value isInside =
                      code.less(place, code.i32(count * accessBytes));
                  code.when(code.both(isBeyond, isInside), [&] {
                    storeShared(code, LLVM::ZeroOp::create(code, access),
                                code.advance(shared, place));
                  });
                  return code.add(place, code.i32(threads * accessBytes));
                });
  });
}

Value AdjacentTile::address(int64_t i) {
  ::smx::gpu::Coordinate at = gpu::getElement(tile, 0, i);
  Value element =
      code.add(code.mul(first.row, code.i32(columns)), first.column);
  Value place = code.add(phase, code.mul(element, code.i32(elementBytes)));
  return code.advance(code.advance(shared, place),
                      (at.row * columns + at.column) * elementBytes);
}

Value AdjacentTile::isOutside(int64_t i) {
  auto striped = cast<gpu::StripedAttr>(gpu::getLayout(tile));
  int64_t column = gpu::getElement(tile, 0, i).column;
  if (column + (striped.getColumnThreads() - 1) * striped.getVector() < columns)
    return {};
  return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::sge,
                              code.add(first.column, code.i32(column)),
                              code.i32(columns));
}

Value AdjacentTile::read(bool unordered) {
  return unordered && hasWords() ? readWords() : readElements();
}

Value AdjacentTile::readElements() {
  SmallVector<Value> elements;
  Value zero = LLVM::ZeroOp::create(code, one);
  for (int64_t i = 0, e = gpu::getRegisterCount(tile); i < e; ++i) {
    Value element = loadShared(code, one, address(i));
    if (Value outside = isOutside(i))
      element = LLVM::SelectOp::create(code, outside, zero, element);
    elements.push_back(element);
  }
  return code.fromVectors(elements);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

bool AdjacentTile::hasWords() const {
  auto striped = cast<gpu::StripedAttr>(gpu::getLayout(tile));
  return elementBytes * 2 == ::smx::gpu::wordBytes &&
         striped.getVector() % 2 == 0;
}

Value AdjacentTile::wordFrom(int64_t i, Value start) {
  auto word = VectorType::get(2, memory.elementType);
  int64_t column = gpu::getElement(tile, 0, i).column;
  Value own = code.add(start, code.mul(first.column, code.i32(elementBytes)));
  Value place = code.advance(
      shared, LLVM::AndOp::create(code, own, code.i32(-::smx::gpu::wordBytes)));
  Value pair =
      loadShared(code, word, code.advance(place, column * elementBytes));
  if (column != 0)
    return pair;
  // The row's own first place, of one lane.
  auto is = [&](LLVM::ICmpPredicate predicate, Value value) {
    return LLVM::ICmpOp::create(code, predicate, value, code.i32(0));
  };
  Value within = LLVM::AndOp::create(
      code, start, code.i32(::smx::gpu::wordBytes - elementBytes));
  Value isLast = code.both(is(LLVM::ICmpPredicate::ne, within),
                           is(LLVM::ICmpPredicate::eq, first.column));
  Value last = code.advance(
      shared, code.add(start, code.i32((columns - 1) * elementBytes)));
  Value from = LLVM::SelectOp::create(code, isLast, last, place);
  return code.fromVectors(
      {loadShared(code, one, from), code.getRegisters(pair, 1, 1)});
}

void AdjacentTile::appendValid(int64_t i, Value pair,
                               SmallVectorImpl<Value> &elements) {
  // Both are beyond the end, or neither, unless the last column is the first of
  // some lane's word.
  auto striped = cast<gpu::StripedAttr>(gpu::getLayout(tile));
  int64_t vector = striped.getVector(),
          before = columns - 1 - gpu::getElement(tile, 0, i).column;
  bool isSplit = before >= 0 && before % vector == 0 &&
                 before / vector < striped.getColumnThreads();
  if (Value outside = isSplit ? Value() : isOutside(i)) {
    Value bits = LLVM::BitcastOp::create(code, code.getI32Type(), pair);
    bits = LLVM::SelectOp::create(code, outside, code.i32(0), bits);
    pair = LLVM::BitcastOp::create(code, pair.getType(), bits);
  }
  for (int64_t k : {0, 1}) {
    Value element = code.getRegisters(pair, k, 1);
    if (Value outside = isSplit ? isOutside(i + k) : Value())
      element = LLVM::SelectOp::create(
          code, outside, LLVM::ZeroOp::create(code, one), element);
    elements.push_back(element);
  }
}

Value AdjacentTile::readWords() {
  SmallVector<Value> elements;
  for (int64_t i = 0, e = gpu::getRegisterCount(tile); i < e; i += 2) {
    ::smx::gpu::Coordinate at = gpu::getElement(tile, 0, i);
    if (at.column >= columns) {
      elements.append(2, LLVM::ZeroOp::create(code, one));
      continue;
    }
    Value row = code.add(first.row, code.i32(at.row));
    Value start =
        code.add(phase, code.mul(row, code.i32(columns * elementBytes)));
    appendValid(i, wordFrom(i, start), elements);
  }
  return code.fromVectors(elements);
}

void AdjacentTile::store(Value value) {
  auto write = [&] {
    for (int64_t i = 0, e = gpu::getRegisterCount(tile); i < e; ++i) {
      auto writeOne = [&] {
        storeShared(code, code.getRegisters(value, i, 1), address(i));
      };
      if (Value outside = isOutside(i))
        code.when(code.negated(outside), writeOne);
      else
        writeOne();
    }
  };
  if (Value owner = code.isOwner(tile))
    code.when(owner, write);
  else
    write();
  code.teamBarrier();
  auto ofPiece = [&] {
    forEachAccess([&](Value place, Value isWhole) {
      Value bytes = loadShared(code, access, code.advance(shared, place));
      storeGlobal(code, bytes, code.advance(global, place), isWhole);
    });
    forEachEnd([&](Value place, Value isValid) {
      storeGlobal(code, loadShared(code, one, code.advance(shared, place)),
                  code.advance(global, place), isValid);
    });
  };
  auto ofElements = [&] {
    forEachElement([&](Element at) {
      Value element = loadShared(code, one, code.advance(shared, at.place));
      return [this, at, element] {
        storeGlobal(code, element, at.global, at.isValid);
      };
    });
  };
  asPieceOr(ofPiece, ofElements);
}

void KernelPlan::addAdjacentLoads(gpu::KernelOp kernel) {
  SmallVector<gpu::LoadOp, 2> *group = nullptr;
  for (Operation &op : kernel.getBody().front()) {
    auto load = dyn_cast<gpu::LoadOp>(op);
    if (!load || !load.getAdjacent()) {
      group = nullptr;
      continue;
    }
    if (!group)
      group = &adjacentLoads[load];
    group->push_back(load);
  }
}

} // namespace mlir::smx
