//===- Assembly.h - PTX that no op stands for -------------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_ASSEMBLY_H
#define SMX_LIB_NVVM_ASSEMBLY_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::smx {

/// What LLVM may not do with assembly.
enum class Effects {
  /// It may be moved, merged and left out.
  None,
  /// It stays, once for each time it is written, in order with others of its
  /// kind.
  Order,
  /// Beside that, no access to memory crosses it.
  Memory
};

/// The results of `text`, in which `$0` and on are results, then operands, as
/// LLVM's inline assembly has them. `constraints` are in the same order; the
/// clobber that `effects` asks for is added.
SmallVector<Value> emitAssembly(ImplicitLocOpBuilder &b, TypeRange results,
                                ValueRange operands, StringRef text,
                                StringRef constraints, Effects effects);

/// The same of assembly with one result.
Value emitAssembly(ImplicitLocOpBuilder &b, Type result, ValueRange operands,
                   StringRef text, StringRef constraints, Effects effects);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_ASSEMBLY_H
