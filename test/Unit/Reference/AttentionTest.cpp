//===- AttentionTest.cpp - attention --------------------------------------===//
#include "SpecialNumbers.h"

#include "smx/Reference/Attention.h"
#include "smx/Reference/Generators.h"
#include "smx/Reference/OnlineState.h"
#include "smx/Reference/Softmax.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace smx::reference;
using namespace smx::test;

static Tensor normal(Shape shape, uint64_t seed) {
  return *generate("normal", shape, {DType::F64, seed});
}

/// Which keys each query sees, as a picture: one line per query.
static std::string picture(int64_t queries, int64_t keys,
                           const AttentionOptions &options) {
  // Values are the unit vectors, so a row of the output is a row of
  // probabilities.
  Tensor v({keys, keys});
  for (int64_t j = 0; j < keys; ++j)
    v.at({j, j}) = 1;
  const Tensor out =
      attention(Tensor({queries, 1}), Tensor({keys, 1}), v, options).out;
  std::string text;
  for (int64_t i = 0; i < queries; ++i, text += '\n')
    for (int64_t j = 0; j < keys; ++j)
      text += out.at({i, j}) != 0 ? 'x' : '.';
  return text;
}

/// A sink is always seen: of NaN or +inf it leaves no number, and no key in
/// sight does not change that.
TEST(Attention, SinksThatAreNoNumbersAreSeenAlone) {
  AttentionOptions options;
  options.sinks = {nan_, inf, -inf, 0.5};
  for (int64_t keys : {0, 1}) {
    const AttentionResult result =
        attention(Tensor({1, 4, 1, 1}), Tensor({1, 4, keys, 1}),
                  Tensor({1, 4, keys, 1}), options);
    for (int64_t h = 0; h < 4; ++h)
      EXPECT_EQ(std::isnan(result.out[h]), h < 2) << h << ", " << keys;
    EXPECT_TRUE(std::isnan(result.logSumExp[0]));
    EXPECT_EQ(result.logSumExp[1], inf);
  }
}

TEST(Attention, ByHand) {
  // One query (1, 1) against keys (0, 0), (ln 3, 0): probabilities 1/4 and 3/4.
  const Tensor q({1, 1, 1, 2}, {1, 1}), k({1, 1, 2, 2}, {0, 0, std::log(3), 0});
  const Tensor v({1, 1, 2, 3}, {4, 0, 8, 0, 4, 8});
  const AttentionResult result = attention(q, k, v);
  EXPECT_EQ(result.out.shape(), Shape({1, 1, 1, 3}));
  EXPECT_NEAR(result.out[0], 1, 1e-15);
  EXPECT_NEAR(result.out[1], 3, 1e-15);
  EXPECT_NEAR(result.out[2], 8, 1e-14);
  EXPECT_EQ(result.logSumExp.shape(), Shape({1, 1, 1}));
  EXPECT_NEAR(result.logSumExp[0], std::log(4), 1e-15);
}

TEST(Attention, MeanOfScoresIsOfThoseThatCount) {
  // Scores 0 and ln 3, a far one of no weight, and a farther one that is
  // hidden.
  const Tensor q({2, 1}, {1, 0}), k({4, 1}, {0, std::log(3), -1e6, 1e9});
  const Tensor v({4, 1});
  AttentionOptions options;
  options.mask = [](int64_t, int64_t, int64_t, int64_t j) { return j < 3; };
  EXPECT_NEAR(attention(q, k, v, options).largestMeanScore, 0.75 * std::log(3),
              1e-15);
  options.mask = [](int64_t, int64_t, int64_t, int64_t) { return false; };
  EXPECT_EQ(attention(q, k, v, options).largestMeanScore, 0);
}

TEST(Attention, IsTwoProductsAroundASoftmax) {
  const int64_t sq = 5, sk = 11, d = 7, dv = 3;
  const Tensor q = normal({2, 3, sq, d}, 1), k = normal({2, 3, sk, d}, 2),
               v = normal({2, 3, sk, dv}, 3);
  AttentionOptions options;
  options.scale = 0.3;
  const AttentionResult result = attention(q, k, v, options);
  for (int64_t bh = 0; bh < 6; ++bh)
    for (int64_t i = 0; i < sq; ++i) {
      Tensor scores({sk});
      for (int64_t j = 0; j < sk; ++j)
        for (int64_t c = 0; c < d; ++c)
          scores[j] +=
              0.3 * q[(bh * sq + i) * d + c] * k[(bh * sk + j) * d + c];
      const std::vector<double> block(v.data() + bh * sk * dv,
                                      v.data() + (bh + 1) * sk * dv);
      const Tensor expected = softmaxDot(scores, Tensor({sk, dv}, block));
      for (int64_t c = 0; c < dv; ++c)
        EXPECT_NEAR(result.out[(bh * sq + i) * dv + c], expected[c], 1e-14);
      EXPECT_NEAR(result.logSumExp[bh * sq + i], logSumExp(scores)[0], 1e-14);
    }
}

