//===- softmax-opt.cpp - run passes on IR ---------------------------------===//

#include "smx/RegisterAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::smx::registerAllPasses();
  mlir::DialectRegistry registry;
  mlir::smx::registerAllDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "softmax and attention, from naive to tiled online loops\n",
      registry));
}
