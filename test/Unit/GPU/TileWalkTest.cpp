//===- TileWalkTest.cpp - loops of a role over tiles of rows --------------===//

#include "ModuleText.h"

#include "GPU/NumberSweep.h"
#include "GPU/TileWalk.h"

#include <map>

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
class TileWalkTest : public ::smx::test::ModuleText {
protected:
  /// The walk of the first of two roles, whose body this is.
  std::optional<TileWalk> match(const std::string &body) {
    parse("smx_gpu.kernel @k(%n: index) warps(8) {\n"
          "smx_gpu.warp_specialize {\n"
          "smx_gpu.role @walk warps(4) (%m = %n : index) {\n"
          "%c0 = arith.constant 0 : index\n"
          "%c1 = arith.constant 1 : index\n"
          "%c2 = arith.constant 2 : index\n"
          "%c3 = arith.constant 3 : index\n" +
          body +
          "}\n"
          "smx_gpu.role @other warps(4) {\n}\n"
          "}\n"
          "smx_gpu.return\n"
          "}\n");
    RoleOp role;
    module->walk([&](RoleOp op) {
      if (op.getName() == "walk")
        role = op;
    });
    return TileWalk::match(role);
  }

  static std::vector<std::string> names(ArrayRef<Operation *> ops) {
    std::vector<std::string> found;
    for (Operation *op : ops)
      found.push_back(op->getName().getStringRef().str());
    return found;
  }
};

using Names = std::vector<std::string>;

TEST_F(TileWalkTest, HeadRoundsAndTailAreToldApart) {
  std::optional<TileWalk> walk = match(R"(
    scf.for %t = %c0 to %m step %c1 {
      %a = arith.addi %t, %c1 : index
      "test.head"(%a) : (index) -> ()
      scf.for %j = %c0 to %a step %c1 { "test.round"() : () -> () }
      %b = arith.muli %a, %c2 : index
      scf.for %j = %a to %b step %c1 { "test.round"() : () -> () }
      "test.tail"(%b) : (index) -> ()
    })");
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->loops.size(), 1u);
  EXPECT_EQ(names(walk->head), (Names{"arith.addi", "test.head"}));
  EXPECT_EQ(names(walk->rounds), (Names{"scf.for", "arith.muli", "scf.for"}));
  EXPECT_EQ(names(walk->tail), (Names{"test.tail"}));
  EXPECT_TRUE(walk->isOfHead(walk->head.back()));
  EXPECT_FALSE(walk->isOfHead(walk->tail.front()));
  EXPECT_FALSE(
      walk->isOfHead(&walk->rounds.front()->getRegion(0).front().front()));
}

TEST_F(TileWalkTest, WorkBetweenRoundsIsNoWalk) {
  EXPECT_FALSE(match(R"(
    scf.for %t = %c0 to %m step %c1 {
      scf.for %j = %c0 to %t step %c1 { "test.round"() : () -> () }
      "test.between"() : () -> ()
      scf.for %j = %c0 to %t step %c1 { "test.round"() : () -> () }
    })"));
}

TEST_F(TileWalkTest, OtherLoopsAreNoWalk) {
  // Without rounds, beside another loop, and with something that it carries.
  EXPECT_FALSE(match(R"(
    scf.for %t = %c0 to %m step %c1 { "test.head"() : () -> () })"));
  EXPECT_FALSE(match(R"(
    scf.for %t = %c0 to %m step %c1 {
      scf.for %j = %c0 to %t step %c1 { "test.round"() : () -> () }
    }
    scf.for %t = %c0 to %m step %c1 { "test.round"() : () -> () })"));
  EXPECT_FALSE(match(R"(
    %r = scf.for %t = %c0 to %m step %c1 iter_args(%x = %c0) -> (index) {
      scf.for %j = %c0 to %t step %c1 { "test.round"() : () -> () }
      scf.yield %t : index
    })"));
}

/// A long and a short tile together; of an odd number, the last one alone.
constexpr llvm::StringLiteral pairs = R"(
    scf.for %t = %c0 to %c3 step %c1 {
      %is = arith.cmpi eq, %t, %c2 : index
      %end = arith.select %is, %c1, %c2 : index
      scf.for %u = %c0 to %end step %c1 {
        "test.head"() : () -> ()
        scf.for %j = %c0 to %m step %c1 { "test.round"() : () -> () }
        "test.tail"() : () -> ()
      }
    })";

TEST_F(TileWalkTest, TwoLoopsMayWalkTogether) {
  std::optional<TileWalk> walk = match(pairs.str());
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->loops.size(), 2u);
  EXPECT_EQ(names(walk->head), (Names{"test.head"}));
  EXPECT_EQ(names(walk->tail), (Names{"test.tail"}));
}

TEST_F(TileWalkTest, LoopsThatMayHaveNoRoundAreRounds) {
  // There may be no first tile to begin with.
  std::optional<TileWalk> walk = match(R"(
    scf.for %t = %c0 to %c3 step %c1 {
      scf.for %u = %c0 to %t step %c1 {
        scf.for %j = %c0 to %m step %c1 { "test.round"() : () -> () }
      }
    })");
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->loops.size(), 1u);
  EXPECT_EQ(names(walk->rounds), (Names{"scf.for"}));
}

TEST_F(TileWalkTest, BehindTheLastTileIsTheLastTile) {
  std::optional<TileWalk> walk = match(pairs.str());
  ASSERT_TRUE(walk);
  scf::ForOp outer = walk->loops[0], inner = walk->loops[1];
  IRMapping mapping;
  for (scf::ForOp loop : walk->loops)
    mapping.map(loop.getInductionVar(), loop.getInductionVar());
  OpBuilder builder(inner.getBody()->getTerminator());
  TileWalk::Place next = walk->next(builder, mapping);
  std::optional<NumberSweep> sweep = NumberSweep::of(
      {outer.getInductionVar(), inner.getInductionVar(), next[0], next[1]});
  ASSERT_TRUE(sweep);
  std::map<std::pair<int64_t, int64_t>, std::pair<int64_t, int64_t>> after;
  EXPECT_TRUE(sweep->forAll([&](ArrayRef<int64_t> at) {
    after[{at[0], at[1]}] = {at[2], at[3]};
    return true;
  }));
  // The pairs of 2 and 1 are no place of a tile.
  after.erase({2, 1});
  decltype(after) expected{{{0, 0}, {0, 1}},
                           {{0, 1}, {1, 0}},
                           {{1, 0}, {1, 1}},
                           {{1, 1}, {2, 0}},
                           {{2, 0}, {2, 0}}};
  EXPECT_EQ(after, expected);
}
} // namespace