TEST(Attention, QueryHeadsShareKeyHeadsInGroups) {
  const Tensor q = normal({2, 6, 3, 4}, 1), k = normal({2, 2, 5, 4}, 2),
               v = normal({2, 2, 5, 4}, 3);
  const AttentionResult grouped = attention(q, k, v);
  // The same with every key head repeated three times in a row.
  auto repeat = [](const Tensor &t) {
    return t.reshaped({2, 2, 1, 5, 4})
        .broadcastTo({2, 2, 3, 5, 4})
        .reshaped({2, 6, 5, 4});
  };
  const AttentionResult repeated = attention(q, repeat(k), repeat(v));
  EXPECT_EQ(grouped.out.values(), repeated.out.values());
  EXPECT_EQ(grouped.logSumExp.values(), repeated.logSumExp.values());
}

TEST(Attention, LeadingDimensionsMayBeMissingOrMany) {
  const Tensor q = normal({2, 3, 4, 5}, 1), k = normal({2, 3, 6, 5}, 2),
               v = normal({2, 3, 6, 5}, 3);
  const Tensor out = attention(q, k, v).out;
  const Tensor five =
      attention(q.reshaped({1, 2, 3, 4, 5}), k.reshaped({1, 2, 3, 6, 5}),
                v.reshaped({1, 2, 3, 6, 5}))
          .out;
  EXPECT_EQ(five.values(), out.values());
  auto head = [](const Tensor &t) {
    return t.slice(0, 1, 2).slice(1, 2, 3).reshaped({t.dim(2), t.dim(3)});
  };
  EXPECT_EQ(attention(head(q), head(k), head(v)).out.values(),
            head(out).values());
}

TEST(Attention, ShapesThatDoNotFit) {
  auto fits = [](Shape q, Shape k, Shape v) {
    return AttentionShape::of(Tensor(q), Tensor(k), Tensor(v)).has_value();
  };
  EXPECT_TRUE(fits({1, 4, 2, 8}, {1, 2, 3, 8}, {1, 2, 3, 5}));
  EXPECT_FALSE(fits({1, 4, 2, 8}, {1, 3, 3, 8}, {1, 3, 3, 8}));
  EXPECT_FALSE(fits({1, 4, 2, 8}, {2, 4, 3, 8}, {2, 4, 3, 8}));
  EXPECT_FALSE(fits({1, 4, 2, 8}, {1, 4, 3, 7}, {1, 4, 3, 8}));
  EXPECT_FALSE(fits({1, 4, 2, 8}, {1, 4, 3, 8}, {1, 4, 2, 8}));
  EXPECT_FALSE(fits({1, 4, 2, 8}, {1, 4, 3, 8}, {1, 2, 3, 8}));
  EXPECT_FALSE(fits({4, 2, 8}, {1, 4, 3, 8}, {1, 4, 3, 8}));
  EXPECT_FALSE(fits({8}, {8}, {8}));
}

TEST(Attention, CausalWithMoreKeysThanQueries) {
  AttentionOptions options;
  options.band = Band::causal(BandAnchor::TopLeft);
  EXPECT_EQ(picture(3, 5, options), "x....\nxx...\nxxx..\n");
  options.band = Band::causal(BandAnchor::BottomRight);
  EXPECT_EQ(picture(3, 5, options), "xxx..\nxxxx.\nxxxxx\n");
}

TEST(Attention, CausalWithMoreQueriesThanKeys) {
  AttentionOptions options;
  options.band = Band::causal(BandAnchor::TopLeft);
  EXPECT_EQ(picture(5, 3, options), "x..\nxx.\nxxx\nxxx\nxxx\n");
  options.band = Band::causal(BandAnchor::BottomRight);
  EXPECT_EQ(picture(5, 3, options), "...\n...\nx..\nxx.\nxxx\n");
}

