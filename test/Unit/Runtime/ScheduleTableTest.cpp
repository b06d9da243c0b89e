//===- ScheduleTableTest.cpp - schedules that were measured ---------------===//

#include "smx/Pipeline/ScheduleTable.h"
#include "smx/Runtime/Support.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir::smx;

static ScheduleTable read(const std::string &chip, const std::string &entries) {
  return llvm::cantFail(
      ScheduleTable::parse("{\"smx_schedules\": 1, \"chip\": \"" + chip +
                               "\", \"entries\": [" + entries + "]}",
                           "table.json"));
}

static std::string errorOf(llvm::StringRef text) {
  auto table = ScheduleTable::parse(text, "table.json");
  return table ? "no error" : llvm::toString(table.takeError());
}

static std::string errorOfEntry(const std::string &entry) {
  return errorOf("{\"smx_schedules\": 1, \"chip\": \"cpu\", \"entries\": [" +
                 entry + "]}");
}

constexpr const char *softmaxEntry =
    R"({"op": "softmax", "type": "f32", "mask": "none", "rows": [1, 8], "stream": [65, 128], "tile_rows": 4, "microseconds": 1.50, "model_microseconds": 2.00})";

TEST(ScheduleTable, IsReadAsItIsWritten) {
  ScheduleTable table = read("cpu", softmaxEntry);
  std::string text, again;
  llvm::raw_string_ostream textOs(text), againOs(again);
  table.print(textOs);
  EXPECT_TRUE(llvm::StringRef(text).contains(softmaxEntry)) << text;
  llvm::cantFail(ScheduleTable::parse(text, "other")).print(againOs);
  EXPECT_EQ(text, again);
}

TEST(ScheduleTable, KeepsWhatWasMeasured) {
  const char *text =
      R"({"smx_schedules": 1, "chip": "sm_90a", "measured": "a \"GPU\", today", "entries": [
]}
)";
  ScheduleTable table = llvm::cantFail(ScheduleTable::parse(text, "table"));
  EXPECT_EQ(table.getMeasured(), "a \"GPU\", today");
  std::string again;
  llvm::raw_string_ostream os(again);
  table.print(os);
  EXPECT_EQ(again, text);
}

TEST(ScheduleTable, HasLinesForManyHeadsOrFew) {
  const char *entries =
      R"({"op": "attention", "type": "bf16", "mask": "none", "heads": [17, 32], "splits": 4},
         {"op": "attention", "type": "bf16", "mask": "none", "heads": [65], "splits": 1})";
  ScheduleTable table = read("sm_90a", entries);
  ShapeClass shape{"attention", "bf16", "none", 128, 1, 4096, 32};
  ASSERT_TRUE(table.find(shape));
  EXPECT_EQ(table.find(shape)->choice.splits, 4);
  for (int64_t heads : {16, 33, 64}) {
    shape.heads = heads;
    EXPECT_FALSE(table.find(shape)) << heads;
  }
  for (int64_t heads : {65, 1 << 20}) {
    shape.heads = heads;
    ASSERT_TRUE(table.find(shape)) << heads;
    EXPECT_EQ(table.find(shape)->choice.splits, 1);
  }
  shape.heads = std::nullopt;
  EXPECT_FALSE(table.find(shape));
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  EXPECT_TRUE(llvm::StringRef(text).contains("\"heads\": [65], ")) << text;
}

TEST(ScheduleTable, FindsTheFirstEntryOfAClass) {
  ScheduleTable table = read("cpu", softmaxEntry);
  ShapeClass shape{"softmax", "f32", "none", std::nullopt, 8, 128};
  ASSERT_TRUE(table.find(shape));
  EXPECT_EQ(table.find(shape)->choice.tileRows, 4);
  for (ShapeClass other :
       {ShapeClass{"logsumexp", "f32", "none", std::nullopt, 8, 128},
        ShapeClass{"softmax", "f64", "none", std::nullopt, 8, 128},
        ShapeClass{"softmax", "f32", "band", std::nullopt, 8, 128},
        ShapeClass{"softmax", "f32", "none", std::nullopt, 9, 128},
        ShapeClass{"softmax", "f32", "none", std::nullopt, 8, 64},
        // What the types leave open is in no range.
        ShapeClass{"softmax", "f32", "none", std::nullopt, std::nullopt, 128}})
    EXPECT_FALSE(table.find(other));
  ScheduleEntry open = *table.find(shape);
  open.rows = std::nullopt;
  open.choice.tileRows = 2;
  table.add(open);
  EXPECT_EQ(table.find(shape)->choice.tileRows, 2);
  EXPECT_TRUE(
      table.find({"softmax", "f32", "none", std::nullopt, std::nullopt, 128}));
}

