//===- ClockTest.cpp - what has happened before what ----------------------===//

#include "GPUHost/Clock.h"

#include <gtest/gtest.h>

using mlir::smx::gpuhost::Clock;

TEST(ClockTest, HasSeenNothingAtFirst) {
  Clock clock;
  EXPECT_FALSE(clock.hasSeen({3, 1}));
  EXPECT_TRUE(clock.hasSeen({3, 0}));
}

TEST(ClockTest, JoinTakesTheLaterMomentOfEachGroup) {
  Clock a, b;
  a.set({0, 5});
  a.set({1, 1});
  b.set({1, 4});
  b.set({2, 2});
  a.join(b);
  EXPECT_EQ(a[0], 5u);
  EXPECT_EQ(a[1], 4u);
  EXPECT_EQ(a[2], 2u);
  EXPECT_TRUE(a.hasSeen({1, 4}));
  EXPECT_FALSE(a.hasSeen({1, 5}));
}

TEST(ClockTest, JoinWithOneself) {
  Clock a;
  a.set({2, 7});
  a.join(a);
  EXPECT_EQ(a[2], 7u);
  EXPECT_EQ(a[0], 0u);
}
