//===- DType.cpp - element types and exact rounding to them ---------------===//
#include "smx/Reference/DType.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace smx::reference {

std::string_view nameOf(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "f64";
  case DType::F32:
    return "f32";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::F8E4M3FN:
    return "f8E4M3FN";
  case DType::I1:
    return "i1";
  case DType::I8:
    return "i8";
  case DType::U8:
    return "u8";
  case DType::I32:
    return "i32";
  case DType::I64:
    return "i64";
  }
  return "";
}

std::optional<DType> dtypeFromName(std::string_view name) {
  for (DType dtype :
       {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3FN,
        DType::I1, DType::I8, DType::U8, DType::I32, DType::I64})
    if (nameOf(dtype) == name)
      return dtype;
  return std::nullopt;
}

std::string_view dtypeNames() {
  return "f64, f32, f16, bf16, f8E4M3FN, i1, i8, u8, i32, i64";
}

int64_t byteWidth(DType dtype) {
  switch (dtype) {
  case DType::F64:
  case DType::I64:
    return 8;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::F8E4M3FN:
  case DType::I1:
  case DType::I8:
  case DType::U8:
    return 1;
  }
  return 0;
}

bool isLowPrecision(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16 ||
         dtype == DType::F8E4M3FN;
}

bool isFloat(DType dtype) {
  return dtype == DType::F64 || dtype == DType::F32 || isLowPrecision(dtype);
}

int mantissaBits(DType dtype) {
  assert(isFloat(dtype) && "only floats have a significand");
  switch (dtype) {
  case DType::F64:
    return 52;
  case DType::F32:
    return 23;
  case DType::F16:
    return 10;
  case DType::F8E4M3FN:
    return 3;
  default:
    return 7;
  }
}

int minExponent(DType dtype) {
  assert(isFloat(dtype) && "only floats have an exponent");
  switch (dtype) {
  case DType::F64:
    return -1022;
  case DType::F16:
    return -14;
  case DType::F8E4M3FN:
    return -6;
  default:
    return -126;
  }
}

double maxFinite(DType dtype) {
  // The largest significand of the largest exponent is that of NaN.
  if (dtype == DType::F8E4M3FN)
    return 448;
  // The largest exponent is the mirror image of the smallest: 1 - minExponent.
  double belowTwo = 2.0 - std::ldexp(1.0, -mantissaBits(dtype));
  return std::ldexp(belowTwo, 1 - minExponent(dtype));
}

double ulpAt(DType dtype, double x) {
  assert(std::isfinite(x) && "no neighbours at infinity");
  int exponent =
      x == 0 ? minExponent(dtype) : std::max(std::ilogb(x), minExponent(dtype));
  return std::ldexp(1.0, exponent - mantissaBits(dtype));
}

/// The 16-bit format with `mantissa` bits after the leading one; the other 15 -
/// `mantissa` bits under the sign hold the exponent.
static uint16_t encode16(double x, int mantissa) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint16_t sign = static_cast<uint16_t>(bits >> 63 << 15);
  const int bias = (1 << (14 - mantissa)) - 1;
  const uint16_t infinity = static_cast<uint16_t>((2 * bias + 1) << mantissa);
  if (std::isnan(x))
    return sign | infinity | static_cast<uint16_t>(1 << (mantissa - 1));

  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (exponent > bias)
    return sign | infinity;
  const int denormal = std::max(0, (1 - bias) - exponent);
  const int dropped = 52 - mantissa + denormal;
  // Less than half of the smallest denormal (a double's own denormals are far
  // below).
  if (dropped > 53)
    return sign;

  const uint64_t significand = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1)
                                                                        << 52;
  const uint64_t rest = significand & ((uint64_t(1) << dropped) - 1);
  const uint64_t half = uint64_t(1) << (dropped - 1);
  uint64_t kept = significand >> dropped;
  kept += rest > half || (rest == half && (kept & 1));
  // `kept` holds the leading one of a normal number, hence the exponent one
  // lower; a carry out of the significand moves the exponent up, through the
  // last step to infinity.
  const uint64_t exponentField =
      denormal ? 0 : static_cast<uint64_t>(exponent + bias - 1);
  return sign | static_cast<uint16_t>((exponentField << mantissa) + kept);
}