TEST(Attention, SlidingWindows) {
  AttentionOptions options;
  options.band = Band{BandAnchor::TopLeft, 1, 0};
  EXPECT_EQ(picture(4, 4, options), "x...\nxx..\n.xx.\n..xx\n");
  options.band = Band{BandAnchor::TopLeft, 0, 2};
  EXPECT_EQ(picture(2, 4, options), "xxx.\n.xxx\n");
  options.band = Band{BandAnchor::BottomRight, 1, std::nullopt};
  EXPECT_EQ(picture(2, 4, options), ".xxx\n..xx\n");
  options.band =
      Band{BandAnchor::TopLeft, std::numeric_limits<int64_t>::max(), 0};
  EXPECT_EQ(picture(2, 2, options), "x.\nxx\n");
  // A band that leaves the keys altogether.
  options.band = Band{BandAnchor::TopLeft, 0, 0};
  EXPECT_EQ(picture(3, 2, options), "x.\n.x\n..\n");
}

TEST(Attention, PrefixAndPredicate) {
  AttentionOptions options;
  options.band = Band::causal(BandAnchor::TopLeft);
  options.prefix = 2;
  EXPECT_EQ(picture(4, 4, options), "xx..\nxx..\nxxx.\nxxxx\n");
  options.mask = [](int64_t, int64_t, int64_t, int64_t j) { return j != 1; };
  EXPECT_EQ(picture(4, 4, options), "x...\nx...\nx.x.\nx.xx\n");
}

TEST(Attention, ScoreAndBiasSeeTheirPlace) {
  const Tensor q = normal({2, 2, 3, 4}, 1), k = normal({2, 2, 5, 4}, 2),
               v = normal({2, 2, 5, 4}, 3);
  auto place = [](int64_t b, int64_t h, int64_t i, int64_t j) {
    return 0.1 * j - 0.2 * i + 0.3 * h + 0.5 * b * j;
  };
  Tensor bias({2, 2, 3, 5});
  for (int64_t n = 0; n < bias.size(); ++n) {
    const Shape at = bias.indexOf(n);
    bias[n] = place(at[0], at[1], at[2], at[3]);
  }
  AttentionOptions byBias, byScore;
  byBias.bias = &bias;
  byScore.score = [&](double s, int64_t b, int64_t h, int64_t i, int64_t j) {
    return s + place(b, h, i, j);
  };
  EXPECT_EQ(attention(q, k, v, byBias).out.values(),
            attention(q, k, v, byScore).out.values());
  // A bias is added after the score has been changed: capping does not cap it.
  byScore.bias = &bias;
  byScore.score = [](double s, int64_t, int64_t, int64_t, int64_t) {
    return std::tanh(s) * 0;
  };
  byBias.scale = 0;
  EXPECT_EQ(attention(q, k, v, byBias).out.values(),
            attention(q, k, v, byScore).out.values());
}

TEST(Attention, BiasIsBroadcast) {
  const Tensor q = normal({2, 2, 3, 4}, 1), k = normal({2, 2, 5, 4}, 2),
               v = normal({2, 2, 5, 4}, 3);
  const Tensor row({5}, {0, -inf, 1, 0, -inf});
  const Tensor full = row.broadcastTo({2, 2, 3, 5});
  AttentionOptions small, large;
  small.bias = &row;
  large.bias = &full;
  EXPECT_EQ(attention(q, k, v, small).out.values(),
            attention(q, k, v, large).out.values());
}

TEST(Attention, ContractForRowsThatSeeNothing) {
  const Tensor q = normal({1, 1, 3, 2}, 1), k = normal({1, 1, 2, 2}, 2),
               v = normal({1, 1, 2, 2}, 3);
  AttentionOptions options;
  options.band = Band::causal(BandAnchor::BottomRight);
  const AttentionResult result = attention(q, k, v, options);
  EXPECT_EQ(result.out[0], 0);
  EXPECT_EQ(result.out[1], 0);
  EXPECT_EQ(result.logSumExp[0], -inf);
  EXPECT_TRUE(std::isfinite(result.logSumExp[1]));

  const AttentionResult empty =
      attention(q, Tensor({1, 1, 0, 2}), Tensor({1, 1, 0, 2}));
  EXPECT_EQ(empty.out.values(), std::vector<double>(6, 0));
  EXPECT_EQ(empty.logSumExp.values(), std::vector<double>(3, -inf));

  const Tensor bias({2}, -inf);
  options = {};
  options.bias = &bias;
  EXPECT_EQ(attention(q, k, v, options).out.values(),
            std::vector<double>(6, 0));

  EXPECT_EQ(attention(Tensor({0, 1, 3, 2}), Tensor({0, 1, 2, 2}),
                      Tensor({0, 1, 2, 2}))
                .out.size(),
            0);
  EXPECT_EQ(attention(Tensor({1, 1, 0, 2}), k, v).out.size(), 0);
}

