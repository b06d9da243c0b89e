//===- TargetUnderTest.h - where the numeric suite runs ---------*- C++ -*-===//
#ifndef SMX_TEST_NUMERICS_TARGETUNDERTEST_H
#define SMX_TEST_NUMERICS_TARGETUNDERTEST_H

#include "smx/Pipeline/Pipelines.h"

#include <string>
#include <vector>

namespace smx::test {

struct TargetUnderTest {
  mlir::smx::Target target = mlir::smx::Target::Cpu;
  /// GPU architecture; empty takes sm_80, whose code runs on newer ones, and
  /// all that have kernels of their own in the grid.
  std::string chip;
  /// Configurations of each op in the grid at most; 0 takes all.
  int mostCases = 0;
  /// Says on stderr when each configuration begins, and how long it took.
  bool showsProgress = false;

  void applyTo(mlir::smx::RoadOptions &road) const {
    road.target = target;
    road.chip = chip.empty() ? "sm_80" : chip;
  }
  /// The chips to compile for: the one that was asked for, or one of each kind
  /// that has kernels of its own. On the CPU one without a name.
  std::vector<std::string> chips() const {
    if (!chip.empty() || target == mlir::smx::Target::Cpu)
      return {chip};
    return {"sm_80", "sm_90a"};
  }
  /// True if tensors have to be in a device's memory.
  bool isDevice() const { return target == mlir::smx::Target::Cuda; }
};

/// What the command line said.
inline TargetUnderTest &targetUnderTest() {
  static TargetUnderTest target;
  return target;
}

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_TARGETUNDERTEST_H
