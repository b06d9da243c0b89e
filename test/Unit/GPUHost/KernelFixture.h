//===- KernelFixture.h - run a kernel given as text -------------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_GPUHOST_KERNELFIXTURE_H
#define SMX_TEST_UNIT_GPUHOST_KERNELFIXTURE_H

#include "smx/GPUHost/HostExecution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

struct KernelFixture : testing::Test {
  using Argument = mlir::smx::gpuhost::Argument;
  using Buffer = mlir::smx::gpuhost::StridedBuffer;
  using DType = smx::reference::DType;

  KernelFixture() {
    mlir::DialectRegistry registry;
    registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::gpu::GPUDialect, mlir::smx::gpu::SmxGpuDialect,
                    mlir::math::MathDialect, mlir::memref::MemRefDialect,
                    mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
    context.appendDialectRegistry(registry);
    // So that threads are those of the kernel.
    context.disableMultithreading();
    options.stallLimit = std::chrono::milliseconds(20000);
  }

  /// The module, verified or not: planted faults are there to be run.
  void parse(llvm::StringRef text, bool isVerified = true) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        text, mlir::ParserConfig(&context, isVerified), "k.mlir");
    ASSERT_TRUE(module);
  }

  mlir::smx::gpu::KernelOp kernel() {
    return *module->getOps<mlir::smx::gpu::KernelOp>().begin();
  }

  /// Runs the first kernel; the text of the error, or nothing.
  std::string run(llvm::ArrayRef<Argument> arguments,
                  mlir::smx::gpuhost::Grid grid = {}) {
    return llvm::toString(
        mlir::smx::gpuhost::runKernel(kernel(), grid, arguments, options));
  }

  /// The same for the function `f`.
  std::string runFunction(llvm::ArrayRef<Argument> arguments) {
    return llvm::toString(mlir::smx::gpuhost::runFunction(
        module->lookupSymbol<mlir::func::FuncOp>("f"), arguments, options));
  }

  /// Without threads of its own, which a thread sanitizer does not see into.
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::smx::gpuhost::Options options;
};

/// Expects `text` to contain `part`.
inline void expectIn(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

#endif // SMX_TEST_UNIT_GPUHOST_KERNELFIXTURE_H
