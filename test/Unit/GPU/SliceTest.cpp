//===- SliceTest.cpp - per-row values in registers ------------------------===//

#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using ::smx::gpu::Coordinate;

namespace {
class Slice : public ::testing::Test {
protected:
  Slice() { context.loadDialect<SmxGpuDialect>(); }

  static int64_t along(SliceAttr slice, Coordinate at) {
    return slice.getDim() == 1 ? at.row : at.column;
  }

  /// Every thread holds, once each, the values of the rows of `shape` that it
  /// holds a part of, in the order in which its registers reach them.
  void expectReplicas(LayoutAttrInterface layout, ArrayRef<int64_t> shape,
                      int64_t dim, int64_t replicas) {
    auto slice = SliceAttr::get(&context, dim, layout);
    auto type = RankedTensorType::get({shape[1 - dim]},
                                      Float32Type::get(&context), slice);
    SmallVector<int64_t> owners(shape[1 - dim]);
    for (int64_t thread = 0; thread < layout.getThreads(); ++thread) {
      SmallVector<int64_t> held, expected;
      for (int64_t i = 0; i < layout.getRegisters(shape); ++i) {
        int64_t row = along(slice, layout.getCoordinate(shape, thread, i));
        if (!llvm::is_contained(expected, row))
          expected.push_back(row);
      }
      for (int64_t i = 0; i < getRegisterCount(type); ++i) {
        held.push_back(getElement(type, thread, i).row);
        ++owners[held.back()];
      }
      EXPECT_EQ(held, expected) << "thread " << thread;
    }
    for (int64_t count : owners)
      EXPECT_EQ(count, replicas);
  }

  MLIRContext context;
};
} // namespace

TEST_F(Slice, RowsOfAFragmentAreHeldByFourLanes) {
  expectReplicas(FragmentAttr::get(&context, 4), {64, 8}, 1, 4);
  expectReplicas(FragmentAttr::get(&context, 4), {128, 64}, 1, 4);
  expectReplicas(FragmentAttr::get(&context, 1), {48, 128}, 1, 4);
}

TEST_F(Slice, ColumnsOfAFragmentAreHeldByEightLanesOfEveryWarp) {
  expectReplicas(FragmentAttr::get(&context, 4), {64, 64}, 0, 32);
  expectReplicas(FragmentAttr::get(&context, 2), {64, 24}, 0, 16);
}

TEST_F(Slice, RowsOfStripesAreHeldByTheThreadsOfTheRow) {
  expectReplicas(StripedAttr::get(&context, 1, 128, 4), {1, 1024}, 1, 128);
  expectReplicas(StripedAttr::get(&context, 8, 16, 4), {32, 64}, 1, 16);
  expectReplicas(StripedAttr::get(&context, 128, 1, 4), {256, 8}, 1, 1);
}

TEST_F(Slice, ColumnsOfStripesAreHeldByTheThreadsOfTheColumn) {
  expectReplicas(StripedAttr::get(&context, 8, 16, 4), {32, 128}, 0, 8);
  expectReplicas(StripedAttr::get(&context, 4, 32, 2), {4, 192}, 0, 4);
}

TEST_F(Slice, TilesOfTwoDimensionsFollowTheLayout) {
  auto layout = StripedAttr::get(&context, 8, 16, 4);
  auto type =
      RankedTensorType::get({16, 128}, Float32Type::get(&context), layout);
  EXPECT_EQ(getRegisterCount(type), 16);
  for (int64_t thread : {0, 17, 127})
    for (int64_t i = 0; i < 16; ++i)
      EXPECT_EQ(getElement(type, thread, i),
                layout.getCoordinate({16, 128}, thread, i));
}
