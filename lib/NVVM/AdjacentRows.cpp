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
  for (int64_t i = 0; i < count; i += threads) {
    Value number = code.add(code.thread(), code.i32(i));
    Value place = code.mul(number, code.i32(accessBytes));
    Value isBehind =
        i == 0
            ? LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::sge, place, phase)
                  .getResult()
            : Value();
    Value last = code.add(place, code.i32(accessBytes - 1));
    Value isWhole = code.both(isBehind, code.less(last, end));
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
    forEachAccess([&](Value place, Value isWhole) {
      // What is cut is left to others, and what is behind the end is 0.
      Value isBeyond =
          LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::sge, place, end);
      Value bytes = LLVM::SelectOp::create(code, isWhole, code.i32(accessBytes),
                                           code.i32(0));
      code.when(LLVM::OrOp::create(code, isWhole, isBeyond), [&] {
        NVVM::CpAsyncOp::create(code, code.advance(shared, place),
                                code.advance(global, place), accessBytes,
                                NVVM::LoadCacheModifierKind::CG, bytes);
      });
    });
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

Value AdjacentTile::read() {
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
