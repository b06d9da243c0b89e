//===- Median.h - of measurements -------------------------------*- C++ -*-===//
#ifndef SMX_RUNTIME_MEDIAN_H
#define SMX_RUNTIME_MEDIAN_H

#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace smx {

/// The middle value, or the mean of the two in the middle; 0 of no values.
inline double medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  llvm::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

} // namespace smx

#endif // SMX_RUNTIME_MEDIAN_H
