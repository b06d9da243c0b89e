//===- OnlineStateTest.cpp - the laws of the algebra ----------------------===//
#include "smx/Reference/OnlineState.h"
#include "smx/Reference/Softmax.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace smx::reference;

namespace {
template <typename Real>
struct Laws : testing::Test {
  using State = OnlineState<Real>;
  static constexpr Real inf = std::numeric_limits<Real>::infinity();
  std::mt19937 random{20};

  Real number(Real size) {
    return size * (Real(random()) / Real(2147483648.0) - 1);
  }
  /// Scores far apart and close together, and now and then one that is masked.
  Real score() {
    switch (random() % 8) {
    case 0:
      return -inf;
    case 1:
      return number(500);
    default:
      return number(10);
    }
  }
  State element(size_t width) {
    std::vector<Real> value(width);
    for (Real &v : value)
      v = number(3);
    return random() % 10 ? State::lift(score(), value) : State::identity(width);
  }
  /// An element that has seen several scores.
  State sum(size_t width) {
    State state = element(width);
    for (int n = random() % 5; n > 0; --n)
      state = State::merge(state, element(width));
    return state;
  }
};

/// Equal as elements of the algebra, up to rounding: the same maximum, and sums
/// that agree.
template <typename Real>
void expectClose(const OnlineState<Real> &a, const OnlineState<Real> &b) {
  const Real tolerance = 64 * std::numeric_limits<Real>::epsilon();
  ASSERT_EQ(a.m, b.m);
  ASSERT_NEAR(a.l, b.l, tolerance * std::max<Real>(1, a.l));
  ASSERT_EQ(a.acc.size(), b.acc.size());
  for (size_t d = 0; d < a.acc.size(); ++d)
    ASSERT_NEAR(a.acc[d], b.acc[d], tolerance * 3 * std::max<Real>(1, a.l));
}

template <typename Real>
void expectSame(const OnlineState<Real> &a, const OnlineState<Real> &b) {
  ASSERT_EQ(a.m, b.m);
  ASSERT_EQ(a.l, b.l);
  ASSERT_EQ(a.acc, b.acc);
}
} // namespace

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Laws, Reals);

TYPED_TEST(Laws, TheIdentityChangesNothing) {
  using State = OnlineState<TypeParam>;
  for (int n = 0; n < 1000; ++n) {
    const State x = this->sum(3);
    expectSame(State::merge(x, State::identity(3)), x);
    expectSame(State::merge(State::identity(3), x), x);
  }
}

TYPED_TEST(Laws, MergeCommutes) {
  using State = OnlineState<TypeParam>;
  for (int n = 0; n < 1000; ++n) {
    const State a = this->sum(3), b = this->sum(3);
    expectSame(State::merge(a, b), State::merge(b, a));
  }
}

TYPED_TEST(Laws, MergeIsAssociative) {
  using State = OnlineState<TypeParam>;
  for (int n = 0; n < 2000; ++n) {
    const State a = this->sum(3), b = this->sum(3), c = this->sum(3);
    expectClose(State::merge(State::merge(a, b), c),
                State::merge(a, State::merge(b, c)));
  }
}

TYPED_TEST(Laws, UpdateIsMergeWithTheLiftedScores) {
  using State = OnlineState<TypeParam>;
  for (int n = 0; n < 500; ++n) {
    State updated = this->sum(2), merged = updated;
    std::vector<TypeParam> scores(this->random() % 6),
        values(2 * scores.size());
    for (TypeParam &s : scores)
      s = this->score();
    for (TypeParam &v : values)
      v = this->number(3);
    updated.update(scores, values);
    for (size_t j = 0; j < scores.size(); ++j)
      merged = State::merge(
          merged, State::lift(scores[j], std::span(values).subspan(2 * j, 2)));
    expectClose(updated, merged);
  }
}

TYPED_TEST(Laws, AnyTileOrderAndAnySplitGiveTheSame) {
  using State = OnlineState<TypeParam>;
  constexpr size_t keys = 60, width = 2;
  for (int n = 0; n < 200; ++n) {
    std::vector<TypeParam> scores(keys), values(keys * width);
    for (TypeParam &s : scores)
      s = this->score();
    for (TypeParam &v : values)
      v = this->number(3);
    State whole = State::identity(width);
    whole.update(scores, values);

    // Cut the row into tiles of random sizes, and deal them to a random number
    // of states in a random order, merged in a random order.
    std::vector<std::pair<size_t, size_t>> tiles;
    for (size_t begin = 0; begin < keys; begin = tiles.back().second)
      tiles.emplace_back(
          begin, std::min<size_t>(keys, begin + 1 + this->random() % 20));
    std::shuffle(tiles.begin(), tiles.end(), this->random);
    std::vector<State> parts(1 + this->random() % 5, State::identity(width));
    for (auto [begin, end] : tiles)
      parts[this->random() % parts.size()].update(
          std::span(scores).subspan(begin, end - begin),
          std::span(values).subspan(begin * width, (end - begin) * width));
    while (parts.size() > 1) {
      std::shuffle(parts.begin(), parts.end(), this->random);
      State last = parts.back();
      parts.pop_back();
      parts.back() = State::merge(parts.back(), last);
    }
    expectClose(parts[0], whole);
  }
}

