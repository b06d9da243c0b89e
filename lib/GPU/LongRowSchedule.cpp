//===- LongRowSchedule.cpp - threads and blocks of one long row -----------===//

#include "LongRowSchedule.h"
#include "smx/Tiling/LongRows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

void mlir::smx::gpu::spreadRow(BlockSchedule &schedule, const NestShape &shape,
                               const ScheduleOptions &options) {
  int64_t bytes =
      registerBytesOfRow(llvm::divideCeil(shape.longest * shape.rowBits, 8),
                         /*isDouble=*/shape.elementBits == 64);
  // Copies to shared memory want rows at multiples of 16 bytes. Of a row that
  // does not fill its threads, what is read again is masked again: for narrow
  // elements registers alone are faster, where they do.
  bool isWhole = bytes % halfRowBytes == 0 || shape.elementBits >= 32;
  bool isShared = options.alignment >= 16 &&
                  (isWhole || bytes > options.clusters * halfRowBytes);
  bool isCut =
      !isShared && (options.alignment * 8 < accessBits ||
                    shape.longest * shape.elementBits % accessBits != 0);
  int64_t each = isShared ? blockRowBytes
                 : isCut  ? cutBlockBytes
                          : halfRowBytes;
  int64_t threadBytes = isCut ? cutRowThreadBytes : blockRowThreadBytes;
  if (bytes > blockRowThreads * threadBytes && options.clusters > 1) {
    schedule.cluster = std::min<int64_t>(
        options.clusters, llvm::PowerOf2Ceil(llvm::divideCeil(bytes, each)));
    schedule.spread = shape.longestClass;
  }
  int64_t part = llvm::divideCeil(bytes, schedule.cluster);
  int64_t threads = std::max<int64_t>(llvm::divideCeil(part, threadBytes),
                                      fewestThreads(shape));
  // Where narrow elements are written, blocks of 256 threads with a few whole
  // accesses each are faster by 1 to 3 % on an H200.
  constexpr int64_t manyThreads = 256;
  if (shape.isWritten && shape.elementBits == 16 &&
      part % (manyThreads * accessBits / 8) == 0 &&
      part > manyThreads * accessBits / 8)
    threads = std::max(threads, manyThreads);
  // Of many warps, four at a time exchange 16 bytes.
  threads = llvm::alignTo(threads, threads > 4 * warpThreads ? 4 * warpThreads
                                                             : warpThreads);
  // Two blocks hide each other's exchange, if shared memory has the rest. Of a
  // cluster with f32, half as many threads are faster by 2 % on an H200.
  int64_t most = blockRowThreads;
  if (isShared && part <= blockRowBytes)
    most /= schedule.cluster > 1 && shape.elementBits == 32 ? 4 : 2;
  threads = options.warps ? options.warps * warpThreads
                          : std::min<int64_t>(threads, most);
  schedule.warps = threads / warpThreads;
  schedule.minBlocks = std::max<int64_t>(blockRowThreads / threads, 1);
  schedule.layout = StripedAttr::get(
      schedule.layout.getContext(),
      /*rows=*/1, threads, 128 / std::max<int64_t>(shape.elementBits, 8));
}
