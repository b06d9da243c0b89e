//===- DType.h - element types and exact rounding to them ------*- C++ -*-===//
//
// The reference computes in double; this file says what a double becomes when
// it is stored in another type. Every conversion rounds once, to nearest, ties
// to even.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_DTYPE_H
#define SMX_REFERENCE_DTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace smx::reference {

/// Element types of tensors. The integers serve masks and indices.
/// F8E4M3FN is OCP's 8-bit float of a sign, 4 bits of exponent and 3 of
/// significand, without infinities.
enum class DType { F64, F32, F16, BF16, F8E4M3FN, I1, I8, U8, I32, I64 };

/// The name as written in IR and on command lines: "f64", "bf16", "f8E4M3FN",
/// "i1",
/// ...
std::string_view nameOf(DType dtype);
/// The inverse of nameOf; nothing for an unknown name.
std::optional<DType> dtypeFromName(std::string_view name);
/// All names, separated by ", ", for error messages.
std::string_view dtypeNames();

/// Bytes of one element; i1 takes a byte.
int64_t byteWidth(DType dtype);
bool isFloat(DType dtype);
/// f16, bf16 and f8E4M3FN: the types that the published low-precision rule is
/// for.
bool isLowPrecision(DType dtype);

/// Bits of the significand after the leading one: 52, 23, 10, 7, 3. Floats
/// only.
int mantissaBits(DType dtype);
/// Exponent of the smallest normal number: -1022, -126, -14, -126, -6.
/// Floats only.
int minExponent(DType dtype);
/// Largest finite number. Floats only.
double maxFinite(DType dtype);
/// Distance of neighbouring numbers of the type at the magnitude of `x`; that
/// of the denormals below the smallest normal number. Floats only; `x` finite.
double ulpAt(DType dtype, double x);

/// Bit patterns of f16 and bf16. NaN gives a quiet NaN of the same sign, too
/// large a number gives infinity, too small a one a denormal or a zero of the
/// same sign.
uint16_t toF16Bits(double x);
double fromF16Bits(uint16_t bits);
uint16_t toBF16Bits(double x);
double fromBF16Bits(uint16_t bits);

/// Bit patterns of f8E4M3FN, which has neither infinity nor more than one NaN
/// of a sign (all other bits set). Too large a number and infinity give NaN.
uint8_t toF8E4M3FNBits(double x);
double fromF8E4M3FNBits(uint8_t bits);

/// `x` after storing it as `dtype` and loading it back. Integers: truncated and
/// saturated, NaN is 0, i1 is `x != 0`.
double roundTo(DType dtype, double x);

} // namespace smx::reference

#endif // SMX_REFERENCE_DTYPE_H
