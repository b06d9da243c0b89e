//===- ModuleText.h - modules under test that are text ----------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_GPU_MODULETEXT_H
#define SMX_TEST_UNIT_GPU_MODULETEXT_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

namespace smx::test {

/// A test of modules in which `"test.take"(..)` names values.
class ModuleText : public ::testing::Test {
protected:
  ModuleText() {
    context.loadDialect<mlir::smx::gpu::SmxGpuDialect, mlir::scf::SCFDialect,
                        mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect>();
    context.allowUnregisteredDialects();
  }

  /// Keeps the module, whose kernels may have unknown ops.
  mlir::ModuleOp parse(llvm::StringRef text) {
    mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, config);
    EXPECT_TRUE(module) << "the text is no module";
    return *module;
  }

  /// Operands of the first `test.take`.
  mlir::ValueRange taken() {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *op) {
      if (!found && op->getName().getStringRef() == "test.take")
        found = op;
    });
    return found->getOperands();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace smx::test

#endif // SMX_TEST_UNIT_GPU_MODULETEXT_H
