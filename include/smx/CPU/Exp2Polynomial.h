//===- Exp2Polynomial.h - powers of two by fused multiply-adds --*- C++ -*-===//
#ifndef SMX_CPU_EXP2POLYNOMIAL_H
#define SMX_CPU_EXP2POLYNOMIAL_H

namespace mlir::smx {

/// 2^f on [-1/2, 1/2] in single precision, lowest power first: minimax, with a
/// relative error of 2.6e-9 (0.04 units in the last place) before rounding.
inline constexpr double exp2Single[] = {
    1.0,           0x1.62e432p-1,  0x1.ebfbe2p-3, 0x1.c6ae72p-5,
    0x1.3b270ep-7, 0x1.5f7276p-10, 0x1.470b4ap-13};

} // namespace mlir::smx

#endif // SMX_CPU_EXP2POLYNOMIAL_H
