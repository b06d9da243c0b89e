//===- Clock.h - what has happened before what ------------------*- C++ -*-===//
#ifndef SMX_LIB_GPUHOST_CLOCK_H
#define SMX_LIB_GPUHOST_CLOCK_H

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>

namespace mlir::smx::gpuhost {

/// A moment of one group: its number, and how often it had handed over before.
struct Moment {
  unsigned group = 0;
  uint64_t epoch = 0;
};

/// A vector clock: per group, the last moment of it that has been seen.
class Clock {
public:
  uint64_t operator[](unsigned group) const {
    return group < epochs.size() ? epochs[group] : 0;
  }
  void set(Moment moment) {
    if (moment.group >= epochs.size())
      epochs.resize(moment.group + 1, 0);
    epochs[moment.group] = moment.epoch;
  }
  void join(const Clock &other) {
    for (unsigned group = 0; group < other.epochs.size(); ++group)
      set({group, std::max((*this)[group], other.epochs[group])});
  }
  bool hasSeen(Moment moment) const {
    return moment.epoch <= (*this)[moment.group];
  }
  unsigned size() const { return epochs.size(); }

private:
  llvm::SmallVector<uint64_t, 8> epochs;
};

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_CLOCK_H
