//===- LongRowSchedule.h - threads and blocks of one long row ---*- C++ -*-===//
#ifndef SMX_LIB_GPU_LONGROWSCHEDULE_H
#define SMX_LIB_GPU_LONGROWSCHEDULE_H

#include "NestShape.h"

namespace mlir::smx::gpu {

/// The schedule of one row of more than 4 KiB: how many threads hold it, in how
/// many blocks. `schedule` has a layout already, whose place another one takes.
void spreadRow(BlockSchedule &schedule, const NestShape &shape,
               const ScheduleOptions &options);

/// Threads of a multiprocessor, of all its blocks, where a loop reads long
/// tiles of a row.
int64_t threadsOfStream(const NestShape &shape, const ScheduleOptions &options);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_LONGROWSCHEDULE_H
