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
  LargestOfRow(ThreadCode &code, const LargestPlan &plan, Value row,
               Value firstScratch, Value tile)
      : code(code), plan(plan), row(row), firstScratch(firstScratch),
        tile(tile), scratch(code.advance(
                        firstScratch, code.mul(row, code.i32(plan.bytes())))),
        inRow(code.remainder(code.thread(), plan.threads)) {}

  /// `firstColumn` is of register 0.
  void find(Value firstColumn);
  /// What was found, as a candidate.
  Value result(Value rank);
  /// That of a column of ranks that the thread has, the last behind all.
  Value rankOfThread(int64_t first);

private:
  Value maximum();
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
  Value isFirstOfRow() {
    return compare(LLVM::ICmpPredicate::eq, inRow, code.i32(0));
  }
  /// The threads of a row meet.
  void meet() {
    if (plan.warps() > 1)
      return code.groupBarrier();
    NVVM::SyncWarpOp::create(code, code.i32(-1));
  }
  Value maximumOfWords(Value a, Value b) {
    return LLVM::UMaxOp::create(code, a, b);
  }

  Value ballot(Value condition) {
    return NVVM::VoteSyncOp::create(code, code.getI32Type(), code.i32(-1),
                                    condition, NVVM::VoteSyncKind::ballot);
  }
  Value countOf(Value lanes) { return LLVM::CtPopOp::create(code, lanes); }
  Value fitsList(Value listed) {
    return compare(LLVM::ICmpPredicate::sle, listed,
                   code.i32(plan.candidates()));
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
  Value kthOf(ArrayRef<Value> orders);
  void handIn(Value order, Value bound, Value firstColumn);
  Value handedIn(Value slot, Value number);
  Value columnOfHandedIn(Value slot, Value number);
  Value list(Value slots, Value bound);
  void rank(Value listed);
  void searchList(Value bound);
  Value mostListed();
  void searchAll();

  ThreadCode &code;
  const LargestPlan &plan;
  Value row, firstScratch, tile;
  Value scratch, inRow;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LARGESTOFROW_H
