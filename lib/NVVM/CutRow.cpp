//===- CutRow.cpp - the largest elements of a row, by cut keys ------------===//

#include "CutRow.h"

#include "Candidates.h"
#include "WarpExchange.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

int64_t CutRow::bytesOf(RankedTensorType tile) {
  constexpr int64_t banks = 32;
  auto layout = cast<gpu::StripedAttr>(gpu::getLayout(tile));
  int64_t columns = tile.getDimSize(1),
          ofLanes = layout.getColumnThreads() * layout.getVector();
  int64_t behind = (ofLanes + llvm::alignTo(columns, banks) - columns) % banks;
  return (columns + behind) * elementBytes;
}

void CutRow::store(Value registers) {
  for (size_t i = 0; i < columns.size(); i += together())
    LLVM::StoreOp::create(code, code.getRegisters(registers, i, together()),
                          at(columns[i]), together() * elementBytes);
}

/// The registers that a lane has stored.
Value CutRow::load() {
  auto type = VectorType::get(together(), code.getF32Type());
  SmallVector<Value> vectors;
  for (size_t i = 0; i < columns.size(); i += together())
    vectors.push_back(LLVM::LoadOp::create(code, type, at(columns[i]),
                                           together() * elementBytes));
  return code.fromVectors(vectors);
}

Value CutRow::elementOf(Value key) {
  Value column =
      LLVM::TruncOp::create(code, code.getI32Type(), keys.columnOf(key));
  return LLVM::LoadOp::create(code, code.getF32Type(), at(column),
                              elementBytes);
}

/// So many that few rows have what is behind the last result, or even a result,
/// in a lane that does not list it: nothing makes a list again.
int64_t CutRow::places() const {
  constexpr int64_t someLanes = 4;
  bool isShared = lanes() >= someLanes && count == LanesOfRow::mostPlaces;
  int64_t listed = LanesOfRow::placesFor(count, columns.size(), lanes());
  return std::min(isShared ? count : count + 1, listed + 1);
}

/// i1: elements that count agree in their upper bits, or may do so.
Value CutRow::areClose(const LanesOfRow &row, const LanesOfRow::Ranks &ranks) {
  SmallVector<Value> close = {keys.haveOneOrder(ranks.next, ranks.keys.back())};
  if (!row.listsAll())
    close.push_back(isNone(ranks.next));
  for (int64_t rank = 1; rank < count; ++rank)
    close.push_back(keys.haveOneOrder(ranks.keys[rank - 1], ranks.keys[rank]));
  return isAnyOfWarp(code, close);
}

/// i1: a result is less than the next one, or than an element that is none.
Value CutRow::areOutOfOrder(const LanesOfRow &row,
                            const LanesOfRow::Ranks &ranks) {
  SmallVector<Value> wrong;
  // Results may not be listed.
  if (row.isCut())
    wrong.push_back(isNone(ranks.next));
  Value least;
  for (Value key : ranks.keys) {
    Value order = orderOf(code, elementOf(key));
    if (least)
      wrong.push_back(isLess(least, order));
    least = order;
  }
  Value registers = load();
  for (auto [i, key] : llvm::enumerate(keys.of(registers, columns))) {
    Value order = orderOf(code, code.getRegister(registers, i));
    wrong.push_back(
        code.both(isLess(key, ranks.keys.back()), isLess(least, order)));
  }
  return isAnyOfWarp(code, wrong);
}

LargestOfRowInLanes CutRow::find(Value registers, int64_t results,
                                 bool inLanes) {
  LanesOfRow row = lanesBy(keys, registers, places());
  LanesOfRow::Ranks ranks = row.findAll();
  Type flag = code.getI1Type();
  Value isWrong = code.choose(
      flag, areClose(row, ranks), [&] { return areOutOfOrder(row, ranks); },
      [&] { return LLVM::ConstantOp::create(code, flag, 0); });
  SmallVector<Type> types(results, code.getF32Type());
  types.append(results, code.getI64Type());
  auto branch = scf::IfOp::create(code, types, isWrong,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(branch.thenBlock());
    // Hardly any row comes here: the code is short.
    constexpr int64_t fewPlaces = 2;
    LaneKeys whole(code, tile);
    SmallVector<Value> given, columns;
    for (Value key : lanesBy(whole, load(), fewPlaces).find(results, inLanes)) {
      given.push_back(whole.elementOf(key));
      columns.push_back(whole.columnOf(key));
    }
    given.append(columns);
    scf::YieldOp::create(code, given);

    code.setInsertionPointToStart(branch.elseBlock());
    given.clear();
    columns.clear();
    for (Value key : inLanes ? row.ofLane(ranks.keys, results) : ranks.keys) {
      given.push_back(elementOf(key));
      columns.push_back(keys.columnOf(key));
    }
    given.append(columns);
    scf::YieldOp::create(code, given);
  }
  return {SmallVector<Value>(branch.getResults().take_front(results)),
          SmallVector<Value>(branch.getResults().drop_front(results))};
}

} // namespace mlir::smx
