//===- RoadOptions.h - what a caller decides about the road -----*- C++ -*-===//
#ifndef SMX_PIPELINE_ROADOPTIONS_H
#define SMX_PIPELINE_ROADOPTIONS_H

#include "smx/Pipeline/Stages.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mlir::smx {

/// How a GPU multiplies matrices of more than 16 bits an element.
enum class WideProducts {
  /// Fused multiply-adds of the threads, in the order of the reduced dimension.
  Fma,
  /// The matrix unit: f32 as three TF32 products, with a relative error of
  /// about 2^-21 in each term; f64 by fused multiply-adds in another order.
  MatrixUnit,
};

class ScheduleTable;

/// What a caller may decide about the road; zero always means "the model
/// chooses".
struct RoadOptions {
  /// Rows of a tile (queries, for attention), in rows.
  int64_t tileRows = 0;
  /// Extent of a tile along the reduced axis (keys, for attention), in
  /// elements.
  int64_t tileStream = 0;
  /// Number of partial states that a row is split into before the merge tree; 1
  /// is unsplit. 0 is one as well, or one for every MiB of a long row on a GPU.
  int64_t splits = 0;
  /// Width of the host's vector registers in bits; 0 asks the host.
  int64_t vectorBits = 0;
  /// Run over rows and heads on several threads (OpenMP).
  bool threads = true;
  /// What the code is for. A stage of one branch decides it by itself.
  Target target = Target::Cpu;
  /// The GPU architecture as PTX names it: sm_80, sm_90a.
  std::string chip = "sm_80";
  /// Warps of a block of threads.
  int64_t warps = 0;
  /// Stages of a channel between global and shared memory.
  int64_t depth = 0;
  /// Most blocks of a kernel that walk over tiles, one on a multiprocessor of
  /// the chip. 0 is 132, as of an H100 or H200 (SXM).
  int64_t blocks = 0;
  /// Bytes that the pointers and row strides of all arguments are known to be
  /// multiples of; below 4 it says nothing. 16 lets a GPU copy 16 bytes at a
  /// time.
  int64_t alignment = 0;
  /// What a GPU multiplies f32 and f64 matrices with.
  WideProducts wideProducts = WideProducts::Fma;
  /// Schedules that were measured; they decide what is left to the model here,
  /// from stage `online` on. See ScheduleTable.h.
  std::shared_ptr<const ScheduleTable> schedules;
  /// Check the contract of every stage as it is reached.
  bool verifyStages = true;
};

/// What `flags` say, whose members have the names of those that are read here.
template <typename FlagsT>
RoadOptions readScheduleFlags(const FlagsT &flags) {
  RoadOptions options;
  options.tileRows = flags.tileRows;
  options.tileStream = flags.tileStream;
  options.splits = flags.splits;
  options.warps = flags.warps;
  options.depth = flags.depth;
  options.blocks = flags.blocks;
  options.alignment = flags.alignment;
  options.wideProducts = flags.wideProducts;
  return options;
}

/// A number that an option can not be.
struct RoadOptionFault {
  /// As flags spell it: "tile-rows".
  llvm::StringRef option;
  int64_t value;
  /// What would work: "must be from 0 to 32".
  std::string wanted;
};

/// The largest value of a number; the least one is 0, for what the model
/// chooses.
int64_t mostOf(int64_t RoadOptions::*number);

/// The first number of `options` that it can not be, whatever the module.
std::optional<RoadOptionFault> findFault(const RoadOptions &options);

/// The same as an error, which names the member.
llvm::Error checkRoadOptions(const RoadOptions &options);

} // namespace mlir::smx

#endif // SMX_PIPELINE_ROADOPTIONS_H