TYPED_TEST(Laws, ARepresentativeMayHaveAnyReference) {
  using State = OnlineState<TypeParam>;
  for (int n = 0; n < 500; ++n) {
    State a = this->sum(2), b = this->sum(2);
    if (std::isinf(a.m) || std::isinf(b.m))
      continue;
    const State merged = State::merge(a, b);
    // A whole power of two, as a lazy schedule would use; merge then works from
    // either.
    a.moveReference(a.m + TypeParam(3 * std::log(2.0)));
    State again = State::merge(a, b);
    again.moveReference(merged.m);
    const TypeParam tolerance = 256 * std::numeric_limits<TypeParam>::epsilon();
    ASSERT_NEAR(again.l, merged.l,
                tolerance * merged.l *
                    std::max<TypeParam>(1, std::abs(merged.m)));
  }
}

TYPED_TEST(Laws, FinishAgreesWithThreePasses) {
  using State = OnlineState<TypeParam>;
  constexpr int64_t keys = 100, width = 3;
  std::vector<TypeParam> scores(keys), values(keys * width);
  for (TypeParam &s : scores)
    s = this->score();
  for (TypeParam &v : values)
    v = this->number(3);
  const Tensor x({keys}, std::vector<double>(scores.begin(), scores.end()));
  const Tensor v({keys, width},
                 std::vector<double>(values.begin(), values.end()));
  State state = State::identity(width);
  for (int64_t j = 0; j < keys; j += 10)
    state.update(std::span(scores).subspan(j, 10),
                 std::span(values).subspan(j * width, 10 * width));
  const auto [out, lse] = state.finish();
  const TypeParam tolerance = 64 * std::numeric_limits<TypeParam>::epsilon();
  const Tensor expected = softmaxDot(x, v);
  for (int64_t d = 0; d < width; ++d)
    EXPECT_NEAR(out[d], expected[d], tolerance * 3);
  EXPECT_NEAR(lse, logSumExp(x)[0], tolerance * std::abs(lse));
}

TYPED_TEST(Laws, ContractOfRows) {
  using State = OnlineState<TypeParam>;
  const TypeParam inf = this->inf,
                  nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const std::vector<TypeParam> v = {1, 2};
  // Nothing seen: 0 and -inf, from the start, after masked tiles, and merged.
  State nothing = State::identity(1);
  nothing.update(std::vector<TypeParam>{-inf, -inf},
                 std::vector<TypeParam>{nan, inf});
  nothing =
      State::merge(nothing, State::lift(-inf, std::vector<TypeParam>{nan}));
  EXPECT_EQ(nothing.finish().out[0], 0);
  EXPECT_EQ(nothing.finish().logSumExp, -inf);
  // NaN and +inf spoil the row, whatever comes before and after.
  for (TypeParam special : {nan, inf}) {
    State state = State::lift(3, std::vector<TypeParam>{1});
    state.update(std::vector<TypeParam>{special, -inf}, v);
    state.update(std::vector<TypeParam>{1, 500}, v);
    EXPECT_TRUE(std::isnan(state.finish().out[0]));
    const TypeParam lse = state.finish().logSumExp;
    EXPECT_TRUE(special == inf ? lse == inf : std::isnan(lse));
    EXPECT_TRUE(std::isnan(
        State::lift(special, std::vector<TypeParam>{1}).finish().out[0]));
    EXPECT_TRUE(
        std::isnan(State::merge(State::identity(1), state).finish().out[0]));
  }
  // NaN does not get lost among scores of -inf, nor before or after +inf.
  for (TypeParam other : {-inf, inf})
    for (bool first : {true, false}) {
      State state = State::identity(1);
      const std::vector<TypeParam> scores =
          first ? std::vector<TypeParam>{nan, other}
                : std::vector<TypeParam>{other, nan};
      state.update(scores, v);
      EXPECT_TRUE(std::isnan(state.finish().out[0]));
      EXPECT_TRUE(std::isnan(state.finish().logSumExp));
    }
  // One key: its value, bit for bit.
  EXPECT_EQ(State::lift(TypeParam(-77.7), v).finish().out, v);
}
