//===- DTypeTest.cpp - rounding to the element types ----------------------===//
#include "SpecialNumbers.h"

#include "smx/Reference/DType.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace smx::reference;
using namespace smx::test;

namespace {
/// One 16-bit format: its conversions and the pattern of +infinity.
struct Format {
  const char *name;
  uint16_t (*encode)(double);
  double (*decode)(uint16_t);
  uint16_t infinity;
  uint16_t quietNaN;
};

class SixteenBitFormat : public testing::TestWithParam<Format> {};
} // namespace

TEST_P(SixteenBitFormat, EveryPatternSurvivesARoundTrip) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double x = format.decode(bits);
    if ((bits & 0x7fff) > format.infinity) {
      ASSERT_TRUE(std::isnan(x)) << bits;
      ASSERT_EQ(format.encode(x) & 0x7fff, format.quietNaN) << bits;
    } else {
      ASSERT_EQ(format.encode(x), bits);
    }
  }
}

TEST_P(SixteenBitFormat, BetweenEveryTwoNeighboursRoundsToNearestEven) {
  const Format &format = GetParam();
  // From 0 through the denormals to the largest finite number; infinity stands
  // for the number that would follow it.
  for (uint32_t low = 0; low < format.infinity; ++low) {
    const double a = format.decode(low);
    const bool last = low + 1 == format.infinity;
    const double b =
        last ? a + (a - format.decode(low - 1)) : format.decode(low + 1);
    const double middle = a + (b - a) / 2;
    const uint16_t even = low % 2 ? low + 1 : low;
    ASSERT_EQ(format.encode(middle), even) << low;
    ASSERT_EQ(format.encode(std::nextafter(middle, -inf)), low);
    ASSERT_EQ(format.encode(std::nextafter(middle, inf)), low + 1);
    ASSERT_EQ(format.encode(-middle), even | 0x8000);
  }
}

TEST_P(SixteenBitFormat, ExtremesOfDouble) {
  const Format &format = GetParam();
  EXPECT_EQ(format.encode(inf), format.infinity);
  EXPECT_EQ(format.encode(-inf), format.infinity | 0x8000);
  EXPECT_EQ(format.encode(std::numeric_limits<double>::max()), format.infinity);
  EXPECT_EQ(format.encode(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(format.encode(-std::numeric_limits<double>::denorm_min()), 0x8000);
  EXPECT_EQ(format.encode(-0.0), 0x8000);
}

INSTANTIATE_TEST_SUITE_P(
    DType, SixteenBitFormat,
    testing::Values(Format{"f16", toF16Bits, fromF16Bits, 0x7c00, 0x7e00},
                    Format{"bf16", toBF16Bits, fromBF16Bits, 0x7f80, 0x7fc0}),
    [](const testing::TestParamInfo<Format> &info) { return info.param.name; });

TEST(DType, KnownPatterns) {
  EXPECT_EQ(toF16Bits(1.0), 0x3c00);
  EXPECT_EQ(toF16Bits(65504.0), 0x7bff);
  EXPECT_EQ(toF16Bits(65519.999), 0x7bff);
  EXPECT_EQ(toF16Bits(65520.0), 0x7c00);
  EXPECT_EQ(toF16Bits(std::ldexp(1, -24)), 0x0001);
  EXPECT_EQ(toBF16Bits(1.0), 0x3f80);
  EXPECT_EQ(toBF16Bits(3.0e38), 0x7f62);
  EXPECT_EQ(fromBF16Bits(0x4049), 3.140625);
}

TEST(DType, F8E4M3FNCodes) {
  EXPECT_EQ(fromF8E4M3FNBits(0x38), 1.0);
  EXPECT_EQ(fromF8E4M3FNBits(0x01), std::ldexp(1, -9));
  EXPECT_EQ(fromF8E4M3FNBits(0x07), 7 * std::ldexp(1, -9));
  EXPECT_EQ(fromF8E4M3FNBits(0x08), std::ldexp(1, -6));
  EXPECT_EQ(fromF8E4M3FNBits(0x7e), 448.0);
  EXPECT_EQ(fromF8E4M3FNBits(0xc4), -3.0);
  EXPECT_TRUE(std::isnan(fromF8E4M3FNBits(0x7f)));
  EXPECT_TRUE(std::isnan(fromF8E4M3FNBits(0xff)));
  for (int code = 0; code < 256; ++code)
    EXPECT_EQ(toF8E4M3FNBits(fromF8E4M3FNBits(code)), code);
  // Magnitudes rise with their codes; half way between two, the even one.
  for (int code = 0; code < 0x7e; ++code) {
    const double low = fromF8E4M3FNBits(code),
                 high = fromF8E4M3FNBits(code + 1), middle = (low + high) / 2;
    EXPECT_LT(low, high);
    EXPECT_EQ(toF8E4M3FNBits(middle), code + code % 2);
    EXPECT_EQ(toF8E4M3FNBits(std::nextafter(middle, 0)), code);
    EXPECT_EQ(toF8E4M3FNBits(-std::nextafter(middle, inf)), 0x80 + code + 1);
  }
  EXPECT_EQ(toF8E4M3FNBits(464), 0x7e);
  EXPECT_EQ(toF8E4M3FNBits(464.001), 0x7f);
  EXPECT_EQ(toF8E4M3FNBits(-inf), 0xff);
  EXPECT_EQ(maxFinite(DType::F8E4M3FN), 448);
}

TEST(DType, DoubleToBF16RoundsOnce) {
  // Just above the middle of 1 and its neighbour. Through f32 the 2^-40 is
  // lost, and the tie goes to 1.
  const double x = 1 + std::ldexp(1, -8) + std::ldexp(1, -40);
  EXPECT_EQ(roundTo(DType::BF16, x), 1 + std::ldexp(1, -7));
  EXPECT_EQ(roundTo(DType::BF16, static_cast<float>(x)), 1.0);
  // The same in f16.
  const double y = 1 + std::ldexp(1, -11) + std::ldexp(1, -40);
  EXPECT_EQ(roundTo(DType::F16, y), 1 + std::ldexp(1, -10));
}

TEST(DType, BF16IsTheUpperHalfOfF32) {
  std::mt19937 random(7);
  for (int n = 0; n < 100000; ++n) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isnan(x))
      continue;
    // The usual trick on the bits of a float: add half, and one more if the
    // kept part is odd.
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const uint32_t expected = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    ASSERT_EQ(toBF16Bits(x), expected) << x;
  }
}

