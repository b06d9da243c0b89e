//===- HostPeaks.h - what this machine can do -------------------*- C++ -*-===//
//
// Measured, not looked up: every figure that a tool prints is set against
// these.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_RUNTIME_HOSTPEAKS_H
#define SMX_RUNTIME_HOSTPEAKS_H

#include "llvm/Support/Error.h"

namespace smx {

/// Rates of this machine on `threadCount()` threads.
struct HostPeaks {
  /// f32 multiply-adds kept in registers, in GFLOP/s (an fma is two).
  double f32GFlops;
  /// memcpy between arrays that no cache holds, in GB/s (each byte read and
  /// written counts twice).
  double copyGBs;
};

/// Takes about `milliseconds` for each of the two. The fma loop is compiled by
/// this library itself.
llvm::Expected<HostPeaks> measureHostPeaks(double milliseconds = 200);

} // namespace smx

#endif // SMX_RUNTIME_HOSTPEAKS_H