static double decode16(uint16_t bits, int mantissa) {
  const int bias = (1 << (14 - mantissa)) - 1;
  const int exponentField = (bits & 0x7fff) >> mantissa;
  const int fraction = bits & ((1 << mantissa) - 1);
  double magnitude;
  if (exponentField == 2 * bias + 1)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponentField == 0)
    magnitude = std::ldexp(fraction, 1 - bias - mantissa);
  else
    magnitude =
        std::ldexp(fraction + (1 << mantissa), exponentField - bias - mantissa);
  return bits & 0x8000 ? -magnitude : magnitude;
}

uint16_t toF16Bits(double x) { return encode16(x, 10); }
double fromF16Bits(uint16_t bits) { return decode16(bits, 10); }
uint16_t toBF16Bits(double x) { return encode16(x, 7); }

double fromBF16Bits(uint16_t bits) {
  // bf16 is the upper half of f32; far quicker than the general way, and just
  // as exact.
  return static_cast<double>(
      std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
}

uint8_t toF8E4M3FNBits(double x) {
  const uint8_t sign = std::signbit(x) ? 0x80 : 0;
  constexpr uint8_t nan = 0x7f;
  if (std::isnan(x))
    return sign | nan;
  // The magnitudes rise with their bits from 0 to 448; beyond, the step to NaN
  // would be to 480.
  const double magnitude = std::abs(x);
  if (magnitude > 464)
    return sign | nan;
  const double ulp = ulpAt(DType::F8E4M3FN, magnitude);
  const double rounded = std::nearbyint(magnitude / ulp) * ulp;
  const int exponent = rounded < 0x1p-6 ? -6 : std::ilogb(rounded);
  const int significand = static_cast<int>(std::ldexp(rounded, 3 - exponent));
  // The leading one of a normal number, which is 8, raises the exponent by one.
  return sign | static_cast<uint8_t>((exponent + 6) * 8 + significand);
}

double fromF8E4M3FNBits(uint8_t bits) {
  const int exponentField = bits >> 3 & 0xf, fraction = bits & 7;
  double magnitude;
  if ((bits & 0x7f) == 0x7f)
    magnitude = std::numeric_limits<double>::quiet_NaN();
  else if (exponentField == 0)
    magnitude = std::ldexp(fraction, -9);
  else
    magnitude = std::ldexp(fraction + 8, exponentField - 10);
  return bits & 0x80 ? -magnitude : magnitude;
}

/// Truncates; out of range goes to the nearest end, NaN to 0 (a cast would be
/// undefined).
template <typename Integer>
static double roundToInteger(double x) {
  // As doubles, 2^63 - 1 reads 2^63; both ends are then compared as powers of
  // two.
  const double low = static_cast<double>(std::numeric_limits<Integer>::min());
  const double high = static_cast<double>(std::numeric_limits<Integer>::max());
  if (std::isnan(x))
    return 0;
  return std::trunc(std::min(std::max(x, low), high));
}

double roundTo(DType dtype, double x) {
  switch (dtype) {
  case DType::F64:
    return x;
  case DType::F32:
    return static_cast<double>(static_cast<float>(x));
  case DType::F16:
    return fromF16Bits(toF16Bits(x));
  case DType::BF16:
    return fromBF16Bits(toBF16Bits(x));
  case DType::F8E4M3FN:
    return fromF8E4M3FNBits(toF8E4M3FNBits(x));
  case DType::I1:
    return x != 0;
  case DType::I8:
    return roundToInteger<int8_t>(x);
  case DType::U8:
    return roundToInteger<uint8_t>(x);
  case DType::I32:
    return roundToInteger<int32_t>(x);
  case DType::I64:
    return roundToInteger<int64_t>(x);
  }
  return x;
}

} // namespace smx::reference