TEST(DType, UlpAndLimits) {
  EXPECT_EQ(maxFinite(DType::F16), 65504);
  EXPECT_EQ(maxFinite(DType::F32), std::numeric_limits<float>::max());
  EXPECT_EQ(maxFinite(DType::F64), std::numeric_limits<double>::max());
  EXPECT_EQ(ulpAt(DType::F32, 1.0), std::ldexp(1, -23));
  EXPECT_EQ(ulpAt(DType::F32, -0.75), std::ldexp(1, -24));
  EXPECT_EQ(ulpAt(DType::F32, 0.0), std::ldexp(1, -149));
  EXPECT_EQ(ulpAt(DType::F32, std::ldexp(1, -140)), std::ldexp(1, -149));
  EXPECT_EQ(ulpAt(DType::BF16, 1.5), std::ldexp(1, -7));
}

TEST(DType, IntegersTruncateAndSaturate) {
  EXPECT_EQ(roundTo(DType::I8, 3.9), 3);
  EXPECT_EQ(roundTo(DType::I8, -3.9), -3);
  EXPECT_EQ(roundTo(DType::I8, 1e9), 127);
  EXPECT_EQ(roundTo(DType::U8, -1), 0);
  EXPECT_EQ(roundTo(DType::I32, -inf), -2147483648.0);
  EXPECT_EQ(roundTo(DType::I32, std::nan("")), 0);
  EXPECT_EQ(roundTo(DType::I1, -0.5), 1);
  EXPECT_EQ(roundTo(DType::I1, 0), 0);
}

TEST(DType, NamesRoundTrip) {
  for (DType dtype :
       {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3FN,
        DType::I1, DType::I8, DType::U8, DType::I32, DType::I64}) {
    EXPECT_EQ(dtypeFromName(nameOf(dtype)), dtype);
    EXPECT_NE(dtypeNames().find(nameOf(dtype)), std::string_view::npos);
  }
  EXPECT_FALSE(dtypeFromName("float"));
}