TEST(ScheduleTable, AnEntryTakesThePlaceOfThoseOfItsShapes) {
  ScheduleTable table = read("cpu", softmaxEntry);
  ScheduleEntry same = table.getEntries().front();
  same.choice.tileRows = 2;
  table.add(same);
  ASSERT_EQ(table.getEntries().size(), 1u);
  EXPECT_EQ(table.getEntries().front().choice.tileRows, 2);
  // Of fewer shapes: the other ones are still found.
  ScheduleEntry narrow = same;
  narrow.rows = ExtentRange{5, 8};
  table.add(narrow);
  EXPECT_EQ(table.getEntries().size(), 2u);
  ScheduleEntry wide = same;
  wide.stream = std::nullopt;
  table.add(wide);
  EXPECT_EQ(table.getEntries().size(), 1u);
  ScheduleEntry other = same;
  other.mask = "band";
  table.add(other);
  EXPECT_EQ(table.getEntries().size(), 2u);
}

TEST(ScheduleTable, LeavesAShapeToTheModelWithoutAnEntryThatMatches) {
  ScheduleTable table = read("cpu", softmaxEntry);
  ScheduleEntry other = table.getEntries().front();
  other.type = "f64";
  table.add(other);
  ShapeClass shape{"softmax", "f32", "none", std::nullopt, 8, 128};
  EXPECT_EQ(table.drop(shape), 1u);
  EXPECT_FALSE(table.find(shape));
  EXPECT_EQ(table.getEntries().size(), 1u);
  EXPECT_EQ(table.drop(shape), 0u);
}

TEST(ScheduleTable, SaysWhatIsWrongAndWhere) {
  EXPECT_TRUE(llvm::StringRef(errorOf("{")).starts_with("'table.json': [1:"));
  EXPECT_EQ(errorOf("[]"), "expected object when parsing table.json");
  EXPECT_EQ(errorOf("{\"chips\": 1}"),
            "unknown key; choose one of smx_schedules, chip, measured, "
            "entries at "
            "table.json.chips");
  EXPECT_EQ(errorOf("{\"chip\": \"cpu\"}"),
            "'table.json': expected \"smx_schedules\": 1, the version of the "
            "format, got 0");
  EXPECT_TRUE(llvm::StringRef(errorOf("{\"smx_schedules\": 1}"))
                  .contains("expected \"chip\""));
  EXPECT_EQ(errorOfEntry("7"), "expected object at table.json.entries[0]");
  EXPECT_TRUE(llvm::StringRef(errorOfEntry("{\"tile\": 1}"))
                  .starts_with("unknown key; choose one of op, type, mask, "));
  for (const ChoiceKey &choice : getChoiceKeys())
    for (const char *entry :
         {"{\"tile\": 1}",
          R"({"op": "softmax", "type": "f32", "mask": "none"})"})
      EXPECT_TRUE(llvm::StringRef(errorOfEntry(entry)).contains(choice.key))
          << choice.key;
  EXPECT_EQ(errorOfEntry("{\"tile_rows\": 1}"),
            "missing value at table.json.entries[0].op");
  EXPECT_EQ(errorOfEntry(std::string(softmaxEntry) +
                         ", {\"op\": \"softmax\", \"tile_rows\": -3}"),
            "expected from 1 to 1073741824, got -3 (without the key the "
            "model chooses) at table.json.entries[1].tile_rows");
  EXPECT_EQ(errorOfEntry("{\"rows\": [8, 1]}"),
            "expected the least and the most extent, [0, 64], or the least "
            "alone, [65] at table.json.entries[0].rows");
  EXPECT_TRUE(llvm::StringRef(errorOfEntry("{\"heads\": []}"))
                  .starts_with("expected the least and the most extent, "));
  EXPECT_TRUE(
      llvm::StringRef(
          errorOfEntry(R"({"op": "softmax", "type": "f32", "mask": "none"})"))
          .starts_with("expected a choice: one of tile_rows, "));
  // No more than the options take.
  EXPECT_EQ(errorOfEntry("{\"warps\": 1000}"),
            "expected from 1 to 32, got 1000 (without the key the model "
            "chooses) at table.json.entries[0].warps");
  for (const ChoiceKey &choice : getChoiceKeys())
    EXPECT_TRUE(llvm::StringRef(errorOfEntry("{\"" + std::string(choice.key) +
                                             "\": 4611686018427387904}"))
                    .contains(", got 4611686018427387904 ("))
        << choice.key;
  EXPECT_EQ(errorOfEntry("{\"mask\": \"causal\"}"),
            "unknown mask 'causal'; choose one of none, band, prefix, chunks, "
            "key_lengths, key_ranges, blocks, packed, all_of at "
            "table.json.entries[0].mask");
  for (llvm::StringRef mask : getMaskNames())
    EXPECT_EQ(read("cpu", R"({"op": "attention", "type": "f32", "mask": ")" +
                              mask.str() + R"(", "warps": 32})")
                  .getEntries()[0]
                  .mask,
              mask);
  auto absent = ScheduleTable::load("/no/such/table.json");
  ASSERT_FALSE(absent);
  EXPECT_TRUE(llvm::StringRef(llvm::toString(absent.takeError()))
                  .starts_with("can not read '/no/such/table.json': "));
  auto unknown = ScheduleTable::open("no-such-table");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(llvm::StringRef(llvm::toString(unknown.takeError()))
                  .starts_with("'no-such-table' is no file, and '"));
}

