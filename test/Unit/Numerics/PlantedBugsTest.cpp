//===- PlantedBugsTest.cpp - the suite notices mistakes -------------------===//
//
// The same cases and the same comparison as everywhere else: all pass as they
// are, and with any one mistake planted at least one fails.
//
//===----------------------------------------------------------------------===//

#include "PlantedBugs.h"
#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "smx/RegisterAll.h"
#include "smx/Runtime/Road.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace smx;
using namespace smx::test;
using reference::Band;
using reference::BandAnchor;

namespace {

/// Few cases that between them go through every part of the tiled form.
std::vector<NumericCase> sentinels() {
  std::vector<NumericCase> cases;
  for (const char *generator : {"normal", "staircase", "spike_last"})
    for (bool isCausal : {false, true}) {
      NumericCase c;
      c.op = Op::Attention;
      c.scale = 0.25;
      c.seed = cases.size();
      c.generator = generator;
      c.queryHeads = 4;
      c.keyHeads = 2;
      c.queries = 33;
      c.keys = 70;
      c.headDim = 16;
      c.valueDim = 8;
      c.road.tileRows = 16;
      c.road.tileStream = 16;
      if (isCausal)
        c.band = Band::causal(BandAnchor::TopLeft);
      cases.push_back(c);
    }
  // Bottom right with more queries than keys: queries that see nothing.
  NumericCase blind = cases[0];
  blind.keys = 20;
  blind.band = Band::causal(BandAnchor::BottomRight);
  cases.push_back(blind);
  NumericCase split = cases[0];
  split.road.splits = 3;
  cases.push_back(split);
  NumericCase decoding = cases[0];
  decoding.queries = 1;
  decoding.keys = 300;
  decoding.road = {};
  cases.push_back(decoding);
  NumericCase packed = decoding;
  packed.queries = 4;
  packed.band = Band::causal(BandAnchor::BottomRight);
  cases.push_back(packed);
  NumericCase poisoned = cases[1];
  poisoned.poisonsHiddenKeys = true;
  cases.push_back(poisoned);
  NumericCase documents = cases[1];
  documents.maskData = NumericCase::MaskData::Documents;
  documents.hasSinks = true;
  cases.push_back(documents);
  NumericCase chunks = cases[0];
  chunks.chunk = 10;
  cases.push_back(chunks);
  NumericCase blocks = cases[0];
  blocks.blocks = {{32, 32}};
  cases.push_back(blocks);
  NumericCase paged = cases[0];
  paged.page = 16;
  paged.keys = 80;
  paged.maskData = NumericCase::MaskData::CausalLengths;
  cases.push_back(paged);
  NumericCase wide = cases[0];
  wide.valueDim = 300;
  cases.push_back(wide);
  NumericCase loss;
  loss.op = Op::CrossEntropy;
  loss.shape = {9, 70};
  loss.axis = 1;
  loss.smoothing = 0.25;
  loss.ignored = 3;
  loss.road.tileStream = 16;
  loss.road.splits = 3;
  cases.push_back(loss);
  // Rows whose elements are all -inf.
  NumericCase blank = loss;
  blank.op = Op::LogSumExp;
  blank.generator = "all_neg_inf";
  cases.push_back(blank);
  NumericCase gradient = loss;
  gradient.op = Op::SoftmaxBackward;
  cases.push_back(gradient);
  NumericCase norm = loss;
  norm.op = Op::RmsNorm;
  norm.generator = "staircase";
  cases.push_back(norm);
  return cases;
}

/// The case's module at stage tiled with `bug` planted (if any); `places`
/// counts where.
std::string tiledText(const NumericCase &config, const PlantedBug *bug,
                      int &places) {
  mlir::DialectRegistry registry;
  mlir::smx::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(config.text(), &context);
  if (!module)
    return "";
  mlir::smx::RoadOptions road = config.road;
  targetUnderTest().applyTo(road);
  if (llvm::Error error = mlir::smx::runRoad(*module, mlir::smx::Stage::Input,
                                             mlir::smx::Stage::Tiled, road)) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return "";
  }
  if (bug && bug->wantsArithmetic) {
    mlir::PassManager passes(&context);
    passes.addPass(mlir::smx::createExpandStatePass());
    EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
  }
  if (bug)
    places += bug->plant(*module);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

TEST(PlantedBugs, NoneMeansNoFailure) {
  for (const NumericCase &config : sentinels()) {
    int places = 0;
    EXPECT_EQ(checkCase(config, tiledText(config, nullptr, places),
                        mlir::smx::Stage::Tiled),
              "");
  }
}

class PlantedBugTest : public testing::TestWithParam<size_t> {};

TEST_P(PlantedBugTest, IsCaught) {
  const PlantedBug &bug = allPlantedBugs()[GetParam()];
  if (bug.isOnGpu && targetUnderTest().target == mlir::smx::Target::Cpu)
    GTEST_SKIP() << "needs code for a GPU";
  int places = 0, caught = 0;
  for (const NumericCase &config : sentinels())
    caught += !checkCase(config, tiledText(config, &bug, places),
                         mlir::smx::Stage::Tiled)
                   .empty();
  EXPECT_GT(places, 0) << bug.name << " could not be planted anywhere";
  EXPECT_GT(caught, 0) << bug.name << " went unnoticed";
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedBugTest,
                         testing::Range<size_t>(0, allPlantedBugs().size()),
                         [](const testing::TestParamInfo<size_t> &info) {
                           std::string name = allPlantedBugs()[info.param].name;
                           for (char &c : name)
                             if (!std::isalnum(c))
                               c = '_';
                           return name;
                         });

} // namespace
