//===- Signature.h - what a function takes and gives ------------*- C++ -*-===//
#ifndef SMX_RUNTIME_SIGNATURE_H
#define SMX_RUNTIME_SIGNATURE_H

#include "smx/Reference/Tensor.h"
#include "smx/Runtime/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace smx {

/// What a function takes, scalars among it, and gives, in order.
struct Signature {
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
};

/// Ranks of all tensors, inputs first; 0 for a scalar.
llvm::SmallVector<size_t, 8> ranksOf(const Signature &signature);

/// The types of `function` in this project's terms; an error for a type that
/// can not be passed in. A function on memrefs takes its destinations as
/// further inputs.
llvm::Expected<Signature> readSignature(mlir::func::FuncOp function);

/// Checks number, element types, ranks, static sizes, strides and addresses of
/// inputs.
llvm::Error checkInputs(llvm::StringRef name, const Signature &signature,
                        llvm::ArrayRef<TensorView> inputs);

/// Checks that code can read all inputs as they are.
llvm::Error checkUnitStrides(llvm::StringRef name,
                             llvm::ArrayRef<TensorView> inputs);

/// What is wrong with inputs that do not go together, with the sizes of all.
llvm::Error explainInputs(llvm::StringRef name,
                          llvm::ArrayRef<TensorView> inputs, llvm::Error error);

/// Checks sizes of outputs that follow from those of the inputs (-1: any).
llvm::Error checkOutputSizes(llvm::StringRef name,
                             llvm::ArrayRef<reference::Shape> expected,
                             llvm::ArrayRef<TensorView> outputs);

/// Checks number, element types, ranks, static sizes, strides, addresses and
/// overlaps of the views that a call gives.
llvm::Error checkCall(llvm::StringRef name, const Signature &signature,
                      llvm::ArrayRef<TensorView> inputs,
                      llvm::ArrayRef<TensorView> outputs);

} // namespace smx

#endif // SMX_RUNTIME_SIGNATURE_H
