//===- EvaluatorFixture.h - evaluate a module given as text -----*- C++ -*-===//
#ifndef SMX_TEST_UNIT_RUNTIME_EVALUATORFIXTURE_H
#define SMX_TEST_UNIT_RUNTIME_EVALUATORFIXTURE_H

#include "smx/Evaluator/Evaluator.h"
#include "smx/RegisterAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

struct EvaluatorFixture : testing::Test {
  using Tensor = smx::reference::Tensor;
  using Tensors = std::vector<Tensor>;

  EvaluatorFixture() {
    mlir::DialectRegistry registry;
    mlir::smx::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.printOpOnDiagnostic(false);
  }

  /// The function called `f`, or else the first one.
  mlir::func::FuncOp parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "f.mlir");
    if (!module)
      return {};
    if (auto function = module->lookupSymbol<mlir::func::FuncOp>("f"))
      return function;
    return *module->getOps<mlir::func::FuncOp>().begin();
  }

  Tensors run(llvm::StringRef text, llvm::ArrayRef<Tensor> inputs,
              mlir::smx::Rounding rounding = mlir::smx::Rounding::None) {
    mlir::func::FuncOp function = parse(text);
    EXPECT_TRUE(function);
    if (!function)
      return {};
    auto results = mlir::smx::evaluate(function, inputs, rounding);
    if (results)
      return *results;
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }

  std::string errorOf(llvm::StringRef text, llvm::ArrayRef<Tensor> inputs) {
    mlir::func::FuncOp function = parse(text);
    EXPECT_TRUE(function);
    auto results = mlir::smx::evaluate(function, inputs);
    return results ? "no error" : llvm::toString(results.takeError());
  }

  static Tensor scalar(double value) { return Tensor({}, value); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

#endif // SMX_TEST_UNIT_RUNTIME_EVALUATORFIXTURE_H
