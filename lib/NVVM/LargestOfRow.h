//===- LargestOfRow.h - code for the largest elements of a row --*- C++ -*-===//
#ifndef SMX_LIB_NVVM_LARGESTOFROW_H
#define SMX_LIB_NVVM_LARGESTOFROW_H

#include "Largest.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

/// Code for one row of a thread.
class LargestOfRow {
public:
  /// A row in memory.
  struct Memory {
    /// Where it starts; null of other rows.
    Value start;
    /// i32: how many elements of it are there, where that are not all.
    Value valid;
    /// Of each thread, i32: the column where the round of its maximum starts;
    /// and what no number of another round is above. Null if that is not known.
    Value round, second;
  };

  LargestOfRow(ThreadCode &code, const LargestPlan &plan, Value row,
               Value firstScratch, Value tile, Memory memory)
      : code(code), plan(plan), row(row), firstScratch(firstScratch),
        tile(tile), memory(memory.start), valid(memory.valid),
        round(memory.round), second(memory.second),
        scratch(
            code.advance(firstScratch, code.mul(row, code.i32(plan.bytes())))),
        inRow(code.remainder(code.thread(), plan.threads)) {}

  /// `firstColumn` is of register 0. With `meetsBefore` what used the scratch
  /// before may not be over. With `isForFirstWarp` only the threads of the
  /// first warp have the results.
  void find(Value firstColumn, bool meetsBefore, bool isForFirstWarp);
  /// What was found, as a candidate.
  Value result(Value rank, bool isForFirstWarp);
  /// That of a column of ranks that the thread has, the last behind all.
  Value rankOfThread(int64_t first);

private:
  Value maximumOf(Value registers);
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::ICmpOp::create(code, predicate, a, b);
  }
  Value at(int64_t offset, Value number, int64_t bytes) {
    return code.advance(code.advance(scratch, offset),
                        code.mul(number, code.i32(bytes)));
  }
  Value load(Type type, Value address) {
    return LLVM::LoadOp::create(code, type, address,
                                type.getIntOrFloatBitWidth() / 8);
  }
  void store(Value value, Value address) {
    LLVM::StoreOp::create(code, value, address,
                          value.getType().getIntOrFloatBitWidth() / 8);
  }
  Value loadWord(int64_t offset) {
    return load(code.getI32Type(), code.advance(scratch, offset));
  }
  Value isOfFirstWarp() {
    return code.less(inRow, code.i32(::smx::gpu::warpThreads));
  }
  Value isFirstOfRow() {
    return compare(LLVM::ICmpPredicate::eq, inRow, code.i32(0));
  }
  /// Threads have columns behind a row in memory that is cut.
  Value isInRow(Value column) {
    return code.less(column, valid ? valid : code.i32(plan.extent));
  }
  /// Where the last `count` elements of the row start.
  Value startOfLast(int64_t count) {
    return valid ? code.add(valid, code.i32(-count))
                 : code.i32(plan.extent - count);
  }
  /// The threads of a row meet.
  void meet() {
    if (plan.warps() > 1)
      return code.groupBarrier();
    code.warpBarrier();
  }
  Value maximumOfWords(Value a, Value b) {
    return LLVM::UMaxOp::create(code, a, b);
  }

  Value slotOf(Value slot) {
    return at(plan.firstSlot(), slot, plan.slotBytes());
  }
  /// `body` takes the number of the round, and the value of the one before.
  Value loop(Value first, Value end, Value step, Value start,
             llvm::function_ref<Value(Value number, Value value)> body) {
    auto rounds = scf::ForOp::create(code, first, end, step, start);
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(rounds.getBody());
    scf::YieldOp::create(
        code, body(rounds.getInductionVar(), rounds.getRegionIterArg(0)));
    return rounds.getResult(0);
  }

  Value boundOf(Value order);
  Value kthOf(Value mine, int64_t lanes);
  Value sumOfLanes(Value number, int64_t lanes);
  void handIn(Value condition, Value firstColumn);
  void handInRuns(Value slot);
  Value handInAll(Value order, Value bound, Value firstColumn);
  Value boundOfEqual(Value mine);
  Value endOfFirstRun(Value order, Value firstColumn);
  Value mostOf(int64_t offset);
  Value columnOfHandedIn(Value slot, Value number);
  Value slotsTaken();
  Value readRun(Value column, int64_t count, Value predicate = {});
  Value read(Value slot, Value number, int64_t count);
  void clearList();
  void list(Value bound);
  void listOfMemory(Value bound, Value least);
  Value mayReach(Value element, Value least);
  Value withBit(Value word, int64_t i, Value isSet);
  Value elementOfRun(Value run, Value i);
  void listRun(Value slot, Value number, Value bound, Value least);
  void listIfReaching(Value bound, Value candidate);
  Value nextOf(int64_t offset);
  void rank(Value first, int64_t threads);
  Value rounds(llvm::function_ref<Value(Value before)> mineBelow);
  void searchAll();

  ThreadCode &code;
  const LargestPlan &plan;
  Value row, firstScratch, tile, memory, valid, round, second;
  Value scratch, inRow;
  /// The orders of the thread's maximum and of the bound.
  Value mostOfThread, leastOfRow;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LARGESTOFROW_H
