//===- GeneratorsTest.cpp - inputs by name --------------------------------===//
#include "smx/Reference/Generators.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace smx::reference;

static Tensor make(std::string_view name, Shape shape, DType dtype = DType::F32,
                   int64_t tile = 128) {
  return *generate(name, shape, {dtype, 11, tile});
}

TEST(Generators, EveryNameWorksInEveryFloat) {
  for (const GeneratorInfo &info : allGenerators())
    for (DType dtype :
         {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3FN})
      for (const Shape &shape : {Shape{}, Shape{0}, Shape{1}, Shape{3, 0},
                                 Shape{0, 3}, Shape{4, 300}}) {
        const Tensor x = make(info.name, shape, dtype);
        EXPECT_EQ(x.shape(), shape);
        bool expectsInfinity =
            info.name == "all_neg_inf" || info.name == "one_inf";
        for (double v : x.values()) {
          EXPECT_TRUE(std::isnan(v) || v == roundTo(dtype, v));
          EXPECT_TRUE(!std::isinf(v) || expectsInfinity) << info.name;
          // Infinity is NaN in f8E4M3FN.
          EXPECT_TRUE(!std::isnan(v) || info.name == "one_nan" ||
                      (dtype == DType::F8E4M3FN && expectsInfinity))
              << info.name;
        }
      }
}

TEST(Generators, TheSeedDecides) {
  const Tensor a = *generate("normal", {100}, {DType::F32, 1});
  EXPECT_EQ(a.values(), generate("normal", {100}, {DType::F32, 1})->values());
  EXPECT_NE(a.values(), generate("normal", {100}, {DType::F32, 2})->values());
}

TEST(Generators, NormalHasItsMoments) {
  const Tensor x = make("normal", {100000});
  double sum = 0, squares = 0;
  for (double v : x.values()) {
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.02);
  EXPECT_NEAR(squares / 100000, 1, 0.02);
}

TEST(Generators, StaircaseRisesAtTileBorders) {
  const Tensor x = make("staircase", {2, 40}, DType::F32, 10),
               y = make("falling", {2, 40}, DType::F32, 10);
  for (int64_t r = 0; r < 2; ++r)
    for (int64_t j = 0; j < 40; ++j) {
      EXPECT_NEAR(x.at({r, j}), 100.0 * (j / 10), 10);
      EXPECT_NEAR(y.at({r, j}), 300.0 - 100.0 * (j / 10), 10);
    }
}

TEST(Generators, SpikesStandWhereTheyShould) {
  const Tensor last = make("spike_last", {5, 300}),
               masked = make("spike_masked", {5, 300});
  for (int64_t r = 0; r < 5; ++r) {
    int spikes = 0;
    for (int64_t j = 0; j < 300; ++j)
      if (last.at({r, j}) == 1000) {
        ++spikes;
        EXPECT_GE(j, 256);
      }
    EXPECT_EQ(spikes, 1);
    EXPECT_EQ(masked.at({r, 299}), 10000);
  }
}

TEST(Generators, SpecialsLeaveEveryOtherRowClean) {
  const Tensor x = make("one_nan", {4, 50});
  for (int64_t r = 0; r < 4; ++r) {
    int found = 0;
    for (int64_t j = 0; j < 50; ++j)
      found += std::isnan(x.at({r, j}));
    EXPECT_EQ(found, r % 2 ? 0 : 1);
  }
}

TEST(Generators, RowsFollowTheAxis) {
  const Tensor x = *generate("huge_jump", {10, 2}, {DType::F32, 1, 128, 0});
  for (int64_t j = 0; j < 10; ++j)
    for (int64_t r = 0; r < 2; ++r)
      EXPECT_NEAR(x.at({j, r}), j < 5 ? -1000 : 0, 10);
}

TEST(Generators, RangesFollowTheDType) {
  EXPECT_EQ(make("alternating", {2}, DType::F16).values(),
            std::vector<double>({60000, -60000}));
  EXPECT_EQ(make("alternating", {2}, DType::F8E4M3FN).values(),
            std::vector<double>({448, -448}));
  EXPECT_EQ(make("spike_masked", {3}, DType::F8E4M3FN).at({2}), 448);
  EXPECT_NEAR(make("huge_jump", {2}, DType::F8E4M3FN).at({0}), -224, 16);
  for (double v : make("denormals", {100}, DType::F16).values())
    EXPECT_LE(std::abs(v), std::ldexp(1, -14));
  // 1000 tiles of 100 each would leave f16.
  for (double v : make("staircase", {1000}, DType::F16, 1).values())
    EXPECT_TRUE(std::isfinite(v));
}

TEST(Generators, ErrorsSayWhatWouldWork) {
  EXPECT_EQ(generate("gaussian", {3}).message(),
            "unknown generator 'gaussian'; use one of " + generatorNames());
  EXPECT_NE(generatorNames().find("normal, uniform, staircase"),
            std::string::npos);
  EXPECT_FALSE(generate("normal", {-1}));
  EXPECT_FALSE(generate("normal", {int64_t(1) << 40, int64_t(1) << 40}));
  EXPECT_EQ(generate("normal", {3}, {DType::I32}).message(),
            "elements of i32 can not be generated; use f64, f32, f16, bf16 or "
            "f8E4M3FN");
  EXPECT_EQ(generate("normal", {3, 4}, {DType::F32, 0, 128, 2}).message(),
            "axis 2 is out of range for rank 2; use -2 to 1");
  EXPECT_EQ(generate("normal", {3}, {DType::F32, 0, 0}).message(),
            "a tile of 0 elements is too small; use 1 or more");
}
