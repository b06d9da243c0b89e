//===- BodyProgram.h - the body of a loop, looked up once -------*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_BODYPROGRAM_H
#define SMX_LIB_EVALUATOR_BODYPROGRAM_H

#include "Frame.h"

namespace mlir::smx {

/// A block of scalar ops as a list of instructions on registers. A register is
/// a row of lanes: the same body for neighbouring points of the loop.
class BodyProgram {
public:
  /// The program of `block`. What it takes from outside is read from `outer`
  /// now.
  static llvm::Expected<BodyProgram> compile(Block &block, const Frame &outer);

  /// The error of an assertion that did not hold; success for null.
  static llvm::Error failureOf(Operation *assertion);

  unsigned getNumArguments() const { return numArguments; }
  /// The registers of what the block yields.
  ArrayRef<unsigned> getYields() const { return yields; }
  /// The loop dimensions whose index the body reads, and the registers that
  /// take them.
  ArrayRef<std::pair<int64_t, unsigned>> getIndices() const { return indices; }

  /// Registers for up to `lanes` lanes, with what never changes filled in.
  class Registers {
  public:
    Registers(const BodyProgram &program, size_t lanes);
    Slot *operator[](unsigned number) { return &slots[number * lanes]; }
    /// The first assertion that did not hold, or null; and its error.
    Operation *getFailed() const { return failed; }
    llvm::Error takeFailure() const { return failureOf(failed); }

  private:
    friend class BodyProgram;
    size_t lanes;
    Operation *failed = nullptr;
    std::vector<Slot> slots;
  };

  /// Executes the body for the first `lanes` lanes.
  void run(Registers &registers, size_t lanes) const;

private:
  llvm::Error addOp(Operation *op, const Frame &outer);
  llvm::Error addExtract(Operation *op, const Frame &outer);
  llvm::Error addApply(Operation *op, const Frame &outer);
  llvm::Error addBranches(Operation *op, const Frame &outer);
  llvm::Expected<unsigned> registerOf(Value value, Operation *user,
                                      const Frame &outer);
  unsigned addConstant(Slot value);

  unsigned numArguments = 0, numRegisters = 0;
  DenseMap<Value, unsigned> registerNumbers;
  SmallVector<Instruction> instructions;
  /// What must be true after every run.
  SmallVector<std::pair<unsigned, Operation *>> assertions;
  SmallVector<std::pair<unsigned, Slot>> constants;
  SmallVector<std::pair<int64_t, unsigned>> indices;
  SmallVector<unsigned> yields;
};

} // namespace mlir::smx

#endif // SMX_LIB_EVALUATOR_BODYPROGRAM_H
