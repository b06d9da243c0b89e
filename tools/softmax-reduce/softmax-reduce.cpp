//===- softmax-reduce.cpp - make a failing module smaller -----------------===//

#include "smx/RegisterAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::smx::registerAllPasses();
  mlir::DialectRegistry registry;
  mlir::smx::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