TEST(Attention, ContractForNaNAndInfinityThatAreSeen) {
  const Tensor q({2, 1}, {1, 0}), v({2, 2}, {1, 2, 3, 4});
  for (double special : {nan_, inf}) {
    // Query 1 is 0, and 0 times either is NaN as well.
    const AttentionResult result =
        attention(q, Tensor({2, 1}, {0, special}), v);
    for (double x : result.out.values())
      EXPECT_TRUE(std::isnan(x));
    const double lse = result.logSumExp[0];
    EXPECT_TRUE(special == inf ? lse == inf : std::isnan(lse));
    // In a value, only the column is touched.
    const AttentionResult column =
        attention(q, Tensor({2, 1}), Tensor({2, 2}, {1, special, 3, 4}));
    EXPECT_EQ(column.out[0], 2);
    EXPECT_FALSE(std::isfinite(column.out[1]));
    EXPECT_TRUE(std::isfinite(column.logSumExp[0]));
  }
}

TEST(Attention, ANaNAmongInfinitiesIsNotLost) {
  const Tensor q({1, 1}, 1.0), v({2, 1}, {1, 2});
  for (double other : {-inf, inf})
    for (const Tensor &k :
         {Tensor({2, 1}, {nan_, other}), Tensor({2, 1}, {other, nan_})}) {
      const AttentionResult result = attention(q, k, v);
      EXPECT_TRUE(std::isnan(result.out[0]));
      EXPECT_TRUE(std::isnan(result.logSumExp[0]));
    }
}

TEST(Attention, ContractForMaskedPlaces) {
  const Tensor q = normal({4, 3}, 1), k = normal({4, 3}, 2),
               v = normal({4, 2}, 3);
  Tensor bias = normal({4, 4}, 4);
  AttentionOptions options;
  options.mask = [](int64_t, int64_t, int64_t i, int64_t j) {
    return j != 2 && i >= j;
  };
  options.bias = &bias;
  const AttentionResult clean = attention(q, k, v, options);
  for (double special : {nan_, inf, -inf}) {
    Tensor dirtyK = k, dirtyV = v, dirtyBias = bias;
    for (int64_t d = 0; d < 3; ++d)
      dirtyK.at({2, d}) = special;
    for (int64_t d = 0; d < 2; ++d)
      dirtyV.at({2, d}) = special;
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = i + 1; j < 4; ++j)
        dirtyBias.at({i, j}) = special;
    options.bias = &dirtyBias;
    const AttentionResult dirty = attention(q, dirtyK, dirtyV, options);
    EXPECT_EQ(dirty.out.values(), clean.out.values());
    EXPECT_EQ(dirty.logSumExp.values(), clean.logSumExp.values());
  }
}

TEST(Attention, OneKeyGivesItsValueExactly) {
  const Tensor v = normal({1, 6}, 3);
  EXPECT_EQ(attention(normal({1, 4}, 1), normal({1, 4}, 2), v).out.values(),
            v.values());
}

TEST(Attention, MergingSplitKeysGivesTheWhole) {
  // What split-KV decode and ring attention do, from output and log-sum-exp
  // alone.
  const Tensor q = normal({2, 1, 8}, 1), k = normal({2, 100, 8}, 2),
               v = normal({2, 100, 4}, 3);
  const AttentionResult whole = attention(q, k, v);
  const AttentionResult left =
      attention(q, k.slice(1, 0, 37), v.slice(1, 0, 37));
  const AttentionResult right =
      attention(q, k.slice(1, 37, 100), v.slice(1, 37, 100));
  for (int64_t h = 0; h < 2; ++h) {
    auto state = [&](const AttentionResult &part) {
      return OnlineState<double>::lift(part.logSumExp[h],
                                       std::span(part.out.data() + h * 4, 4));
    };
    const auto merged =
        OnlineState<double>::merge(state(left), state(right)).finish();
    EXPECT_NEAR(merged.logSumExp, whole.logSumExp[h], 1e-14);
    for (int64_t d = 0; d < 4; ++d)
      EXPECT_NEAR(merged.out[d], whole.out[h * 4 + d], 1e-14);
  }
}

TEST(Attention, TheSameBitsFromEveryRun) {
  const Tensor q = normal({1, 2, 200, 16}, 1), k = normal({1, 2, 300, 16}, 2);
  const std::vector<double> first = attention(q, k, k).out.values();
  for (int n = 0; n < 5; ++n)
    EXPECT_EQ(attention(q, k, k).out.values(), first);
}
