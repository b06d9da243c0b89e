//===- RoadOptions.cpp - what a caller decides about the road -------------===//

#include "smx/Pipeline/RoadOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::smx;

namespace {
struct Bounds {
  llvm::StringRef option;
  int64_t RoadOptions::*member;
  /// From 0 on. Larger tiles, and more parts of a row, than this machine or a
  /// GPU have memory for are mistakes, and sums of them overflow.
  int64_t most;
};
} // namespace

static constexpr int64_t mostElements = int64_t(1) << 30;

static const Bounds bounds[] = {
    {"tile-rows", &RoadOptions::tileRows, mostElements},
    {"tile-stream", &RoadOptions::tileStream, mostElements},
    {"splits", &RoadOptions::splits, mostElements},
    {"vector-bits", &RoadOptions::vectorBits, 512},
    // A block has at most 1024 threads.
    {"warps", &RoadOptions::warps, 32},
    {"depth", &RoadOptions::depth, 1024},
    {"blocks", &RoadOptions::blocks, INT32_MAX},
    {"alignment", &RoadOptions::alignment, mostElements},
};

int64_t mlir::smx::mostOf(int64_t RoadOptions::*number) {
  const Bounds *found = llvm::find_if(
      bounds, [&](const Bounds &bound) { return bound.member == number; });
  assert(found != std::end(bounds) && "every number has a bound");
  return found->most;
}

std::optional<RoadOptionFault>
mlir::smx::findFault(const RoadOptions &options) {
  for (const auto &[option, member, most] : bounds)
    if (int64_t value = options.*member; value < 0 || value > most)
      return RoadOptionFault{option, value,
                             "must be from 0 to " + std::to_string(most)};
  if (options.vectorBits != 0 && options.vectorBits != 128 &&
      options.vectorBits != 256 && options.vectorBits != 512)
    return RoadOptionFault{"vector-bits", options.vectorBits,
                           "must be 128, 256 or 512, or 0"};
  if (options.alignment != 0 && !llvm::isPowerOf2_64(options.alignment))
    return RoadOptionFault{"alignment", options.alignment,
                           "must be a power of 2, or 0"};
  return std::nullopt;
}

llvm::Error mlir::smx::checkRoadOptions(const RoadOptions &options) {
  std::optional<RoadOptionFault> fault = findFault(options);
  if (!fault)
    return llvm::Error::success();
  std::string snake = fault->option.str();
  llvm::replace(snake, '-', '_');
  return llvm::createStringError(
      "option road." + llvm::convertToCamelFromSnakeCase(snake) + " is " +
      llvm::Twine(fault->value) + "; it " + fault->wanted);
}