static ::smx::CompileOptions withTable(ScheduleTable table, Target target) {
  ::smx::CompileOptions options;
  options.road.target = target;
  options.road.schedules =
      std::make_shared<const ScheduleTable>(std::move(table));
  options.reproducerDir = "";
  return options;
}

constexpr const char *softmaxModule = R"mlir(
func.func @softmax(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %y = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
})mlir";

/// The rows of the tiles, as the pass says it.
static std::string tileRows(const ::smx::Support &support) {
  for (const ::smx::Decision &decision : support.ops.front().decisions)
    for (const auto &[name, value] : decision.values)
      if (decision.name == "TileSizes" && name == "rows")
        return value;
  return "none";
}

TEST(ScheduleTable, DecidesWhatIsLeftToTheModel) {
  ScheduleTable table = read("cpu", softmaxEntry);
  auto options = withTable(table, Target::Cpu);
  auto support = llvm::cantFail(::smx::supports(softmaxModule, options));
  EXPECT_EQ(tileRows(support), "4");
  EXPECT_EQ(support.ops.front().decisions.front().text,
            "from 'table.json': tile_rows 4");
  // What the caller says stays.
  options.road.tileRows = 2;
  EXPECT_EQ(tileRows(llvm::cantFail(::smx::supports(softmaxModule, options))),
            "2");
  // A kernel of another table is another kernel.
  auto one = llvm::cantFail(
      ::smx::compile(softmaxModule, withTable(table, Target::Cpu)));
  auto other = llvm::cantFail(::smx::compile(softmaxModule));
  EXPECT_NE(one.timing().data(), other.timing().data());
}

TEST(ScheduleTable, IsOfOneChip) {
  auto errorOfRoad = [](const char *chip, Target target) {
    auto support = llvm::cantFail(::smx::supports(
        softmaxModule, withTable(read(chip, softmaxEntry), target)));
    return support.compiles ? "" : support.errors.front();
  };
  EXPECT_EQ(errorOfRoad("sm_90a", Target::Cpu),
            "the schedules in 'table.json' are of 'sm_90a', and the code is "
            "for 'cpu'; without a table the model chooses");
  EXPECT_EQ(errorOfRoad("sm_80", Target::Cuda), "");
  EXPECT_EQ(errorOfRoad("sm_80", Target::Emulator), "");
  // Times of the emulator say nothing of a GPU.
  EXPECT_NE(errorOfRoad("emulator-sm_80", Target::Cuda), "");
}

TEST(ScheduleTable, IsOfModulesWithoutASchedule) {
  auto options = withTable(read("cpu", softmaxEntry), Target::Cpu);
  options.from = Stage::Online;
  auto kernel = ::smx::compile(softmaxModule, options);
  ASSERT_FALSE(kernel);
  const std::string message =
      "the schedules in 'table.json' are chosen at stage 'naive', and the "
      "module is at stage 'online'; hand over the module as it was before, or "
      "no table";
  EXPECT_EQ(llvm::toString(kernel.takeError()), message);
  auto support = llvm::cantFail(::smx::supports(softmaxModule, options));
  ASSERT_FALSE(support.compiles);
  EXPECT_EQ(support.errors.front(), message);
  options.from = Stage::Naive;
  EXPECT_TRUE(llvm::cantFail(::smx::supports(softmaxModule, options)).compiles);
}

TEST(ScheduleTable, LeavesOpsThatWantDifferentThingsToTheModel) {
  const char *two = R"mlir(
func.func @two(%x: tensor<8x128xf32>, %y: tensor<8x512xf32>) -> (tensor<8x128xf32>, tensor<8x512xf32>) {
  %0 = smx.softmax %x axis(1) : tensor<8x128xf32> -> tensor<8x128xf32>
  %1 = smx.softmax %y axis(1) : tensor<8x512xf32> -> tensor<8x512xf32>
  return %0, %1 : tensor<8x128xf32>, tensor<8x512xf32>
})mlir";
  auto options = withTable(read("cpu", softmaxEntry), Target::Cpu);
  auto support = llvm::cantFail(::smx::supports(two, options));
  const ::smx::Decision &decision = support.ops.front().decisions.front();
  EXPECT_TRUE(decision.isMissed);
  EXPECT_EQ(decision.pass, "smx-schedule-table");
  EXPECT_EQ(tileRows(support), tileRows(llvm::cantFail(::smx::supports(two))));
}
