//===- RegisterAssembly.h - assembly on f32 registers -----------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_REGISTERASSEMBLY_H
#define SMX_LIB_NVVM_REGISTERASSEMBLY_H

#include "Assembly.h"
#include "KernelLowering.h"

namespace mlir::smx {

/// Assembly that gives f32 registers: new ones, or those that it takes.
class RegisterAssembly {
public:
  /// Results are operands `$0` to `$count-1` of the text.
  explicit RegisterAssembly(int64_t count) : results(count) {
    for (int64_t i = 0; i < count; ++i)
      constraints += i ? ",=f" : "=f";
  }

  /// Words that are read; the number of the first one in the text.
  int64_t addInputs(ArrayRef<Value> words) {
    int64_t first = results + static_cast<int64_t>(operands.size());
    for (Value word : words) {
      constraints += ",r";
      operands.push_back(word);
    }
    return first;
  }
  /// Result `i` starts as `registers[i]`. After all inputs.
  void tie(ArrayRef<Value> registers) {
    for (auto [i, value] : llvm::enumerate(registers)) {
      constraints += "," + std::to_string(i);
      operands.push_back(value);
    }
  }

  SmallVector<Value> emit(ThreadCode &code, StringRef text) {
    SmallVector<Type> types(results, code.getF32Type());
    return emitAssembly(code, types, operands, text, constraints,
                        Effects::Memory);
  }

private:
  int64_t results;
  std::string constraints;
  SmallVector<Value> operands;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_REGISTERASSEMBLY_H
