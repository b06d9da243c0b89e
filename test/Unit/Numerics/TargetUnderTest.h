//===- TargetUnderTest.h - where the numeric suite runs ---------*- C++ -*-===//
#ifndef SMX_TEST_NUMERICS_TARGETUNDERTEST_H
#define SMX_TEST_NUMERICS_TARGETUNDERTEST_H

#include "smx/Pipeline/Pipelines.h"

#include <string>

namespace smx::test {

struct TargetUnderTest {
  mlir::smx::Target target = mlir::smx::Target::Cpu;
  /// GPU architecture; the code of an older one runs on a newer one.
  std::string chip = "sm_80";
  /// Configurations of each op in the grid at most; 0 takes all.
  int mostCases = 0;

  void applyTo(mlir::smx::RoadOptions &road) const {
    road.target = target;
    road.chip = chip;
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
