//===- NumberSweepTest.cpp - numbers for every place of a tile ------------===//

#include "ModuleText.h"

#include "GPU/NumberSweep.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
class NumberSweepTest : public ::smx::test::ModuleText {
protected:
  using Case = std::vector<int64_t>;

  /// Values of what is taken, case by case in ascending order; nothing if these
  /// are not known.
  std::optional<std::vector<Case>> sweep(StringRef text,
                                         int64_t mostCases = 1 << 14) {
    parse(text);
    std::optional<NumberSweep> sweep = NumberSweep::of(taken(), mostCases);
    std::vector<Case> cases;
    if (!sweep || !sweep->forAll([&](ArrayRef<int64_t> values) {
          cases.emplace_back(values.begin(), values.end());
          return true;
        }))
      return std::nullopt;
    llvm::sort(cases);
    return cases;
  }
};

TEST_F(NumberSweepTest, CountersAndRestsTakeAllCombinations) {
  EXPECT_EQ(sweep(R"(func.func @f(%n: index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c6 = arith.constant 6 : index
    %rest = arith.remui %n, %c3 : index
    scf.for %i = %c1 to %c6 step %c2 {
      %sum = arith.addi %i, %rest : index
      %down = affine.apply affine_map<(d0) -> ((d0 floordiv 4) * 4)>(%sum)
      "test.take"(%i, %rest, %down) : (index, index, index) -> ()
    }
    return
  })"),
            (std::vector<Case>{{1, 0, 0},
                               {1, 1, 0},
                               {1, 2, 0},
                               {3, 0, 0},
                               {3, 1, 4},
                               {3, 2, 4},
                               {5, 0, 4},
                               {5, 1, 4},
                               {5, 2, 4}}));
}

TEST_F(NumberSweepTest, TruthsAreZeroAndOne) {
  EXPECT_EQ(sweep(R"(func.func @f() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %true = arith.constant true
    scf.for %i = %c0 to %c2 step %c1 {
      %is = arith.cmpi slt, %i, %c1 : index
      %not = arith.xori %is, %true : i1
      %chosen = arith.select %is, %c7, %i : index
      "test.take"(%i, %true, %is, %not, %chosen) : (index, i1, i1, i1, index) -> ()
    }
    return
  })"),
            (std::vector<Case>{{0, 1, 1, 0, 7}, {1, 1, 0, 1, 1}}));
}

TEST_F(NumberSweepTest, EndsMayBeOneOfTwo) {
  // A block takes one tile or two: the larger number counts.
  EXPECT_EQ(sweep(R"(func.func @f(%odd: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %end = arith.select %odd, %c2, %c1 : index
    scf.for %i = %c0 to %end step %c1 {
      "test.take"(%i) : (index) -> ()
    }
    return
  })"),
            (std::vector<Case>{{0}, {1}}));
}

TEST_F(NumberSweepTest, OtherNumbersAreUnknown) {
  EXPECT_EQ(sweep(R"(func.func @f(%n: index) {
    %c1 = arith.constant 1 : index
    %after = arith.addi %n, %c1 : index
    "test.take"(%after) : (index) -> ()
    return
  })"),
            std::nullopt);
  EXPECT_EQ(sweep(R"(func.func @f(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      "test.take"(%i) : (index) -> ()
    }
    return
  })"),
            std::nullopt);
}

TEST_F(NumberSweepTest, CasesAreCounted) {
  StringRef text = R"(func.func @f(%n: index, %m: index) {
    %c10 = arith.constant 10 : index
    %a = arith.remui %n, %c10 : index
    %b = arith.remui %m, %c10 : index
    "test.take"(%a, %b) : (index, index) -> ()
    return
  })";
  std::optional<std::vector<Case>> cases = sweep(text, /*mostCases=*/121);
  ASSERT_TRUE(cases);
  EXPECT_EQ(cases->size(), 100u);
  EXPECT_EQ(sweep(text, /*mostCases=*/99), std::nullopt);
}

TEST_F(NumberSweepTest, OneCaseIsEnoughToSayNo) {
  parse(R"(func.func @f(%n: index) {
    %c10 = arith.constant 10 : index
    %a = arith.remui %n, %c10 : index
    "test.take"(%a) : (index) -> ()
    return
  })");
  std::optional<NumberSweep> sweep = NumberSweep::of(taken());
  ASSERT_TRUE(sweep);
  auto isBelow = [](int64_t end) {
    return [=](ArrayRef<int64_t> values) { return values[0] < end; };
  };
  EXPECT_FALSE(sweep->forAll(isBelow(9)));
  // It begins with the first case again.
  EXPECT_TRUE(sweep->forAll(isBelow(10)));
}

TEST_F(NumberSweepTest, RoundsAreCountedForAllTiles) {
  // 0, 1, 2 and 3 rounds: the last one of a tile may be cut.
  StringRef text = R"(func.func @f() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %c100 = arith.constant 100 : index
    scf.for %i = %c0 to %c512 step %c128 {
      %end = arith.subi %i, %c100 : index
      %half = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%end)
      "test.take"(%c0, %half, %c64) : (index, index, index) -> ()
    }
    return
  })";
  parse(text);
  std::optional<RoundCount> count =
      countRounds(taken()[0], taken()[1], taken()[2]);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->least, 0);
  // Ends of -50, 14, 78 and 142.
  EXPECT_EQ(count->mean, 1.5);
  // A step of 0 ends never.
  EXPECT_FALSE(countRounds(taken()[0], taken()[1], taken()[0]));
}
} // namespace
