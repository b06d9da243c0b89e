//===- Generators.h - inputs by name ---------------------------*- C++ -*-===//
//
// Seeded inputs for tests and runs. Normal data never makes a running maximum
// jump, so it hides every rescaling bug; the other generators are there to show
// them. The same seed gives the same elements with every standard library, up
// to the last bit of its log and cos.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_GENERATORS_H
#define SMX_REFERENCE_GENERATORS_H

#include "smx/Reference/Result.h"
#include "smx/Reference/Tensor.h"

#include <string>
#include <string_view>
#include <vector>

namespace smx::reference {

struct GeneratorOptions {
  /// Elements are rounded to this floating-point type; ranges follow it.
  DType dtype = DType::F32;
  uint64_t seed = 0;
  /// Elements per tile, for generators that change at tile borders.
  int64_t tile = 128;
  /// The axis of the rows; a negative axis counts from the end.
  int64_t axis = -1;
};

/// A generator's name and one line about it.
struct GeneratorInfo {
  std::string_view name;
  std::string_view description;
};

const std::vector<GeneratorInfo> &allGenerators();
/// "normal, uniform, staircase, ...", for error messages.
std::string generatorNames();

/// A tensor from the named generator. Fails for an unknown name, a shape that
/// is negative or has too many elements, an axis out of range, a tile below 1,
/// or an integer dtype.
Result<Tensor> generate(std::string_view name, const Shape &shape,
                        const GeneratorOptions &options = {});

} // namespace smx::reference

#endif // SMX_REFERENCE_GENERATORS_H
