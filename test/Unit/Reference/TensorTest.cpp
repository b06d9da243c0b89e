//===- TensorTest.cpp - dense tensors of doubles --------------------------===//
#include "smx/Reference/Tensor.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace smx::reference;

static Tensor iota(Shape shape) {
  Tensor t(std::move(shape));
  std::iota(t.values().begin(), t.values().end(), 0.0);
  return t;
}

TEST(Tensor, CountsElementsWithoutOverflow) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({2, 0, 3}), 0);
  EXPECT_EQ(elementCount({int64_t(1) << 40, 0, int64_t(1) << 40}), 0);
  EXPECT_FALSE(elementCount({int64_t(1) << 32, int64_t(1) << 31}));
  EXPECT_FALSE(elementCount({3, -1}));
  EXPECT_FALSE(elementCount({0, -1}));
}

TEST(Tensor, IndexesRowMajor) {
  const Tensor t = iota({2, 3, 4});
  EXPECT_EQ(t.at({1, 2, 3}), 23);
  EXPECT_EQ(t.at({0, 1, 0}), 4);
  EXPECT_EQ(t.indexOf(17), Shape({1, 1, 1}));
  EXPECT_EQ(t.dim(-1), 4);
  EXPECT_EQ(toString(t.shape()), "2x3x4");
  EXPECT_EQ(toString(Shape{}), "scalar");
  EXPECT_EQ(Tensor().at({}), 0);
}

TEST(Tensor, Slices) {
  const Tensor t = iota({2, 3, 4});
  EXPECT_EQ(t.slice(1, 1, 2).values(),
            std::vector<double>({4, 5, 6, 7, 16, 17, 18, 19}));
  EXPECT_EQ(t.slice(-1, 3, 4).values(),
            std::vector<double>({3, 7, 11, 15, 19, 23}));
  EXPECT_EQ(t.slice(0, 1, 1).shape(), Shape({0, 3, 4}));
}

TEST(Tensor, Transposes) {
  const Tensor t = iota({2, 3, 4});
  const Tensor u = t.transposed({2, 0, 1});
  ASSERT_EQ(u.shape(), Shape({4, 2, 3}));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t k = 0; k < 4; ++k)
        EXPECT_EQ(u.at({k, i, j}), t.at({i, j, k}));
}

TEST(Tensor, Broadcasts) {
  const Tensor column({2, 1}, {5, 7});
  EXPECT_EQ(column.broadcastTo({2, 3}).values(),
            std::vector<double>({5, 5, 5, 7, 7, 7}));
  EXPECT_EQ(column.broadcastTo({2, 2, 1}).values(),
            std::vector<double>({5, 7, 5, 7}));
  EXPECT_EQ(Tensor({}, 3.0).broadcastTo({2}).values(),
            std::vector<double>({3, 3}));
}

TEST(Tensor, RowsAlongAnyAxis) {
  const Shape shape = {2, 3, 4};
  const Tensor t = iota(shape);
  for (int64_t axis = 0; axis < 3; ++axis) {
    const RowLayout rows(shape, axis);
    ASSERT_EQ(rows.rowCount() * rows.length, t.size());
    std::vector<int> seen(t.size());
    for (int64_t r = 0; r < rows.rowCount(); ++r)
      for (int64_t j = 0; j < rows.length; ++j) {
        const int64_t at = rows.begin(r) + j * rows.stride();
        ++seen[at];
        EXPECT_EQ(t.indexOf(at)[axis], j);
      }
    EXPECT_EQ(seen, std::vector<int>(t.size(), 1));
  }
}

TEST(Tensor, RoundsToADType) {
  EXPECT_EQ(
      Tensor({2}, {1.0001, 70000}).roundedTo(DType::F16).values(),
      std::vector<double>({1.0, std::numeric_limits<double>::infinity()}));
}
