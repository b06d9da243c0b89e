//===- PlantedBugs.h - mistakes that the suite must notice ------*- C++ -*-===//
#ifndef SMX_TEST_NUMERICS_PLANTEDBUGS_H
#define SMX_TEST_NUMERICS_PLANTEDBUGS_H

#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <string>
#include <vector>

namespace smx::test {

/// A mistake of the kind that is really made, as a change of correct IR at
/// stage tiled.
struct PlantedBug {
  std::string name;
  /// True: `plant` wants the state ops expanded into arithmetic.
  bool wantsArithmetic;
  /// Makes the mistake wherever it can be made; returns in how many places.
  std::function<int(mlir::ModuleOp)> plant;
  /// Only code for a GPU has what it is made in.
  bool isOnGpu = false;
};

const std::vector<PlantedBug> &allPlantedBugs();

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_PLANTEDBUGS_H
