//===- RoadTest.cpp - the road stage by stage -----------------------------===//

#include "Modules.h"

#include "smx/RegisterAll.h"
#include "smx/Runtime/Road.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using mlir::smx::RoadHooks;
using mlir::smx::Stage;

namespace {
struct Road : testing::Test {
  Road() {
    DialectRegistry registry;
    mlir::smx::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(softmaxModule, &context);
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(Road, CallsBackAtEveryStage) {
  std::vector<Stage> reached;
  RoadHooks hooks;
  hooks.onStage = [&](Stage stage, ModuleOp, double milliseconds) {
    reached.push_back(stage);
    EXPECT_GE(milliseconds, 0);
  };
  ASSERT_FALSE(
      mlir::smx::runRoad(*module, Stage::Input, Stage::Tiled, {}, hooks));
  EXPECT_EQ(reached, (std::vector<Stage>{Stage::Input, Stage::Naive,
                                         Stage::Online, Stage::Tiled}));
}

TEST_F(Road, CanBeLeftAndTakenUpAgain) {
  ASSERT_FALSE(mlir::smx::runRoad(*module, Stage::Input, Stage::Online, {}));
  ASSERT_FALSE(mlir::smx::runRoad(*module, Stage::Online, Stage::Llvm, {}));
}

TEST_F(Road, ToWhereItIsDoesNothing) {
  ASSERT_FALSE(mlir::smx::runRoad(*module, Stage::Naive, Stage::Naive, {}));
  EXPECT_TRUE(module->lookupSymbol("softmax"));
}

TEST_F(Road, DoesNotGoBack) {
  std::string error = llvm::toString(
      mlir::smx::runRoad(*module, Stage::Tiled, Stage::Online, {}));
  EXPECT_EQ(error, "the module is at stage 'tiled', which comes after stage "
                   "'online'; the order is input, naive, online, tiled, cpu, "
                   "llvm, gpu, nvvm");
}

TEST_F(Road, KeepsToTheBranchOfItsTarget) {
  std::string error =
      llvm::toString(mlir::smx::runRoad(*module, Stage::Tiled, Stage::Gpu, {}));
  EXPECT_EQ(error, "stage 'gpu' is not on the road to the CPU");
}
